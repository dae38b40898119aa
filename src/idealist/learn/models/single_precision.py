"""Models as search engines and RankLib score them: features in single precision, a missing one counts 0."""

from __future__ import annotations

import math

import numpy as np

from idealist.base.wording import count_of
from idealist.errors import InputError
from idealist.learn.models.base import Model, cells_for, columns_named
from idealist.learn.models.trees import TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.data.features import Features
    from idealist.learn.models.trees import Tree

LARGEST = float(np.finfo(np.float32).max)


def single(cells: ndarray) -> ndarray:
    """Features rounded to float32, as float64; nan becomes 0."""
    with np.errstate(over="ignore", under="ignore"):
        return np.where(np.isnan(cells), 0.0, cells).astype(np.float32).astype(np.float64)


def refuse_beyond_single(features: Features, names: tuple[str, ...]) -> None:
    """An InputError for a feature that float32 does not hold: the model could not tell it from other large ones."""
    cells = columns_named(features, names)
    beyond = np.abs(cells) > LARGEST
    if beyond.any():
        row, column = (int(at) for at in np.argwhere(beyond)[0])
        raise InputError(
            f"query {features.query_of(row)!r}: feature {names[column]!r} of document {features.documents[row]!r} is "
            f"{cells[row, column]:g}, and such a model compares numbers of single precision, up to {LARGEST:.3g}",
            source=features.source,
            hint="scale the feature, or take its logarithm",
        )


class WeightedSum(Model):
    """A linear model: constant + Σ weight · feature, of features in single precision.

    `algorithm` is the one that trained it, as RankLib names it.

    >>> WeightedSum(["1", "2"], [2.0, 0.5], constant=1.0).score([[1.0, 4.0], [float("nan"), 1.0]]).tolist()
    [5.0, 1.5]
    """

    kind = "linear"
    weights: tuple[float, ...]
    constant: float
    algorithm: str

    def __init__(
        self,
        names: Sequence[str],
        weights: Sequence[float],
        *,
        constant: float = 0.0,
        algorithm: str = "Coordinate Ascent",
    ) -> None:
        self.names = tuple(map(str, names))
        self.weights = tuple(map(float, weights))
        self.constant = float(constant)
        self.algorithm = algorithm
        if len(self.weights) != len(self.names):
            raise InputError(
                f"there are {len(self.weights)} weights for {len(self.names)} features",
                hint="one for each feature",
            )
        for name, weight in zip((*self.names, "(constant)"), (*self.weights, self.constant), strict=True):
            if not math.isfinite(weight):
                raise InputError(f"the weight of feature {name!r} is {weight}", hint="weights are finite")

    def __repr__(self) -> str:
        return f"<WeightedSum: {count_of(len(self.names), 'feature')}>"

    def score(self, matrix: Any, sizes: Any = None) -> ndarray:
        cells = single(cells_for(self, matrix))
        scores = np.full(len(cells), self.constant)
        for place, weight in enumerate(self.weights):
            scores += weight * cells[:, place]
        return scores


class SinglePrecisionTrees(TreeEnsemble):
    """Trees whose values are added up in single precision, one after the other.

    `bags` are how many of the trees, in order, are summed before the mean of the sums is taken: a random forest has
    several, anything else one. `algorithm` is the one that trained it, as RankLib names it.

    >>> from idealist.learn.models.trees import Tree
    >>> SinglePrecisionTrees([Tree.leaf(1.0), Tree.leaf(2.0)], names=[], weights=[1, 1]).score([[]])
    array([3.])
    >>> SinglePrecisionTrees([Tree.leaf(1.0), Tree.leaf(2.0)], names=[], weights=[1, 1], bags=[1, 1]).score([[]])
    array([1.5])
    """

    bags: tuple[int, ...]
    algorithm: str

    def __init__(
        self,
        trees: Iterable[Tree],
        *,
        names: Iterable[str],
        weights: Sequence[float] | ndarray,
        bags: Sequence[int] | None = None,
        algorithm: str = "LambdaMART",
    ) -> None:
        planted = tuple(trees)
        self.bags = (len(planted),) if bags is None else tuple(bags)
        self.algorithm = algorithm
        if sum(self.bags) != len(planted) or not self.bags:
            raise InputError(
                f"bags of {sum(self.bags):,} trees, but there are {len(planted):,}",
                hint="bags say how many of the trees each has",
            )
        # What one tree adds to the score: its share of the mean.
        shares = np.asarray(weights, np.float64) / len(self.bags)
        super().__init__(planted, names=names, weights=shares, single_precision=True)

    def score(self, matrix: Any, sizes: Any = None) -> ndarray:
        cells = single(cells_for(self, matrix))
        total, first = np.zeros(len(cells)), 0
        for bag in self.bags:
            # In float32, as RankLib, Solr and Elasticsearch add: over many trees the last digits depend on it.
            summed = np.zeros(len(cells), np.float32)
            for place in range(first, first + bag):
                added = self.leaf_values(place, cells) * (self.weights[place] * len(self.bags))
                summed = (summed + added).astype(np.float32)
            total += summed
            first += bag
        return total / len(self.bags)

    def leaf_values(self, place: int, cells: ndarray) -> ndarray:
        """What one tree gives rows that are rounded already."""
        alone = TreeEnsemble([self.trees[place]], names=self.names)
        return alone.score(cells)
