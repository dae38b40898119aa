"""Queries that lose more than half of their value, beside what two equal systems of the same spread would show.

Two systems that are equally good may be exchanged: of the queries where one has less than half of the other's value, each
has its turn in half. So the number that is expected is half of all such queries, whichever system has the less; and more
than that is tested by the binomial distribution. Losses count as more than expected, too, if they are larger: those that
are at least as large as their median are compared with gains as large as that.
"""

from __future__ import annotations

from idealist.base.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HALF = 0.5


class LargeLosses(Frozen):
    """Of `n` queries, how many `lost` more than half of their value, and how many `gained` so that the baseline has less
    than half of theirs. `p_value` is how often equal systems show as many large losses, or as many as large as these.

    >>> losses = large_losses([0.8] * 10 + [0.5] * 90, [0.0] * 10 + [0.7] * 90)
    >>> losses.share, losses.expected, losses.p_value == 2 * 0.5**10
    (0.1, 0.05, True)
    """

    n: int
    lost: int
    gained: int
    p_value: float

    @property
    def share(self) -> float:
        """The share of queries that lose more than half of their value."""
        return self.lost / self.n if self.n else 0.0

    @property
    def excess(self) -> float:
        """By how much the share passes what is expected."""
        return self.share - self.expected

    @property
    def expected(self) -> float:
        """The share that two equal systems of the same spread would show."""
        return (self.lost + self.gained) / (2 * self.n) if self.n else 0.0


def large_losses(before: Any, after: Any) -> LargeLosses:
    """The large losses of values that are 0 or more, and the better the higher."""
    import numpy as np
    from scipy.special import bdtrc

    old, new = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    losing, gaining = new < HALF * old, old < HALF * new
    lost, gained = int(losing.sum()), int(gaining.sum())
    if not lost:
        return LargeLosses(len(old), lost, gained, 1.0)
    losses, gains = (old - new)[losing], (new - old)[gaining]
    typical = float(np.median(losses))
    as_large, gains_as_large = int((losses >= typical).sum()), int((gains >= typical).sum())
    p_values = [
        float(bdtrc(count - 1, count + other, HALF))
        for count, other in ((lost, gained), (as_large, gains_as_large))
    ]
    return LargeLosses(len(old), lost, gained, min(1.0, 2 * min(p_values)))
