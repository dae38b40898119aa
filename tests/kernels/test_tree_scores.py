"""Scores by trees: nodes that are not there are refused, and threads change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from idealist import kernels


def scores(threads: int = 1, **changes: Any) -> Any:
    """-1 where the first column is up to 0.5, 1 above; half of it, and 10."""
    arrays: dict[str, Any] = {
        "cells": np.array([[0.5, 9.0], [0.6, 9.0], [np.nan, 9.0]]),
        "features": np.array([0, -1, -1], np.int32),
        "numbers": np.array([0.5, -1.0, 1.0]),
        "left": np.array([1, 0, 0], np.uint32),
        "right": np.array([2, 0, 0], np.uint32),
        "missing": np.array([2, 0, 0], np.uint8),
        "roots": np.array([0], np.uint32),
        "weights": np.array([0.5]),
    } | changes
    result = np.full(len(arrays["cells"]), np.nan)
    cells, features, numbers, left, right, missing, roots, weights = arrays.values()
    nodes = (features, numbers, left, right, missing)
    kernels.tree_scores(cells, *nodes, roots, weights, 10.0, result, threads)
    return result


def test_a_stump() -> None:
    assert scores().tolist() == [9.5, 10.5, 10.5]


def test_threads_and_blocks_change_nothing() -> None:
    cells = np.random.default_rng(3).normal(size=(1000, 2))
    expected = np.where(cells[:, 0] <= 0.5, 9.5, 10.5)
    assert scores(1, cells=cells).tolist() == expected.tolist()
    assert scores(3, cells=cells).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "changes",
    [
        {"left": np.array([3, 0, 0], np.uint32)},
        {"left": np.array([0, 0, 0], np.uint32)},  # a node that is its own child
        {"features": np.array([2, -1, -1], np.int32)},
        {"roots": np.array([3], np.uint32)},
        {"numbers": np.array([0.5])},
        {"weights": np.array([0.5, 1.0])},
    ],
)
def test_nodes_that_are_not_there(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"does not exist|differ in length"):
        scores(**changes)
