"""CatBoost's own evaluation beside ours."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scored_lists import CUTOFFS, REAL, WEIGHTS, Lists, joined, ohsumed_lists, ours, scored_lists

from idealist import InputError
from idealist.conventions import CATBOOST

catboost = pytest.importorskip("catboost.utils", reason="make peers installs it")

EMPTY_IS_ZERO = CATBOOST.replace(empty="zero")


def theirs(lists: Lists, metric: str, weights: Any = None) -> float:
    scores, grades, sizes = joined(lists)
    by_document = None if weights is None else np.repeat(np.asarray(weights, dtype=float), sizes)
    queries = np.repeat(np.arange(len(lists)), sizes)
    [value] = catboost.eval_metric(grades, scores, metric, group_id=queries, group_weight=by_document)
    return float(value)


@given(scored_lists(), CUTOFFS, st.data())
def test_ndcg(lists: Lists, k: int, data: Any) -> None:
    weights = data.draw(st.none() | st.lists(WEIGHTS, min_size=len(lists), max_size=len(lists)))
    for measure, metric in (("nDCG", "NDCG:top={}"), ("nDCG(gain=exp)", "NDCG:top={};type=Exp")):
        expected = theirs(lists, metric.format(k), weights)
        assert ours(lists, f"{measure}@{k}", "catboost", weights) == pytest.approx(expected, abs=1e-9)


@given(scored_lists(REAL), CUTOFFS)
def test_ndcg_of_real_grades(lists: Lists, k: int) -> None:
    for measure, metric in (("nDCG", "NDCG:top={}"), ("nDCG(gain=exp)", "NDCG:top={};type=Exp")):
        expected = theirs(lists, metric.format(k))
        assert ours(lists, f"{measure}@{k}", "catboost") == pytest.approx(expected, abs=1e-6)


@given(scored_lists(), CUTOFFS)
def test_other_discounts(lists: Lists, k: int) -> None:
    expected = theirs(lists, f"NDCG:top={k};denominator=Position")
    assert ours(lists, f"nDCG(discount=zipf)@{k}", "catboost") == pytest.approx(expected, abs=1e-9)
    assert ours(lists, f"DCG@{k}", "catboost") == pytest.approx(theirs(lists, f"DCG:top={k}"), abs=1e-9)


@given(scored_lists(), CUTOFFS)
def test_recall_and_average_precision(lists: Lists, k: int) -> None:
    assert ours(lists, f"R@{k}", "catboost") == pytest.approx(theirs(lists, f"RecallAt:top={k}"), abs=1e-9)
    assert ours(lists, f"AP@{k}", EMPTY_IS_ZERO) == pytest.approx(theirs(lists, f"MAP:top={k}"), abs=1e-9)


@given(scored_lists(), CUTOFFS, st.data())
def test_reciprocal_rank(lists: Lists, k: int, data: Any) -> None:
    weights = data.draw(st.none() | st.lists(WEIGHTS, min_size=len(lists), max_size=len(lists)))
    expected = theirs(lists, f"MRR:top={k}", weights)
    assert ours(lists, f"RR@{k}", EMPTY_IS_ZERO, weights) == pytest.approx(expected, abs=1e-9)


@given(scored_lists(), CUTOFFS)
def test_precision_of_lists_that_reach_the_cutoff(lists: Lists, k: int) -> None:
    long_enough = [one for one in lists if len(one[0]) >= k] or [([float(k)] * k, [1] * k)]
    expected = theirs(long_enough, f"PrecisionAt:top={k}")
    assert ours(long_enough, f"P@{k}", "catboost") == pytest.approx(expected, abs=1e-9)


def test_precision_of_a_shorter_list() -> None:
    assert theirs([([1], [1])], "PrecisionAt:top=2") == 1 / 1  # divided by the length of the list
    assert ours([([1], [1])], "P@2", "catboost") == 1 / 2  # divided by k


def test_weights_that_it_does_not_look_at() -> None:
    lists: Lists = [([2, 1], [0, 1]), ([2, 1], [1, 0])]
    for measure, metric, (first, second) in (
        ("AP@2", "MAP:top=2", (1 / 2, 1)),
        ("P@1", "PrecisionAt:top=1", (0, 1)),
        ("R@1", "RecallAt:top=1", (0, 1)),
    ):
        assert theirs(lists, metric, [3, 1]) == pytest.approx((first + second) / 2)
        assert ours(lists, measure, "catboost", [3, 1]) == pytest.approx((3 * first + second) / (3 + 1))


def test_real_grades_above_one_half_are_relevant_to_it() -> None:
    lists: Lists = [([3, 2, 1], [0.5, 0.6, 1])]
    assert theirs(lists, "MRR:top=3") == 1 / 2
    assert ours(lists, "RR@3", "catboost") == pytest.approx(1 / 3)  # level=1
    assert ours(lists, "RR(level=0.6)@3", "catboost") == 1 / 2


def test_negative_grades() -> None:
    # Its ideal list ends with the negative gains; ours has positive gains only.
    lists: Lists = [([3, 2, 1], [0, -1, 2])]
    found, ideal = -1 / log2(3) + 2 / log2(4), 2 - 1 / log2(4)
    assert theirs(lists, "NDCG:top=3") == pytest.approx(found / ideal)
    with pytest.raises(InputError, match="negative"):
        ours(lists, "nDCG@3", "catboost")


def test_ohsumed(ohsumed: Path) -> None:
    lists = ohsumed_lists(ohsumed)
    value = theirs(lists, "NDCG:top=10")
    assert ours(lists, "nDCG@10", "catboost") == pytest.approx(value, abs=1e-9)
