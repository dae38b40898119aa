"""The number of further queries that would decide, with a stated probability."""

from __future__ import annotations

from math import ceil, log, log1p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from idealist.statistics.inversion import BoundedMean, MeanTest
    from idealist.statistics.means import Estimate

POWER = 0.8
MOST_TIMES = 1e6  # more than so many times the queries there are is never
NEAR = 0.01  # relative: a number of queries is not known better than that


def further_queries(
    mean: BoundedMean, margin: float, confidence: float, *, power: float = POWER
) -> int | None:
    """How many more queries make the interval lie above −margin or below 0 with probability `power`, when they
    are like those that were observed. None when it lies so already, or no number within reason would do.

    >>> from idealist.statistics.inversion import BoundedMean
    >>> further_queries(BoundedMean([0.0] * 25, -1.0, 1.0), 0.02, 0.95)  # 0.98 ** 183 < 0.025
    158
    """
    level = (1 - confidence) / 2
    ship, block = mean.above, mean.below
    if min(ship.p_value(-margin), block.p_value(0.0)) <= level:
        return None
    if ship.flat:
        return _alike(ship, -margin, level)
    ways = [_Way(test, m, level) for test, m in ((ship, -margin), (block, 0.0)) if test.mean > m]
    return _least(lambda further: sum(way.chance(further) for way in ways) >= power, ship.n) if ways else None


def further_by_student(
    estimate: Estimate, margin: float, confidence: float, *, power: float = POWER
) -> int | None:
    """The number of further queries by Student's interval, for a mean without bounds."""
    from scipy.special import ndtr, stdtrit

    n, deviation = estimate.size, estimate.error * estimate.size**0.5
    reach = float(stdtrit(estimate.freedom, (1 + confidence) / 2)) * estimate.error
    if estimate.mean - reach > -margin or estimate.mean + reach < 0 or not deviation:
        return None

    def chance(further: int) -> float:
        total = n + further
        half_width = float(stdtrit(total - 1, (1 + confidence) / 2)) * deviation / total**0.5
        spread = deviation * further**0.5 / total
        above = ndtr((estimate.mean + margin - half_width) / spread)
        return float(above + ndtr((-estimate.mean - half_width) / spread))

    return _least(lambda further: chance(further) >= power, ceil(n))


def _alike(test: MeanTest, m: float, level: float) -> int | None:
    """The number of further queries where all values are the same: enough to have shown an unseen one."""
    if not test.mean > m > test.low:
        return None
    return ceil(log(level) / log1p(-test.tilt(m).unseen)) - test.n


class _Way:
    """One way to decide: the mean turns out greater than m."""

    def __init__(self, test: MeanTest, m: float, level: float) -> None:
        self._test = test
        self._level = level
        self._null = test.tilt(m)

    def chance(self, further: int) -> float:
        """The probability that `further` queries like those observed bring the sum over its critical value."""
        from idealist.statistics.inversion import CellSums

        observed = CellSums(self._test.positions, self._test.counts / self._test.n)
        total = self._test.n + further
        return observed.tail(further, self._critical(total) + self._test.slack(total))

    def _critical(self, n: int) -> float:
        """The least sum of n cells that the null gives with a probability of `level`."""
        from scipy.special import ndtri

        from idealist.statistics.inversion import root_between

        test = self._test

        def lack(least: float) -> float:
            tail = test.tail(self._null, n, least)
            return float(ndtri(self._level) - ndtri(min(max(tail, 1e-15), 1 - 1e-15)))

        centre = (
            float((self._null.chances * test.positions).sum()) - self._null.unseen * test.drop / test.cell
        )
        low, step = n * centre, max(1.0, n**0.5 * test.error / test.cell * test.n**0.5)
        while lack(low) > 0:
            low -= step
        high = low + step
        while lack(high) < 0:
            high += step
        return root_between(lack, low, high, (), near=0.5)


def _least(enough: Callable[[int], bool], n: int) -> int | None:
    """The smallest number that is enough, to NEAR; None when none within reason is."""
    low, high = 0, max(1, n // 4)
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_TIMES * n:
            return None
    while high - low > max(1, NEAR * high):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
