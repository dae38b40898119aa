"""What a trainer is: a frozen object whose fields are its parameters, and which makes a model of features."""

from __future__ import annotations

from functools import cached_property

from idealist.base.frozen import Frozen
from idealist.base.named import Named
from idealist.base.values import as_kind
from idealist.conventions import DEFAULT, as_conventions
from idealist.errors import InputError
from idealist.learn.feature_scaling import normalisation_of
from idealist.learn.libraries import missing_library
from idealist.learn.models.base_model import refuse_missing
from idealist.learn.objective import Objective, refuse_grades, trainable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import Any, ClassVar, Self

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.learn.models.base_model import Model
    from idealist.measures import Measure

    Progress = Callable[[int, int], None]


class Task(Frozen):
    """What one fit is given."""

    train: Features
    validation: Features | None
    measure: Measure
    conventions: Conventions
    seed: int
    progress: Progress | None
    checkpoint: str | os.PathLike[str] | None

    @property
    def judged(self) -> Features:
        """What the model is chosen on."""
        return self.train if self.validation is None else self.validation

    @cached_property
    def objective(self) -> Objective:
        """The measure there, as a function of scores."""
        return Objective(self.judged, self.measure, self.conventions)

    def report(self, done: int, rounds: int) -> None:
        """Shows how far it is."""
        if self.progress is not None:
            self.progress(done, rounds)


class Range(Frozen):
    """The numbers that a parameter may be; `above` leaves out the lowest.

    >>> str(Range(1, 16)), str(Range(0, 1, above=True)), str(Range(1))
    ('1 to 16', 'above 0 and at most 1', '1 or more')
    """

    lowest: float
    highest: float | None = None
    above: bool = False

    def holds(self, number: float) -> bool:
        high_enough = number > self.lowest if self.above else number >= self.lowest
        return high_enough and (self.highest is None or number <= self.highest)

    def __str__(self) -> str:
        if self.highest is None:
            return f"above {self.lowest:g}" if self.above else f"{self.lowest:g} or more"
        if self.above:
            return f"above {self.lowest:g} and at most {self.highest:g}"
        return f"{self.lowest:,} to {self.highest:,}"


class Trainer(Named, kind="trainer"):
    """The base of all trainers. Parameters are read from text (`--set`, TOML) by the type of their defaults.

    `fit` is deterministic: the same features, parameters and seed give the same model, whatever ran before.

    >>> Trainer.parse("ascent(restarts=2)").parameters()["restarts"]
    2
    """

    # In the order they are listed, by module: names are known before the libraries that modules take are imported.
    modules: ClassVar[Mapping[str, tuple[str, ...]]] = {
        f"idealist.learn.trainers.{module}": names
        for module, names in {
            "neural_trainers": ("linear", "mlp", "attention"),
            "linear_trainers": ("ascent", "regression"),
            "tree_libraries": ("lightgbm", "xgboost", "catboost"),
            "weak_rankers": ("adarank", "rankboost"),
            "forests": ("mart", "lambdamart", "random-forest"),
            "networks": ("ranknet", "lambdarank", "listnet"),
        }.items()
    }
    other_names: ClassVar[dict[str, str]] = {
        "lgbm": "lightgbm",
        "lgb": "lightgbm",
        "xgb": "xgboost",
        "gbdt": "lightgbm",
        "coordinateascent": "ascent",
        "transformer": "attention",
        "neural": "mlp",
        "randomforests": "randomforest",
    }
    # Parameters whose default is None, and what they are if they are stated.
    kinds: ClassVar[dict[str, type]] = {}
    # The numbers that parameters may be.
    ranges: ClassVar[Mapping[str, Range]] = {}
    has_checkpoints: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = False  # whether a feature may be nan

    @classmethod
    def named(cls, name: Any) -> type[Self]:
        try:
            return super().named(name)
        except ModuleNotFoundError as error:
            raise missing_library(f"training {name}", error) from None

    @classmethod
    def _require_parameter(cls, parameter: str) -> None:
        try:
            super()._require_parameter(parameter)
        except InputError as error:
            if "options" not in cls.fields:
                raise
            own = "; those of the library itself stand in options"
            raise InputError(error.message, hint=f"{error.hint}{own}") from None

    def _checked(self, field: str, value: Any) -> Any:
        default = getattr(type(self), field, None)
        kind = self.kinds.get(field, type(default))
        if value is None or value == "none":
            if default is None:
                return None
            if value is None:
                raise InputError(f"{self.name}: {field} is not given", hint=f"by default it is {default!r}")
        if field == "normalisation":
            return normalisation_of(value).name
        parameter = as_kind(value, f"{self.name}: {field}", kind)
        limits = self.ranges.get(field)
        if limits is not None and not limits.holds(parameter):
            raise InputError(f"{self.name}: {field} must be {limits}, not {parameter}")
        return parameter

    def fit(
        self,
        train: Features,
        validation: Features | None = None,
        *,
        measure: str | Measure,
        conventions: Conventions | str = DEFAULT,
        seed: int = 0,
        progress: Progress | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Model:
        """The model that is best by the measure on `validation`, or on `train` where there is none. With a `checkpoint`,
        every epoch is written there; if the file is there already, the fit goes on from it."""
        if checkpoint is not None and not self.has_checkpoints:
            raise InputError(f"{self.name} has no checkpoints", hint="leave it out")
        if train.grades is None or not len(train):
            raise InputError(
                "there are no grades to learn from", source=train.source, hint="give a grade to every row"
            )
        conventions = as_conventions(conventions)
        target = trainable(measure, conventions)
        for features in (train,) if validation is None else (train, validation):
            refuse_grades(features, target, conventions)
            if not self.takes_missing:
                refuse_missing(features, train.names)
        if _all_constant(train.matrix):
            raise InputError(
                "every feature is constant: there is nothing to learn",
                source=train.source,
                hint="give features that tell documents apart",
            )
        task = Task(train, validation, target, conventions, seed, progress, checkpoint)
        model, facts = self.fitted(task)
        model.training = {
            "trainer": self.name,
            "parameters": self.parameters(),
            "seed": seed,
            "measure": str(task.objective.measure),
            "value": task.objective.value(model.scores(task.judged)),
            "chosen_on": "train" if validation is None else "validation",
            **facts,
        }
        if notes := notes_on(train):
            model.training["notes"] = notes
        return model

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        """The model, and what is to be known of its training beside what is known of every one."""
        raise TypeError(f"{type(self).__name__} does not say how it fits")

    def parameters(self) -> dict[str, Any]:
        """Its parameters, as a settings file has them."""
        return {field: _plain(getattr(self, field)) for field in self.fields}


def _all_constant(matrix: ndarray) -> bool:
    """Whether no column has two values, of which nan may be one."""
    first = matrix[:1]
    return not ((matrix != first) & ~((matrix != matrix) & (first != first))).any()


def notes_on(train: Features) -> list[str]:
    """What should be known of training data before anyone wonders about the model."""
    import numpy as np

    grades = np.asarray(train.grades)
    starts = train.starts[:-1]
    if (np.maximum.reduceat(grades, starts) > np.minimum.reduceat(grades, starts)).any():
        return []
    return [
        "all documents of a query have the same grade, in every training query: no order is better than another, and there "
        "is nothing to learn"
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(member) for member in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
