"""The number of queries that a paired test needs, and what a given number can show.

It follows from σ, the standard deviation of the differences per query. To show that B is not worse by more than a margin
when it is as good as A, plan for an effect as large as the margin.
"""

from __future__ import annotations

from math import ceil, isfinite, sqrt

from idealist.data.values import as_count, as_finite, as_share, as_within
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST = 10**15  # more than this is never
FEW = 50  # below so many, power is that of the very test: the normal approximation promises too much


def needed_queries(
    sd: float, effect: float, *, power: float = 0.8, alpha: float = 0.05, exact: bool | None = None
) -> int:
    """How many queries show a mean difference of `effect`: ((z(1−α/2) + z(power))·sd/effect)², rounded up.

    `exact` counts with Student's t, as the test does: one or two queries more. It is the default below 50, where
    that matters.

    >>> needed_queries(0.2, 0.05)  # ((1.960 + 0.842) · 4)² = 125.6
    126
    >>> needed_queries(0.2, 0.05, exact=True)
    128
    >>> needed_queries(0.2, 0.2), needed_queries(0.2, 0.2, exact=False)  # 7.85, rounded up
    (10, 8)
    """
    sd, effect = _deviation(sd), effect_size(effect, "the effect")
    check_risks(power, alpha)
    root = (normal_quantile(1 - alpha / 2) + normal_quantile(power)) * sd / effect
    queries = root * root  # ** would not give infinity, but raise
    if not queries < MOST:
        raise InputError(
            f"a difference of {effect:g} is too small for any number of queries to show when sd is {sd:g}",
            hint="plan for a larger difference",
        )
    if not (queries < FEW if exact is None else exact):
        return max(2, ceil(queries))
    return _least(
        lambda n: queries_power(n, sd, effect, alpha=alpha, exact=True) >= power, max(2, ceil(queries))
    )


def queries_power(
    n: int, sd: float, effect: float, *, alpha: float = 0.05, exact: bool | None = None
) -> float:
    """How probable it is that n queries show a true difference of `effect`, by a two-sided test; `exact`, the
    default below 50, is of Student's t.

    >>> round(queries_power(126, 0.2, 0.05), 2)
    0.8
    """
    sd, effect = _deviation(sd), effect_size(effect, "the effect")
    n = as_count(n, "the number of queries", 2)
    as_share(alpha, "alpha")
    shift = effect / sd * sqrt(n)
    from scipy import special

    if not (n < FEW if exact is None else exact):
        z = normal_quantile(1 - alpha / 2)
        return float(special.ndtr(shift - z) + special.ndtr(-shift - z))
    t = float(special.stdtrit(n - 1, 1 - alpha / 2))
    above = 1 - float(special.nctdtr(n - 1, shift, t))
    below = float(special.nctdtr(n - 1, shift, -t))
    return above + (below if isfinite(below) else 0.0)


def detectable_difference(
    sd: float, n: int, *, power: float = 0.8, alpha: float = 0.05, exact: bool | None = None
) -> float:
    """The smallest mean difference that n queries show: (z(1−α/2) + z(power))·sd/√n; `exact`, the default below
    50, is by Student's t.

    >>> round(detectable_difference(0.2, 100), 4)  # 2.802 · 0.2 / 10
    0.056
    """
    sd, n = _deviation(sd), as_count(n, "the number of queries", 2)
    check_risks(power, alpha)
    difference = (normal_quantile(1 - alpha / 2) + normal_quantile(power)) * sd / sqrt(n)
    if not (n < FEW if exact is None else exact):
        return difference
    from scipy.optimize import brentq

    high = difference
    while queries_power(n, sd, high, alpha=alpha, exact=True) < power:
        high *= 2
    return float(
        brentq(lambda d: queries_power(n, sd, d, alpha=alpha, exact=True) - power, high * 1e-6, high)
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


def _deviation(sd: Any) -> float:
    return as_within(sd, "the standard deviation", 0, ends="(]")


def _least(enough: Callable[[int], bool], guess: int) -> int:
    """The smallest n of 2 or more that is enough: from a guess near it, and above it only a little."""
    low, high = 1, guess
    while not enough(high):
        low, high = high, high + max(1, high // 8)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
