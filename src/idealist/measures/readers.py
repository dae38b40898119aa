"""How parameters are read, from objects or from text: the readers of `data.values`, with the parameter's name and
limits."""

from __future__ import annotations

from idealist.base.values import as_choice, as_count, as_finite, as_flag, as_within, refused
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST = 1e6
HIGHEST_RANK = 2**32 - 2


def cutoff(value: Any) -> int | None:
    """A rank, or None for all of them. Text is digits alone: nDCG@1e3 is more likely a slip than a thousand."""
    if value is None:
        return None
    digits = isinstance(value, str) and value.isascii() and value.removeprefix("-").isdigit()
    if not digits and not hasattr(value, "__index__"):
        raise refused("the cut-off k", "be a whole number, 1 or more", value)
    return as_count(value, "the cut-off k", most=HIGHEST_RANK, text=True)


def number(name: str) -> Callable[[Any], float]:
    return lambda value: as_finite(value, name, text=True)


def within(name: str, low: float, high: float, ends: str = "[]") -> Callable[[Any], float]:
    """A number of an interval; `ends` says whether each end belongs to it, as mathematicians write it."""
    return lambda value: as_within(value, name, low, high, ends, text=True)


def positive(name: str) -> Callable[[Any], float]:
    return within(name, 0, MOST, "(]")


def from_zero(name: str) -> Callable[[Any], float]:
    return within(name, 0, MOST)


def root(name: str) -> Callable[[Any], float]:
    """A number above 0, or the text √x."""

    def read(value: Any) -> float:
        if isinstance(value, str) and value.startswith("√"):
            return float(positive(f"{name}²")(value[1:]) ** 0.5)
        return positive(name)(value)

    return read


def whole(name: str, least: int = 0) -> Callable[[Any], int]:
    return lambda value: as_count(value, name, least, text=True)


def numbers(
    name: str, read_one: Callable[[Any], float], count: int | None = None
) -> Callable[[Any], tuple[float, ...]]:
    """Several numbers, each read by `read_one`; in a text apart by commas, within square brackets or bare."""

    def read(value: Any) -> tuple[float, ...]:
        if isinstance(value, str):
            value = value.strip().removeprefix("[").removesuffix("]").split(",")
        if not hasattr(value, "__iter__"):
            raise refused(name, "be a list of numbers", value)
        checked = tuple(read_one(entry) for entry in value)
        if not checked or len(checked) != (count or len(checked)):
            raise InputError(f"{name} must hold {count or 'one or more'} numbers, not {len(checked)}")
        return checked

    return read


def optional(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def one_of(name: str, *choices: str) -> Callable[[Any], str]:
    return lambda value: as_choice(value, name, choices)


def flag(name: str) -> Callable[[Any], bool]:
    return lambda value: as_flag(value, name, text=True)
