"""How many queries a comparison needs, how many more would decide one, and what a given number of queries can show.

The number of queries that a comparison needs for the verdict "better", and what a given number can show.

It follows from σ, the standard deviation of the differences per query, and from what an unseen failure would cost. To show
that B is not worse by more than a margin when it is as good as A, plan for an effect as large as the margin.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, fsum, log, log1p, sqrt

from idealist.base.values import as_count, as_finite, as_share, as_within
from idealist.errors import InputError
from idealist.statistics.inversion import CellSums, root_between
from idealist.statistics.unseen import expected_best_third

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from idealist.statistics.inversion import BoundedMean, MeanTest
    from idealist.statistics.mean_estimates import Estimate


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
    outcomes = [_Outcome(test, m, level) for test, m in goals]
    if not outcomes:
        return None
    return _least(lambda further: sum(outcome.chance(further) for outcome in outcomes) >= power, mean.above.n)


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
    outcome = _Outcome(test, m, level)
    return _least(lambda n: outcome.chance_of(n) >= power, test.n)


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


class _Outcome:
    """An outcome that decides: the mean turns out greater than m."""

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


MOST = 10**15  # more than this is never
FEW = 50  # decided votes: below so many, power is that of the very test
MANY = 10_000  # queries: from so many on, all intervals are as good as normal
FAILURE = 1.0  # what an unseen failure costs where nothing is known of the baseline
POINTS = 200  # values that stand for a normal distribution
SPREADS = 5  # spreads that stand for their distribution


def needed_queries(
    sd: float,
    effect: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    failure: float | None = FAILURE,
    best: float = FAILURE,
) -> int:
    """How many queries show a mean difference of `effect`: the verdict on them is "better" with this power.

    `failure` is what an unseen failure would cost (see `unseen`): the mean of the best third of the baseline's values,
    1 where that is not known. None is for Student's interval, which allows for none. `best` is what a perfect query is worth,
    and so the largest difference.

    >>> needed_queries(0.2, 0.05)
    131
    >>> needed_queries(0.2, 0.05, failure=None)  # ((1.960 + 0.842) · 4)² = 125.6, and two more for Student's t
    128
    >>> needed_queries(0.2, 0.2), needed_queries(0.2, 0.2, failure=0.5), needed_queries(0.2, 0.2, failure=None)
    (21, 14, 10)
    """
    sd, effect = _deviation(sd, failure, best), effect_size(effect, "the effect")
    check_risks(power, alpha)
    _refuse_beyond(effect, "the effect", failure, best)
    root = (normal_quantile(1 - alpha / 2) + normal_quantile(power)) * sd / effect
    queries = root * root  # ** would not give infinity, but raise
    if not queries < MOST:
        raise InputError(
            f"a difference of {effect:g} is too small for any number of queries to show when sd is {sd:g}",
            hint="plan for a larger difference",
        )
    if queries >= MANY:
        return ceil(queries)
    return _least_from(
        lambda n: queries_power(n, sd, effect, alpha=alpha, failure=failure, best=best) >= power,
        max(2, ceil(queries)),
    )


def queries_power(
    n: int,
    sd: float,
    effect: float,
    *,
    alpha: float = 0.05,
    failure: float | None = FAILURE,
    best: float = FAILURE,
) -> float:
    """How probable it is that n queries show a true difference of `effect`, differences being normal.

    >>> round(queries_power(128, 0.2, 0.05, failure=None), 2)
    0.8
    """
    from scipy.special import ndtr

    sd, effect = _deviation(sd, failure, best), effect_size(effect, "the effect")
    n, error = as_count(n, "the number of queries", 2), sd / sqrt(n)
    as_share(alpha, "alpha")
    if failure is None and n < MANY:
        from scipy.special import nctdtr, stdtrit

        return 1 - float(nctdtr(n - 1, effect / error, stdtrit(n - 1, 1 - alpha / 2)))
    unseen = None if failure is None else expected_best_third(n, failure, max(best, failure))
    means = _deciding_means(n, sd, alpha / 2, unseen)
    return fsum(float(ndtr((effect - mean) / error)) for mean in means) / len(means)


def detectable_difference(
    sd: float,
    n: int,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    failure: float | None = FAILURE,
    best: float = FAILURE,
) -> float | None:
    """The smallest mean difference that n queries show; None where they would show none, though it were the largest.

    >>> round(detectable_difference(0.2, 131), 3)
    0.05
    >>> round(detectable_difference(0.15, 5, failure=None), 4)  # by Student's t
    0.2523
    >>> detectable_difference(0.15, 3) is None  # failures of 0.025^(1/3) = 29 % of the queries may be missing
    True
    """
    sd, n = _deviation(sd, failure, best), as_count(n, "the number of queries", 2)
    check_risks(power, alpha)
    from scipy.optimize import brentq

    def excess(difference: float) -> float:
        return queries_power(n, sd, difference, alpha=alpha, failure=failure, best=best) - power

    largest = _largest(failure, best)
    high = min(sd / sqrt(n), largest)
    while excess(high) < 0:
        if high >= largest:
            return None
        high = min(2 * high, largest)
    return float(brentq(excess, high * 1e-6, high, xtol=high * 1e-9))


@lru_cache(maxsize=256)
def _deciding_means(n: int, sd: float, level: float, failure: float | None) -> tuple[float, ...]:
    """The least means of n normal differences that show one above 0, for as many of their spreads as are equally
    probable; a single one where n is large, as these are alike then."""
    import numpy as np
    from scipy.special import gammaincinv, ndtri

    from idealist.statistics.inversion import MeanTest

    if failure is None or n >= MANY:
        return (normal_quantile(1 - level) * sd / sqrt(n),)
    shape = ndtri((np.arange(POINTS) + 0.5) / POINTS)
    shape /= shape.std()
    shares = (np.arange(SPREADS) + 0.5) / SPREADS
    spreads = sd * np.sqrt(
        2 * gammaincinv((n - 1) / 2, shares) / n
    )  # of chi-square, n − 1 degrees of freedom
    ones = np.ones(POINTS)
    return tuple(
        least_mean(MeanTest(spread * shape, ones, -failure), 0.0, n, level) for spread in spreads.tolist()
    )


def curve(power_at: Callable[[int], float], needed: int, *, least: int = 2) -> list[tuple[int, float]]:
    """The power at a quarter, half, once, one and a half times and twice the number needed."""
    numbers = dict.fromkeys(max(least, ceil(needed * share)) for share in (0.25, 0.5, 1, 1.5, 2))
    return [(n, power_at(n)) for n in numbers]


def effect_size(value: Any, title: str) -> float:
    """The size of an effect, which is not 0."""
    size = abs(as_finite(value, title))
    if size == 0:
        raise InputError(
            f"{title} must not be 0", hint="no number of queries shows that there is no effect; give its size"
        )
    return size


def check_risks(power: Any, alpha: Any) -> None:
    """Raises unless both are probabilities, and the power is above alpha."""
    if as_share(power, "the power") <= as_share(alpha, "alpha"):
        raise InputError(f"the power must be above alpha, {alpha:g}, not {power:g}", hint="0.8 is usual")


def normal_quantile(share: float) -> float:
    """Where the normal distribution has this share below it.

    >>> round(normal_quantile(0.975), 3)
    1.96
    """
    from scipy.special import ndtri

    return float(ndtri(share))


def _deviation(sd: Any, failure: float | None, best: float) -> float:
    number = as_within(sd, "the standard deviation", 0, ends="(]")
    _refuse_beyond(number, "the standard deviation", failure, best)
    return number


def _largest(failure: float | None, best: float) -> float:
    """The largest difference that there can be."""
    return float("inf") if failure is None else max(failure, best)


def _refuse_beyond(number: float, title: str, failure: float | None, best: float) -> None:
    largest = _largest(failure, best)
    if number > largest:
        raise InputError(
            f"{title} must be at most {largest:g}, the largest difference, not {number:g}",
            hint="of numbers with a larger range, --failure says what an unseen failure would cost; or plan by --interval student",
        )


def _least_from(enough: Callable[[int], bool], guess: int) -> int:
    """The smallest n of 2 or more that is enough: from a guess near it, and above it only a little."""
    low, high = 1, guess
    while not enough(high):
        low, high = high, high + max(1, high // 8)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
