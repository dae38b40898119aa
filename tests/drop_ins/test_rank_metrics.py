"""In the place of the gist: the values of its own examples, its errors, and arithmetic."""

from __future__ import annotations

from math import isnan, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from idealist import InputError, evaluate
from idealist.drop_ins.rank_metrics import (
    average_precision,
    dcg_at_k,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    r_precision,
)

# Those of the handout that its documentation cites.
HANDOUT = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
GRADES = st.lists(st.integers(0, 4), min_size=1, max_size=12)


def test_values_of_its_documentation() -> None:
    assert mean_reciprocal_rank([[0, 0, 0], [0, 1, 0], [1, 0, 0]]) == 0.5
    assert mean_reciprocal_rank(np.array([[0, 0, 0, 1], [1, 0, 0, 0], [1, 0, 0, 0]])) == 0.75
    assert [r_precision(r) for r in ([0, 0, 1], [0, 1, 0], [1, 0, 0])] == approx([1 / 3, 1 / 2, 1])
    assert [precision_at_k([0, 0, 1], k) for k in (1, 2, 3)] == approx([0, 0, 1 / 3])
    assert average_precision([1, 1, 0, 1, 0, 1, 0, 0, 0, 1]) == approx(0.7833333333333333)
    assert mean_average_precision([[1, 1, 0, 1, 0, 1, 0, 0, 0, 1], [0]]) == approx(0.39166666666666666)
    assert [dcg_at_k(HANDOUT, k) for k in (1, 2, 10, 11)] == approx(
        [3, 5, 9.6051177391888114, 9.6051177391888114]
    )
    assert dcg_at_k(HANDOUT, 2, method=1) == approx(4.2618595071429155)
    assert ndcg_at_k(HANDOUT, 1) == 1.0
    assert ndcg_at_k([2, 1, 2, 0], 4) == approx(0.9203032077642922)
    assert ndcg_at_k([2, 1, 2, 0], 4, method=1) == approx(0.96519546960144276)
    assert (ndcg_at_k([0], 1), ndcg_at_k([1], 2)) == (0.0, 1.0)


@given(GRADES, st.integers(0, 14))
def test_discounts(grades: list[int], k: int) -> None:
    """Method 0 leaves the second rank whole, method 1 does not."""
    top = grades[:k]
    assert dcg_at_k(grades, k) == approx(sum(g / max(1.0, log2(rank)) for rank, g in enumerate(top, 1)))
    assert dcg_at_k(grades, k, method=1) == approx(sum(g / log2(rank + 1) for rank, g in enumerate(top, 1)))


@given(st.lists(GRADES, min_size=1, max_size=5), st.integers(1, 12), st.sampled_from(["AP", "nDCG", "RR"]))
def test_the_preset_has_its_values(lists: list[list[int]], k: int, name: str) -> None:
    """Each list as a run whose documents are all judged, beside a relevant one that no run has."""
    run = {f"q{q}": {f"d{d}": float(-d) for d in range(len(grades))} for q, grades in enumerate(lists)}
    judged = {
        f"q{q}": {f"d{d}": grade for d, grade in enumerate(grades)} | {"missed": 4}
        for q, grades in enumerate(lists)
    }
    expected = {
        "AP": mean_average_precision(lists),
        "nDCG": sum(ndcg_at_k(grades, k) for grades in lists) / len(lists),
        "RR": mean_reciprocal_rank(lists),
    }[name]
    measure = f"{name}@{k}" if name == "nDCG" else name
    assert evaluate(judged, run, measure, conventions="rank_metrics").mean(measure) == approx(expected)


def test_errors() -> None:
    with pytest.raises(ValueError, match="Relevance score length < k"):
        precision_at_k([0, 0, 1], 4)
    with pytest.raises(AssertionError, match="k must be 1 or more, not 0"):
        precision_at_k([1], 0)
    with pytest.raises(ValueError, match=r"method must be 0 or 1\."):
        dcg_at_k([1], 1, method=2)
    assert dcg_at_k([], 5, method=2) == 0.0  # it looks at the list first


@pytest.mark.parametrize("wrong", ["abc", [["a"]], [[1, 0], [0, 1]], [1.0, float("nan")], 3])
def test_what_is_no_list_of_grades(wrong: Any) -> None:
    for function in (average_precision, r_precision):
        with pytest.raises(InputError, match=r"list of grades|nan"):
            function(wrong)


def test_odd_lists() -> None:
    assert (average_precision([]), r_precision([0, 0]), average_precision([0])) == (0.0, 0.0, 0.0)
    assert precision_at_k([-1, 0], 2) == 0.5  # whatever is not 0 is relevant
    assert dcg_at_k([-1, 2], 2) == 1.0
    assert dcg_at_k([3, 2, 1], -1) == 5.0  # a slice of Python's
    one: Any = np.float64(1)
    assert dcg_at_k([3, 2, 3], 2, method=one) == dcg_at_k([3, 2, 3], 2, method=True)  # equal to 1
    assert isnan(mean_average_precision([]))
