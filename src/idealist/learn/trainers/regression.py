"""Linear regression: weights whose sums are near the grades."""

from __future__ import annotations

from idealist.learn.models.linear import Linear
from idealist.learn.normalisation import normalisation_of
from idealist.learn.trainers.base import Range, Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from idealist.learn.models.base import Model


class Regression(Trainer, name="regression"):
    """Least squares with a penalty: the weights w that make Σ (grade − w·x − c)² + l2·Σ w² least.

    The constant c is fitted and left out of the model: it moves no document. Hoerl and Kennard, Technometrics 1970.

    >>> from idealist.data.features import Features
    >>> train = Features([[0, 1], [1, 1], [2, 1]], sizes=[3], grades=[1, 3, 5])
    >>> [round(weight, 6) for weight in Regression().fit(train, measure="nDCG").weights]
    [2.0, 0.0]
    """

    normalisation: str = "none"
    l2: float = 1e-10
    ranges: ClassVar[Mapping[str, Range]] = {"l2": Range(0)}

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        import numpy as np

        train = task.train
        normalisation = normalisation_of(self.normalisation).fit(train.matrix, train.sizes)
        rows = normalisation.apply(train.matrix, train.sizes, train.names)
        counts = None if train.weights is None else np.repeat(train.weights, train.sizes)
        away = rows - np.average(rows, axis=0, weights=counts)
        grades = np.asarray(train.grades) - np.average(np.asarray(train.grades), weights=counts)
        if counts is not None:
            roots = np.sqrt(counts / counts.mean())
            away, grades = away * roots[:, None], grades * roots
        # Rows for the penalty, so that columns that depend on each other need no inverse.
        penalty = np.sqrt(self.l2) * np.eye(rows.shape[1])
        weights, *_ = np.linalg.lstsq(
            np.vstack([away, penalty]), np.concatenate([grades, np.zeros(rows.shape[1])]), rcond=None
        )
        return Linear(train.names, weights.tolist(), normalisation=normalisation), {}
