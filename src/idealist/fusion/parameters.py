"""The parameters of fusion methods, and how each is read."""

from __future__ import annotations

from math import comb, inf

from idealist.data.values import as_count, as_finite, as_share, as_within
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST_CANDIDATES = 300


def _between(low: float, high: float) -> Callable[[str, Any], float]:
    return lambda title, value: as_within(value, title, low, high, text=True)


def _whole(least: int) -> Callable[[str, Any], int]:
    return lambda title, value: as_count(value, title, least, text=True)


def _persistence(title: str, value: Any) -> float:
    return as_share(value, title, text=True)


def _level(title: str, value: Any) -> float:
    return as_finite(value, title, text=True)


def _weights(title: str, value: Any) -> tuple[float, ...]:
    value = value.replace(",", ":").split(":") if isinstance(value, str) else value
    if isinstance(value, bytes) or not hasattr(value, "__iter__"):
        raise InputError(f"{title} must be numbers, one per run, not {value!r}", hint="such as (0.7, 0.3)")
    weights = tuple(as_within(weight, f"{title}: each weight", 0, text=True) for weight in value)
    if not any(weights):
        raise InputError(f"{title} must not all be 0", hint="give one run a weight above 0")
    return weights


def _by_run(title: str, value: Any) -> tuple[Any, ...]:
    return tuple(
        tuple(map(float, numbers)) if hasattr(numbers, "__iter__") else float(numbers) for numbers in value
    )


READERS: dict[str, Callable[[str, Any], Any]] = {
    "k": _between(0, inf),
    "p": _persistence,
    "gamma": _between(0, inf),
    "sigma": _between(0, 1),
    "alpha": _between(0, 1),
    "window": _whole(0),
    "segments": _whole(1),
    "level": _level,
    "run_weights": _weights,
    "precisions": _by_run,
    "probabilities": _by_run,
    "log_odds": _by_run,
}


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

    def split(remaining: int, parts: int) -> list[tuple[int, ...]]:
        if parts == 1:
            return [(remaining,)]
        return [
            (first, *others)
            for first in range(remaining + 1)
            for others in split(remaining - first, parts - 1)
        ]

    even_first = sorted(split(steps, runs), key=lambda parts: sum(part * part for part in parts))
    return [tuple(part / steps for part in parts) for parts in even_first]
