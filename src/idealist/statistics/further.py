"""The number of further queries that would decide, with a stated probability, and the least mean that decides."""

from __future__ import annotations

from math import ceil, log, log1p, sqrt

from idealist.statistics.inversion import CellSums, root_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from idealist.statistics.inversion import BoundedMean, MeanTest
    from idealist.statistics.means import Estimate

POWER = 0.8
MOST_TIMES = 1e6  # more than so many times the queries there are is never
NEAR = 0.01  # relative: a number of queries is not known better than that
CLOSE = 1e-3  # relative: how exactly the least mean that decides is found
SMALL = 1e-3  # of the distance of the unseen value: where the search for it begins


def further_queries(
    mean: BoundedMean, margin: float, confidence: float, *, reach: float = 0.0, power: float = POWER
) -> int | None:
    """How many more queries make the interval lie above −margin or below 0 with probability `power`, when they
    are like those that were observed. None when it lies so already, or no number within reason would do. `reach` is
    that of another error, which these queries do not make smaller: its square is added to that of the interval's.

    >>> from idealist.statistics.inversion import BoundedMean
    >>> further_queries(BoundedMean([0.0] * 25, -1.0, 1.0), 0.02, 0.95)  # 0.98 ** 183 < 0.025
    158
    """
    level = (1 - confidence) / 2
    both = ((mean.above, -margin), (mean.below, 0.0))
    goals = [(test, _alone(test.mean, m, reach)) for test, m in both if test.mean - m > reach]
    if any(test.p_value(m) <= level for test, m in goals):
        return None
    if mean.above.flat:
        return _alike(*goals[0], level) if goals and goals[0][0] is mean.above else None
    ways = [_Way(test, m, level) for test, m in goals]
    if not ways:
        return None
    return _least(lambda further: sum(way.chance(further) for way in ways) >= power, mean.above.n)


def _alone(mean: float, m: float, reach: float) -> float:
    """Where the interval must end by itself, so that with the reach of the other error it ends at m."""
    return m if reach == 0 else mean - sqrt((mean - m) ** 2 - reach**2)


def queries_needed(test: MeanTest, m: float, confidence: float, *, power: float = POWER) -> int | None:
    """How many queries like those of the test, whose mean is above m, show that with probability `power`, by the
    interval that the test gives. None when no number within reason does.

    >>> import numpy as np
    >>> from idealist.statistics.inversion import MeanTest
    >>> queries_needed(MeanTest(np.ones(25), np.ones(25), -1.0), 0.0, 0.95)  # 0.5 ** 6 < 0.025
    6
    """
    level = (1 - confidence) / 2
    if test.mean <= m:
        return None
    if test.flat:
        further = _alike(test, m, level)
        return None if further is None else test.n + further
    way = _Way(test, m, level)
    return _least(lambda n: way.chance_of(n) >= power, test.n)


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


def further_by_spread(
    mean: float,
    variance: float,
    n: int,
    margin: float,
    confidence: float,
    *,
    lasting: float,
    freedom: Callable[[float], float],
    power: float = POWER,
) -> int | None:
    """The number of further queries where more of them take away `variance`, that of a mean over n of them, but not
    a `lasting` variance. `freedom` is that of the interval's t when the former has shrunk to a share. At least 1;
    None where no number would do.

    >>> further_by_spread(0.0, 0.01, 100, 0.1, 0.95, lasting=0.0, freedom=lambda shrunk: 1e9)
    621
    >>> further_by_spread(0.0, 0.01, 100, 0.1, 0.95, lasting=0.01, freedom=lambda shrunk: 1e9)
    """
    from scipy.special import ndtr, stdtrit

    def chance(further: int) -> float:
        shrunk = n / (n + further)
        half_width = (
            float(stdtrit(freedom(shrunk), (1 + confidence) / 2)) * (variance * shrunk + lasting) ** 0.5
        )
        spread = (variance * shrunk * (1 - shrunk)) ** 0.5
        above = ndtr((mean + margin - half_width) / spread)
        return float(above + ndtr((-mean - half_width) / spread))

    return (
        max(1, least)
        if (least := _least(lambda further: further > 0 and chance(further) >= power, n))
        else None
    )


def _alike(test: MeanTest, m: float, level: float) -> int | None:
    """The number of further queries where all values are the same: enough to have shown an unseen one."""
    if not test.mean > m > test.low:
        return None
    return ceil(log(level) / log1p(-test.tilt(m).unseen)) - test.n


def least_mean(test: MeanTest, m: float, n: int, level: float) -> float:
    """The least mean of n values that shows the true mean to be greater than m, when they are spread as those of the test
    are.

    >>> from idealist.statistics.inversion import BoundedMean
    >>> test = BoundedMean([0.1] * 3, -1.0, 1.0).above  # all alike: x(1 − u) = u, where (1 − u)¹⁰ is 0.025
    >>> u = 1 - 0.025**0.1
    >>> round(least_mean(test, 0.0, 10, 0.025), 4), round(u / (1 - u), 4)
    (0.4461, 0.4461)
    """
    from scipy.special import ndtri

    def lack(mean: float) -> float:
        p = test.shifted(mean).p_value(m, n)
        return float(ndtri(level) - ndtri(min(max(p, 1e-15), 1 - 1e-15)))

    error = test.error * (test.n / n) ** 0.5
    step = max(-float(ndtri(level)) * error, 1e-9 + SMALL * (m - test.low))
    low, high = m, m + 2 * step
    while lack(high) < 0:
        low, high = high, m + 2 * (high - m)
    return root_between(lack, low, high, (), near=CLOSE * (high - m))


def detectable_gain(test: MeanTest, level: float, *, power: float = POWER) -> float:
    """The smallest true mean for which as many values as those of the test, spread as they are, show one above 0."""
    from scipy.special import ndtri

    return float(least_mean(test, 0.0, test.n, level) + ndtri(power) * test.error)


class _Way:
    """One way to decide: the mean turns out greater than m."""

    def __init__(self, test: MeanTest, m: float, level: float) -> None:
        self._test = test
        self._m = m
        self._level = level
        self._observed = CellSums(test.positions, test.counts / test.n)

    def chance(self, further: int) -> float:
        """The probability that `further` queries like those observed bring the mean to where it decides."""
        return self._observed.tail(further, self._deciding(self._test.n + further) - self._test.observed_sum)

    def chance_of(self, n: int) -> float:
        """The same for n queries like those observed, which are not among them."""
        return self._observed.tail(n, self._deciding(n))

    def _deciding(self, n: int) -> float:
        """The least sum of n cells that decides."""
        test = self._test
        rise = least_mean(test, self._m, n, self._level) - test.mean
        return float(n * (test.mean_weight * rise / test.cell + test.observed_sum / test.n))


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
