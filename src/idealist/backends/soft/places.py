"""A number for each judged document, in the order of the input: what comes before what is a matter of degree."""

from __future__ import annotations

import torch

from idealist.backends.soft.numbers import NoSoftForm, SoftNumbers, moves, quotient, refuse_if
from idealist.backends.soft.values import ONE_BY_ONE, SoftValues
from idealist.backends.tensors.numbers import table_tensor
from idealist.backends.tensors.places import INFINITY, Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.backends.soft.precedence import Precedence


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
