"""Numbers of the core that remember how they were computed."""

from __future__ import annotations

import operator

from idealist import kernels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from idealist.backends.explained.lists import Lists


class Number:
    """What the core computed, by which operation, and of what; `name` is that of the measure's own variable."""

    __slots__ = ("name", "native", "operands", "operation")

    def __init__(self, native: Any, operation: str, operands: tuple[Any, ...]) -> None:
        self.native = native
        self.operation = operation
        self.operands = operands
        self.name = ""

    def __len__(self) -> int:
        return len(self.native)

    def __iter__(self) -> Iterator[float]:
        return iter(memoryview(self.native).tolist())

    def __getitem__(self, at: int) -> float:
        return float(memoryview(self.native)[at])

    def __array__(self, *how: Any, **also: Any) -> Any:
        import numpy as np

        return np.asarray(self.native).__array__(*how, **also)


class Places(Number):
    """`kernels.Places`; the places are those of `lists`."""

    __slots__ = ("lists",)

    def __init__(self, native: Any, operation: str, operands: tuple[Any, ...], lists: Lists) -> None:
        super().__init__(native, operation, operands)
        self.lists = lists


class Values(Number):
    """`kernels.Values`."""

    __slots__ = ()

    def joined(self, others: Sequence[Values]) -> Values:
        parts = (self, *others)
        return Values(kernels.joined([part.native for part in parts]), "joined", parts)

    def looked_up(self, table: Sequence[float]) -> Values:
        return Values(kernels.looked_up(self.native, table), "looked_up", (self, table))

    def first_undefined(self) -> int | None:
        return self.native.first_undefined()  # type: ignore[no-any-return]

    def first_infinite(self) -> int | None:
        return self.native.first_infinite()  # type: ignore[no-any-return]

    def count(self) -> int:
        return self.native.count()  # type: ignore[no-any-return]

    def sum(self) -> float:
        return self.native.sum()  # type: ignore[no-any-return]


def native_of(operand: Any) -> Any:
    """What the core takes for an operand."""
    return operand.native if isinstance(operand, Number) else operand


def recorded(native: Any, operation: str, operands: tuple[Any, ...]) -> Any:
    """What the core made of operands, with its origin; a number that is none of the core's stays as it is."""
    if isinstance(native, kernels.Values):
        return Values(native, operation, operands)
    if isinstance(native, kernels.Places):
        # What is looked up stands at the places that it is looked up for.
        at_places = operands[2:] if operation == "last_up_to" else operands
        lists = next(operand.lists for operand in at_places if isinstance(operand, Places))
        return Places(native, operation, operands, lists)
    return native


def _arithmetic(symbol: str, compute: Callable[[Any, Any], Any], turned: bool) -> Callable[[Any, Any], Any]:
    def method(self: Number, other: Any) -> Any:
        operands = (other, self) if turned else (self, other)
        try:
            native = compute(*map(native_of, operands))
        except TypeError:
            return NotImplemented
        return recorded(native, symbol, operands)

    return method


def _method(name: str, of_the_core: Any) -> Callable[..., Any]:
    def method(self: Number, *arguments: Any) -> Any:
        native = getattr(self.native, name)(*map(native_of, arguments))
        return recorded(native, name, (self, *arguments))

    method.__wrapped__ = of_the_core  # type: ignore[attr-defined]  # has its arguments
    return method


for _symbol, _name in {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "**": "pow"}.items():
    setattr(Number, f"__{_name}__", _arithmetic(_symbol, getattr(operator, _name), turned=False))
    setattr(Number, f"__r{_name}__", _arithmetic(_symbol, getattr(operator, _name), turned=True))
for _symbol, _name in {"≥": "ge", ">": "gt", "≤": "le", "<": "lt"}.items():
    setattr(Number, f"__{_name}__", _arithmetic(_symbol, getattr(operator, _name), turned=False))
for _class, _core in ((Places, kernels.Places), (Values, kernels.Values)):
    for _name in vars(_core):
        if not _name.startswith("_") and _name not in vars(_class):
            setattr(_class, _name, _method(_name, vars(_core)[_name]))
