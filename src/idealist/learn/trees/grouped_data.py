"""What metrics and objectives of tree libraries share: they are called with predictions and a data set, of which the
queries and grades must be known."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from idealist.base.frozen import Frozen
from idealist.conventions import DEFAULT, as_conventions
from idealist.data.features import Features
from idealist.errors import InputError
from idealist.learn.objective import Objective, trainable
from idealist.learn.trees.lambdas import LambdaObjective

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.measures import Measure

# What was made ready for a data set, and for which labels and groups: by the metric or objective it is for, as long as
# the data set lives.
_READY: WeakKeyDictionary[Any, dict[Frozen, tuple[ndarray, ndarray, Any]]] = WeakKeyDictionary()


class GroupedFunction(Frozen):
    """A function of predictions and a data set. What depends on the grades alone is worked out once for a data set, and
    again when its labels or groups were changed."""

    measure: Measure | str = "nDCG@10"
    conventions: Conventions | str = DEFAULT

    def _checked(self, field: str, value: Any) -> Any:
        return as_conventions(value) if field == "conventions" else value

    def ready(self, data: Any) -> Any:
        """What `prepared` made of a data set, the first time it was seen with the labels and groups that it has."""
        labels, sizes = _labels_and_groups(data)
        known = _READY.setdefault(data, {})
        if self in known:
            old_labels, old_sizes, made = known[self]
            if np.array_equal(old_labels, labels) and np.array_equal(old_sizes, sizes):
                return made
        made = self.prepared(features_of(data))
        known[self] = labels, sizes, made
        return made

    def prepared(self, features: Features) -> Any:
        raise TypeError(f"{type(self).__name__} prepares nothing")


class Metric(GroupedFunction):
    """Our measure as a library's metric: what `evaluate` gives for the predictions."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.__dict__["measure"] = trainable(self.measure, as_conventions(self.conventions))

    def prepared(self, features: Features) -> Objective:
        return Objective(features, self.measure, self.conventions)

    @property
    def higher_is_better(self) -> bool:
        return self.measure.better == "higher"  # type: ignore[union-attr]

    def value(self, predictions: Any, data: Any) -> float:
        return float(self.ready(data).value(np.asarray(predictions, np.float64)))


class Lambdas(GroupedFunction):
    """Our measure as a library's objective: the gradients of `LambdaObjective`."""

    sigmoid: float = 1.0
    truncation: int | None = None
    normalised: bool = True

    def prepared(self, features: Features) -> LambdaObjective:
        return LambdaObjective(features, **{field: getattr(self, field) for field in self.fields})

    def __call__(self, predictions: Any, data: Any) -> tuple[ndarray, ndarray]:
        """The gradients and hessians of predictions, as LightGBM and XGBoost ask for them."""
        gradients, hessians = self.ready(data)(predictions)
        weights = _row_weights(data)
        # The libraries weigh what their own objectives give, and leave what others give as it is.
        return (gradients, hessians) if weights is None else (gradients * weights, hessians * weights)


def features_of(data: Any) -> Features:
    """The features that a data set was made of or, of one that is not ours or was given others, its labels and groups."""
    labels, sizes = _labels_and_groups(data)
    known = getattr(data, "features", None)
    if not isinstance(known, Features) or not np.array_equal(known.sizes, sizes):
        return Features(np.empty((len(labels), 0)), sizes=sizes, grades=labels)
    # Data sets hold labels in 32 bits.
    if np.array_equal(np.asarray(known.grades, np.float32), labels.astype(np.float32)):
        return known
    return Features(
        np.empty((len(labels), 0)),
        sizes=sizes,
        grades=labels,
        queries=known.queries,
        documents=known.documents,
        source=known.source,
        weights=known.weights,
    )


def _labels_and_groups(data: Any) -> tuple[ndarray, ndarray]:
    """Copies of the labels of a data set and of the sizes of its groups."""
    if not hasattr(data, "get_group"):
        raise InputError(
            f"a data set is expected behind the predictions, not {type(data).__name__}",
            hint="LGBMRanker and XGBRanker give metrics arrays, without the queries: use il.learn.TreeRanker(measure=…), or this "
            "metric in lightgbm.train or xgboost.train",
        )
    sizes, labels = data.get_group(), data.get_label()
    if sizes is None or len(sizes) == 0 or labels is None:
        raise InputError(
            "the data set says nothing of its queries",
            hint="give it group, or make it with dataset(features)",
        )
    return np.array(labels, np.float64), np.array(sizes, np.int64)


def _row_weights(data: Any) -> ndarray | None:
    """What each row of a data set counts: LightGBM has a weight a row, XGBoost one a group."""
    weights = data.get_weight()
    if weights is None or len(weights) == 0:
        return None
    sizes = np.asarray(data.get_group(), np.int64)
    by_group = len(weights) == len(sizes) and len(sizes) != len(data.get_label())
    return np.repeat(weights, sizes) if by_group else np.asarray(weights)


def names_for(features: Features, forbidden: str) -> list[str] | None:
    """The names of features; None where a library cannot hold them, and numbers features itself."""
    refused = any(not name or set(name) & set(forbidden) or name.split() != [name] for name in features.names)
    return None if refused or len(set(features.names)) < len(features.names) else list(features.names)
