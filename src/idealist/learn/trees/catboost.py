"""Inside CatBoost: pools of our features, and our measures as metric.

    CatBoost({"loss_function": "YetiRank", "eval_metric": Metric("AP", features=(train, validation))})

A measure is no objective here: CatBoost hands a loss written in Python blocks of documents (1,000 at a time) that cut
queries apart and do not say which they are of. YetiRank and its other losses are its own.
"""

from __future__ import annotations

import inspect

import catboost
import numpy as np

from idealist.conventions import DEFAULT, as_conventions
from idealist.data.features import grades_of
from idealist.errors import InputError
from idealist.learn.models.formats.catboost_files import as_json, ensemble_of
from idealist.learn.objective import Objective, trainable
from idealist.learn.trees.grouped_data import names_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.learn.models.trees import TreeEnsemble
    from idealist.measures import Measure


def dataset(features: Features, **arguments: Any) -> Any:
    """The pool of features with grades; other arguments are those of catboost.Pool.

    nan is CatBoost's missing value.
    """
    grades = grades_of(features)
    queries = np.repeat(np.arange(len(features.sizes)), features.sizes)
    weights = None if features.weights is None else np.repeat(features.weights, features.sizes)
    arguments = {"feature_names": names_for(features, ""), "group_weight": weights, **arguments}
    return catboost.Pool(features.matrix, grades, group_id=queries, **arguments)


class Metric:
    """Our measure as `eval_metric`. CatBoost gives it scores and grades without their queries, so it is told of all
    features that are measured, and knows each by its grades."""

    # CatBoost marks so what it has tried to compile with numba, and warns where that is not installed.
    _jited = True

    def __init__(
        self,
        measure: Measure | str = "nDCG@10",
        conventions: Conventions | str = DEFAULT,
        *,
        features: Sequence[Features],
    ) -> None:
        self.conventions = as_conventions(conventions)
        self.measure = trainable(measure, self.conventions)
        self.features = tuple(features)
        self._refuse_lookalikes()
        self._objectives = [
            (np.asarray(features.grades, np.float32), Objective(features, self.measure, self.conventions))
            for features in self.features
        ]
        for grades, objective in self._objectives:
            # An error from within CatBoost would be hard to read.
            objective.value(np.zeros(len(grades)))

    def _refuse_lookalikes(self) -> None:
        for at, features in enumerate(self.features):
            for other in self.features[:at]:
                same_grades = np.array_equal(features.grades, other.grades)  # type: ignore[arg-type]
                if same_grades and (
                    features.documents != other.documents or not np.array_equal(features.sizes, other.sizes)
                ):
                    raise InputError(
                        "two of the features have the same grades in the same order, but not the same queries "
                        "and documents: CatBoost gives nothing to tell them apart by",
                        hint="change the order of the queries of one of them",
                    )

    def __deepcopy__(self, memo: dict[int, Any]) -> Metric:
        """Itself: CatBoost copies its parameters again and again, and this one holds all features."""
        return self

    def is_max_optimal(self) -> bool:
        return self.measure.better == "higher"

    def get_final_error(self, error: float, weight: float) -> float:
        return error

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The value over all queries of the features that have these grades, and 1."""
        grades = np.asarray(target, np.float32)
        for known, objective in self._objectives:
            if np.array_equal(known, grades):
                return objective.value(np.asarray(approxes[0], np.float64)), 1.0
        raise InputError(
            "CatBoost measures grades that are those of no features of this metric",
            hint="name all features in Metric(features=…); has_time=True keeps their order",
        )


def parameter_names() -> set[str]:
    """All parameters that CatBoost knows, and their other names, by the signatures of its classes."""
    kinds = (catboost.CatBoostRanker, catboost.CatBoostRegressor, catboost.CatBoostClassifier)
    return {name for kind in kinds for name in inspect.signature(kind).parameters}


def ensemble(model: Any, names: Any = None) -> TreeEnsemble:
    """A trained model as one of ours."""
    return ensemble_of(as_json(model), names)
