"""Linear models: coordinate ascent, made directly for a measure one weight at a time, and regression on the grades."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.learn.feature_scaling import normalisation_of
from idealist.learn.models.base_model import iterations
from idealist.learn.models.linear import Linear
from idealist.learn.objective import Objective
from idealist.learn.trainers.trainer import Range, Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.learn.models.base_model import Model


CHOICES = ("best", "mean")
# A step as a multiple of the mean weight, in both directions: from a fine change to one that outweighs all others.
STEPS = tuple(2.0**power for power in range(-4, 8))


class Ascent(Trainer, name="ascent"):
    """Coordinate ascent: weight by weight, the step that raises the measure most, until no weight does.

    Each line search ranks all steps in one native call. A restart begins from random weights, the first from equal ones.
    After every pass over the features the weights are measured on the validation queries; what was best there is kept.
    `choice` is what becomes of the restarts: the best, or the mean of their weights, which varies less. With `regularisation`
    λ, λ·(n·Σw² − 1) is taken off the measure, where w are the shares of the weights: more even weights are preferred.
    Metzler and Croft, Information Retrieval 2007.

    >>> from idealist.data.features import Features
    >>> train = Features([[0, 1], [1, 0], [2, 5]], sizes=[3], grades=[2, 1, 0])
    >>> Ascent(normalisation="none").fit(train, measure="nDCG").training["value"]
    1.0
    """

    normalisation: str = "z-score"
    restarts: int = 5
    passes: int = 25
    tolerance: float = 1e-4
    regularisation: float = 0.0
    choice: str = "best"
    ranges: ClassVar[Mapping[str, Range]] = {
        **{name: Range(1) for name in ("restarts", "passes")},
        **{name: Range(0) for name in ("tolerance", "regularisation")},
    }

    def _checked(self, field: str, value: Any) -> Any:
        value = super()._checked(field, value)
        if field == "choice" and value not in CHOICES:
            raise InputError(f"ascent: choice must be {' or '.join(CHOICES)}, not {value!r}")
        return value

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        import numpy as np

        train, measure, conventions = task.train, task.measure, task.conventions
        normalisation = normalisation_of(self.normalisation).fit(train.matrix, train.sizes)
        columns = np.ascontiguousarray(normalisation.apply(train.matrix, train.sizes, train.names).T)
        search = _Search(columns, Objective(train, measure, conventions), self)
        fits = []
        for restart in range(self.restarts):
            task.report(restart, self.restarts)
            rng = np.random.default_rng([task.seed, restart])
            judge = (
                None
                if task.validation is None
                else _Judge(task.validation, train, normalisation, measure, conventions)
            )
            fits.append(search.climbed(rng, restart, judge))
        best = max(range(len(fits)), key=lambda number: (search.objective.sign * fits[number][0], -number))
        facts: dict[str, Any] = {}
        if self.choice == "best":
            _, weights, used, run = fits[best]
            facts = iterations("pass", used, run, self.passes, restart=best + 1, restarts=self.restarts)
        else:  # of several restarts, each of a pass of its own
            weights = sum(vector / np.linalg.norm(vector) for _, vector, *_ in fits) / len(fits)
            weights = weights / np.abs(weights).sum()
        task.report(self.restarts, self.restarts)
        return Linear(train.names, weights.tolist(), normalisation=normalisation), facts


class _Judge:
    """The measure on validation queries."""

    def __init__(
        self,
        validation: Features,
        train: Features,
        normalisation: Any,
        measure: Any,
        conventions: Conventions,
    ) -> None:
        from idealist.learn.models.base_model import columns_named

        self._rows = normalisation.apply(
            columns_named(validation, train.names), validation.sizes, train.names
        )
        self._objective = Objective(validation, measure, conventions)

    def value(self, weights: ndarray) -> float:
        return self._objective.value(self._rows @ weights)


class _Search:
    """The climb from one start, on training columns."""

    def __init__(self, columns: ndarray, objective: Objective, settings: Ascent) -> None:
        self.columns = columns
        self.objective = objective
        self.settings = settings
        # A constant feature moves no document.
        self.movable = [place for place, column in enumerate(columns) if (column != column[0]).any()]
        if not self.movable:
            raise InputError(
                "every feature is constant: no weight changes a ranking",
                hint="give features that tell documents apart",
            )

    def climbed(self, rng: Any, restart: int, judge: _Judge | None) -> tuple[float, ndarray, int, int]:
        """The value of the best weights of a restart (on the validation queries if there are any), these weights, the pass that
        they are of, and how many passes were run."""
        import numpy as np

        count = len(self.columns)
        weights = np.zeros(count)
        weights[self.movable] = 1.0 if restart == 0 else rng.normal(size=len(self.movable))
        weights /= np.abs(weights).sum()
        value = self._value(weights)
        best: tuple[float, ndarray, int] | None = None
        for turn in range(1, self.settings.passes + 1):
            before = value
            for place in rng.permutation(self.movable):
                weights, value = self._stepped(weights, int(place), value)
            chosen_by = self.objective.sign * value if judge is None else judge.value(weights)
            if judge is None or best is None or self.objective.better(chosen_by, best[0]):
                best = (self._measured(weights) if judge is None else chosen_by, weights.copy(), turn)
            if value - before < self.settings.tolerance:
                break
        assert best is not None, "there is one pass or more"
        return *best, turn

    def _stepped(self, weights: ndarray, place: int, value: float) -> tuple[ndarray, float]:
        """The weights after the best step of one of them, if any is better than none."""
        import numpy as np

        unit = 1 / len(weights)
        ahead = unit * np.array(STEPS)
        steps = np.concatenate([ahead, -ahead, [-weights[place]]])
        scores = weights @ self.columns
        values = self.objective.along(scores, self.columns[place], steps)
        net = [
            self.objective.sign * moved_value - self._penalty(weights, place, float(step))
            for moved_value, step in zip(values, steps, strict=True)
        ]
        # Of equal steps the smallest.
        chosen = max(range(len(steps)), key=lambda number: (net[number], -abs(steps[number])))
        if not net[chosen] > value:
            return weights, value
        moved = weights.copy()
        moved[place] += steps[chosen]
        total = np.abs(moved).sum()
        if total == 0:
            return weights, value
        return moved / total, net[chosen]

    def _value(self, weights: ndarray) -> float:
        return self.objective.sign * self._measured(weights) - self._penalty(weights, 0, 0.0)

    def _measured(self, weights: ndarray) -> float:
        return self.objective.value(weights @ self.columns)

    def _penalty(self, weights: ndarray, place: int, step: float) -> float:
        if not self.settings.regularisation:
            return 0.0
        import numpy as np

        moved = weights.copy()
        moved[place] += step
        total = np.abs(moved).sum()
        shares = moved / total if total else moved
        return self.settings.regularisation * float(len(moved) * (shares * shares).sum() - 1)


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
