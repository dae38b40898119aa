"""Ensembles of trees by hand: what goes left, where nan goes, what is no tree."""

from __future__ import annotations

import numpy as np
import pytest

from idealist import InputError
from idealist.data.features import Features
from idealist.learn.models.trees import (
    LEAF,
    NAN_AS_ZERO,
    NAN_LEFT,
    NAN_RIGHT,
    ZERO_LEFT,
    ZERO_RIGHT,
    Tree,
    TreeEnsemble,
)


def stump(threshold: float, missing: int = NAN_AS_ZERO) -> Tree:
    """-1 up to the threshold, 1 above it."""
    return Tree(
        features=[0, LEAF, LEAF],
        thresholds=[threshold, 0, 0],
        left=[1, 0, 0],
        right=[2, 0, 0],
        values=[0, -1, 1],
        missing=[missing, 0, 0],
    )


def test_a_document_at_the_threshold_goes_left() -> None:
    model = TreeEnsemble([stump(0.5)], names=["a"])
    assert model.score([[0.4], [0.5], [np.nextafter(0.5, 1)]]).tolist() == [-1, -1, 1]


def test_trees_are_weighed_and_added_to_the_offset() -> None:
    deep = Tree(
        features=[1, LEAF, 0, LEAF, LEAF],
        thresholds=[2, 0, 7, 0, 0],
        left=[1, 0, 3, 0, 0],
        right=[2, 0, 4, 0, 0],
        values=[0, 10, 0, 20, 30],
    )
    model = TreeEnsemble([deep, stump(0)], names=["a", "b"], weights=[0.1, 4], offset=100)
    assert deep.depth == 2
    # b ≤ 2: 10; above, a ≤ 7: 20; above, 30.
    assert model.score([[9, 2], [7, 3], [8, 3], [0, 3]]).tolist() == [105, 106, 107, 98]


@pytest.mark.parametrize(
    ("rule", "nan", "zero"),
    [(NAN_AS_ZERO, 1, 1), (NAN_LEFT, -1, 1), (NAN_RIGHT, 1, 1), (ZERO_LEFT, -1, -1), (ZERO_RIGHT, 1, 1)],
)
def test_where_nan_goes(rule: int, nan: int, zero: int) -> None:
    below_zero = TreeEnsemble([stump(-0.5, rule)], names=["a"])
    assert below_zero.score([[np.nan], [0.0], [-1.0], [2.0]]).tolist() == [nan, zero, -1, 1]


@pytest.mark.parametrize(
    ("rule", "nan", "zero"),
    [(NAN_AS_ZERO, -1, -1), (NAN_LEFT, -1, -1), (NAN_RIGHT, 1, -1), (ZERO_LEFT, -1, -1), (ZERO_RIGHT, 1, 1)],
)
def test_where_nan_goes_when_0_goes_left(rule: int, nan: int, zero: int) -> None:
    above_zero = TreeEnsemble([stump(0.5, rule)], names=["a"])
    assert above_zero.score([[np.nan], [0.0], [0.4], [2.0]]).tolist() == [nan, zero, -1, 1]


def test_single_precision_is_what_is_compared() -> None:
    # 0.1 is below its float32, 0.100000001490…, and becomes it.
    threshold = 0.1 + 1e-10
    double, single = (
        TreeEnsemble([stump(threshold)], names=["a"], single_precision=flag) for flag in (False, True)
    )
    assert double.score([[0.1]]).tolist() == [-1]
    assert single.score([[0.1]]).tolist() == [1]
    assert single.score([[1e300], [-1e300]]).tolist() == [1, -1]  # infinite in float32


def test_columns_are_found_by_name() -> None:
    features = Features(
        [[0.0, 1.0], [0.0, -1.0]], sizes=[2], grades=[1, 0], names=["b", "a"], documents=["x", "y"]
    )
    model = TreeEnsemble([stump(0)], names=["a"])
    assert model.rank(features).to_dict() == {"0": {"x": 1.0, "y": -1.0}}
    with pytest.raises(InputError, match="feature 'c'"):
        TreeEnsemble([stump(0)], names=["c"]).scores(features)


def test_no_trees_give_the_offset() -> None:
    assert TreeEnsemble([], names=["a"], offset=3).score([[1.0], [2.0]]).tolist() == [3, 3]
    assert TreeEnsemble([Tree.leaf(2)], names=[]).score(np.empty((2, 0))).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left": [0, 0, 0]}, "reached twice"),
        ({"left": [2, 0, 0]}, "reached twice"),
        ({"right": [3, 0, 0]}, "names a node that it lacks"),
        ({"right": [-1, 0, 0]}, "names a node that it lacks"),
        ({"features": [-2, -1, -1]}, "a feature below 0"),
        ({"thresholds": [float("nan"), 0, 0]}, "not a number"),
        ({"values": [0, float("inf"), 0]}, "not a number"),
        ({"values": [0, 1]}, "differ in length"),
        ({"missing": [9, 0, 0]}, "9 is not a rule"),
    ],
)
def test_nodes_that_are_no_tree(changes: dict[str, list[float]], message: str) -> None:
    nodes = {
        "features": [0, -1, -1],
        "thresholds": [0, 0, 0],
        "left": [1, 0, 0],
        "right": [2, 0, 0],
        "values": [0, 1, 2],
    }
    with pytest.raises(InputError, match=message):
        Tree(**(nodes | changes))  # type: ignore[arg-type]


def test_what_does_not_fit_together() -> None:
    with pytest.raises(InputError, match="2 trees and 1 weights"):
        TreeEnsemble([stump(0), stump(0)], names=["a"], weights=[1.0])
    with pytest.raises(InputError, match="use feature 1, but the model has 0"):
        TreeEnsemble([stump(0)], names=[])
    with pytest.raises(InputError, match=r"shape \(1, 2\), but the model takes 1"):
        TreeEnsemble([stump(0)], names=["a"]).score([[1.0, 2.0]])
