"""The conventions of scikit-learn, of trec_eval, and of two programs that are not Python packages.

Those of tools that take long to install are in tests/peers, which `make peers` runs.
"""

from __future__ import annotations

import re
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score
from support.scored_lists import (
    CUTOFFS,
    GRADED,
    REAL,
    WEIGHTS,
    Lists,
    named,
    ohsumed_lists,
    ours,
    scored_lists,
)
from support.strategies import UTF8_DOCUMENTS, judgments, runs

from idealist import InputError, evaluate
from idealist.conventions import LETOR, RANKLIB, SCIKIT_LEARN, TREC_EVAL_9, TREC_EVAL_10

# scikit-learn


@given(scored_lists(st.one_of(GRADED, REAL)), CUTOFFS)
def test_scikit_learn(lists: Lists, k: int) -> None:
    for scores, grades in lists:
        if len(scores) > 1:  # one document is refused
            for measure, theirs in (("nDCG", ndcg_score), ("DCG", dcg_score)):
                expected = theirs([grades], [scores], k=k)
                assert ours([(scores, grades)], f"{measure}@{k}", "scikit-learn") == pytest.approx(expected)


@given(st.lists(st.lists(GRADED, min_size=4, max_size=4), min_size=1, max_size=5), CUTOFFS, st.data())
def test_scikit_learn_with_weights(grades: list[list[float]], k: int, data: Any) -> None:
    weights = data.draw(st.lists(WEIGHTS, min_size=len(grades), max_size=len(grades)))
    scores = [[1.0, 2.0, 2.0, 0.0]] * len(grades)
    expected = ndcg_score(grades, scores, k=k, sample_weight=weights)
    lists = list(zip(scores, grades, strict=True))
    assert ours(lists, f"nDCG@{k}", "scikit-learn", weights) == pytest.approx(expected)


def test_what_scikit_learn_refuses() -> None:
    with pytest.raises(ValueError, match="negative"):
        ndcg_score([[1, -1]], [[2, 1]])
    with pytest.raises(InputError, match="negative"):
        ours([([2, 1], [1, -1])], "nDCG", "scikit-learn")
    with pytest.raises(ValueError, match="more than 1 document"):
        ndcg_score([[1]], [[2]])
    assert ours([([2], [1])], "nDCG", "scikit-learn") == 1
    assert dcg_score([[1, -1]], [[2, 1]]) == pytest.approx(1 - 1 / log2(3))  # but this adds negative gains
    keeping = SCIKIT_LEARN.replace(negative="keep")
    assert ours([([2, 1], [1, -1])], "DCG", keeping) == pytest.approx(1 - 1 / log2(3))


# trec_eval 9, by way of pytrec_eval

NAMES = {
    "nDCG@10": "ndcg_cut_10",
    "AP": "map",
    "AP@5": "map_cut_5",
    "RR": "recip_rank",
    "P@5": "P_5",
    "R@5": "recall_5",
    "Rprec": "Rprec",
    "Success@1": "success_1",
    "Bpref": "bpref",
    "IPrec(recall=0.3)": "iprec_at_recall_0.30",
}


@given(runs(UTF8_DOCUMENTS, smallest=1), judgments(UTF8_DOCUMENTS, smallest=1))
def test_trec_eval_9(run: Any, judged: Any) -> None:
    # A query with only negative grades makes pytrec_eval hang.
    judged = {query: grades for query, grades in judged.items() if max(grades.values()) >= 0}
    if not set(run) & set(judged):
        return
    asked = {re.sub(r"_[0-9.]+$", "", name) for name in NAMES.values()}
    theirs = pytrec_eval.RelevanceEvaluator(judged, asked).evaluate(run)
    result = evaluate(judged, run, list(NAMES), conventions=TREC_EVAL_9)
    for name, nickname in NAMES.items():
        expected = np.mean([values[nickname] for values in theirs.values()])
        assert result.mean(name) == pytest.approx(expected, abs=1e-9), name


def test_what_differs_in_trec_eval_10() -> None:
    run = {"q": {"a": 16777217.0, "b": 16777216.0}}
    judged = {"q": {"a": 1}}
    # A tie in single precision, where the greater id is first.
    assert evaluate(judged, run, "RR", conventions=TREC_EVAL_9).mean("RR") == 1 / 2
    assert evaluate(judged, run, "RR", conventions=TREC_EVAL_10).mean("RR") == 1
    # Recall 0.3 of 4 relevant documents is 1.2 of them: 2 from 1.2 + 0.9, 1 to the nearest.
    run = {"q": {"a": 4.0, "x": 3.0, "y": 2.0, "b": 1.0}}
    judged = {"q": {"a": 1, "b": 1, "c": 1, "d": 1}}
    name = "IPrec(recall=0.3)"
    assert evaluate(judged, run, name, conventions=TREC_EVAL_9).mean(name) == 2 / 4
    assert evaluate(judged, run, name, conventions=TREC_EVAL_10).mean(name) == 1 / 1
    # A query missing from the run.
    more = judged | {"r": {"a": 1}}
    assert evaluate(more, run, "RR", conventions=TREC_EVAL_9).mean("RR") == 1
    with pytest.raises(InputError, match="missing from the run"):
        evaluate(more, run, "RR", conventions=TREC_EVAL_10)


