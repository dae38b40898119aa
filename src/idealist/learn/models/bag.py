"""Several models as one: the mean of their scores, each standardised by query so that all count alike."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.learn.models.base import Model
from idealist.learn.models.training_records import training_record
from idealist.learn.normalisation import z_score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import ndarray


class Bag(Model):
    """The mean over models of their z-scored scores: models of different seeds or samples, which have scales of their own.

    Breiman, Bagging Predictors, Machine Learning 1996.

    >>> from idealist.learn.models.linear import Linear
    >>> bag = Bag([Linear("ab", [1, 0]), Linear("ab", [0, 100])])
    >>> bag.score([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], [3]).round(3).tolist()
    [0.354, -0.707, 0.354]
    """

    kind = "bag"

    def __init__(self, models: Sequence[Model]) -> None:
        self.models = tuple(models)
        if not self.models:
            raise InputError("a bag needs one model or more")
        self.names = self.models[0].names
        if any(model.names != self.names for model in self.models):
            raise InputError("the models of a bag must take the same features, in the same order")
        self.takes_missing = all(model.takes_missing for model in self.models)

    def __repr__(self) -> str:
        return f"<Bag: {len(self.models)} × {self.models[0]!r}>"

    def score(self, matrix: ndarray, sizes: ndarray) -> ndarray:
        import numpy as np

        sizes = np.asarray(sizes)
        scores = [z_score(model.score(matrix, sizes)[:, None], sizes)[:, 0] for model in self.models]
        return np.add.reduce(scores) / len(scores)  # type: ignore[no-any-return]

    def record(self) -> dict[str, Any]:
        members = [
            {"kind": model.kind, **model.record(), "training": training_record(model.training)}  # type: ignore[attr-defined]
            for model in self.models
        ]
        return {"models": members}

    def arrays(self) -> dict[str, ndarray]:
        return {
            f"{number}.{name}": array
            for number, model in enumerate(self.models)
            for name, array in model.arrays().items()  # type: ignore[attr-defined]
        }
