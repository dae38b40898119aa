"""One number for each query, as a tensor."""

from __future__ import annotations

import torch

from idealist import kernels
from idealist.backends.tensors.numbers import NAN, Numbers, quotient, table_tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

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
