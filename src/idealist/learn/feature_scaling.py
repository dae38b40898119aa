"""Features on one scale: by query, or by what the training data was like. A model keeps what it was trained with."""

from __future__ import annotations

from math import isfinite

from idealist.base.frozen import Frozen
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self

    from numpy import ndarray


def _by_query(reduce: Any, matrix: ndarray, sizes: ndarray) -> ndarray:
    """One row per query: what a ufunc makes of its rows."""
    import numpy as np

    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
    return np.asarray(reduce.reduceat(matrix, starts, axis=0))


def _quotient(values: ndarray, by: ndarray) -> ndarray:
    """0 where the divisor is 0: a feature that is constant says nothing."""
    import numpy as np

    quotient = np.zeros_like(values)
    np.divide(values, by, out=quotient, where=by > 0)
    return quotient


def z_score(matrix: ndarray, sizes: ndarray) -> ndarray:
    """(x − mean) / standard deviation of the query's documents, divided by n; 0 where all are equal."""
    import numpy as np

    # Multiples of the range first: squares of any numbers then stay within what floats hold.
    scaled = min_max(matrix, sizes)
    away = scaled - np.repeat(_by_query(np.add, scaled, sizes) / sizes[:, None], sizes, axis=0)
    spread = np.sqrt(_by_query(np.add, away * away, sizes) / sizes[:, None])
    return _quotient(away, np.repeat(spread, sizes, axis=0))


def min_max(matrix: ndarray, sizes: ndarray) -> ndarray:
    """(x − min) / (max − min) of the query's documents; 0 where all are equal."""
    import numpy as np

    low, high = _by_query(np.minimum, matrix, sizes), _by_query(np.maximum, matrix, sizes)
    # Halves, so that the distance of two finite numbers is finite.
    return _quotient(
        matrix / 2 - np.repeat(low / 2, sizes, axis=0), np.repeat(high / 2 - low / 2, sizes, axis=0)
    )


def total(matrix: ndarray, sizes: ndarray) -> ndarray:
    """x / Σ|x| of the query's documents; 0 where all are 0."""
    import numpy as np

    # Shares of the greatest first: the sum of many great numbers is finite then.
    greatest = np.repeat(_by_query(np.maximum, np.abs(matrix), sizes), sizes, axis=0)
    shares = _quotient(matrix, greatest)
    return _quotient(shares, np.repeat(_by_query(np.add, np.abs(shares), sizes), sizes, axis=0))


def rank(matrix: ndarray, sizes: ndarray) -> ndarray:
    """The share of the query's other documents that are below, an equal one counting half: from 0 to 1; 0.5 for one alone."""
    import numpy as np

    out = np.empty_like(matrix)
    start = 0
    for size in sizes.tolist():
        rows = matrix[start : start + size]
        ordered = np.sort(rows, axis=0)
        for column in range(matrix.shape[1]):
            below = np.searchsorted(ordered[:, column], rows[:, column], side="left")
            up_to = np.searchsorted(ordered[:, column], rows[:, column], side="right")
            out[start : start + size, column] = (
                (below + up_to - 1) / 2 / max(1, size - 1) if size > 1 else 0.5
            )
        start += size
    return out


def _as_it_is(matrix: ndarray, sizes: ndarray) -> ndarray:
    """The features as they are."""
    return matrix


def _log(matrix: ndarray, sizes: ndarray) -> ndarray:
    """sign(x) · ln(1 + |x|), for counts and prices."""
    import numpy as np

    return np.asarray(np.copysign(np.log1p(np.abs(matrix)), matrix))


def _shift_and_scale_z(matrix: ndarray) -> tuple[ndarray, ndarray]:
    import numpy as np

    half = matrix.max(axis=0) / 2 - matrix.min(axis=0) / 2
    unit = np.where(half > 0, half, 1.0)
    scaled = matrix / unit
    # The deviation of equal numbers need not come out as 0: their mean is rounded.
    return scaled.mean(axis=0) * unit, np.where(half > 0, scaled.std(axis=0) * unit, 0.0)


def _shift_and_scale_min_max(matrix: ndarray) -> tuple[ndarray, ndarray]:
    low, high = matrix.min(axis=0), matrix.max(axis=0)
    return low, high - low


BY_QUERY: dict[str, Callable[[ndarray, ndarray], ndarray]] = {
    "none": _as_it_is,
    "z-score": z_score,
    "min-max": min_max,
    "sum": total,
    "rank": rank,
    "log": _log,
}
# What is learnt of all training rows: what is subtracted from a feature, and what it is divided by.
OVERALL: dict[str, Callable[[ndarray], tuple[ndarray, ndarray]]] = {
    "global-z-score": _shift_and_scale_z,
    "global-min-max": _shift_and_scale_min_max,
}
NAMES = (*BY_QUERY, *OVERALL)
ALIASES = {"zscore": "z-score", "linear": "min-max", "minmax": "min-max", "global": "global-z-score"}