# LETOR's scripts and RankLib, by what they are known to do


def in_order(scores: list[float], grades: list[float]) -> list[float]:
    """The grades by falling score, ties as given."""
    return [grades[place] for place in sorted(range(len(scores)), key=lambda place: -scores[place])]


def letor_dcg(grades: list[float], k: int) -> float:
    """The first two ranks count whole, and rank r from there on 1/log2(r)."""
    return sum((2**grade - 1) / max(1, log2(rank)) for rank, grade in enumerate(grades[:k], 1))


def ranklib_dcg(grades: list[float], k: int) -> float:
    return sum((2**grade - 1) / log2(rank + 1) for rank, grade in enumerate(grades[:k], 1))


def average_precision(grades: list[float]) -> float:
    ranks = [rank for rank, grade in enumerate(grades, 1) if grade > 0]
    return sum(number / rank for number, rank in enumerate(ranks, 1)) / max(1, len(ranks))


@given(scored_lists(), CUTOFFS)
@pytest.mark.parametrize(("tool", "dcg"), [("letor", letor_dcg), ("ranklib", ranklib_dcg)])
def test_letor_and_ranklib(tool: str, dcg: Any, lists: Lists, k: int) -> None:
    ranked = [in_order(scores, grades) for scores, grades in lists]
    ideals = [dcg(sorted(grades, reverse=True), k) for grades in ranked]
    values = [dcg(grades, k) / ideal if ideal else 0 for grades, ideal in zip(ranked, ideals, strict=True)]
    assert ours(lists, f"nDCG@{k}", tool) == pytest.approx(np.mean(values))
    assert ours(lists, f"DCG@{k}", tool) == pytest.approx(np.mean([dcg(grades, k) for grades in ranked]))
    assert ours(lists, "AP", tool) == pytest.approx(np.mean([average_precision(grades) for grades in ranked]))


def test_letor_by_hand() -> None:
    # Gains 0 3 1, of which the best order is 3 1 0; at rank 3 a gain counts 1/log2(3), before it 1.
    run, judged = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 0, "b": 2, "c": 1}}
    result = evaluate(judged, run, ["nDCG@2", "nDCG@3"], conventions=LETOR)
    assert result.mean("nDCG@2") == pytest.approx((0 + 3) / (3 + 1))
    assert result.mean("nDCG@3") == pytest.approx((0 + 3 + 1 / log2(3)) / (3 + 1))
    # Of a query with one document the script has no value at 2, and its mean takes it for 0; we do not.
    short = evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "nDCG@2", conventions=LETOR)
    assert short.mean("nDCG@2") == 1
    # RankLib discounts the second rank as well.
    result = evaluate(judged, run, "nDCG@2", conventions=RANKLIB)
    assert result.mean("nDCG@2") == pytest.approx((3 / log2(3)) / (3 + 1 / log2(3)))


# The same scores, by what the tools do


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        ("trec_eval-9", 0.2888),
        ("trec_eval-10", 0.2888),
        ("scikit-learn", 0.2884),
        ("torchmetrics", 0.2884),
        ("lightgbm", 0.2726),
        ("xgboost", 0.2726),
        ("catboost", 0.2715),
        ("letor", 0.2642),
        ("ranklib", 0.2631),
        ("ranx", 0.2894),
        ("spark", 0.3649),
        ("recbole", 0.3684),
    ],
)
def test_ndcg_of_ohsumed(ohsumed: Path, tool: str, value: float) -> None:
    """tests/peers has the tools' own values of these lists, and finds the same."""
    assert round(ours(ohsumed_lists(ohsumed), "nDCG@10", tool), 4) == value


def test_trec_eval_and_scikit_learn_on_ohsumed(ohsumed: Path) -> None:
    lists = ohsumed_lists(ohsumed)
    run = named([scores for scores, _ in lists])
    judged: Any = named([[int(grade) for grade in grades] for _, grades in lists])
    by_query = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut_10"}).evaluate(run)
    expected = np.mean([values["ndcg_cut_10"] for values in by_query.values()])
    assert ours(lists, "nDCG@10", "trec_eval-9") == pytest.approx(expected, abs=1e-9)
    expected = np.mean([ndcg_score([grades], [scores], k=10) for scores, grades in lists])
    assert ours(lists, "nDCG@10", "scikit-learn") == pytest.approx(expected, abs=1e-9)
