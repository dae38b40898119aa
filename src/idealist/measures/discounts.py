"""How much a rank counts: a name, a table by rank, or any function of the rank."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from idealist import kernels
from idealist.base.values import as_number, as_share, as_within
from idealist.errors import InputError
from idealist.measures.gains import number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Discount = str | Sequence[float] | Callable[[int], float]


def log(number: Any, base: float) -> Any:
    """A logarithm of a number, or of what stands for one in another backend."""
    return number.log(base) if hasattr(number, "log") else math.log(number, base)


def log2(number: Any) -> Any:
    return number.log(2.0) if hasattr(number, "log") else math.log2(number)


# name: the discount of rank r, and what its parameter is called, if it has one
NAMES: dict[str, tuple[Callable[..., float], str]] = {
    "log2": (lambda r: 1 / log2(r + 1), ""),
    "jarvelin": (lambda r, b: 1.0 if r < b else 1 / log(r, b), "base"),
    "letor": (lambda r: 1.0 if r <= 2 else 1 / log2(r), ""),
    "zipf": (lambda r: 1 / r, ""),
    "rbp": (lambda r, p: p ** (r - 1), "p"),
    "none": (lambda r: 1.0, ""),
}
HINT = (
    "log2, jarvelin(2), letor, zipf, rbp(0.8), none, a table such as [1,0.5,0.25], or a function of the rank"
)


def read_discount(value: Any) -> Any:
    """The canonical form of a discount, from what a caller gave or wrote."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("[") and text.endswith("]"):
            return _table(_numbers(text))
        name, parameter = _split(text)
        if name == "jarvelin" and parameter is None:
            parameter = 2.0
        if name in NAMES and (parameter is not None) == bool(NAMES[name][1]):
            _refuse_parameter(name, parameter)
            return name if parameter is None else f"{name}({number_text(parameter)})"
    elif callable(value):
        return value
    elif hasattr(value, "__iter__") and not isinstance(value, (Mapping, bytes, bytearray)):
        return _table(value)
    raise InputError(f"discount={value!r} is unknown", hint=HINT)


def _split(text: str) -> tuple[str, float | None]:
    name, bracket, argument = text.partition("(")
    if not bracket:
        return name, None
    try:
        return name, float(argument.removesuffix(")"))
    except ValueError:
        raise InputError(f"discount={text!r} is unknown", hint=HINT) from None


def _refuse_parameter(name: str, parameter: float | None) -> None:
    if parameter is None:
        return
    if name == "jarvelin":
        as_within(parameter, "the base of jarvelin", 1, ends="(]")
    if name == "rbp":
        as_share(parameter, "p of rbp")


def _numbers(text: str) -> list[float]:
    try:
        return [float(entry) for entry in text[1:-1].split(",")]
    except ValueError:
        raise InputError(f"discount={text!r} is unknown", hint=HINT) from None


def _table(values: Any) -> tuple[float, ...]:
    table = tuple(as_number(value, "a discount", finite=True) for value in values)
    if not table:
        raise InputError("the discount table must not be empty", hint=HINT)
    _refuse_rising(table)
    return table


def _refuse_rising(table: Sequence[float]) -> None:
    """The ideal list is the best only where a rank never counts more than the one above, and none below 0."""
    for rank, (discount, above) in enumerate(zip(table, (table[0], *table), strict=False), 1):
        if discount < 0 or discount > above:
            problem = "is negative" if discount < 0 else f"is above that of rank {rank - 1}"
            raise InputError(
                f"the discount of rank {rank}, {discount:g}, {problem}",
                hint="discounts are 0 or more, and never rise",
            )


def discount_text(discount: Discount) -> str:
    if isinstance(discount, tuple):
        return "[" + ",".join(map(number_text, discount)) + "]"
    return str(discount)


def discounts_of(discount: Discount, native: kernels.Rankings, k: int | None) -> Sequence[float]:
    """The discounts of the first k ranks, or of all, as `kernels` takes them."""
    return kernels.by_rank(native, _function(discount), lambda ranks: discount_table(discount, ranks), k)


def _function(discount: Discount) -> Callable[[Any], Any]:
    """The discount of one rank."""
    if callable(discount):
        return discount
    if not isinstance(discount, str):
        return lambda rank: discount[rank - 1]
    name, parameter = _split(discount)
    function = NAMES[name][0]
    return function if parameter is None else lambda rank: function(rank, parameter)


def discount_table(discount: Discount, ranks: int) -> list[float]:
    """The discounts of ranks 1 to `ranks`."""
    if isinstance(discount, str):
        return _named_table(discount, ranks)
    if callable(discount):
        table = [
            as_number(discount(rank), f"the discount of rank {rank}", finite=True)
            for rank in range(1, ranks + 1)
        ]
        if table:
            _refuse_rising(table)
        return table
    if len(discount) < ranks:
        raise InputError(
            f"the discount table ends at rank {len(discount)}, but rank {ranks} occurs",
            hint=f"give more discounts, or cut off at k={len(discount)}",
        )
    return list(discount[:ranks])


@lru_cache(maxsize=64)
def _named_table(discount: str, ranks: int) -> list[float]:
    name, parameter = _split(discount)
    function = NAMES[name][0]
    arguments = () if parameter is None else (parameter,)
    return [function(rank, *arguments) for rank in range(1, ranks + 1)]
