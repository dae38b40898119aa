"""Arithmetic of tensors as measures mean it (divided by 0 is undefined, undefined is nan), and one number for each query."""

from __future__ import annotations

import torch

from idealist import kernels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
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


# How far sums of the same numbers in another order may be apart, where they are of 64 bits, and of 32.
FINE, COARSE = 1e-9, 1e-5


class Values(Numbers):
    """`kernels.Values` on tensors. Numbers are of 64 bits; `rounding` says how exact they are.

    >>> Values(torch.tensor([1.0, 2.0])) / Values(torch.tensor([2.0, 0.0]))
    <Values of 2 queries: tensor([0.5000,    nan], dtype=torch.float64)>
    """

    __slots__ = ("rounding",)

    def __init__(self, numbers: torch.Tensor, rounding: float | None = None) -> None:
        if rounding is None:
            rounding = COARSE if numbers.dtype == torch.float32 else FINE
        self._numbers = numbers
        self.rounding = rounding

    def like(self, numbers: Any) -> Values:
        return type(self)(numbers, self.rounding)

    def _operand(self, other: Any) -> torch.Tensor | float | None:
        if isinstance(other, (int, float)):
            return float(other)
        if isinstance(other, Values):
            return other.numbers
        if isinstance(other, kernels.Values):
            return table_tensor(other, self.numbers)
        return None

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, query: int) -> float:
        return float(self.numbers[query])

    def __iter__(self) -> Iterator[float]:
        return iter(self.numbers.tolist())

    def __array__(self, *how: Any, **also: Any) -> Any:
        return self.numbers.cpu().numpy().__array__(*how, **also)

    def __repr__(self) -> str:
        return f"<Values of {len(self)} queries: {self.numbers}>"

    def floored(self) -> Values:
        return self.like(self.numbers.floor())

    def looked_up(self, table: Sequence[float]) -> Values:
        """The number of a table at the place that each value is; beyond the end the last one."""
        return self.like(table_tensor(table, self.numbers)[self.numbers.long().clamp(max=len(table) - 1)])

    def share_of(self, whole: Values) -> Values:
        """A part of a whole: sums of the same numbers in another order must not pass 1 for that."""
        divisor = self._operand(whole)
        assert isinstance(divisor, torch.Tensor), "values are a share of values"
        share = quotient(self.numbers, divisor)
        rounding = max(self.rounding, getattr(whole, "rounding", FINE))
        return self.like(torch.where((share > 1) & (share < 1 + rounding), 1.0, share))

    def sums_of(self, counts: Sequence[int]) -> Values:
        parts = self.numbers.split(list(counts))
        return self.like(torch.stack([part.sum() for part in parts]) if parts else self.numbers[:0])

    def without(self, queries: Sequence[int]) -> Values:
        numbers = self.numbers.clone()
        numbers[list(queries)] = NAN
        return self.like(numbers)

    def replaced(self, queries: Sequence[int], values: Values) -> Values:
        numbers = self.numbers.clone()
        numbers[list(queries)] = values.numbers
        return self.like(numbers)

    def joined(self, others: Sequence[Values]) -> Values:
        return self.like(torch.cat([self.numbers, *(other.numbers for other in others)]))

    def first_undefined(self) -> int | None:
        return _first(self.numbers.isnan())

    def first_infinite(self) -> int | None:
        return _first(self.numbers.isinf())

    def count(self) -> int:
        return int((~self.numbers.isnan()).sum())

    def sum(self) -> float:
        return float(self.numbers.nansum())


def _first(which: torch.Tensor) -> int | None:
    return int(which.nonzero()[0]) if bool(which.any()) else None
