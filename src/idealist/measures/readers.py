"""How parameters are read, from objects or from text."""

from __future__ import annotations

from idealist.data.numbers import as_number
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST = 1e6
HIGHEST_RANK = 2**32 - 2
MOST_WHOLE = 2**53


def cutoff(value: Any) -> int | None:
    """A rank, or None for all of them."""
    if value is None:
        return None
    try:
        if isinstance(value, bool):
            raise TypeError
        if isinstance(value, str) and not (value.isascii() and value.removeprefix("-").isdigit()):
            raise ValueError
        k = int(value) if isinstance(value, str) else value.__index__()
    except (TypeError, ValueError, AttributeError):
        raise InputError(f"k={value!r} is not a whole number", hint="a cut-off such as 10") from None
    if not 1 <= k <= HIGHEST_RANK:
        raise InputError(f"the cut-off k is {k}", hint=f"it is at least 1, and at most {HIGHEST_RANK}")
    return int(k)


def number(name: str) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                raise InputError(f"{name}={value!r} is not a number") from None
        return as_number(value, name, finite=True)

    return read


def within(name: str, low: float, high: float, ends: str = "[]") -> Callable[[Any], float]:
    """A number of an interval; `ends` says whether each end belongs to it, as mathematicians write it."""

    def read(value: Any) -> float:
        found = number(name)(value)
        above = found >= low if ends[0] == "[" else found > low
        below = found <= high if ends[1] == "]" else found < high
        if not (above and below):
            least = f"{'at least' if ends[0] == '[' else 'above'} {low:g}"
            most = f"{'at most' if ends[1] == ']' else 'below'} {high:g}"
            raise InputError(f"{name} is {found:g}", hint=f"it is {least}, and {most}")
        return found

    return read


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
    def read(value: Any) -> int:
        found = number(name)(value)
        if found != int(found) or not least <= found <= MOST_WHOLE:
            raise InputError(f"{name} is {found:g}", hint=f"it is a whole number, at least {least}")
        return int(found)

    return read


def numbers(
    name: str, one: Callable[[Any], float], count: int | None = None
) -> Callable[[Any], tuple[float, ...]]:
    """Several numbers, each read by `one`; in a text apart by commas, within square brackets or bare."""

    def read(value: Any) -> tuple[float, ...]:
        if isinstance(value, str):
            value = value.strip().removeprefix("[").removesuffix("]").split(",")
        if not hasattr(value, "__iter__"):
            raise InputError(f"{name}={value!r} is not a list of numbers")
        found = tuple(one(entry) for entry in value)
        if not found or len(found) != (count or len(found)):
            raise InputError(f"{name} holds {len(found)} numbers", hint=f"it holds {count or 'one or more'}")
        return found

    return read


def optional(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def one_of(name: str, *choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            raise InputError(f"{name}={value!r} is unknown", hint=f"one of {', '.join(choices)}")
        return str(value)

    return read


def flag(name: str) -> Callable[[Any], bool]:
    def read(value: Any) -> bool:
        if str(value).lower() not in ("true", "false"):
            raise InputError(f"{name}={value!r} is unknown", hint="true or false")
        return str(value).lower() == "true"

    return read
