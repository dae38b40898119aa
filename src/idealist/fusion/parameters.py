"""The parameters of methods of fusion: what each may be."""

from __future__ import annotations

from math import comb, inf

from idealist.data.numbers import as_number, as_share
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST_CANDIDATES = 300


def _between(low: float, high: float) -> Callable[[str, Any], float]:
    def read(what: str, value: Any) -> float:
        number = as_number(value, what, finite=True)
        if not low <= number <= high:
            limits = f"from {low:g} to {high:g}" if high < inf else f"{low:g} or more"
            raise InputError(f"{what} is {number:g}", hint=f"it is {limits}")
        return number

    return read


def _whole(lowest: int) -> Callable[[str, Any], int]:
    def read(what: str, value: Any) -> int:
        number = as_number(value, what, finite=True)
        if number != int(number) or number < lowest:
            raise InputError(f"{what} is {number:g}", hint=f"it is a whole number, at least {lowest}")
        return int(number)

    return read


def _persistence(what: str, value: Any) -> float:
    return as_share(value, what)


def _level(what: str, value: Any) -> float:
    return as_number(value, what, finite=True)


def _weights(what: str, value: Any) -> tuple[float, ...]:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise InputError(f"{what} are {value!r}", hint="they are numbers, one per run: (0.7, 0.3)")
    weights = tuple(as_number(one, f"one of {what}", finite=True) for one in value)
    if any(weight < 0 for weight in weights) or not any(weights):
        shown = ", ".join(f"{weight:g}" for weight in weights)
        raise InputError(f"{what} are {shown}", hint="they are 0 or more, and not all 0")
    return weights


def _by_run(what: str, value: Any) -> tuple[Any, ...]:
    return tuple(tuple(map(float, one)) if hasattr(one, "__iter__") else float(one) for one in value)


READERS: dict[str, Callable[[str, Any], Any]] = {
    "k": _between(0, inf),
    "p": _persistence,
    "gamma": _between(0, inf),
    "sigma": _between(0, 1),
    "alpha": _between(0, 1),
    "window": _whole(0),
    "segments": _whole(1),
    "level": _level,
    "weights": _weights,
    "precisions": _by_run,
    "probabilities": _by_run,
    "log_odds": _by_run,
}
OPTIONAL = ("weights", "precisions", "probabilities", "log_odds")


def read_parameter(method: str, field: str, value: Any) -> Any:
    """What to keep of a parameter; an error if it cannot be right."""
    if value is None:
        if field in OPTIONAL:
            return None
        raise InputError(f"{method} needs {field}")
    return READERS[field](f"{method}: {field}", value)


def simplex(runs: int) -> list[tuple[float, ...]]:
    """Weights that add up to 1, in steps of 0.1 where the runs are few; the most even ones first.

    >>> simplex(2)[:3]
    [(0.5, 0.5), (0.4, 0.6), (0.6, 0.4)]
    """
    for steps in (10, 5, 4, 2):
        if comb(steps + runs - 1, runs - 1) <= MOST_CANDIDATES:
            break
    else:
        raise InputError(f"there are too many weights to try for {runs} runs", hint="give a grid")

    def split(left: int, parts: int) -> list[tuple[int, ...]]:
        if parts == 1:
            return [(left,)]
        return [(first, *rest) for first in range(left + 1) for rest in split(left - first, parts - 1)]

    even_first = sorted(split(steps, runs), key=lambda parts: sum(part * part for part in parts))
    return [tuple(part / steps for part in parts) for parts in even_first]
