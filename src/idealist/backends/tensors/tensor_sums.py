"""What grades are worth as tensors, and sums over lists that are made from the grades at once, without a place for every document.

Sums over lists that are made from the grades at once, without a place for every document: the quick paths, and those in which
averaged ties have a closed form.
"""

from __future__ import annotations

from math import ceil, isfinite

import torch
from torch.nn.functional import pad

from idealist.backends.tensors.tensor_places import TiedGroups, chances_of_first
from idealist.backends.tensors.tensor_values import INFINITY, NAN, Values, reaching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from idealist.backends.tensors.tensor_lists import WholeGrades
    from idealist.kernels import Gain


HIGHEST_EXPONENT = 1023.0
SMALL_GRADES = 256  # whole grades below this are looked up in a table


def gains_of(
    gain: Gain, grades: torch.Tensor, levels: Callable[[], list[float]], *, plain: bool = False
) -> torch.Tensor:
    """The gains of grades, which are among the levels, and 0 or more if they are `plain`; what nan is worth means nothing."""
    if gain.kind == "table":
        return _looked_up(grades, levels(), worths(gain, levels()))
    counted = grades if gain.negative_counts or plain else grades.clamp(min=0)
    return counted if gain.kind == "linear" else torch.exp2(counted) - 1


def _looked_up(grades: torch.Tensor, levels: list[float], worth: list[float]) -> torch.Tensor:
    """What each grade is worth, for nan anything."""
    steps = [at for at in range(1, len(levels)) if worth[at] != worth[at - 1]]
    if len(steps) == 1 and worth[0] == 0:
        gains = reaching(grades, levels[steps[0]]).to(grades.dtype)
        return gains if worth[-1] == 1 else gains.mul_(worth[-1])
    if not steps:
        return torch.full_like(grades, worth[0] if worth else 0.0)
    if all(0 <= level < SMALL_GRADES and level == int(level) for level in levels):
        by_grade = [0.0] * (int(levels[-1]) + 1)
        for level, number in zip(levels, worth, strict=True):
            by_grade[int(level)] = number
        places = grades.nan_to_num(nan=0.0).long()
        return grades.new_tensor(by_grade).index_select(0, places.flatten()).view_as(grades)
    places = torch.searchsorted(grades.new_tensor(levels), grades.contiguous())
    return grades.new_tensor(worth)[places.clamp(max=len(levels) - 1)]


def worths(gain: Gain, levels: list[float]) -> list[float]:
    """The gains of levels by a table; nothing below 0 unless that counts."""
    table = dict(gain.table)
    return [table.get(level, NAN) if level >= 0 or gain.negative_counts else 0.0 for level in levels]


def rises(gain: Gain, levels: Callable[[], list[float]]) -> bool:
    """Whether a higher grade is never worth less."""
    if gain.kind != "table":
        return True
    numbers = worths(gain, levels())
    return numbers == sorted(numbers)


def largest(gain: Gain, levels: Callable[[], list[float]], highest_grade: Callable[[], float]) -> float:
    """What no gain's size exceeds, or infinity where that would be hard to say."""
    if gain.kind == "table":
        return max((abs(worth) for worth in worths(gain, levels())), default=0.0)
    if gain.negative_counts:
        return float("inf")
    highest = max(highest_grade(), 0.0)
    return highest if gain.kind == "linear" else 2.0 ** min(highest, HIGHEST_EXPONENT)


HIGH_GAIN = 1e27  # sums of larger ones may be too large for 32 bits


