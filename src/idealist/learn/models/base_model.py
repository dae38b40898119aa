"""What every model does: it gives each document of a query a score; what is known of its training; and several models as one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import MappingProxyType

from idealist.errors import InputError
from idealist.learn.feature_scaling import z_score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar

    from numpy import ndarray

    from idealist.data.features import Features
    from idealist.data.run import Run


class Model(ABC):
    """A fitted scorer. `names` are the features that it takes, in the order of the columns that `score` gets."""

    kind: ClassVar[str]
    names: tuple[str, ...]
    # What is known of how it was made: the trainer, its parameters, the round and its value.
    training: Mapping[str, Any] = MappingProxyType({})
    # Whether a feature may be nan.
    takes_missing: bool = True

    @abstractmethod
    def score(self, matrix: ndarray, sizes: ndarray) -> ndarray:
        """The scores of rows of features, float64; `sizes` says how many rows each query has."""

    def scores(self, features: Features) -> ndarray:
        """The scores of a table's rows; its columns are found by name."""
        if not self.takes_missing:
            refuse_missing(features, self.names)
        return self.score(columns_named(features, self.names), features.sizes)

    def rank(self, features: Features, *, name: str = "model") -> Run:
        """The run that the scores make."""
        return features.run(self.scores(features), name=name)


def cells_for(model: Model, matrix: Any) -> ndarray:
    """Rows of as many features as the model takes, float64."""
    import numpy as np

    cells = np.asarray(matrix, np.float64)
    if cells.ndim != 2 or cells.shape[1] != len(model.names):
        raise InputError(
            f"the features have the shape {cells.shape}, but the model takes {len(model.names)} of each document",
            hint="give rows × features, in the order of the model's names; rank(features) finds columns by name",
        )
    return cells


def refuse_missing(features: Features, names: tuple[str, ...]) -> None:
    """An InputError for the first of these features that is nan or infinite, with its query and document."""
    import numpy as np

    cells = columns_named(features, names)
    if np.isfinite(cells).all():
        return
    row, column = (int(at) for at in np.argwhere(~np.isfinite(cells))[0])
    missing = np.isnan(cells[row, column])
    raise InputError(
        f"query {features.query_of(row)!r}, document {features.documents[row]!r}: feature {names[column]!r} is "
        f"{cells[row, column]}{', and only models of trees take that' if missing else ''}",
        source=features.source,
        hint="say what stands for it: --fill 0 (fill=0 in Python)" if missing else "give a finite number",
    )


def columns_named(features: Features, names: tuple[str, ...]) -> ndarray:
    """The columns of these names, in this order."""
    if features.names == names:
        return features.matrix
    places = {name: place for place, name in enumerate(features.names)}
    missing = [name for name in names if name not in places]
    if missing:
        raise InputError(
            f"the model takes feature {missing[0]!r}, which these features lack"
            + (f" ({len(missing)} are missing)" if len(missing) > 1 else ""),
            source=features.source,
            hint=f"there are {', '.join(features.names[:8])}{', …' if len(features.names) > 8 else ''}",
        )
    return features.matrix[:, [places[name] for name in names]]


def iterations(unit: str, used: int, run: int, limit: int, **more: int) -> dict[str, Any]:
    """What `training["iterations"]` says of a fit in rounds, epochs or passes: the one that the model is of, how many were
    run, and how many might have been. The measure there is `training["value"]`.

    >>> iterations("epoch", 12, 42, 200)
    {'iterations': {'unit': 'epoch', 'used': 12, 'run': 42, 'limit': 200}}
    """
    return {"iterations": {"unit": unit, "used": used, "run": run, "limit": limit, **more}}


def iterations_text(training: Mapping[str, Any]) -> str | None:
    """In words; None for a model that is not made in rounds.

    >>> iterations_text(iterations("epoch", 12, 42, 200)), iterations_text(iterations("round", 7, 7, 7))
    ('epoch 12 of 42 run (limit 200)', 'round 7 of 7 run')
    >>> iterations_text(iterations("pass", 3, 5, 25, restart=2, restarts=5))
    'pass 3 of 5 run (limit 25), restart 2 of 5'
    """
    made = training.get("iterations")
    if made is None:
        return None
    limit = f" (limit {made['limit']:,})" if made["run"] < made["limit"] else ""
    restart = f", restart {made['restart']} of {made['restarts']}" if "restart" in made else ""
    return f"{made['unit']} {made['used']:,} of {made['run']:,} run{limit}{restart}"


def training_record(training: Mapping[str, Any]) -> dict[str, Any]:
    """As it is written.

    >>> training_record({"trainer": "linear", "value": float("nan")})
    {'trainer': 'linear', 'value': None}
    """
    return _with_values(training, lambda value: None if value != value else value)


def training_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """As it was before it was written; a ValueError, TypeError or KeyError where it cannot have been so."""
    training = _with_values(record, lambda value: float("nan") if value is None else float(value))
    if "iterations" in training:
        made = training["iterations"]
        if not isinstance(made["unit"], str):
            raise TypeError("the unit of iterations is no text")
        numbers = {name: int(number) for name, number in made.items() if name != "unit"}
        training |= iterations(made["unit"], **numbers)
    return training


def _with_values(training: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """A copy, with its `value` and each of its `values` changed."""
    changed = dict(training)
    if "value" in changed:
        changed["value"] = change(changed["value"])
    if "values" in changed:
        changed["values"] = [change(value) for value in changed["values"]]
    return changed


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
