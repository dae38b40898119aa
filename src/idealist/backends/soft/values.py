"""One number for each query, which may move with the scores."""

from __future__ import annotations

from idealist.backends.soft.numbers import SoftNumbers, moves, quotient, refuse_if
from idealist.backends.tensors.values import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

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
