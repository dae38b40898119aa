"""Ensembles of decision trees: what LightGBM, XGBoost, CatBoost and RankLib train, as arrays of nodes."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from idealist import kernels
from idealist.base.wording import count_of
from idealist.errors import InputError
from idealist.learn.models.base_model import Model, cells_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from numpy import ndarray

# Where a node sends a document whose feature is nan; the last two send one whose feature is 0 there as well.
NAN_AS_ZERO, NAN_LEFT, NAN_RIGHT, ZERO_LEFT, ZERO_RIGHT = range(5)
LEAF = -1
ROWS_FOR_ONE_THREAD = 1_000


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
    left: ndarray  # int32
    right: ndarray
    values: ndarray  # float64, 0 where it is not a leaf
    missing: ndarray  # uint8
    depth: int  # comparisons on the longest path

    def __init__(
        self,
        *,
        features: Sequence[int] | ndarray,
        thresholds: Sequence[float] | ndarray,
        left: Sequence[int] | ndarray,
        right: Sequence[int] | ndarray,
        values: Sequence[float] | ndarray,
        missing: Sequence[int] | ndarray | None = None,
    ) -> None:
        self.features = np.asarray(features, np.int32)
        self.thresholds = np.asarray(thresholds, np.float64)
        self.left = np.asarray(left, np.int32)
        self.right = np.asarray(right, np.int32)
        self.values = np.asarray(values, np.float64)
        self.missing = np.asarray(
            np.full(len(self.features), NAN_AS_ZERO) if missing is None else missing, np.uint8
        )
        self.depth = self._arranged()

    @classmethod
    def leaf(cls, value: float) -> Tree:
        """A tree that gives every document the same."""
        return cls(features=[LEAF], thresholds=[0.0], left=[0], right=[0], values=[value])

    def _arranged(self) -> int:
        """Puts the nodes that are reached in an order in which children stand behind their parents, so that scoring
        always comes to an end, and gives the depth; an error where they are no tree."""
        count = len(self.features)
        if any(len(getattr(self, name)) != count for name in self.__slots__ if name != "depth") or not count:
            raise InputError(
                "the arrays of a tree differ in length, or are empty", hint="the file is damaged"
            )
        levels = self._levels(count)
        order = np.concatenate(levels)
        inner = self.features[order] != LEAF
        if (self.features[order][inner] < 0).any():
            raise InputError("a node compares a feature below 0", hint="the file is damaged")
        if np.isnan(self.thresholds[order][inner]).any() or not np.isfinite(self.values[order]).all():
            raise InputError("a threshold or a leaf of a tree is not a number", hint="the file is damaged")
        if (self.missing > ZERO_RIGHT).any():
            raise InputError(f"{self.missing.max()} is not a rule for nan", hint="the file is damaged")
        numbers = np.zeros(count, np.int64)
        numbers[order] = np.arange(len(order))
        for name in ("left", "right"):
            children = np.zeros(len(order), np.int32)
            children[inner] = numbers[getattr(self, name)[order][inner]]
            setattr(self, name, children)
        for name in ("features", "thresholds", "values", "missing"):
            setattr(self, name, getattr(self, name)[order])
        return len(levels) - 1

    def _levels(self, count: int) -> list[ndarray]:
        """The nodes by their distance from the root."""
        seen = np.zeros(count, bool)
        levels = [np.zeros(1, np.int64)]
        while True:
            level = levels[-1]
            if seen[level].any() or len(np.unique(level)) < len(level):
                raise InputError("a node of a tree is reached twice", hint="the file is damaged")
            seen[level] = True
            inner = level[self.features[level] != LEAF]
            if not len(inner):
                return levels
            levels.append(np.concatenate([self.left[inner], self.right[inner]]))
            if levels[-1].min() < 0 or levels[-1].max() >= count:
                raise InputError("a tree names a node that it lacks", hint="the file is damaged")

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
            raise InputError(
                f"there are {len(self.trees):,} trees and {self.weights.size:,} weights",
                hint="one for each tree",
            )
        if not (np.isfinite(self.weights).all() and np.isfinite(self.offset)):
            raise InputError(
                "a weight of a tree, or the offset, is not a number", hint="weights and offsets are finite"
            )
        if self.used() and max(self.used()) >= len(self.names):
            raise InputError(
                f"the trees use feature {max(self.used()) + 1}, but the model has {len(self.names)}",
                hint="name all features that it was trained on",
            )

    def __repr__(self) -> str:
        return f"<TreeEnsemble: {count_of(len(self.trees), 'tree')}, {count_of(len(self.names), 'feature')}>"

    def used(self) -> list[int]:
        """The features that some node compares, by number."""
        numbers = {int(number) for tree in self.trees for number in np.unique(tree.features)}
        return sorted(numbers - {LEAF})

    def score(self, matrix: Any, sizes: Any = None) -> ndarray:
        """The scores of rows of features. A document's score depends on its own row alone, so sizes are not looked at."""
        cells = cells_for(self, matrix)
        if self.single_precision:
            with np.errstate(over="ignore", under="ignore"):
                cells = cells.astype(np.float32).astype(np.float64)
        scores = np.empty(len(cells))
        threads = kernels.available_threads() if len(cells) > ROWS_FOR_ONE_THREAD else 1
        kernels.tree_scores(
            np.ascontiguousarray(cells), *self._nodes, self.weights, self.offset, scores, threads
        )
        return scores

    def record(self) -> dict[str, Any]:
        return {"offset": self.offset, "single_precision": self.single_precision}

    def arrays(self) -> dict[str, ndarray]:
        features, numbers, left, right, missing, roots = self._nodes
        return {
            "features": features,
            "numbers": numbers,
            "left": left,
            "right": right,
            "missing": missing,
            "roots": roots,
            "weights": self.weights,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any], arrays: Mapping[str, ndarray]) -> TreeEnsemble:
        roots, features, numbers = arrays["roots"], arrays["features"], arrays["numbers"]
        ends = [*roots[1:], len(features)]
        trees = [
            Tree(
                features=features[root:end],
                thresholds=numbers[root:end],
                values=np.where(features[root:end] == LEAF, numbers[root:end], 0.0),
                left=arrays["left"][root:end].astype(np.int64) - root,
                right=arrays["right"][root:end].astype(np.int64) - root,
                missing=arrays["missing"][root:end],
            )
            for root, end in zip(roots.astype(int).tolist(), ends, strict=True)
        ]
        return cls(
            trees,
            names=record["features"],
            weights=arrays["weights"],
            offset=record["offset"],
            single_precision=bool(record["single_precision"]),
        )

    @cached_property
    def _nodes(self) -> tuple[ndarray, ndarray, ndarray, ndarray, ndarray, ndarray]:
        """The nodes of all trees, one tree behind the other, and their roots."""
        counts = [len(tree.features) for tree in self.trees]
        roots = np.cumsum([0, *counts])[:-1]
        shift = np.repeat(roots, counts)

        def joined(name: str, kind: type) -> ndarray:
            return np.concatenate([np.empty(0, kind), *(getattr(tree, name) for tree in self.trees)]).astype(
                kind
            )

        features = joined("features", np.int32)
        return (
            features,
            np.where(features == LEAF, joined("values", np.float64), joined("thresholds", np.float64)),
            (joined("left", np.int64) + shift).astype(np.uint32),
            (joined("right", np.int64) + shift).astype(np.uint32),
            joined("missing", np.uint8),
            roots.astype(np.uint32),
        )
