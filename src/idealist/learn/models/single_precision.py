"""Models as search engines and RankLib score them: features in single precision, a missing one counts 0; and what of a model they can hold."""

from __future__ import annotations

import math

import numpy as np

from idealist.base.wording import count_of
from idealist.errors import InputError
from idealist.learn.models.base_model import Model, cells_for, columns_named
from idealist.learn.models.trees import LEAF, ZERO_LEFT, Tree, TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.data.features import Features


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


def is_linear(model: Model) -> bool:
    return model.kind == "linear"


def weighted_sum(model: Any) -> WeightedSum:
    """A linear model as weights of features as they are. What a global normalisation subtracts and divides by goes into
    the weights and the constant; one by query cannot."""
    if isinstance(model, WeightedSum):
        return model
    weights, constant = np.asarray(model.weights, np.float64), 0.0
    normalisation = model.normalisation
    if normalisation.name != "none":
        learned = normalisation.learned or ()
        if len(learned) != len(normalisation.steps) or any(step is None for step in learned):
            raise InputError(
                f"this model normalises features by query ({normalisation.name}), and the scores that are wanted there "
                "are of one document at a time",
                hint="train with no normalisation, or with global-z-score or global-min-max",
            )
        # The last step is applied last: from there back to the features as they are.
        for shift, scale in reversed(learned):
            spread = np.asarray(scale)
            weights = np.divide(weights, spread, out=np.zeros_like(weights), where=spread > 0)
            constant -= float(weights @ np.asarray(shift))
    return WeightedSum(model.names, weights.tolist(), constant=constant)


def single_threshold(threshold: float) -> float:
    """The greatest float32 that is not above a threshold: the same float32 features are up to it.

    >>> single_threshold(0.5), single_threshold(0.1) <= 0.1 < 0.10000001
    (0.5, True)
    """
    if abs(threshold) >= LARGEST:
        return float(np.copysign(LARGEST, threshold))
    rounded = np.float32(threshold)
    # As doubles: NumPy would round the threshold before it compares.
    return float(np.nextafter(rounded, np.float32(-np.inf)) if float(rounded) > threshold else rounded)


def following(number: float) -> float:
    """The next float32 above a float32, or itself where there is none."""
    return number if number == LARGEST else float(np.nextafter(np.float32(number), np.float32(np.inf)))


def refuse_zero_rules(model: TreeEnsemble) -> None:
    """Trees that send zeros aside have no place where a node compares with a threshold and nothing else."""
    for number, tree in enumerate(model.trees, 1):
        if ((tree.missing >= ZERO_LEFT) & (tree.features != LEAF)).any():
            raise InputError(
                f"tree {number} takes zeros for missing, which cannot be said there",
                hint="train LightGBM with zero_as_missing=false",
            )


def float_text(number: float) -> str:
    """A float32 in as few digits as tell it from its neighbours, which Java and JSON read back.

    >>> float_text(float(np.float32(0.1))), float_text(2.0)
    ('0.1', '2.0')
    """
    return repr(float(str(np.float32(number))))


def node_tree(tree: Tree, inner: Any, leaf: Any, node: int = 0, depth: int = 0) -> Any:
    """A tree folded from its leaves: `inner(node, depth, left, right)` of each comparison, `leaf(node)` of each leaf."""
    if tree.features[node] == LEAF:
        return leaf(node)
    left = node_tree(tree, inner, leaf, int(tree.left[node]), depth + 1)
    right = node_tree(tree, inner, leaf, int(tree.right[node]), depth + 1)
    return inner(node, depth, left, right)


def planted(root: Any, read: Any) -> Tree:
    """The tree of nested nodes. `read(node)` gives a leaf's value, or (feature, threshold, left, right)."""
    rows: list[list[Any]] = []
    waiting: list[tuple[Any, int, int]] = [(root, -1, 0)]
    while waiting:
        node, parent, side = waiting.pop()
        if parent >= 0:
            rows[parent][side] = len(rows)
        content = read(node)
        if isinstance(content, tuple):
            feature, threshold, left, right = content
            waiting += [(right, len(rows), 3), (left, len(rows), 2)]
            rows.append([feature, threshold, 0, 0, 0.0])
        else:
            rows.append([LEAF, 0.0, 0, 0, content])
    features, thresholds, left, right, values = zip(*rows, strict=True)
    return Tree(features=features, thresholds=thresholds, left=left, right=right, values=values)
