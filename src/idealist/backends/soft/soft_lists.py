"""Lists with soft ranks: the operations that measures ask of lists, and their numbers per document and query, with gradients."""

from __future__ import annotations

import torch

from idealist.backends.soft.soft_ranks import Precedence, discounts_between
from idealist.backends.tensors.tensor_lists import Lists
from idealist.backends.tensors.tensor_places import INFINITY, Places
from idealist.backends.tensors.tensor_sums import gains_of
from idealist.backends.tensors.tensor_values import NAN, Numbers, Values, reaching, table_tensor
from idealist.errors import IdealistError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Self

    from idealist.kernels import Gain


class NoSoftForm(IdealistError):
    """An operation that gradients cannot pass through, in words."""


def moves(numbers: Any) -> bool:
    """Whether numbers depend on the scores."""
    return isinstance(numbers, torch.Tensor) and numbers.requires_grad


def refuse_if(moving: bool, words: str) -> None:
    if moving:
        raise NoSoftForm(words)


def quotient(part: torch.Tensor | float, whole: torch.Tensor | float) -> torch.Tensor:
    """A quotient, undefined and without a gradient where it is by 0.

    >>> numbers = torch.tensor([1.0, 1.0], requires_grad=True)
    >>> quotient(numbers, torch.tensor([2.0, 0.0])).nansum().backward()
    >>> numbers.grad
    tensor([0.5000, 0.0000])
    """
    divisor = whole if isinstance(whole, torch.Tensor) else torch.as_tensor(part).new_tensor(whole)
    nothing = divisor == 0
    return (part / divisor.masked_fill(nothing, 1.0)).masked_fill(nothing, NAN)


def where_positive(numbers: torch.Tensor, condition: torch.Tensor | float) -> torch.Tensor:
    """Numbers where a condition is above 0; elsewhere nan, without a gradient."""
    if not isinstance(condition, torch.Tensor):
        return numbers if condition > 0 else torch.full_like(numbers, NAN)
    refuse_if(moves(condition), "whether a number that moves with the scores is above 0")
    return numbers.masked_fill(~(condition > 0), NAN)