class Sums:
    """The operations of `Lists` that are sums of them."""

    by_rank: torch.Tensor
    sizes: torch.Tensor
    groups: TiedGroups | None
    _whole: WholeGrades | None
    _once: Callable[[Any, Callable[[], Any]], Any]
    levels: Callable[[], list[float]]
    highest_grade: Callable[[], float]

    def _values(self, numbers: torch.Tensor) -> Values:
        """A number for each query, as these lists give it."""
        return Values(numbers)

    @property
    def judged(self) -> torch.Tensor:
        raise NotImplementedError

    @property
    def plain(self) -> bool:
        """Whether every rank has a judged document, and all grades are 0 or more."""
        return self._once("plain", self._plain)  # type: ignore[no-any-return]

    def _plain(self) -> bool:
        if self._whole is not None:
            return self._whole.ends()[0] >= 0
        # The lowest of numbers of which one is nan is nan, which is not 0 or more.
        return all(
            bool(grades.numel()) and bool(grades.amin() >= 0) for grades in (self.judged, self.by_rank)
        )

    def best_first(self, k: int | None = None) -> torch.Tensor:
        """The first k of the judged grades, highest first, nan at the end."""
        falling: torch.Tensor = self._once("best", self._best_first)
        return falling if k is None else falling[:, :k]

    def _best_first(self) -> torch.Tensor:
        return sorted_rows(self.judged).flip(1) if self.plain else -sorted_rows(-self.judged)

    def relevant(self, level: float) -> Values:
        """How many judged documents reach a grade."""
        if self._whole is not None and isfinite(level):
            return self._values(self._whole.reaching(ceil(level)))
        return self._values(_count(reaching(self.judged, level)))

    def retrieved(self, k: int | None) -> Values:
        return self._values(self.sizes if k is None else self.sizes.clamp(max=k))

    def hits(self, level: float, k: int | None, threads: int) -> Values:
        """How many documents of at least this grade are among the first k."""
        if self.groups is None:
            return self._values(_count(reaching(self.by_rank[:, :k], level)))
        return self._hits_of_ties(level, INFINITY if k is None else k)

    def hits_within(self, level: float, k: Values, threads: int) -> Values:
        """The same with a cut-off for each query."""
        cut = k.numbers[:, None]
        if self.groups is None:
            return self._values(_count(reaching(self.by_rank, level) & (self._rank_numbers() <= cut)))
        return self._hits_of_ties(level, cut)

    def _hits_of_ties(self, level: float, cut: torch.Tensor | float) -> Values:
        assert self.groups is not None, "there are ties"
        hits = reaching(self.by_rank, level).to(self.by_rank.dtype)
        return self._values((hits * self.groups.within(cut, hits.dtype)).sum(1))

    def any_hit(self, level: float, k: int | None, threads: int) -> Values:
        """Whether a relevant document is among the first k."""
        if self.groups is None:
            return self._values(reaching(self.by_rank[:, :k], level).any(1))
        return self._at_first_hit(level, k, torch.ones_like(self._rank_numbers()))

    def reciprocal_rank(self, level: float, k: int | None, threads: int) -> Values:
        return self._at_first_hit(level, k, 1 / self._rank_numbers())

    def _at_first_hit(self, level: float, k: int | None, worth: torch.Tensor) -> Values:
        """What the rank of the first relevant document is worth, 0 if none is among the first k; over tied documents the mean."""
        hits = reaching(self.by_rank if self.groups is not None else self.by_rank[:, :k], level)
        if not hits.shape[1]:
            return self._values(self.by_rank.new_zeros(len(hits)))
        any_hit, place = hits.max(1)  # the first of equal ones
        if k is not None:
            worth = worth * (self._rank_numbers() <= k)
        value = worth[place] * any_hit
        if self.groups is None:
            return self._values(value)
        group = place[:, None]
        size = self.groups.size.gather(1, group).squeeze(1)
        tied = (any_hit & (size > 1)).nonzero().flatten()
        if len(tied):
            relevant = self.groups.sums(hits.to(worth.dtype)).gather(1, group).squeeze(1)
            before = self.groups.before.gather(1, group).squeeze(1)
            chances = chances_of_first(size[tied], relevant[tied])
            ranks = before[tied][:, None] + torch.arange(chances.shape[1], device=chances.device)
            value[tied] = (chances * worth[ranks.clamp(max=len(worth) - 1)]).sum(1)
        return self._values(value)

    def precision_sum(self, level: float, k: int | None, threads: int) -> Values:
        """Σ P@r over relevant documents at ranks r = 1..k."""
        hits, ranks = reaching(self.by_rank, level).to(self.by_rank.dtype), self._rank_numbers()
        if self.groups is None:
            hits, ranks = hits[:, :k], ranks[:k]
            return self._values(hits.cumsum(1).div_(ranks).mul_(hits).sum(1))
        # A relevant document of a tied group has, on average, its share of the group's others before it.
        before, size = self.groups.before.to(hits.dtype), self.groups.size.to(hits.dtype)
        relevant = self.groups.sums(hits)
        hits_before = pad(hits.cumsum(1), (1, 0)).gather(1, self.groups.before)
        others = torch.where(size > 1, (relevant - 1) / (size - 1).clamp(min=1), 0.0)
        precision = (hits_before + 1 + (ranks - 1 - before) * others) / ranks
        counted = 1.0 if k is None else (ranks <= k).to(hits.dtype)
        return self._values((relevant / size * precision * counted).sum(1))

    def discounted_gains(self, gain: Gain, discounts: Sequence[float], k: int | None, threads: int) -> Values:
        """Σ gain · discount over the first k."""
        grades = self._for(gain, self.by_rank)
        # Without ties, ranks beyond the last discount add nothing.
        last = min(len(discounts), grades.shape[1] if k is None else k)
        ranks = min(last, grades.shape[1]) if self.groups is None else grades.shape[1]
        table = torch.zeros(ranks, dtype=torch.float64)
        counted = min(last, ranks)
        table[:counted] = torch.tensor(discounts[:counted], dtype=torch.float64)
        weights = (
            table.to(grades.device, grades.dtype) if self.groups is None else self.groups.mean(table, grades)
        )
        return self._values((self._worth(gain, grades[:, :ranks]) * weights).sum(1))

    def ideal_gains(
        self, gain: Gain, discounts: Sequence[float], k: int | None, retrieved_only: bool, threads: int
    ) -> Values:
        """The same over the ideal list."""
        if not retrieved_only and rises(gain, self.levels):
            gains = self._worth(gain, self._for(gain, self.best_first(k)))
        else:
            gains = self._worth(gain, self._for(gain, self.by_rank if retrieved_only else self.judged))
            gains = gains.sort(dim=1, descending=True).values
        ranks = min(len(discounts), gains.shape[1], gains.shape[1] if k is None else k)
        table = torch.tensor(discounts[:ranks], dtype=torch.float64).to(gains.device, gains.dtype)
        gains = gains[:, :ranks]
        if not self.plain or gain.kind == "table":
            gains = gains.clamp(min=0)
        return self._values((gains * table).sum(1))

    def _for(self, gain: Gain, grades: torch.Tensor) -> torch.Tensor:
        """The grades in a type that holds the sums of their gains."""
        low = gain.kind == "linear" and self._whole is not None  # whole grades that 32 bits hold
        if grades.dtype == torch.float64 or low or largest(gain, self.levels, self.highest_grade) < HIGH_GAIN:
            return grades
        return grades.double()

    def _worth(self, gain: Gain, grades: torch.Tensor) -> torch.Tensor:
        """The gains of grades, 0 where there is no document."""
        if self.plain:
            return grades if gain.kind == "linear" else gains_of(gain, grades, self.levels, plain=True)
        return gains_of(gain, grades, self.levels).masked_fill(grades.isnan(), 0.0)

    def _rank_numbers(self) -> torch.Tensor:
        """1, 2, …"""
        ranks = self.by_rank.shape[1]
        return torch.arange(1, ranks + 1, device=self.by_rank.device, dtype=self.by_rank.dtype)


def _count(which: torch.Tensor) -> torch.Tensor:
    """How many of each row. In 32 bits: PyTorch would make numbers of 64 bits of all cells first."""
    return which.sum(1, dtype=torch.int32)


def sorted_rows(numbers: torch.Tensor) -> torch.Tensor:
    """Rows in ascending order, nan at their end."""
    if numbers.device.type != "cpu":
        return numbers.sort(dim=1).values
    import numpy as np

    array: np.ndarray = np.sort(numbers.numpy(), axis=1)
    return torch.from_numpy(array)
