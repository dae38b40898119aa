"""Ensembles of decision trees: what LightGBM, XGBoost, CatBoost and RankLib train, as arrays of nodes."""

from __future__ import annotations

import numpy as np

from idealist.errors import InputError
from idealist.learn.models.base import Model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy import ndarray

# Where a node sends a document whose feature is nan; the last two send one whose feature is 0 there as well.
NAN_AS_ZERO, NAN_LEFT, NAN_RIGHT, ZERO_LEFT, ZERO_RIGHT = range(5)
LEAF = -1
# What LightGBM takes for 0.
NEAR_ZERO = float(np.float32(1e-35))


class Tree:
    """One decision tree: arrays with an entry for each node, of which the first is the root.

    A node whose `features` entry is `LEAF` gives its `values` entry. Any other compares that feature (0 is the first) with
    its `thresholds` entry: up to it a document goes to `left`, above it to `right`; `missing` says where nan goes.

    >>> stump = Tree(features=[0, LEAF, LEAF], thresholds=[0.5, 0, 0], left=[1, 0, 0], right=[2, 0, 0], values=[0, -1, 1])
    >>> stump
    <Tree: 2 leaves, depth 1>
    """

    __slots__ = ("depth", "features", "left", "missing", "right", "thresholds", "values")

    features: ndarray  # int32
    thresholds: ndarray  # float64
    left: ndarray  # int32, as all below but the values
    right: ndarray
    values: ndarray  # float64, 0 where it is not a leaf
    missing: ndarray  # uint8
    depth: int  # comparisons on the longest path

    def __init__(
        self,
        *,
        features: Sequence[int],
        thresholds: Sequence[float],
        left: Sequence[int],
        right: Sequence[int],
        values: Sequence[float],
        missing: Sequence[int] | None = None,
    ) -> None:
        self.features = np.asarray(features, np.int32)
        self.thresholds = np.asarray(thresholds, np.float64)
        self.left = np.asarray(left, np.int32)
        self.right = np.asarray(right, np.int32)
        self.values = np.asarray(values, np.float64)
        self.missing = np.asarray(
            np.full(len(self.features), NAN_AS_ZERO) if missing is None else missing, np.uint8
        )
        self.depth = self._walked()

    @classmethod
    def leaf(cls, value: float) -> Tree:
        """A tree that gives every document the same."""
        return cls(features=[LEAF], thresholds=[0.0], left=[0], right=[0], values=[value])

    def _walked(self) -> int:
        """The depth; an error where the nodes are not a tree, so that scoring always comes to an end."""
        count = len(self.features)
        if any(len(getattr(self, name)) != count for name in self.__slots__ if name != "depth") or not count:
            raise InputError(
                "the arrays of a tree differ in length, or are empty", hint="the file is damaged"
            )
        seen = np.zeros(count, bool)
        level, depth = np.zeros(1, np.int64), 0
        while True:
            if seen[level].any() or len(np.unique(level)) < len(level):
                raise InputError("a node of a tree is reached twice", hint="the file is damaged")
            seen[level] = True
            inner = level[self.features[level] != LEAF]
            if not len(inner):
                break
            level = np.concatenate([self.left[inner], self.right[inner]])
            if level.min() < 0 or level.max() >= count:
                raise InputError("a tree names a node that it lacks", hint="the file is damaged")
            depth += 1
        reached = np.flatnonzero(seen)
        inner = reached[self.features[reached] != LEAF]
        if (self.features[inner] < 0).any():
            raise InputError("a node compares a feature below 0", hint="the file is damaged")
        if np.isnan(self.thresholds[inner]).any() or not np.isfinite(self.values[reached]).all():
            raise InputError("a threshold or a leaf of a tree is not a number", hint="the file is damaged")
        if (self.missing > ZERO_RIGHT).any():
            raise InputError(f"{self.missing.max()} is no rule for nan", hint="the file is damaged")
        return depth

    def __repr__(self) -> str:
        return f"<Tree: {(self.features == LEAF).sum():,} leaves, depth {self.depth}>"


