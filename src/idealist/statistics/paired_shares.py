"""The difference of two shares of the same votes, (good − bad)/n, as GSB is: its intervals and its test. Votes are
independent; there is no random number in it."""

from __future__ import annotations

from math import sqrt

from idealist.base.values import as_share, as_within
from idealist.errors import InputError
from idealist.statistics.mean_estimates import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TANGO, AGRESTI_MIN = "Tango's score test", "Agresti and Min's formula"
FAR = 1e9  # what stands for an infinite score


def tango_interval(good: float, bad: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Tango's score interval of (good − bad)/n: all differences that a score test does not reject.

    T(Δ) = (G − B − nΔ) / √(n(2q + Δ(1 − Δ))), where q is the share of bad that is most likely when the
    difference is Δ. It is right, too, when all votes are same or all are good. Tango, Statistics in Medicine
    17, 1998.

    >>> interval = tango_interval(0, 0, 100)  # z²/(n + z²) = 3.8415/103.8415
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.037, 0.037)
    """
    _check(good, bad, n, confidence)
    from scipy.optimize import brentq

    good, bad, n = _cleaned(good, bad, n)
    z, estimate = two_sided_quantile(confidence), (good - bad) / n

    def limit(target: float, end: float) -> float:
        if estimate == end:
            return end
        score = _tango_score(good, bad, n)
        low, high = sorted((estimate, end))
        return float(brentq(lambda delta: score(delta) - target, low, high, xtol=1e-12))

    return Interval(limit(z, -1.0), limit(-z, 1.0), confidence, TANGO)


def tango_p(good: float, bad: float) -> float:
    """The p-value of Tango's test of no difference, (G − B)/√(G + B): McNemar's. Below 1 − confidence just when
    the interval leaves out 0.

    >>> round(tango_p(9, 2), 4)  # 7/√11 = 2.11
    0.0348
    """
    if good + bad <= 0:
        return 1.0
    from scipy.special import ndtr

    return float(2 * ndtr(-abs(good - bad) / sqrt(good + bad)))


def _tango_score(good: float, bad: float, n: float) -> Callable[[float], float]:
    estimate = (good - bad) / n

    def score(delta: float) -> float:
        if delta == estimate:
            return 0.0
        b = -good - bad + (2 * n - good + bad) * delta
        c = -bad * delta * (1 - delta)
        root = sqrt(max(b * b - 8 * n * c, 0.0))
        # The two forms of one root of 2n·q² + b·q + c: each where it subtracts nothing nearly equal.
        q = -2 * c / (root + b) if b > 0 else (root - b) / (4 * n)
        variance = n * (2 * q + delta * (1 - delta))
        distance = n * (estimate - delta)
        if variance <= 0 or abs(distance) >= FAR * sqrt(variance):
            return FAR if distance > 0 else -FAR
        return distance / sqrt(variance)

    return score


def agresti_min_interval(good: float, bad: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Wald's interval after half a vote was added to good and to bad, and one to same. Agresti and Min,
    Statistics in Medicine 24, 2005.

    >>> interval = agresti_min_interval(10, 4, 98)  # 6/100 ± 1.96·√(15/100 − 0.06²)/10
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.015, 0.135)
    """
    _check(good, bad, n, confidence)
    value, error = _added_half(good, bad, n)
    reach = two_sided_quantile(confidence) * error
    return Interval(max(-1.0, value - reach), min(1.0, value + reach), confidence, AGRESTI_MIN)


def agresti_min_p(good: float, bad: float, n: float) -> float:
    """The p-value of no difference by the same estimate and standard error."""
    from scipy.special import ndtr

    value, error = _added_half(good, bad, n)
    return float(2 * ndtr(-abs(value) / error))


def _added_half(good: float, bad: float, n: float) -> tuple[float, float]:
    """The difference and its standard error when half a vote is added to good and bad, and one to same."""
    good, bad, n = good + 0.5, bad + 0.5, n + 2
    value = (good - bad) / n
    return value, sqrt(max((good + bad) / n - value * value, 0.0) / n)


def two_sided_quantile(confidence: float) -> float:
    """How many standard errors lie on either side of a normal estimate: 1.96 for a confidence of 0.95."""
    from scipy.special import ndtri

    return float(ndtri((1 + as_share(confidence, "confidence")) / 2))


def _cleaned(good: float, bad: float, n: float) -> tuple[float, float, float]:
    """Shares that are 0 or 1 but for rounding, as what they are: the score has a pole there."""
    good, bad, same = (count if count > 1e-12 * n else 0.0 for count in (good, bad, n - good - bad))
    return good, bad, good + same + bad


def _check(good: float, bad: float, n: float, confidence: float) -> None:
    as_share(confidence, "confidence")
    for name, count in (("good", good), ("bad", bad), ("n", n)):
        as_within(count, name, 0)
    if n <= 0 or good + bad > n * (1 + 1e-9):
        raise InputError(
            f"{n:g} votes cannot hold {good:g} good and {bad:g} bad ones", hint="n counts good, same and bad"
        )
