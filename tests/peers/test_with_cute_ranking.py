"""The gist rank_metrics.py, as the package cute_ranking has it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import idealist.drop_ins.rank_metrics as ours

theirs = pytest.importorskip("cute_ranking.core", reason="make peers installs it")

GRADES = st.lists(st.one_of(st.integers(-1, 4), st.floats(0, 4, width=16)), min_size=1, max_size=15)


@pytest.fixture(autouse=True, scope="module")
def as_with_numpy_1() -> None:
    """It calls a function that NumPy 2 does not have any more."""
    if not hasattr(np, "asfarray"):
        np.asfarray = lambda values: np.asarray(values, dtype=float)  # type: ignore[attr-defined]


@given(GRADES, st.integers(1, 16), st.sampled_from([0, 1]))
def test_one_list(grades: list[float], k: int, method: int) -> None:
    for name in ("r_precision", "average_precision"):
        assert getattr(ours, name)(grades) == approx(getattr(theirs, name)(grades)), name
    assert ours.dcg_at_k(grades, k, method) == approx(theirs.dcg_at_k(grades, k, method))
    if sum(grade < 0 for grade in grades) == 0:  # a best order near 0 would make any rounding large
        assert ours.ndcg_at_k(grades, k, method) == approx(theirs.ndcg_at_k(grades, k, method))
    if k <= len(grades):
        assert ours.precision_at_k(grades, k) == approx(theirs.precision_at_k(grades, k))
    else:
        for module in (ours, theirs):
            with pytest.raises(ValueError, match="Relevance score length < k"):
                module.precision_at_k(grades, k)


@given(st.lists(GRADES, min_size=1, max_size=5))
def test_several_lists(lists: list[list[float]]) -> None:
    for name in ("mean_reciprocal_rank", "mean_average_precision"):
        assert getattr(ours, name)(lists) == approx(getattr(theirs, name)(lists)), name
