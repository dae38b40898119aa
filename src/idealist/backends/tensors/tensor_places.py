"""One number for each judged document that was retrieved, in rank order, as a matrix: queries × ranks; and groups of equal scores."""

from __future__ import annotations

import torch
from torch.nn.functional import pad

from idealist import kernels
from idealist.backends.tensors.tensor_values import Numbers, Values, quotient, table_tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class TiedGroups:
    """At every rank the number of ranks before its group of equal scores, and the group's size."""

    __slots__ = ("before", "size")

    def __init__(self, scores: torch.Tensor) -> None:
        """Of scores in ranked order; nan is tied with nothing.

        >>> groups = TiedGroups(torch.tensor([[9.0, 5.0, 5.0, 1.0]]))
        >>> groups.before.tolist(), groups.size.tolist()
        ([[0, 1, 1, 3]], [[1, 2, 2, 1]])
        """
        rows, ranks = scores.shape
        ends = torch.ones(rows, ranks, dtype=torch.bool, device=scores.device)
        ends[:, :-1] = scores[:, 1:] != scores[:, :-1]
        begins = torch.ones_like(ends)
        begins[:, 1:] = ends[:, :-1]
        places = torch.arange(ranks, device=scores.device)
        self.before = places.where(begins, 0).cummax(1).values
        after = (places + 1).where(ends, ranks).flip(1).cummin(1).values.flip(1)
        self.size = after - self.before

    def part(self, rows: slice | torch.Tensor) -> TiedGroups:
        """Those of some of the lists."""
        some = TiedGroups.__new__(TiedGroups)
        some.before, some.size = self.before[rows], self.size[rows]
        return some

    def mean(self, table: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        """The mean of a table by rank over the documents that share a score."""
        sums = pad(table.cumsum(0), (1, 0)).to(like.device)
        mean = ((sums[self.before + self.size] - sums[self.before]) / self.size).to(like.dtype)
        # One document has its own number, whatever rounding the sums have.
        return mean.where(self.size > 1, table.to(like.device, like.dtype))

    def sums(self, numbers: torch.Tensor) -> torch.Tensor:
        """The sum of numbers over the documents that share a score."""
        sums = pad(numbers.cumsum(1), (1, 0))
        return sums.gather(1, self.before + self.size) - sums.gather(1, self.before)

    def within(self, limit: torch.Tensor | float, dtype: torch.dtype) -> torch.Tensor:
        """The chance that the document at a rank is among the first ones."""
        size = self.size.to(dtype)
        return torch.minimum((limit - self.before.to(dtype)).clamp(min=0), size) / size


def chances_of_first(size: torch.Tensor, relevant: torch.Tensor) -> torch.Tensor:
    """The chance that the first relevant one of tied documents stands at place i of them, in any order."""
    count, hits = size[:, None].to(relevant.dtype), relevant[:, None]
    place = torch.arange(int(size.max()), device=size.device)
    # None of those before is relevant, drawn one after the other.
    left = (count - place).clamp(min=1)
    none = (count - hits - place).clamp(min=0) / left
    before = pad(none.cumprod(1)[:, :-1], (1, 0), value=1.0)
    return before * (hits / left).clamp(max=1.0) * (place < count)


INFINITY = float("inf")


class Places(Numbers):
    """`kernels.Places` on tensors. `there` says which cells are places, None if all are; what stands in another cell means
    nothing."""

    __slots__ = ("there",)

    def __init__(self, numbers: torch.Tensor, there: torch.Tensor | None) -> None:
        self._numbers = numbers
        self.there = there

    def like(self, numbers: Any) -> Places:
        """Other numbers in the same places: a matrix, or one number for each place."""
        if not isinstance(numbers, torch.Tensor):
            listed = table_tensor(numbers, self.numbers)
            there = torch.ones_like(self.numbers, dtype=torch.bool) if self.there is None else self.there
            numbers = self.numbers.masked_scatter(there, listed)
        return Places(numbers, self.there)

    def _values(self, numbers: torch.Tensor) -> Values:
        return Values(numbers)

    def __truediv__(self, other: Any) -> Places:
        if isinstance(other, Ranks):
            return self.like(self.numbers / other.numbers)  # no rank is 0
        return self._combined(quotient, other)

    def _operand(self, other: Any) -> torch.Tensor | float | None:
        if isinstance(other, (int, float)):
            return float(other)
        if isinstance(other, Places):
            return other.numbers
        if isinstance(other, Values):
            return other.numbers[:, None]
        if isinstance(other, kernels.Values):
            return table_tensor(other, self.numbers)[:, None]
        return None

    def _flat(self) -> torch.Tensor:
        return self.numbers.flatten() if self.there is None else self.numbers[self.there]

    def __len__(self) -> int:
        return len(self._flat())

    def __array__(self, *how: Any, **also: Any) -> Any:
        return self._flat().cpu().numpy().__array__(*how, **also)

    def _or(self, otherwise: float) -> torch.Tensor:
        """The numbers, another where there is no place."""
        if self.there is None:
            return self.numbers
        if otherwise not in (0, 1):
            return self.numbers.where(self.there, otherwise)
        # By its bits, a number is itself or 0, even nan.
        bits = self.numbers.contiguous().view(torch.int64) & -self.there.long()
        known = bits.view(torch.float64)
        return known.add_(~self.there) if otherwise else known

    def looked_up(self, table: Sequence[float]) -> Places:
        """The number of a table at the place that each number is."""
        known = self._or(0.0)
        if known.numel() and not bool(((known >= 0) & (known < len(table))).all()):
            raise IndexError("a number lies outside the table")
        return self.like(table_tensor(table or [0.0], self.numbers)[known.long()])

    def sum(self) -> Values:
        if self._numbers.dtype == torch.bool:
            counted = self._numbers if self.there is None else self._numbers & self.there
            return self._values(counted.sum(1, dtype=torch.int32))
        return self._values(self._or(0.0).sum(1))

    def highest(self, otherwise: float) -> Values:
        if not self.numbers.shape[1]:
            return self._values(self.numbers.new_full((len(self.numbers),), otherwise))
        highest = self._or(-INFINITY).amax(1)
        return self._values(highest if self.there is None else highest.where(self.there.any(1), otherwise))

    def running(self) -> Places:
        """The sum so far."""
        return self.like(self._or(0.0).cumsum(1))

    def before(self) -> Places:
        """The sum of the places above."""
        return self.like(_sums_above(self._or(0.0)))

    def product_before(self) -> Places:
        factors = self._or(1.0)
        products = torch.empty_like(factors)
        products[:, :1] = 1.0
        torch.cumprod(factors[:, :-1], 1, out=products[:, 1:])
        return self.like(products)

    def following(self, otherwise: float) -> Places:
        """The number of the place below; `otherwise` at the last."""
        columns = self.numbers.shape[1]
        at = torch.arange(columns, device=self.numbers.device).expand_as(self.numbers)
        if self.there is not None:
            at = at.where(self.there, columns)
        # The first place at a column or below it, and then below.
        here_on = at.flip(1).cummin(1).values.flip(1)
        below = pad(here_on, (0, 1), value=columns)[:, 1:]
        return self.like(pad(self.numbers, (0, 1), value=otherwise).gather(1, below))

    def descending(self) -> Places:
        """The query's numbers from the highest down, whatever their places were."""
        falling = self._or(-INFINITY).sort(dim=1, descending=True).values
        if self.there is None:
            return self.like(falling)
        return self.like(falling.gather(1, (self.there.cumsum(1) - 1).clamp(min=0)))

    def last_up_to(self, keys: Places, limits: Places, otherwise: float) -> Places:
        """For every place of `limits`, the number of the last place whose key is not above the number there. Keys rise."""
        if not self.numbers.shape[1]:
            return limits.like(torch.full_like(limits.numbers, otherwise))
        rising = keys._or(-INFINITY).cummax(1).values
        last = torch.searchsorted(rising, limits._or(0.0).contiguous(), right=True) - 1
        if self.there is not None:
            at = torch.arange(self.numbers.shape[1], device=last.device).where(self.there, -1)
            place = at.cummax(1).values
            last = place.gather(1, last.clamp(min=0)).where(last >= 0, -1)
        found = self.numbers.gather(1, last.clamp(min=0))
        return limits.like(found.where(last >= 0, otherwise))

    def standing(self) -> Places:
        """1, and one more for each smaller number of the query."""
        known = self._or(INFINITY).contiguous()
        return self.like(torch.searchsorted(known.sort(dim=1).values, known) + 1)

    def earlier_less(self, weights: Places) -> Places:
        """For every place, the sum of the weights of earlier places whose number is smaller."""
        return self.like(_earlier_less(self._or(INFINITY), weights._or(0.0)))


class Ranks(Places):
    """Ranks, which rise; tied documents have one."""

    __slots__ = ("groups",)

    def __init__(self, numbers: torch.Tensor, there: torch.Tensor | None, groups: TiedGroups | None) -> None:
        super().__init__(numbers, there)
        self.groups = groups

    def earlier_less(self, weights: Places) -> Places:
        if self.groups is None:
            return weights.before()
        return self.like(pad(weights._or(0.0).cumsum(1), (1, 0)).gather(1, self.groups.before))


def _sums_above(numbers: torch.Tensor) -> torch.Tensor:
    sums = torch.empty_like(numbers)
    sums[:, :1] = 0.0
    torch.cumsum(numbers[:, :-1], 1, out=sums[:, 1:])
    return sums


def _earlier_less(numbers: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """By the merges of a merge sort: in blocks of 2, 4, 8 … neighbours, what the left half gives to each of the right."""
    columns = numbers.shape[1]
    column = torch.arange(columns, device=numbers.device)
    # By number; of equal ones the later first, to which the earlier then give nothing.
    by_number = columns - 1 - numbers.flip(1).sort(dim=1, stable=True).indices
    sums = torch.zeros_like(weights)
    half = 1
    while half < columns:
        # A block's members lie in the block's columns, by number.
        places = by_number.gather(1, (by_number // (2 * half)).sort(dim=1, stable=True).indices)
        left = places // half % 2 == 0
        given = pad((weights.gather(1, places) * left).cumsum(1), (1, 0))
        here = given[:, 1:] - given[:, column // (2 * half) * (2 * half)]
        sums.scatter_add_(1, places, here.masked_fill(left, 0.0))
        half *= 2
    return sums
