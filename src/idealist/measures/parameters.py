"""The parameters measures may have. A name means the same wherever it stands."""

from __future__ import annotations

from idealist.data.numbers import as_number
from idealist.errors import InputError
from idealist.measures.discounts import discount_text, read_discount
from idealist.measures.gains import number_text, read_gain
from idealist.measures.shares import read_name, read_shares

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


def _one_of(name: str, *choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            raise InputError(f"{name}={value!r} is unknown", hint=f"one of {', '.join(choices)}")
        return str(value)

    return read


def _share(name: str) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        number = _number(name)(value)
        if not 0 < number < 1:
            raise InputError(f"{name} is {number:g}", hint="it lies between 0 and 1")
        return number

    return read


def _not_negative(name: str) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        number = _number(name)(value)
        if not 0 <= number <= MOST:
            raise InputError(f"{name} is {number:g}", hint=f"it is at least 0, and at most {MOST:g}")
        return number

    return read


def _optional(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def _users(value: Any) -> float:
    number = _number("users")(value)
    if number <= 0:
        raise InputError(f"users is {number:g}", hint="it is above 0")
    return number


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
    "beta": Parameter(_positive("beta"), number_text, "how much more recall counts than precision"),
    "relevance": Parameter(
        _one_of("relevance", "binary", "graded", "none"),
        str,
        "how much a document counts: 1 from level up, (2^grade - 1)/2^max_grade, or 1 whatever its grade",
    ),
    "distance": Parameter(
        _one_of("distance", "cosine", "euclidean", "jaccard"),
        str,
        "between two items: of their vectors, or of their sets of categories (jaccard)",
    ),
    "users": Parameter(
        _optional(_users),
        number_text,
        "how many users popularity was counted over; by default the highest popularity",
    ),
    "smoothing": Parameter(
        _not_negative("smoothing"), number_text, "what is added to every count, so that none is 0"
    ),
    "head": Parameter(_share("head"), number_text, "the share of the catalogue that counts as popular"),
    "mix": Parameter(
        _share("mix"), number_text, "how much of the history is mixed into the list, so that no share is 0"
    ),
    "column": Parameter(read_name, str, "the column of the items that holds their group"),
    "group": Parameter(_optional(read_name), str, "the name of a group"),
    "target": Parameter(
        read_shares, str, "the share of every group, such as {a:0.5,b:0.5}; by default as in the items"
    ),
}