class Normalisation(Frozen):
    """How features are put on one scale, step by step: `name` is of NAMES, several joined by `+` one after the other.

    One by query needs nothing but the query's own documents. A global one learns a `shift` and a `scale` per feature from
    the training data (`fit`), which stay with the model; a feature that is constant there becomes 0.
    """

    name: str = "none"
    learned: tuple[tuple[tuple[float, ...], tuple[float, ...]] | None, ...] | None = None

    def _checked(self, field: str, value: Any) -> Any:
        return "+".join(_step(step) for step in str(value).split("+")) if field == "name" else value

    @property
    def steps(self) -> list[str]:
        return self.name.split("+")

    def fit(self, matrix: ndarray, sizes: ndarray) -> Self:
        """The same, with what global steps learn from training data."""
        learned: list[tuple[tuple[float, ...], tuple[float, ...]] | None] = []
        for step in self.steps:
            if step in OVERALL:
                shift, scale = OVERALL[step](matrix)
                known = tuple(shift.tolist()), tuple(scale.tolist())
                learned.append(known)
                matrix = _shifted(matrix, known)
            else:
                learned.append(None)
                matrix = BY_QUERY[step](matrix, sizes)
        return self.replace(learned=tuple(learned))

    def apply(self, matrix: ndarray, sizes: ndarray, names: Sequence[str] = ()) -> ndarray:
        """Normalised rows. What is not finite is an InputError that names the row and the feature."""
        refuse_unfinite(matrix, sizes, names)
        if not len(matrix):
            return matrix
        learned = self.learned or (None,) * len(self.steps)
        for step, known in zip(self.steps, learned, strict=True):
            if step in BY_QUERY:
                matrix = BY_QUERY[step](matrix, sizes)
            elif known is None:
                raise InputError(
                    f"{step} has learnt nothing yet", hint="fit(matrix, sizes) gives one that has"
                )
            else:
                matrix = _shifted(matrix, known)
        return matrix

    def record(self) -> dict[str, Any]:
        learned = (
            None
            if self.learned is None
            else [None if numbers is None else list(map(list, numbers)) for numbers in self.learned]
        )
        return {"name": self.name} if not any(learned or ()) else {"name": self.name, "learned": learned}

    @classmethod
    def from_record(cls, record: Mapping[str, Any], features: int) -> Normalisation:
        """The normalisation of a record, for a model of so many features."""
        name, learned = record["name"], record.get("learned")
        if not isinstance(name, str):
            raise InputError(f"the normalisation is called {name!r}", hint="the file is damaged")
        known = (
            None
            if learned is None
            else tuple(
                None if numbers is None else (tuple(map(float, numbers[0])), tuple(map(float, numbers[1])))
                for numbers in learned
            )
        )
        normalisation = cls(name, known)
        normalisation._refuse_misfit(features)
        return normalisation

    def _refuse_misfit(self, features: int) -> None:
        """An error where what was learnt is not of these steps and of so many features."""
        learned = self.learned or (None,) * len(self.steps)
        if len(learned) != len(self.steps):
            raise InputError(
                f"the normalisation has {len(self.steps)} steps and has learnt of {len(learned)}",
                hint="the file is damaged",
            )
        for step, numbers in zip(self.steps, learned, strict=True):
            fits = (
                numbers is None
                if step in BY_QUERY
                else numbers is not None
                and all(len(part) == features and all(map(isfinite, part)) for part in numbers)
            )
            if not fits:
                raise InputError(
                    f"{step} has not learnt a shift and a scale of each of {features} features",
                    hint="the file is damaged",
                )


def normalisation_of(given: Normalisation | str) -> Normalisation:
    return given if isinstance(given, Normalisation) else Normalisation(given)


def refuse_unfinite(matrix: ndarray, sizes: ndarray, names: Sequence[str] = ()) -> None:
    """An InputError for the first feature that is nan or infinite."""
    import numpy as np

    if np.isfinite(matrix).all():
        return
    row, column = (int(at) for at in np.argwhere(~np.isfinite(matrix))[0])
    query = int(np.searchsorted(np.cumsum(sizes), row, side="right"))
    name = names[column] if column < len(names) else str(column + 1)
    raise InputError(
        f"row {row} (of query number {query}): feature {name!r} is {matrix[row, column]}",
        hint="fill it in, or read with fill=0 (--fill 0)",
    )


def _step(name: str) -> str:
    text = name.strip().lower().replace("_", "-")
    text = ALIASES.get(text, text)
    if text not in NAMES:
        raise InputError(f"there is no normalisation {name!r}", hint=f"name one of: {', '.join(NAMES)}")
    return text


def _shifted(matrix: ndarray, known: tuple[Sequence[float], Sequence[float]]) -> ndarray:
    import numpy as np

    shift, scale = (np.asarray(numbers, np.float64) for numbers in known)
    if matrix.shape[1] != len(shift):
        raise InputError(
            f"the normalisation is of {len(shift)} features, not of {matrix.shape[1]}",
            hint="give the features that it was fitted on",
        )
    return _quotient(matrix - shift, np.broadcast_to(scale, matrix.shape))
