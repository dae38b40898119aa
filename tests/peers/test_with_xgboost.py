"""XGBoost's own evaluation beside ours."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.scored_lists import BINARY, CUTOFFS, WEIGHTS, Lists, joined, ohsumed_lists, ours, scored_lists

from idealist import InputError
from idealist.conventions import XGBOOST

xgboost = pytest.importorskip("xgboost", reason="make peers installs it")

EMPTY_IS_ZERO = XGBOOST.replace(empty="zero")


def theirs(lists: Lists, metric: str, weights: Any = None, **parameters: Any) -> float:
    """What a model without trees says: its scores are those it starts from."""
    scores, grades, sizes = joined(lists)
    data = xgboost.DMatrix(np.zeros((len(grades), 1)), label=grades)
    data.set_group(sizes)
    data.set_base_margin(scores)
    if weights is not None:
        data.set_weight(weights)
    asked = {"objective": "rank:ndcg", "eval_metric": metric, "nthread": 1}
    return float(xgboost.Booster(asked | parameters, [data]).eval(data).rsplit(":", 1)[1])


@given(scored_lists(), CUTOFFS)
@settings(max_examples=60)
def test_ndcg(lists: Lists, k: int) -> None:
    assert ours(lists, f"nDCG@{k}", "xgboost") == pytest.approx(theirs(lists, f"ndcg@{k}"), abs=1e-12)
    assert ours(lists, f"nDCG@{k}", EMPTY_IS_ZERO) == pytest.approx(theirs(lists, f"ndcg@{k}-"), abs=1e-12)


@given(scored_lists(), CUTOFFS)
@settings(max_examples=30)
def test_ndcg_with_linear_gain(lists: Lists, k: int) -> None:
    expected = theirs(lists, f"ndcg@{k}", ndcg_exp_gain=False)
    assert ours(lists, f"nDCG(gain=linear)@{k}", "xgboost") == pytest.approx(expected, abs=1e-12)


@given(scored_lists(BINARY), CUTOFFS, st.data())
@settings(max_examples=60)
def test_map(lists: Lists, k: int, data: Any) -> None:
    weights = data.draw(st.none() | st.lists(WEIGHTS, min_size=len(lists), max_size=len(lists)))
    for metric, chosen in ((f"map@{k}", XGBOOST), (f"map@{k}-", EMPTY_IS_ZERO)):
        assert ours(lists, f"AP@{k}", chosen, weights) == pytest.approx(
            theirs(lists, metric, weights), abs=1e-12
        )


@given(scored_lists(), CUTOFFS, st.data())
@settings(max_examples=40)
def test_weighted_ndcg_where_empty_queries_are_zero(lists: Lists, k: int, data: Any) -> None:
    weights = data.draw(st.lists(WEIGHTS, min_size=len(lists), max_size=len(lists)))
    expected = theirs(lists, f"ndcg@{k}-", weights)
    assert ours(lists, f"nDCG@{k}", EMPTY_IS_ZERO, weights) == pytest.approx(expected, abs=1e-12)


def test_weighted_ndcg_with_empty_queries() -> None:
    # The second query is empty and counts 1, whatever its weight, which is then divided by.
    lists: Lists = [([2, 1], [0, 1]), ([2, 1], [0, 0])]
    first = 1 / log2(3)
    assert theirs(lists, "ndcg@3", [1, 4]) == pytest.approx((1 * first + 1) / (1 + 4))
    assert ours(lists, "nDCG@3", "xgboost", [1, 4]) == pytest.approx((1 * first + 4 * 1) / (1 + 4))
    # (1 · 0.631 + 1) / (1 + 0.1) is 1.48266: it notices, and says that the weights are to blame.
    with pytest.raises(xgboost.core.XGBoostError, match=r"1\.48266.*Invalid output score"):
        theirs(lists, "ndcg@3", [1, 0.1])
    assert ours(lists, "nDCG@3", "xgboost", [1, 0.1]) == pytest.approx((1 * first + 0.1 * 1) / (1 + 0.1))


def test_without_a_cutoff_it_cuts_off_at_32() -> None:
    lists: Lists = [([float(40 - rank) for rank in range(1, 41)], [0.0] * 32 + [1.0] * 8)]
    assert theirs(lists, "ndcg") == theirs(lists, "map") == 0.0
    assert ours(lists, "nDCG@32", "xgboost") == ours(lists, "AP@32", "xgboost") == 0.0
    assert ours(lists, "nDCG", "xgboost") > 0.3
    assert ours(lists, "AP", "xgboost") == pytest.approx(sum(n / (32 + n) for n in range(1, 9)) / 8)


@given(scored_lists(BINARY), CUTOFFS)
@settings(max_examples=40)
def test_precision_of_lists_that_reach_the_cutoff(lists: Lists, k: int) -> None:
    long_enough = [one for one in lists if len(one[0]) >= k] or [([float(k)] * k, [1] * k)]
    expected = theirs(long_enough, f"pre@{k}")
    assert ours(long_enough, f"P@{k}", "xgboost") == pytest.approx(expected, abs=1e-12)


def test_precision_of_a_shorter_list() -> None:
    assert theirs([([1], [1])], "pre@2") == 1 / 1  # divided by the length of the list
    assert ours([([1], [1])], "P@2", "xgboost") == 1 / 2  # divided by k


@pytest.mark.parametrize(
    ("metric", "grade"), [("ndcg@3", -1), ("ndcg@3", 0.5), ("ndcg@3", 32), ("map@3", 2), ("pre@3", -1)]
)
def test_grades_it_refuses(metric: str, grade: float) -> None:
    with pytest.raises(xgboost.core.XGBoostError, match=r"Check failed: (label_is|is_binary)"):
        theirs([([2, 1], [1, grade])], metric)


def test_negative_grades_are_refused_by_both() -> None:
    with pytest.raises(InputError, match="negative"):
        ours([([2, 1], [1, -1])], "nDCG@3", "xgboost")


def test_ohsumed(ohsumed: Path) -> None:
    lists = ohsumed_lists(ohsumed)
    value = theirs(lists, "ndcg@10")
    assert ours(lists, "nDCG@10", "xgboost") == pytest.approx(value, abs=1e-12)
