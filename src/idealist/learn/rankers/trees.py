"""Trees with scikit-learn's interface."""

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

LIBRARIES = ("lightgbm", "xgboost", "catboost")


class TreeRanker(Ranker):
    """Trees by LightGBM, XGBoost or CatBoost (`library`), for a measure.

    `objective` is one of the library's own, by default its lambdarank, rank:ndcg or YetiRank; "measure" is the measure
    itself, by lambda gradients, in LightGBM and XGBoost. `leaves` and `least_documents` (in a leaf) are of LightGBM,
    `depth` of the other two; `options` are further parameters of the library, under its own names. nan is a missing
    feature. Without `validation` in `fit`, all `rounds` are trained.

    >>> import numpy as np
    >>> X, queries = np.arange(60.0).reshape(60, 1), np.repeat(["q1", "q2", "q3"], 20)
    >>> y = X[:, 0] % 20 > 14
    >>> ranker = TreeRanker(measure="nDCG@5", rounds=20, least_documents=2).fit(X, y, group=queries)
    >>> ranker.score(X, y, group=queries)
    1.0
    """

    scores_by_query = False

    def __init__(
        self,
        library: str = "lightgbm",
        *,
        measure: Measure | str = "nDCG@10",
        conventions: Conventions | str | None = None,
        objective: str | None = None,
        rounds: int = 100,
        learning_rate: float = 0.1,
        patience: int = 50,
        leaves: int | None = None,
        least_documents: int | None = None,
        depth: int | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self.library = library
        self.measure = measure
        self.conventions = conventions
        self.objective = objective
        self.rounds = rounds
        self.learning_rate = learning_rate
        self.patience = patience
        self.leaves = leaves
        self.least_documents = least_documents
        self.depth = depth
        self.options = options
        self.seed = seed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _trainer(self) -> Trainer:
        parameters = {
            "objective": self.objective,
            "rounds": self.rounds,
            "learning_rate": self.learning_rate,
            "patience": self.patience,
            "leaves": self.leaves,
            "least_documents": self.least_documents,
            "depth": self.depth,
            "options": self.options,
        }
        if self.library not in LIBRARIES:
            raise InputError(f"library must be one of {', '.join(LIBRARIES)}, not {self.library!r}")
        stated = {name: value for name, value in parameters.items() if value is not None}
        return Trainer.parse(self.library, **stated)
