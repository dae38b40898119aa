"""Neural scorers with scikit-learn's interface."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.learn.rankers.base import Ranker
from idealist.learn.trainers.base import Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.learn.trainers.base import Trainer
    from idealist.measures import Measure

SCORERS = ("mlp", "attention", "linear")


class NeuralRanker(Ranker):
    """A `scorer` (mlp, attention or linear) trained by a loss that is made from the measure.

    The parameters are those of the trainer of that name, whose `learning_rate` and `precision` hold where they are None;
    what one scorer alone has, such as its layers, stands in `options`. Features are normalised within each query by default,
    so that `predict` needs `group`.

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]], [2, 1, 0]
    >>> ranker = NeuralRanker("linear", measure="nDCG", epochs=30, learning_rate=0.1).fit(X, y, group=[3])
    >>> ranker.score(X, y, group=[3])
    1.0
    """

    def __init__(
        self,
        scorer: str = "mlp",
        *,
        measure: Measure | str = "nDCG@10",
        conventions: Conventions | str | None = None,
        loss: str = "soft",
        normalisation: str = "z-score",
        epochs: int = 200,
        patience: int = 30,
        batch: int = 16,
        learning_rate: float | None = None,
        weight_decay: float = 0.0,
        precision: str | None = None,
        device: str = "cpu",
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self.scorer = scorer
        self.measure = measure
        self.conventions = conventions
        self.loss = loss
        self.normalisation = normalisation
        self.epochs = epochs
        self.patience = patience
        self.batch = batch
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.precision = precision
        self.device = device
        self.options = options
        self.seed = seed

    def _trainer(self) -> Trainer:
        if self.scorer not in SCORERS:
            raise InputError(f"scorer must be one of {', '.join(SCORERS)}, not {self.scorer!r}")
        own = {"learning_rate": self.learning_rate, "precision": self.precision}
        return Trainer.parse(
            self.scorer,
            loss=self.loss,
            normalisation=self.normalisation,
            epochs=self.epochs,
            patience=self.patience,
            batch=self.batch,
            weight_decay=self.weight_decay,
            device=self.device,
            **{name: value for name, value in own.items() if value is not None},
            **(self.options or {}),
        )
