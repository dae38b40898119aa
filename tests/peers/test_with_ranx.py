"""ranx beside ours. Its first call compiles for a while."""

from __future__ import annotations

from math import isnan, log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scored_lists import BINARY, Lists, named, ohsumed_lists, ours, scored_lists

from idealist import InputError, evaluate
from idealist.conventions import RANX

pytestmark = pytest.mark.filterwarnings("ignore")
ranx = pytest.importorskip("ranx", reason="make peers installs it")

NAMES = {
    "nDCG@3": "ndcg@3",
    "nDCG": "ndcg",
    "nDCG(gain=exp)@3": "ndcg_burges@3",
    "AP@3": "map@3",
    "AP": "map",
    "RR@3": "mrr@3",
    "P@3": "precision@3",
    "P": "precision",
    "R@3": "recall@3",
    "Success@3": "hit_rate@3",
    "Rprec": "r-precision",
    "F@3": "f1@3",
}
GRADES = st.integers(-2, 4)


def theirs(run: Any, judged: Any, metrics: list[str]) -> dict[str, float]:
    """Of several metrics: of one alone it gives a number."""
    whole = {query: {document: int(grade) for document, grade in of.items()} for query, of in judged.items()}
    scored = {query: {document: float(score) for document, score in of.items()} for query, of in run.items()}
    values: dict[str, float] = ranx.evaluate(ranx.Qrels(whole), ranx.Run(scored), metrics)
    return values


def apart(lists: Lists) -> tuple[Any, Any]:
    """A run and judgments of which each has a document that the other has not."""
    run, judged = named([scores for scores, _ in lists]), named([grades for _, grades in lists])
    unseen = {query: {f"not {document}": grade for document, grade in list(of.items())[:1]} for query, of in judged.items()}  # fmt: skip
    return run, {query: dict(list(of.items())[1:]) | unseen[query] for query, of in judged.items()}


@given(scored_lists(GRADES, longest=15))
def test_every_value_of_lists_up_to_15(lists: Lists) -> None:
    run, judged = apart(lists)
    result = evaluate(judged, run, list(NAMES), conventions=RANX)
    for name, value in zip(NAMES, theirs(run, judged, list(NAMES.values())).values(), strict=True):
        assert result.mean(name) == pytest.approx(value, abs=1e-12), name


@given(scored_lists(BINARY, longest=13))
def test_rbp_of_binary_grades_and_bpref_where_something_is_not_relevant(lists: Lists) -> None:
    lists = [([*scores, 2.0, 1.0], [*grades, 0, 1]) for scores, grades in lists]
    run, judged = apart(lists)
    values = theirs(run, judged, ["rbp.50", "bpref"])
    result = evaluate(judged, run, ["RBP(p=0.5)", "Bpref"], conventions=RANX)
    assert result.mean("RBP(p=0.5)") == pytest.approx(values["rbp.50"], abs=1e-12)
    assert result.mean("Bpref") == pytest.approx(values["bpref"], abs=1e-12)


def test_rbp_passes_1() -> None:
    # Each rank r has the weight 0.5^r, and all of them together 1; it multiplies them with the grades.
    run, judged = named([[3, 2, 1]]), named([[3, 3, 2]])
    values = theirs(run, judged, ["rbp.50", "bpref"])
    assert values["rbp.50"] == 3 / 2 + 3 / 4 + 2 / 8  # 2.5
    assert evaluate(judged, run, "RBP(p=0.5)", conventions=RANX).mean("RBP(p=0.5)") == 1 / 2 + 1 / 4 + 1 / 8


def test_bpref_is_no_number_where_all_judged_documents_are_relevant() -> None:
    # 0 documents that are not relevant stand above, of 0: we take 0 of none for 0, as trec_eval does.
    run, judged = named([[3, 2, 1]]), named([[1, 1, 1]])
    assert isnan(theirs(run, judged, ["rbp.50", "bpref"])["bpref"])
    assert evaluate(judged, run, "Bpref", conventions=RANX).mean("Bpref") == 1


def test_bpref_of_negative_grades() -> None:
    # Of a b d, in this order, b and d are relevant. It takes a for judged and not relevant, so that 1 of 1 stands
    # above both; to us, as to trec_eval, a negative grade means pooled and not judged.
    run, judged = {"q": {"a": 3.0, "b": 2.0, "d": 1.0}}, {"q": {"a": -1, "b": 1, "d": 1}}
    assert theirs(run, judged, ["rbp.50", "bpref"])["bpref"] == (1 - 1 / 1 + 1 - 1 / 1) / 2
    assert evaluate(judged, run, "Bpref", conventions=RANX).mean("Bpref") == 1


def test_ties_of_longer_lists_are_left_to_an_unstable_sort() -> None:
    scores = [float(place % 2) for place in range(16)]
    expected = [f"d{place:03}" for place in [*range(1, 16, 2), *range(0, 16, 2)]]
    run = ranx.Run(named([scores]))
    run.sort()
    assert list(run.to_dict()["q000"]) != expected
    shorter = ranx.Run(named([scores[:15]]))
    shorter.sort()
    assert list(shorter.to_dict()["q000"]) == expected[:7] + expected[8:]  # as given


def test_real_grades_lose_their_fraction() -> None:
    judged = ranx.Qrels({"q": {"a": 0.5, "b": 1.5}})
    assert judged.to_dict() == {"q": {"a": 0, "b": 1}}
    ideal = 1.5 + 0.5 / log2(3)
    assert ours([([2, 1], [0.5, 1.5])], "nDCG", "ranx") == pytest.approx((0.5 + 1.5 / log2(3)) / ideal)


def test_a_query_that_is_missing_from_the_run_is_refused_by_both() -> None:
    run, judged = {"q": {"a": 1.0}}, {"q": {"a": 1}, "r": {"a": 1}}
    with pytest.raises(AssertionError, match="query ids do not match"):
        theirs(run, judged, ["map@3", "mrr@3"])
    with pytest.raises(InputError, match="missing from the run"):
        evaluate(judged, run, "AP@3", conventions=RANX)


def test_ohsumed(ohsumed: Path) -> None:
    # Ties broken by place.
    lists = [
        (list(np.asarray(scores) - np.arange(len(scores)) * 1e-6), grades)
        for scores, grades in ohsumed_lists(ohsumed)
    ]
    run, judged = named([scores for scores, _ in lists]), named([grades for _, grades in lists])
    value = theirs(run, judged, ["ndcg@10", "map@3"])["ndcg@10"]
    assert ours(lists, "nDCG@10", "ranx") == pytest.approx(value, abs=1e-12)
    assert ours(ohsumed_lists(ohsumed), "nDCG@10", "ranx") == pytest.approx(value, abs=1e-12)
