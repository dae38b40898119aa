"""The interval: the range that a number probably lies in."""

from __future__ import annotations

from idealist.base.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Interval(Frozen):
    """The range that a number probably lies in, its confidence and its method.

    >>> interval = Interval(-0.25, 0.5, 0.95, "Student's t")
    >>> low, high = interval
    >>> low, high, 0.0 in interval, 0.6 in interval
    (-0.25, 0.5, True, False)
    """

    low: float
    high: float
    confidence: float
    method: str = ""

    def __iter__(self) -> Iterator[float]:
        yield self.low
        yield self.high

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __neg__(self) -> Interval:
        """The interval of the number times −1."""
        return self.replace(low=-self.high, high=-self.low)
