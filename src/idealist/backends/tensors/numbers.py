"""Arithmetic of tensors as measures mean it: what is divided by 0 is undefined, undefined is nan, a comparison is 1 or 0."""

from __future__ import annotations

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

NAN = float("nan")
INFINITY = float("inf")


# torch.where takes ten times as long as arithmetic on a processor, and is not used on all cells.


def quotient(part: torch.Tensor | float, whole: torch.Tensor | float) -> torch.Tensor:
    """A quotient; what is divided by 0 is undefined.

    >>> quotient(1.0, torch.tensor([2.0, 0.0]))
    tensor([0.5000,    nan])
    """
    if isinstance(whole, torch.Tensor):
        return part / (whole / (whole != 0))
    assert isinstance(part, torch.Tensor), "one of them is"
    return part / whole if whole else torch.full_like(part, NAN)


def lower(a: torch.Tensor, b: torch.Tensor | float) -> torch.Tensor:
    """The lower of two numbers; the first if one is nan.

    >>> lower(torch.tensor([1.0, 2.0, float("nan")]), torch.tensor([2.0, float("nan"), 1.0]))
    tensor([1., 2., nan])
    """
    return torch.minimum(a, _known(b, INFINITY)) if isinstance(b, torch.Tensor) else a.clamp(max=b)


def higher(a: torch.Tensor, b: torch.Tensor | float) -> torch.Tensor:
    """The higher of two numbers; the first if one is nan."""
    return torch.maximum(a, _known(b, -INFINITY)) if isinstance(b, torch.Tensor) else a.clamp(min=b)


def _known(numbers: torch.Tensor, undefined: float) -> torch.Tensor:
    return numbers.nan_to_num(nan=undefined, posinf=INFINITY, neginf=-INFINITY)


def where_positive(numbers: torch.Tensor, condition: torch.Tensor | float) -> torch.Tensor:
    """Numbers where a condition is above 0, and nan elsewhere.

    >>> where_positive(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 0.0]))
    tensor([1., nan])
    """
    if not isinstance(condition, torch.Tensor):
        return numbers if condition > 0 else torch.full_like(numbers, NAN)
    holds = (condition > 0).to(numbers.dtype)
    return numbers * (holds / holds)


def reaching(numbers: torch.Tensor, level: float) -> torch.Tensor:
    """Where a number is at least `level`, which has 64 bits whatever the numbers have."""
    least = torch.tensor(level, dtype=numbers.dtype)
    if float(least) < level:
        least = torch.nextafter(least, torch.tensor(INFINITY, dtype=numbers.dtype))
    return numbers >= float(least)


class Numbers:
    """A tensor of numbers of 64 bits with that arithmetic. Numbers of fewer bits, and comparisons, 1 or 0 in a byte, are kept
    as they are until they are computed with."""

    __slots__ = ("_numbers",)

    _numbers: torch.Tensor

    @property
    def numbers(self) -> torch.Tensor:
        if self._numbers.dtype != torch.float64:
            self._numbers = self._numbers.double()
        return self._numbers

    def like(self, numbers: Any) -> Self:
        """Other numbers in the same places."""
        raise NotImplementedError

    def _operand(self, other: Any) -> torch.Tensor | float | None:
        """What stands beside each number; None for what cannot."""
        raise NotImplementedError

    def _combined(self, operation: Callable[[Any, Any], torch.Tensor], other: Any) -> Self:
        operand = self._operand(other)
        if operand is None:
            return NotImplemented  # type: ignore[no-any-return]
        return self.like(operation(self.numbers, operand))

    def _compared(self, operation: Callable[[Any, Any], torch.Tensor], other: Any) -> Self:
        return self._combined(operation, other)

    def _named(self, operation: Callable[[Any, Any], torch.Tensor], other: Any) -> Self:
        combined = self._combined(operation, other)
        if combined is NotImplemented:
            raise TypeError(f"{type(self).__name__} cannot be combined with {type(other).__name__}")
        return combined

    def __add__(self, other: Any) -> Self:
        return self._combined(torch.add, other)

    def __radd__(self, other: Any) -> Self:
        return self._combined(torch.add, other)

    def __sub__(self, other: Any) -> Self:
        return self._combined(torch.sub, other)

    def __rsub__(self, other: Any) -> Self:
        return self._combined(lambda a, b: b - a, other)

    def __mul__(self, other: Any) -> Self:
        if self._numbers.dtype == torch.bool and isinstance(other, type(self)):
            return self.like(torch.mul(self._numbers, other._numbers))  # a byte is read quicker than a number
        return self._combined(torch.mul, other)

    def __rmul__(self, other: Any) -> Self:
        return self._combined(torch.mul, other)

    def __truediv__(self, other: Any) -> Self:
        return self._combined(quotient, other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._combined(lambda a, b: quotient(b, a), other)

    def __pow__(self, other: Any) -> Self:
        return self._combined(torch.pow, other)

    def __rpow__(self, other: Any) -> Self:
        return self._combined(lambda a, b: torch.pow(b, a), other)

    def __ge__(self, other: Any) -> Self:
        if self._numbers.dtype == torch.float32 and isinstance(other, (int, float)):
            return self.like(reaching(self._numbers, other))
        return self._compared(torch.ge, other)

    def __gt__(self, other: Any) -> Self:
        return self._compared(torch.gt, other)

    def __le__(self, other: Any) -> Self:
        return self._compared(torch.le, other)

    def __lt__(self, other: Any) -> Self:
        return self._compared(torch.lt, other)

    def minimum(self, other: Any) -> Self:
        return self._named(lower, other)

    def maximum(self, other: Any) -> Self:
        return self._named(higher, other)

    def where_positive(self, condition: Any) -> Self:
        return self._named(where_positive, condition)

    def filled(self, undefined: float) -> Self:
        return self.like(_known(self.numbers, undefined))

    def log2(self) -> Self:
        return self.like(self.numbers.log2())


def table_tensor(table: Any, like: torch.Tensor) -> torch.Tensor:
    return torch.tensor(list(table), dtype=like.dtype, device=like.device)