class SoftNumbers(Numbers):
    """What places and values have in common."""

    __slots__ = ()

    def _compared(self, operation: Callable[[Any, Any], torch.Tensor], other: Any) -> Self:
        operand = self._operand(other)
        refuse_if(
            moves(self._numbers) or moves(operand),
            "a comparison of numbers that move with the scores, other than a rank with a cut-off",
        )
        return self._combined(lambda a, b: operation(a, b).double(), other)

    def __ge__(self, other: Any) -> Self:
        return self._compared(torch.ge, other)

    def __truediv__(self, other: Any) -> Self:
        return self._combined(quotient, other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._combined(lambda a, b: quotient(b, a), other)

    def where_positive(self, condition: Any) -> Self:
        return self._named(where_positive, condition)


ONE_BY_ONE = "numbers that move with the scores, read one by one"


class SoftValues(SoftNumbers, Values):
    """`tensors.Values` with gradients."""

    __slots__ = ()

    def like(self, numbers: Any) -> SoftValues:
        return SoftValues(numbers, self.rounding)

    def __truediv__(self, other: Any) -> SoftValues:
        # Where the sum goes to 0 with the ranks the measure is undefined, and no soft form is.
        refuse_if(moves(self._operand(other)), "a division by a sum that moves with the scores")
        return self._combined(quotient, other)

    def __rtruediv__(self, other: Any) -> SoftValues:
        refuse_if(moves(self._numbers), "a division by a sum that moves with the scores")
        return super().__rtruediv__(other)

    def share_of(self, whole: Values) -> SoftValues:
        return self / whole

    def floored(self) -> SoftValues:
        refuse_if(moves(self._numbers), "rounding down of numbers that move with the scores")
        return self.like(self.numbers.floor())

    def looked_up(self, table: Sequence[float]) -> SoftValues:
        refuse_if(moves(self._numbers), "a table looked up at numbers that move with the scores")
        return self.like(Values.looked_up(self, table).numbers)

    def __getitem__(self, query: int) -> float:
        refuse_if(moves(self._numbers), ONE_BY_ONE)
        return super().__getitem__(query)

    def __iter__(self) -> Iterator[float]:
        refuse_if(moves(self._numbers), ONE_BY_ONE)
        return super().__iter__()

    def __array__(self, *how: Any, **also: Any) -> Any:
        refuse_if(moves(self._numbers), ONE_BY_ONE)
        return super().__array__(*how, **also)


class _Places(SoftNumbers, Places):
    """What places in any order have in common."""

    __slots__ = ()

    def _values(self, numbers: torch.Tensor) -> SoftValues:
        return SoftValues(numbers)

    def _or(self, otherwise: float) -> torch.Tensor:
        return self.numbers if self.there is None else self.numbers.masked_fill(~self.there, otherwise)

    def __truediv__(self, other: Any) -> _Places:
        return self._combined(quotient, other)

    def __array__(self, *how: Any, **also: Any) -> Any:
        refuse_if(moves(self._numbers), ONE_BY_ONE)
        return super().__array__(*how, **also)

    def looked_up(self, table: Sequence[float]) -> Places:
        if not moves(self._numbers):
            return self.like(super().looked_up(table).numbers)
        return self.like(between(table_tensor(table or [0.0], self.numbers), self._or(0.0)))

    def last_up_to(self, keys: Places, limits: Places, otherwise: float) -> Places:
        """As of the measure where limits do not move; of ranks that move, in the last step before a key the number goes over
        to the one that it has there."""
        refuse_if(
            isinstance(self, SoftPlaces) or moves(keys._numbers),
            "the last of numbers whose order moves with the scores",
        )
        if not moves(limits._numbers):
            return super().last_up_to(keys, limits, otherwise)
        numbers = torch.cat([self.numbers.new_full((len(self.numbers), 1), otherwise), self.numbers], 1)
        rising = keys._or(INFINITY)
        at = torch.searchsorted(rising.contiguous(), limits.numbers.detach().contiguous(), right=True)
        last = rising.shape[1]
        known = torch.ones_like(rising, dtype=torch.bool) if self.there is None else self.there
        following = (at + 1).clamp(max=last).minimum(known.sum(1, keepdim=True))
        there, then = numbers.gather(1, at), numbers.gather(1, following)
        key = torch.cat([rising.new_full((len(rising), 1), -INFINITY), rising], 1).gather(1, following)
        passed = (limits.numbers - (key - 1)).clamp(0, 1).where(following > at, 0.0)
        return limits.like(there + passed * (then - there))


class OrderedPlaces(_Places):
    """Places in an order of their own, such as the ideal one."""

    __slots__ = ()

    def like(self, numbers: Any) -> OrderedPlaces:
        return OrderedPlaces(Places.like(self, numbers).numbers, self.there)


class SoftPlaces(_Places):
    """Places in the order of the input, before one another as `precedence` says."""

    __slots__ = ("precedence",)

    def __init__(self, numbers: torch.Tensor, there: torch.Tensor | None, precedence: Precedence) -> None:
        super().__init__(numbers, there)
        self.precedence = precedence

    def like(self, numbers: Any) -> SoftPlaces:
        refuse_if(not isinstance(numbers, torch.Tensor), "numbers for places one by one")
        return SoftPlaces(numbers, self.there, self.precedence)

    def __array__(self, *how: Any, **also: Any) -> Any:
        raise NoSoftForm("numbers of places, read one by one")

    def before(self) -> SoftPlaces:
        return self.like(self.precedence.sum_before(self._or(0.0)))

    def running(self) -> SoftPlaces:
        known = self._or(0.0)
        return self.like(self.precedence.sum_before(known) + known)

    def product_before(self) -> SoftPlaces:
        return self.like(self.precedence.product_before(self._or(1.0)))

    def following(self, otherwise: float) -> SoftPlaces:
        raise NoSoftForm("the number of the place below")

    def descending(self) -> SoftPlaces:
        raise NoSoftForm("numbers of a ranking put in order")

    def standing(self) -> SoftPlaces:
        refuse_if(moves(self._numbers), "the standing of numbers that move with the scores")
        return self.like(super().standing().numbers.double())

    def earlier_less(self, weights: Places) -> SoftPlaces:
        refuse_if(
            moves(self._numbers), "earlier places whose numbers, which move with the scores, are smaller"
        )
        return self.like(self.precedence.sum_of_less(self._or(INFINITY), weights._or(0.0)))


class SoftRanks(SoftPlaces):
    """Soft ranks, which can be compared with cut-offs, and by which can be divided."""

    __slots__ = ()

    def __le__(self, other: Any) -> Any:
        return self._within(other, torch.floor, 0.5)

    def __lt__(self, other: Any) -> Any:
        return self._within(other, torch.ceil, -0.5)

    def __gt__(self, other: Any) -> Any:
        return 1.0 - (self <= other)

    def __ge__(self, other: Any) -> Any:
        return 1.0 - (self < other)

    def _within(self, other: Any, whole: Any, half: float) -> SoftPlaces:
        operand = self._operand(other)
        if operand is None:
            return NotImplemented  # type: ignore[no-any-return]
        refuse_if(moves(operand), "a cut-off that moves with the scores")
        limit = whole(torch.as_tensor(operand, dtype=self.numbers.dtype, device=self.numbers.device))
        return SoftPlaces(self.precedence.within(limit + half), self.there, self.precedence)

    def earlier_less(self, weights: Places) -> SoftPlaces:
        return self.like(self.precedence.sum_before(weights._or(0.0)))


def between(table: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """The number of a table at places that are no whole numbers, on straight lines; beyond the end the last one."""
    last = len(table) - 1
    places = numbers.clamp(0, last)
    below = places.detach().floor().long()
    step = table[(below + 1).clamp(max=last)] - table[below]
    return table[below] + step * (places - below)


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
