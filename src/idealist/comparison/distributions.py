"""The normal distribution and Student's, without scipy where that takes no more than a few lines: importing
scipy.special takes longer than comparing two systems on 20,000 queries."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, inf, lgamma, log, log1p, pi, sqrt

FEW = 30  # degrees of freedom: below, scipy
MANY = 1e6  # degrees of freedom: above, nearly normal
EXACT = 1e-15  # relative
STEPS = 10_000  # of the continued fraction, which takes some hundred


def normal_cdf(z: float) -> float:
    """The probability below z.

    >>> round(normal_cdf(-1.959964), 6)
    0.025
    """
    return erfc(-z / sqrt(2)) / 2


def normal_quantile(share: float) -> float:
    """Where so much of the probability lies below.

    >>> round(normal_quantile(0.975), 6)
    1.959964
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf(share) if 0 < share < 1 else -inf if share <= 0 else inf


def student_cdf(freedom: float, t: float) -> float:
    """The probability below t.

    >>> round(student_cdf(100, -1.983972), 6)
    0.025
    """
    if freedom < FEW or not abs(t) < inf:
        from scipy.special import stdtr

        return float(stdtr(freedom, t))
    beyond = _beyond(freedom, abs(t))
    return beyond if t < 0 else 1 - beyond


@lru_cache(maxsize=64)
def student_quantile(freedom: float, share: float) -> float:
    """Where so much of the probability lies below.

    >>> round(student_quantile(100, 0.975), 6)
    1.983972
    """
    if freedom < FEW or not 0 < share < 1:
        from scipy.special import stdtrit

        return float(stdtrit(freedom, share))
    if share == 0.5:
        return 0.0
    tail = min(share, 1 - share)
    z = -normal_quantile(tail)
    t = z + (z**3 + z) / (4 * freedom)  # the first terms of its expansion
    constant = _log_ratio(freedom / 2) - log(freedom * pi) / 2
    for _ in range(50):  # Newton's method takes three or four
        density = exp(constant - (freedom + 1) / 2 * log1p(t * t / freedom))
        step = (_beyond(freedom, t) - tail) / density
        t = max(t + step, t / 2)
        if abs(step) <= EXACT * t:
            break
    return -t if share < 0.5 else t


def _beyond(freedom: float, t: float) -> float:
    """The probability above t, from 0 on: half the incomplete beta function of ν/2 and 1/2 at ν/(ν + t²)."""
    if t < 1e-100:
        return 0.5
    if freedom > MANY:  # Abramowitz and Stegun 26.7.8; what is left out is of the order of 1/ν²
        return normal_cdf(-t * (1 - 1 / (4 * freedom)) / sqrt(1 + t * t / (2 * freedom)))
    a, b, x = freedom / 2, 0.5, 1 / (1 + t * t / freedom)
    rest = t * t / (freedom + t * t)  # 1 − x
    front = exp(-a * log1p(t * t / freedom) + b * log(rest) + _log_ratio(a) - log(pi) / 2)
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a / 2
    return 0.5 - front * _fraction(b, a, rest) / b / 2


def _log_ratio(a: float) -> float:
    """log Γ(a + 1/2)/Γ(a). Of large numbers by its expansion: the difference of their logarithms would be rounding."""
    if a < 1000:
        return lgamma(a + 0.5) - lgamma(a)
    return log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, STEPS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + numerator * d)
            c = 1 + numerator / c
            value *= c * d
        if abs(c * d - 1) < EXACT:
            break
    return value
