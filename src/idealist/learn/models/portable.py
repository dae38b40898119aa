"""What of a model RankLib and search engines can hold: weights of features as they are, thresholds in single precision."""

from __future__ import annotations

import numpy as np

from idealist.errors import InputError
from idealist.learn.models.single_precision import LARGEST, WeightedSum
from idealist.learn.models.trees import LEAF, ZERO_LEFT, Tree, TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.models.base import Model


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