class TreeEnsemble(Model):
    """The sum of trees, each with a weight, and an offset.

    `single_precision` rounds features to float32 before they are compared, as XGBoost and CatBoost do.

    >>> stump = Tree(features=[0, LEAF, LEAF], thresholds=[0.5, 0, 0], left=[1, 0, 0], right=[2, 0, 0], values=[0, -1, 1])
    >>> model = TreeEnsemble([stump, Tree.leaf(10)], names=["bm25"], weights=[2, 0.1])
    >>> model
    <TreeEnsemble: 2 trees, 1 feature>
    >>> model.score([[0.5], [0.6]], [2])  # 2·(-1) + 0.1·10, and 2·1 + 0.1·10
    array([-1.,  3.])
    """

    kind = "trees"
    trees: tuple[Tree, ...]
    weights: ndarray
    offset: float
    single_precision: bool

    def __init__(
        self,
        trees: Iterable[Tree],
        *,
        names: Iterable[str],
        weights: Sequence[float] | ndarray | None = None,
        offset: float = 0.0,
        single_precision: bool = False,
    ) -> None:
        self.trees = tuple(trees)
        self.names = tuple(map(str, names))
        self.weights = np.ones(len(self.trees)) if weights is None else np.asarray(weights, np.float64)
        self.offset = float(offset)
        self.single_precision = single_precision
        if self.weights.shape != (len(self.trees),):
            raise InputError(f"there are {len(self.trees):,} trees and {self.weights.size:,} weights")
        if not (np.isfinite(self.weights).all() and np.isfinite(self.offset)):
            raise InputError("a weight of a tree, or the offset, is not a number")
        if self.used() and max(self.used()) >= len(self.names):
            raise InputError(
                f"the trees use feature {max(self.used()) + 1}, but the model has {len(self.names)}",
                hint="name all features that it was trained on",
            )

    def __repr__(self) -> str:
        features = f"{len(self.names):,} feature{'s' if len(self.names) != 1 else ''}"
        return f"<TreeEnsemble: {len(self.trees):,} tree{'s' if len(self.trees) != 1 else ''}, {features}>"

    def used(self) -> list[int]:
        """The features that some node compares, by number."""
        numbers = {int(number) for tree in self.trees for number in np.unique(tree.features)}
        return sorted(numbers - {LEAF})

    def score(self, matrix: Any, sizes: Any = None) -> ndarray:
        """The scores of rows of features. A document's score depends on its own row alone, so sizes are not looked at."""
        cells = np.asarray(matrix, np.float64)
        if cells.ndim != 2 or cells.shape[1] != len(self.names):
            raise InputError(
                f"the features have the shape {cells.shape}, but the model takes {len(self.names)} of each document"
            )
        if self.single_precision:
            with np.errstate(over="ignore", under="ignore"):
                cells = cells.astype(np.float32).astype(np.float64)
        scores = np.full(len(cells), self.offset)
        for tree, weight in zip(self.trees, self.weights, strict=True):
            scores += weight * _leaf_values(tree, cells)
        return scores


def _leaf_values(tree: Tree, cells: ndarray) -> ndarray:
    rows, nodes = np.arange(len(cells)), np.zeros(len(cells), np.int64)
    for _ in range(tree.depth):
        features = tree.features[nodes]
        cell = cells[rows, np.maximum(features, 0)]
        rule = tree.missing[nodes]
        absent = np.isnan(cell)
        number = np.where(absent, 0.0, cell)
        by_rule = np.where(rule >= ZERO_LEFT, np.abs(number) <= NEAR_ZERO, absent & (rule != NAN_AS_ZERO))
        goes_left = np.where(
            by_rule, (rule == NAN_LEFT) | (rule == ZERO_LEFT), number <= tree.thresholds[nodes]
        )
        following = np.where(goes_left, tree.left[nodes], tree.right[nodes])
        nodes = np.where(features == LEAF, nodes, following)
    return tree.values[nodes]
