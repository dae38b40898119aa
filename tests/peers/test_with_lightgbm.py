"""LightGBM's own evaluation beside ours."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.scored_lists import CUTOFFS, WEIGHTS, Lists, joined, ohsumed_lists, ours, scored_lists

from idealist import InputError

lightgbm = pytest.importorskip("lightgbm", reason="make peers installs it")


def theirs(
    lists: Lists, metric: str, k: int, weights: Any = None, by_document: Any = None, **parameters: Any
) -> float:
    """What a model says that has learned nothing: its scores are those it starts from."""
    scores, grades, sizes = joined(lists)
    if weights is not None:
        by_document = np.repeat(np.asarray(weights, dtype=float), sizes)
    data = lightgbm.Dataset(
        np.zeros((len(grades), 1)),
        label=grades,
        group=sizes,
        init_score=scores,
        weight=by_document,
        params={"verbose": -1},
    )
    asked = {"objective": "lambdarank", "metric": metric, "eval_at": [k], "verbose": -1, "num_threads": 1}
    [(_, _, value, _)] = lightgbm.Booster(asked | parameters, data).eval_train()
    return float(value)


@given(scored_lists(), CUTOFFS)
@settings(max_examples=60)
def test_ndcg(lists: Lists, k: int) -> None:
    assert ours(lists, f"nDCG@{k}", "lightgbm") == pytest.approx(theirs(lists, "ndcg", k), abs=1e-12)


@given(scored_lists(), CUTOFFS)
@settings(max_examples=60)
def test_map(lists: Lists, k: int) -> None:
    assert ours(lists, f"AP@{k}", "lightgbm") == pytest.approx(theirs(lists, "map", k), abs=1e-12)


@given(scored_lists(), CUTOFFS, st.data())
@settings(max_examples=40)
def test_weighted_map(lists: Lists, k: int, data: Any) -> None:
    weights = data.draw(st.lists(WEIGHTS, min_size=len(lists), max_size=len(lists)))
    expected = theirs(lists, "map", k, weights)
    assert ours(lists, f"AP@{k}", "lightgbm", weights) == pytest.approx(expected, abs=1e-12)


@given(scored_lists(), CUTOFFS, st.data())
@settings(max_examples=40)
def test_weighted_ndcg_where_every_query_has_something_relevant(lists: Lists, k: int, data: Any) -> None:
    lists = [(scores, [*grades[1:], 1]) for scores, grades in lists]
    weights = data.draw(st.lists(WEIGHTS, min_size=len(lists), max_size=len(lists)))
    expected = theirs(lists, "ndcg", k, weights)
    assert ours(lists, f"nDCG@{k}", "lightgbm", weights) == pytest.approx(expected, abs=1e-12)


def test_weighted_ndcg_passes_1_with_empty_queries() -> None:
    lists: Lists = [([2, 1], [1, 0]), ([2, 1], [0, 0])]
    weights = [1.0, 0.1]
    # Both queries count 1. The empty one is added with weight 1, and divided by with its own.
    assert theirs(lists, "ndcg", 3, weights) == pytest.approx((1 * 1 + 1) / (1 + 0.1))  # 1.818
    assert ours(lists, "nDCG@3", "lightgbm", weights) == (1 * 1 + 0.1 * 1) / (1 + 0.1)


def test_the_weight_of_a_query_is_the_mean_of_its_documents() -> None:
    lists: Lists = [([2, 1, 0], [0, 1, 0]), ([2], [1])]
    expected = (2 * (1 / 2) + 4 * 1) / (2 + 4)
    assert theirs(lists, "map", 3, by_document=[1.0, 2.0, 3.0, 4.0]) == pytest.approx(expected)
    assert ours(lists, "AP@3", "lightgbm", [2, 4]) == pytest.approx(expected)


def test_a_table_of_gains() -> None:
    lists: Lists = [([3, 2, 1], [1, 2, 0])]
    expected = (1 + 5 / log2(3)) / (5 + 1 / log2(3))
    assert theirs(lists, "ndcg", 3, label_gain=[0, 1, 5]) == pytest.approx(expected)
    assert ours(lists, "nDCG(gain={0:0,1:1,2:5})@3", "lightgbm") == pytest.approx(expected)


@pytest.mark.parametrize(("grade", "said"), [(-1, "non-negative"), (0.5, "int type"), (31, "less than the")])
def test_grades_it_refuses(grade: float, said: str) -> None:
    with pytest.raises(lightgbm.basic.LightGBMError, match=said):
        theirs([([2, 1], [1, grade])], "ndcg", 3)


def test_negative_grades_are_refused_by_both() -> None:
    with pytest.raises(InputError, match="negative"):
        ours([([2, 1], [1, -1])], "nDCG@3", "lightgbm")


def test_ohsumed(ohsumed: Path) -> None:
    lists = ohsumed_lists(ohsumed)
    value = theirs(lists, "ndcg", 10)
    assert ours(lists, "nDCG@10", "lightgbm") == pytest.approx(value, abs=1e-12)
