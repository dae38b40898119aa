"""Linear models: weights of features, which may be normalised first."""

from __future__ import annotations

import math

from idealist.base.wording import count_of
from idealist.errors import InputError
from idealist.learn.feature_scaling import Normalisation, normalisation_of
from idealist.learn.models.base_model import Model, cells_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy import ndarray


class Linear(Model):
    """A weighted sum: score = Σ weight · feature, of features normalised as they were in training.

    >>> model = Linear(["bm25", "clicks"], [2.0, 0.5])
    >>> model.score([[1.0, 4.0], [0.0, 1.0]], [2]).tolist()
    [4.0, 0.5]
    """

    kind = "linear"
    takes_missing = False

    def __init__(
        self,
        names: Sequence[str],
        weights: Sequence[float],
        *,
        normalisation: Normalisation | str = "none",
    ) -> None:
        self.names = tuple(map(str, names))
        self.weights = tuple(map(float, weights))
        self.normalisation = normalisation_of(normalisation)
        if len(self.weights) != len(self.names):
            raise InputError(
                f"there are {len(self.weights)} weights for {len(self.names)} features",
                hint="one for each feature",
            )
        wrong = next(
            (name for name, w in zip(self.names, self.weights, strict=True) if not math.isfinite(w)), None
        )
        if wrong is not None:
            raise InputError(f"the weight of feature {wrong!r} is not finite", hint="weights are finite")

    def __repr__(self) -> str:
        return f"<Linear: {count_of(len(self.names), 'feature')}, normalisation {self.normalisation.name}>"

    def score(self, matrix: ndarray, sizes: ndarray) -> ndarray:
        import numpy as np

        rows = self.normalisation.apply(cells_for(self, matrix), np.asarray(sizes), self.names)
        # A sum per row, feature by feature: a document's score never depends on how many stand beside it.
        scores = np.zeros(len(rows))
        for place, weight in enumerate(self.weights):
            scores += weight * rows[:, place]
        return scores

    def record(self) -> dict[str, Any]:
        return {"weights": list(self.weights), "normalisation": self.normalisation.record()}

    def arrays(self) -> dict[str, ndarray]:
        return {}

    @classmethod
    def from_record(cls, record: Mapping[str, Any], arrays: Mapping[str, ndarray]) -> Linear:
        return cls(
            record["features"],
            record["weights"],
            normalisation=Normalisation.from_record(record["normalisation"], len(record["features"])),
        )
