"""Linear models with scikit-learn's interface."""

from __future__ import annotations

from idealist.learn.rankers.base import Ranker
from idealist.learn.trainers.base import Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.conventions import Conventions
    from idealist.learn.trainers.base import Trainer
    from idealist.measures import Measure


class LinearRanker(Ranker):
    """Weights of features by coordinate ascent, directly on a measure; the parameters are those of the trainer `ascent`.

    Features are normalised within each query by default, so that `predict` needs `group`.

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]], [2, 1, 0]
    >>> LinearRanker(measure="nDCG", restarts=1).fit(X, y, group=[3]).score(X, y, group=[3])
    1.0
    """

    def __init__(
        self,
        *,
        measure: Measure | str = "nDCG@10",
        conventions: Conventions | str | None = None,
        normalisation: str = "z-score",
        restarts: int = 5,
        passes: int = 25,
        tolerance: float = 1e-4,
        regularisation: float = 0.0,
        choice: str = "best",
        seed: int = 0,
    ) -> None:
        self.measure = measure
        self.conventions = conventions
        self.normalisation = normalisation
        self.restarts = restarts
        self.passes = passes
        self.tolerance = tolerance
        self.regularisation = regularisation
        self.choice = choice
        self.seed = seed

    def _trainer(self) -> Trainer:
        return Trainer.parse(
            "ascent",
            normalisation=self.normalisation,
            restarts=self.restarts,
            passes=self.passes,
            tolerance=self.tolerance,
            regularisation=self.regularisation,
            choice=self.choice,
        )
