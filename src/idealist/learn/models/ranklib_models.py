"""Models that only RankLib has: sums of thresholds, as RankBoost learns them, and networks of logistic units."""

from __future__ import annotations

import numpy as np

from idealist.errors import InputError
from idealist.learn.models.base_model import Model, cells_for
from idealist.learn.models.single_precision import single
from idealist.learn.models.trees import LEAF, Tree, TreeEnsemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy import ndarray


def boosted_stumps(weak: Sequence[tuple[str, float, float]]) -> TreeEnsemble:
    """The model of (feature, threshold, weight): it adds up the weights of thresholds that features are above.

    >>> boosted_stumps([("1", 0.5, 2.0), ("2", 3.0, 1.0)]).score([[0.5, 4.0], [0.6, 4.0]])
    array([1., 3.])
    """
    names = list(dict.fromkeys(feature for feature, *_ in weak))
    trees = [
        Tree(
            features=[names.index(feature), LEAF, LEAF],
            thresholds=[threshold, 0, 0],
            left=[1, 0, 0],
            right=[2, 0, 0],
            values=[0, 0, 1],
        )
        for feature, threshold, _ in weak
    ]
    return TreeEnsemble(trees, names=names, weights=[weight for *_, weight in weak], single_precision=True)


def are_stumps(model: TreeEnsemble) -> bool:
    """Whether trees are of that form: one comparison each, that gives 0 or 1.

    >>> are_stumps(boosted_stumps([("1", 0.5, 2.0)])), are_stumps(TreeEnsemble([Tree.leaf(1.0)], names=["1"]))
    (True, False)
    """
    return (
        not model.offset
        and bool(model.trees)
        and all(
            tree.depth == 1 and (tree.values[tree.left[0]], tree.values[tree.right[0]]) == (0, 1)
            for tree in model.trees
        )
    )


class SigmoidNetwork(Model):
    """Layers of units 1 / (1 + e^−x), the last of which has one unit, its score.

    A layer is a matrix of weights, a row for each unit of the layer before and a last row for the constant.

    >>> network = SigmoidNetwork(["1"], [[[2.0], [0.0]]])  # one feature, no hidden layer
    >>> network.score([[0.0]])
    array([0.5])
    """

    kind = "network"
    layers: tuple[ndarray, ...]
    algorithm: str

    def __init__(self, names: Sequence[str], layers: Sequence[Any], *, algorithm: str = "RankNet") -> None:
        self.names = tuple(map(str, names))
        self.layers = tuple(np.asarray(layer, np.float64) for layer in layers)
        self.algorithm = algorithm
        units = len(self.names)
        for number, layer in enumerate(self.layers, 1):
            if layer.ndim != 2 or len(layer) != units + 1:
                raise InputError(
                    f"layer {number} has the shape {layer.shape}, but {units} units stand before it",
                    hint="a row of weights for each of them and one for the constant",
                )
            units = layer.shape[1]
        if units != 1 or not self.layers:
            raise InputError(f"the last layer has {units} units", hint="a network that scores has one")
        if not all(np.isfinite(layer).all() for layer in self.layers):
            raise InputError("a weight of the network is not finite", hint="weights are finite")

    def __repr__(self) -> str:
        shape = " × ".join(
            str(count) for count in (len(self.names), *(len(layer[0]) for layer in self.layers))
        )
        return f"<SigmoidNetwork: {shape} units>"

    def record(self) -> dict[str, Any]:
        return {"algorithm": self.algorithm}

    def arrays(self) -> dict[str, ndarray]:
        return {f"layer{number}": layer for number, layer in enumerate(self.layers)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any], arrays: Mapping[str, ndarray]) -> SigmoidNetwork:
        layers = [arrays[f"layer{number}"] for number in range(len(arrays))]
        return cls(record["features"], layers, algorithm=str(record["algorithm"]))

    def score(self, matrix: Any, sizes: Any = None) -> ndarray:
        outputs = single(cells_for(self, matrix))
        for layer in self.layers:
            # Unit by unit, so that a document's score does not depend on how many stand beside it.
            sums = np.zeros((len(outputs), layer.shape[1]))
            for unit in range(outputs.shape[1]):
                sums += outputs[:, unit, None] * layer[unit]
            outputs = _logistic(sums + layer[-1])
        return outputs[:, 0]


def _logistic(sums: ndarray) -> ndarray:
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-sums))  # type: ignore[no-any-return]
