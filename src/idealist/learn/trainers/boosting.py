"""What trainers of trees have in common: early stopping by our measure, and options of a library."""

from __future__ import annotations

from idealist import kernels
from idealist.base.frozen import FrozenTable
from idealist.base.values import as_kind
from idealist.errors import InputError
from idealist.learn.libraries import missing_library
from idealist.learn.models.base import columns_named
from idealist.learn.models.training_records import iterations
from idealist.learn.objective import Objective
from idealist.learn.trainers.base import Range, Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any, ClassVar

    from idealist.data.features import Features
    from idealist.learn.models.base import Model
    from idealist.learn.models.trees import TreeEnsemble

OURS = "measure"  # the objective that is ours
MOST_ROUNDS = 1_000_000_000  # the libraries count in 32 bits


class Options(FrozenTable):
    """Further parameters of a library, as `name=value,name=value` has them."""

    __slots__ = ()

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.items())


# Fewer numbers than these are trained on faster by one thread than by several that wait for each other.
CELLS_FOR_ONE_THREAD = 1 << 18


class TreeTrainer(Trainer):
    """What the three libraries have in common.

    With validation features, trees are added until the measure has not risen for `patience` rounds, and those up to the
    best round are the model; without, all `rounds` are. `options` are parameters of the library, under its own names.
    """

    rounds: int = 500
    learning_rate: float = 0.1
    patience: int = 50
    options: Options = Options({})
    objectives: ClassVar[tuple[str, ...]] = ()
    takes_missing = True
    ranges: ClassVar[Mapping[str, Range]] = {
        "rounds": Range(1, MOST_ROUNDS),
        "patience": Range(1),
        "learning_rate": Range(0, 1, above=True),
    }

    def _checked(self, field: str, value: Any) -> Any:
        if field == "options":
            return _read_options(f"{self.name}: options", value)
        value = super()._checked(field, value)
        if field == "objective" and value not in self.objectives:
            raise InputError(
                f"{self.name} has no objective {value!r}", hint=f"name one of: {', '.join(self.objectives)}"
            )
        return value

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        if task.validation is not None:
            task = task.replace(validation=_with_columns_of(task.train, task.validation))
        for features in (task.train, task.judged):
            # What the measure does not take, such as a grade without a gain, is said here and not from within a library.
            Objective(features, task.measure, task.conventions).value([0.0] * len(features))
        try:
            model, used, run = self.trees(task)
        except ModuleNotFoundError as error:
            raise missing_library(f"training {self.name}", error) from None
        return model, iterations("round", used, run, self.rounds)

    def trees(self, task: Task) -> tuple[TreeEnsemble, int, int]:
        """The model, the number of rounds it is of, and of those that were run. Validation features have the columns of
        those trained on, in their order."""
        raise TypeError(f"{type(self).__name__} does not say how it trains")


def refuse_options(
    trainer: str, options: Options, known: Collection[str], own: Mapping[str, Collection[str]]
) -> None:
    """An InputError for an option that the library does not know, with the nearest that it does, and for one that a
    parameter of the trainer sets: `own` has the library's names of these."""
    from difflib import get_close_matches

    for name in options:
        for parameter, names in own.items():
            if name in names:
                raise InputError(
                    f"{trainer}: options: {name} is set by the parameter {parameter}",
                    hint=f"--set {parameter}={options[name]} ({parameter}={options[name]} in Python)",
                )
        if name not in known:
            near = get_close_matches(str(name), known, 1)
            raise InputError(
                f"{trainer}: options: the library has no parameter {name!r}",
                hint=f"did you mean {near[0]!r}?" if near else "see the library's own list of parameters",
            )


def threads_for(features: Features) -> int:
    return kernels.available_threads() if features.matrix.size > CELLS_FOR_ONE_THREAD else 1


def _with_columns_of(train: Features, other: Features) -> Features:
    """Features with the columns of those trained on, in their order."""
    return other.with_columns(columns_named(other, train.names), train.names)


def _read_options(what: str, value: Any) -> Options:
    """Options from a mapping, or from text.

    >>> _read_options("options", "lambda_l2=1, extra_trees=true, boosting=dart")
    lambda_l2=1,extra_trees=True,boosting=dart
    """
    if isinstance(value, str):
        pairs = [part.partition("=") for part in value.split(",") if part.strip()]
        if any(not equals or not name.strip() for name, equals, _ in pairs):
            raise InputError(f"{what} must be name=value,name=value, not {value!r}")
        value = {name.strip(): _option(what, text.strip()) for name, _, text in pairs}
    if value is None or not hasattr(value, "items"):
        raise InputError(f"{what} must be a mapping or name=value,name=value, not {value!r}")
    return Options(value)


def _option(what: str, text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return as_kind(text, what, kind)
        except InputError:
            continue
    return text
