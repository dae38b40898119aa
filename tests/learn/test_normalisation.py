"""Features on one scale."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from idealist.errors import InputError
from idealist.learn.feature_scaling import BY_QUERY, NAMES, Normalisation
from idealist.learn.models.linear import Linear
from idealist.learn.models.single_precision import weighted_sum

COLUMN = np.array([[1.0], [2.0], [6.0], [7.0], [7.0]])
SIZES = np.array([3, 2])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("none", [1, 2, 6, 7, 7]),
        # mean 3, squares 4 + 1 + 9: standard deviation √(14/3)
        ("z-score", [-2 / sqrt(14 / 3), -1 / sqrt(14 / 3), 3 / sqrt(14 / 3), 0, 0]),
        ("min-max", [0, 1 / 5, 1, 0, 0]),
        ("sum", [1 / 9, 2 / 9, 6 / 9, 1 / 2, 1 / 2]),
        ("rank", [0, 1 / 2, 1, 1 / 2, 1 / 2]),
        ("log", [log(2), log(3), log(7), log(8), log(8)]),
        ("global-min-max", [0, 1 / 6, 5 / 6, 1, 1]),
        ("min-max+sum", [0, 1 / 6, 5 / 6, 0, 0]),
    ],
)
def test_by_hand(name: str, expected: list[float]) -> None:
    normalisation = Normalisation(name).fit(COLUMN, SIZES)
    assert normalisation.apply(COLUMN, SIZES)[:, 0].tolist() == approx(expected)


def test_a_global_one_keeps_what_it_learnt() -> None:
    # Training: mean 4.6, variance (3.6² + 2.6² + 1.4² + 2.4² + 2.4²) / 5 = 6.64
    normalisation = Normalisation("global-z-score").fit(COLUMN, SIZES)
    assert normalisation.apply(np.array([[4.6], [10.0]]), np.array([2]))[:, 0].tolist() == approx(
        [0, 5.4 / sqrt(6.64)], abs=1e-12
    )


@pytest.mark.parametrize("name", [*NAMES, "log+global-z-score"])
@given(
    cells=st.lists(st.floats(-1e307, 1e307), min_size=2, max_size=8),
    split=st.integers(1, 7),
)
@settings(max_examples=30, deadline=None)
def test_any_finite_feature_stays_finite(name: str, cells: list[float], split: int) -> None:
    matrix = np.array(cells)[:, None]
    first = min(split, len(cells) - 1)
    sizes = np.array([first, len(cells) - first])
    assert np.isfinite(Normalisation(name).fit(matrix, sizes).apply(matrix, sizes)).all()


@pytest.mark.parametrize("name", list(BY_QUERY))
def test_by_query_other_queries_change_nothing(name: str) -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(9, 3))
    normalisation = Normalisation(name)
    together = normalisation.apply(matrix, np.array([4, 5]))
    assert together[:4].tolist() == normalisation.apply(matrix[:4], np.array([4])).tolist()


@pytest.mark.parametrize("constant", [3.5, 0.1])
@pytest.mark.parametrize("name", ["z-score", "min-max", "global-z-score", "global-min-max"])
def test_a_constant_feature_becomes_zero(name: str, constant: float) -> None:
    # The mean of six times 0.1 is 0.09999999999999999, so that their deviation is rounding, and not 0.
    matrix = np.full((6, 1), constant)
    normalisation = Normalisation(name).fit(matrix, np.array([6]))
    assert normalisation.apply(matrix, np.array([6])).tolist() == [[0.0]] * 6
    if name.startswith("global"):
        assert normalisation.apply(matrix + 1, np.array([6])).tolist() == [[0.0]] * 6


@pytest.mark.parametrize("name", NAMES)
def test_no_documents(name: str) -> None:
    normalisation = Normalisation(name).fit(COLUMN, SIZES)
    for sizes in ([], [0]):
        assert normalisation.apply(np.empty((0, 1)), np.array(sizes, np.int64)).shape == (0, 1)


def test_a_constant_feature_has_no_weight_in_models_of_features_as_they_are() -> None:
    # 1, 3: mean 2, deviation 1. Without the constant the sum is (x − 2) · 5.
    matrix = np.array([[1.0, 0.1], [3.0, 0.1], [1.0, 0.1], [3.0, 0.1], [1.0, 0.1], [3.0, 0.1]])
    normalisation = Normalisation("global-z-score").fit(matrix, np.array([6]))
    found = weighted_sum(Linear(["a", "b"], [5.0, 7.0], normalisation=normalisation))
    assert list(found.weights) == approx([5.0, 0.0])
    assert found.constant == approx(-10.0)


def test_what_is_not_finite_is_named() -> None:
    matrix = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]])
    with pytest.raises(InputError, match=r"row 1 \(of query number 1\): feature 'clicks' is nan"):
        Normalisation("z-score").apply(matrix, np.array([1, 2]), ["bm25", "clicks"])


def test_a_name_that_is_none_lists_those_there_are() -> None:
    with pytest.raises(InputError, match="name one of: none, z-score"):
        Normalisation("softmax")


def test_a_global_one_must_learn_first() -> None:
    with pytest.raises(InputError, match="has learnt nothing yet"):
        Normalisation("global-z-score").apply(COLUMN, SIZES)
