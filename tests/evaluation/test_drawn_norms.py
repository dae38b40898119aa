"""How far drawn documents are believed, by arithmetic; and the bias of nDCG from few of them, by simulation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytest import approx
from support.rag24 import noisy_ranking, shared_grades

import idealist as il
from idealist.evaluation.drawn_values import believed_shares

# The machine says 0 of everything, and people are expected to do so.
FITS = {query: {0.0: {0.0: 1.0, 2.0: 0.0}} for query in ("q1", "q2")}
LABELS = {query: dict.fromkeys("abcd", 0.0) for query in ("q1", "q2")}


def test_the_share_is_that_of_true_variance_in_all() -> None:
    """Two of four are drawn, each stands for two. q1: 2/0.5 and 0, so 4 more gain than expected, with a variance of
    (1 − 0.5)·2·8; q2: both 4, 8 more, with a variance of 0. τ² = (4² − 8 + 8² − 0)/2 = 36."""
    drawn = il.data.DrawnJudgments(
        {"q1": {"a": (2, 0.5), "b": (0, 0.5)}, "q2": {"a": (2, 0.5), "b": (2, 0.5)}}
    )
    shares = believed_shares(drawn, LABELS, FITS, float)
    assert shares == approx({"q1": 36 / (36 + 8), "q2": 1.0})


def test_documents_that_are_certain_are_believed() -> None:
    drawn = il.data.DrawnJudgments({"q1": {"a": (2, 1.0), "b": (0, 1.0)}})
    assert believed_shares(drawn, LABELS, FITS, float) == {"q1": 1.0}


def test_a_document_that_stands_for_ten_is_believed_little() -> None:
    """One document of 10 is drawn: 2/0.1 = 20 more, and a variance of 0.9·20²; nothing in the other query."""
    drawn = il.data.DrawnJudgments({"q1": {"a": (2, 0.1)}, "q2": {"a": (0, 0.1)}})
    share = believed_shares(drawn, LABELS, FITS, float)
    true = (20**2 - 0.9 * 20**2) / 2  # by two queries
    assert share["q1"] == approx(true / (true + 0.9 * 20**2))


@pytest.mark.slow
def test_ndcg_from_few_documents_is_hardly_biased(rag24: Path) -> None:
    """20 of about 239 documents a query, half of them among the first ten. 40 trials have a standard error of 0.004; without
    the share, the bias is 0.023."""
    human, machine = shared_grades(rag24)
    run = noisy_ranking(human, 2.0, 1)
    truth = il.evaluate(human, run, "nDCG@10").mean("nDCG@10")
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(40):
        drawn: dict[str, dict[str, tuple[float, float]]] = {}
        for query, grades in human.items():
            top = sorted(run[query], key=run[query].__getitem__)[-17:]
            drawn[query] = {}
            for stratum in (top, [document for document in grades if document not in top]):
                size = min(10, len(stratum))
                for document in rng.choice(stratum, size, replace=False).tolist():
                    drawn[query][document] = grades[document], size / len(stratum)
        result = il.evaluate(il.data.DrawnJudgments(drawn), run, "nDCG@10", machine=machine)
        errors.append(result.mean("nDCG@10") - truth)
    assert abs(np.mean(errors)) < 0.015
