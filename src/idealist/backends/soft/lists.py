"""Lists with soft ranks: the operations that measures ask of lists, with gradients."""

from __future__ import annotations

import torch

from idealist.backends.soft.discounts import discounts_between
from idealist.backends.soft.numbers import NoSoftForm
from idealist.backends.soft.places import OrderedPlaces, SoftPlaces, SoftRanks
from idealist.backends.soft.precedence import Precedence
from idealist.backends.soft.values import SoftValues
from idealist.backends.tensors.gains import gains_of
from idealist.backends.tensors.lists import Lists
from idealist.backends.tensors.numbers import NAN, reaching
from idealist.backends.tensors.values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from idealist.kernels import Gain


class OrderedLists(Lists):
    """Lists whose order does not move, such as the ideal one, among numbers that do."""

    backend = "soft ranks"

    def _values(self, numbers: torch.Tensor) -> SoftValues:
        return SoftValues(numbers)

    def _places(self, numbers: torch.Tensor) -> OrderedPlaces:
        return OrderedPlaces(numbers, self._once("there", self._there))

    def ranks(self) -> OrderedPlaces:
        return self._places(super().ranks().numbers)


class SoftLists(Lists):
    """`tensors.Lists` in the order of the input, with soft ranks. Of unjudged documents the grade is nan, and the mask says
    which places have a document; `judged` are the grades of all judged documents, if there are more. Everything is of 64 bits."""

    backend = "soft ranks"

    def __init__(
        self,
        precedence: Precedence,
        grades: torch.Tensor,
        judged: torch.Tensor | None = None,
        *,
        number: Callable[[int], int] = int,
    ) -> None:
        mask = precedence.mask
        known = grades.double().masked_fill(~mask, NAN)
        sizes = mask.sum(1)
        super().__init__(
            known,
            known if judged is None else judged.double(),
            sizes,
            absent=sizes == 0,
            number=number,
        )
        self.precedence = precedence

    def _values(self, numbers: torch.Tensor) -> SoftValues:
        return SoftValues(numbers)

    def _places(self, numbers: torch.Tensor) -> SoftPlaces:
        # Where there is no place stands 1, which no arithmetic makes undefined.
        known = numbers.double().masked_fill(self.by_rank.isnan(), 1.0)
        return SoftPlaces(known, ~self.by_rank.isnan(), self.precedence)

    def ranks(self) -> SoftRanks:
        return SoftRanks(self.precedence.ranks, ~self.by_rank.isnan(), self.precedence)

    # Sums of lists.

    def _relevance(self, level: float) -> torch.Tensor:
        return reaching(self.by_rank, level).double()

    def _relevant(self, level: float) -> tuple[torch.Tensor, Precedence]:
        """The relevance of all documents, and the precedence of those that are relevant: what is summed is 0 elsewhere."""
        relevance = self._relevance(level)
        return relevance, self.precedence.of(relevance > 0)

    def hits(self, level: float, k: int | None, threads: int) -> Values:
        relevance, counted = self._relevant(level)
        return self._values((counted.own(relevance) * _within(counted, k)).sum(1))

    def hits_within(self, level: float, k: Values, threads: int) -> Values:
        within: SoftPlaces = self.ranks() <= k
        return (within * self._places(self._relevance(level))).sum()

    def any_hit(self, level: float, k: int | None, threads: int) -> Values:
        relevance, counted = self._relevant(level)
        return self._values(1 - (1 - counted.own(relevance) * _within(counted, k)).prod(1))

    def reciprocal_rank(self, level: float, k: int | None, threads: int) -> Values:
        relevance, counted = self._relevant(level)
        first = counted.own(relevance) * counted.product_before(1 - relevance)
        return self._values((first / counted.ranks * _within(counted, k)).sum(1))

    def precision_sum(self, level: float, k: int | None, threads: int) -> Values:
        relevance, counted = self._relevant(level)
        so_far = counted.sum_before(relevance) + 1
        return self._values((counted.own(relevance) * so_far / counted.ranks * _within(counted, k)).sum(1))

    def discounted_gains(self, gain: Gain, discounts: Sequence[float], k: int | None, threads: int) -> Values:
        gains = gains_of(gain, self.by_rank, self.levels).masked_fill(self.by_rank.isnan(), 0.0)
        if k is None and len(set(discounts)) == 1:
            return self._values((gains * discounts[0]).sum(1))  # the order does not count
        counted = self.precedence.of(gains != 0)
        weights = discounts_between(discounts[:k], counted.ranks) * _within(counted, k)
        return self._values((counted.own(gains) * weights).sum(1))

    # Lists seen another way.

    def _ideal(self) -> Lists:
        falling = self.best_first()
        sizes = (~falling.isnan()).sum(1)
        return OrderedLists(falling, falling, sizes, absent=torch.zeros_like(self.absent), number=self.number)

    def _as(self, grades: torch.Tensor, judged: Any, sizes: torch.Tensor, groups: Any = None) -> Lists:
        return SoftLists(
            self.precedence, grades, judged() if callable(judged) else judged, number=self.number
        )

    def condensed(self) -> SoftLists:
        of = self.precedence
        judged = Precedence(of.scores, ~self.by_rank.isnan(), of.temperature, of.cutoff_temperature)
        return SoftLists(judged, self.by_rank, self.judged, number=self.number)

    def ideal_ranks(self) -> Any:
        raise NoSoftForm("ranks in the ideal order, where equals stand in that of the list")

    def cut_short(self, depth: int) -> Any:
        raise NoSoftForm("lists that are cut short")

    def filled(self, grade: float, depth: int | None, padded: bool) -> Any:
        raise NoSoftForm("unjudged documents with a grade, down to a rank")

    def _some(self, rows: Any, number: Callable[[int], int]) -> Lists:
        of = self.precedence
        some = Precedence(of.scores[rows], of.mask[rows], of.temperature, of.cutoff_temperature)
        return SoftLists(some, self.by_rank[rows], self.judged[rows], number=number)


def _within(counted: Precedence, k: int | None) -> torch.Tensor | float:
    return 1.0 if k is None else counted.within(k + 0.5)
