"""The number of queries that a comparison needs for the verdict "better", and what a given number can show.

It follows from σ, the standard deviation of the differences per query, and from what an unseen failure would cost. To show
that B is not worse by more than a margin when it is as good as A, plan for an effect as large as the margin.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, fsum, sqrt

from idealist.base.values import as_count, as_finite, as_share, as_within
from idealist.errors import InputError
from idealist.statistics.unseen import expected_best_third

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

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
    return _least(
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

    from idealist.statistics.further import least_mean
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


def _least(enough: Callable[[int], bool], guess: int) -> int:
    """The smallest n of 2 or more that is enough: from a guess near it, and above it only a little."""
    low, high = 1, guess
    while not enough(high):
        low, high = high, high + max(1, high // 8)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
