"""Averaged ties: groups of documents of equal score, in ranked order."""

from __future__ import annotations

import torch
from torch.nn.functional import pad


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
