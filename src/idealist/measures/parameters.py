"""The parameters measures may have. A name means the same wherever it stands."""

from __future__ import annotations

from idealist.data.numbers import as_number
from idealist.errors import InputError
from idealist.measures.discounts import discount_text, read_discount
from idealist.measures.gains import number_text, read_gain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


MOST = 1e6
HIGHEST_RANK = 2**32 - 2


class Parameter:
    """How a parameter is read, from an object or from text, how it is written, and what it means."""

    def __init__(self, read: Callable[[Any], Any], text: Callable[[Any], str], meaning: str) -> None:
        self.read = read
        self.text = text
        self.meaning = meaning


def _cutoff(value: Any) -> int | None:
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


def _number(name: str) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                raise InputError(f"{name}={value!r} is not a number") from None
        return as_number(value, name, finite=True)

    return read


def _positive(name: str) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        number = _number(name)(value)
        if not 0 < number <= MOST:
            raise InputError(f"{name} is {number:g}", hint=f"it is above 0, and at most {MOST:g}")
        return number

    return read


def _share(name: str) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        number = _number(name)(value)
        if not 0 < number < 1:
            raise InputError(f"{name} is {number:g}", hint="it lies between 0 and 1")
        return number

    return read


def _up_to_one(name: str) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        number = _number(name)(value)
        if not 0 < number <= 1:
            raise InputError(f"{name} is {number:g}", hint="it is above 0, and at most 1")
        return number

    return read


def _from_zero(name: str, most: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        number = _number(name)(value)
        if not 0 <= number <= most:
            raise InputError(f"{name} is {number:g}", hint=f"it is from 0 to {most:g}")
        return number

    return read


def _whole(name: str, least: int) -> Callable[[Any], int | None]:
    def read(value: Any) -> int | None:
        if value is None:
            return None
        number = _number(name)(value)
        if number != int(number) or not least <= number <= HIGHEST_RANK:
            raise InputError(f"{name} is {number:g}", hint=f"it is a whole number, at least {least}")
        return int(number)

    return read


def _measure(value: Any) -> Any:
    from idealist.measures.text import parse

    return parse(value)


def _one_of(name: str, *choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            raise InputError(f"{name}={value!r} is unknown", hint=f"one of {', '.join(choices)}")
        return str(value)

    return read


def _gain_text(gain: Any) -> str:
    return getattr(gain, "__name__", str(gain))


def _discount_text(discount: Any) -> str:
    return getattr(discount, "__name__", None) or discount_text(discount)


def parameter(name: str) -> Parameter:
    """A parameter by name. One that a user's own measure has, and we do not know, is taken as it is."""
    return PARAMETERS.get(name) or Parameter(lambda value: value, str, "")


PARAMETERS = {
    "k": Parameter(_cutoff, str, "cut-off: only the first k ranks count"),
    "level": Parameter(_number("level"), number_text, "the lowest grade that counts as relevant"),
    "gain": Parameter(
        read_gain, _gain_text, "linear (the grade), exp (2^grade - 1), a table grade:gain, or a function"
    ),
    "discount": Parameter(
        read_discount,
        _discount_text,
        "log2, jarvelin(base), letor, zipf, rbp(p), none, a table by rank, or a function",
    ),
    "ideal": Parameter(
        _one_of("ideal", "judged", "retrieved"),
        str,
        "the best order of all judged documents, or of the retrieved ones only",
    ),
    "max_grade": Parameter(_positive("max_grade"), number_text, "the highest grade of the scale"),
    "p": Parameter(_share("p"), number_text, "patience: how much each further rank counts, between 0 and 1"),
    "estimate": Parameter(
        _one_of("estimate", "ext", "min", "res"),
        str,
        "what is said of ranks below the end of a list: ext (extrapolated), min (the least), res (how much more)",
    ),
    "beta": Parameter(_positive("beta"), number_text, "how much more recall counts than precision"),
    "of": Parameter(_measure, str, "the measure it is made of, such as nDCG@10"),
    "items": Parameter(_whole("items", 2), str, "how many items there are to sample from"),
    "samples": Parameter(_whole("samples", 1), str, "how many sampled items stand beside the relevant one"),
    "estimator": Parameter(
        _one_of("estimator", "rank", "bias-variance"), str, "how the rank among all items is estimated"
    ),
    "eta": Parameter(
        _from_zero("eta", MOST),
        number_text,
        "how fast attention falls: position r is looked at with (1/r)^eta",
    ),
    "clip": Parameter(
        _from_zero("clip", 1.0), number_text, "the least propensity: lower ones are raised to it"
    ),
    "tradeoff": Parameter(
        _up_to_one("tradeoff"), number_text, "how much the variance of an estimate counts beside its bias"
    ),
}
