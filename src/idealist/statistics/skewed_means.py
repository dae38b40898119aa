"""The interval of a mean of skewed values: Student's, with a larger t where the mean is skewed.

The chance that |t| stays below x falls short of Student's by about φ(x)·x·s²·(x⁴ + 2x² − 3)/9, where s is the skewness
of the mean (the Edgeworth expansion; P. Hall, *The Bootstrap and Edgeworth Expansion*, 1992, section 2.6). So Student's t is
multiplied by 1 + s²·(z⁴ + 2z² − 3)/18, z the normal quantile of the same level. The term of the kurtosis is left
out: at 95 % its weight is a fifteenth of this, and 20 values say little about it. The interval stays symmetric. Intervals
that move with the estimated skewness (Hall's, the bootstrap's t) cover 97 to 98 % of means of measures that pile up at 1, as
the same low values decide the mean, its error and its skewness.

Where nearly all values are the same, no estimate from the others is worth much, and the interval is that of `inversion`.
"""

from __future__ import annotations

from math import sqrt

from idealist.base.frozen import Frozen
from idealist.statistics.interval import Interval
from idealist.statistics.inversion import bounded_mean
from idealist.statistics.means import estimate_mean, has_no_spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.statistics.means import Estimate

    Bounds = tuple[float, float] | None

SKEWED = "Student's, allowing for skewness"
FEW = 6  # values that differ from the most frequent one: with fewer, Student's interval covers 80 to 93 %
LEAST_P = 1e-300
FARTHEST = 37.0  # normal quantile of LEAST_P


class ErrorPart(Frozen):
    """One of the independent parts of an error: its size, its degrees of freedom and its third moment."""

    error: float
    freedom: float
    third: float


class SkewedMean:
    """A mean whose error has these parts, with its interval and p-value.

    >>> mean = SkewedMean(0.3, [ErrorPart(0.1, 1e9, 0.0)])  # no skewness: 0.3 ± 1.96·0.1
    >>> [round(end, 3) for end in mean.ends(0.95)]
    [0.104, 0.496]
    >>> skewed = SkewedMean(0.3, [ErrorPart(0.1, 1e9, 0.5e-3)])  # s = 0.5, (z⁴ + 2z² − 3)/18 = 1.080
    >>> round(skewed.reach(0.95) / mean.reach(0.95), 3)  # 1 + 0.25·1.080
    1.27
    """

    def __init__(self, mean: float, parts: Sequence[ErrorPart]) -> None:
        self.mean = mean
        self.error = sqrt(sum(part.error**2 for part in parts))
        self.freedom = welch_freedom(parts)
        third = sum(part.third for part in parts)
        self.skewness = third / self.error**3 if self.error else 0.0

    def reach(self, confidence: float) -> float:
        """Half of the width of the interval."""
        from scipy.special import ndtri, stdtrit

        above = (1 + confidence) / 2
        return self._reach(float(stdtrit(self.freedom, above)), float(ndtri(above)))

    def ends(self, confidence: float) -> tuple[float, float]:
        reach = self.reach(confidence)
        return self.mean - reach, self.mean + reach

    def p_value(self) -> float | None:
        """That the mean is 0: below 1 − confidence just where the interval leaves out 0. None without a spread."""
        from scipy.optimize import brentq
        from scipy.special import ndtri, stdtr

        if self.error == 0:
            return None

        def excess(t: float) -> float:
            z = min(-float(ndtri(stdtr(self.freedom, -t))), FARTHEST)
            return self._reach(t, z) - abs(self.mean)

        # Student's own t is the largest that it can be; a little more, for rounding.
        student = abs(self.mean) / self.error * (1 + 1e-9)
        t = brentq(excess, 0.0, student, xtol=1e-12) if student > 0 else 0.0
        return max(2 * float(stdtr(self.freedom, -t)), LEAST_P)

    def _reach(self, t: float, z: float) -> float:
        """By quantiles of the same level, Student's and the normal one."""
        return t * self.error * (1 + self.skewness**2 * max(0.0, z**4 + 2 * z**2 - 3) / 18)


def skewed_mean(values: NDArray[Any], weights: Sequence[float] | None) -> SkewedMean | None:
    """The mean of values by itself; None where they are too few."""
    estimate = estimate_mean(values, weights)
    if estimate is None:
        return None
    return SkewedMean(estimate.mean, [part_of(estimate, values, weights)])


def part_of(estimate: Estimate, values: NDArray[Any], weights: Sequence[float] | None) -> ErrorPart:
    return ErrorPart(estimate.error, estimate.freedom, third_moment(values, weights))


def careful_interval(
    values: NDArray[Any], weights: Sequence[float] | None, bounds: Bounds, confidence: float
) -> Interval | None:
    """The interval of a mean, allowing for skewness; by inversion where nearly all values are the same and have
    bounds. None where there are too few values, or no spread."""
    estimate = estimate_mean(values, weights)
    if estimate is None:
        return None
    if bounds is not None and is_sparse(values, bounds):
        return bounded_mean(values, weights, *bounds).interval(confidence)
    if has_no_spread(estimate):
        return None
    low, high = SkewedMean(estimate.mean, [part_of(estimate, values, weights)]).ends(confidence)
    return Interval(*within(low, high, bounds), confidence, SKEWED)


def careful_p_value(values: NDArray[Any], weights: Sequence[float] | None, bounds: Bounds) -> float | None:
    """The p-value of `careful_interval`, that the mean is 0."""
    mean = skewed_mean(values, weights)
    if mean is None:
        return None
    if bounds is not None and is_sparse(values, bounds):
        return max(bounded_mean(values, weights, *bounds).p_value(), LEAST_P)
    return mean.p_value()


def p_value_of(ends: Callable[[float], tuple[float, float]]) -> float:
    """The p-value that the mean is 0, from the ends of its interval by confidence: 1 − the confidence at which 0 is
    an end."""
    low, high = 1e-6, 1.0  # p between these; below, it is not told apart
    for _ in range(20):
        p = sqrt(low * high)
        below, above = ends(1 - p)
        low, high = (p, high) if below <= 0 <= above else (low, p)
    return sqrt(low * high)


def third_moment(values: NDArray[Any], weights: Sequence[float] | None) -> float:
    """The third moment of the mean, Σ(w/Σw)³(x − mean)³, by n²/((n − 1)(n − 2)) larger."""
    import numpy as np

    n = len(values)
    if n < 3:
        return 0.0
    shares = np.full(n, 1 / n) if weights is None else np.asarray(weights) / np.sum(weights)
    deviations = shares * (values - (shares * values).sum())
    return float((deviations**3).sum()) * n * n / ((n - 1) * (n - 2))


def is_sparse(values: NDArray[Any], bounds: Bounds) -> bool:
    """Whether values with finite bounds are half or more the same, and few are another."""
    import numpy as np

    if bounds is None or not bounds[1] - bounds[0] < float("inf"):
        return False
    _, counts = np.unique(values, return_counts=True)
    most = int(counts.max())
    return 2 * most >= len(values) and len(values) - most < FEW


def within(low: float, high: float, bounds: Bounds) -> tuple[float, float]:
    return (low, high) if bounds is None else (max(low, bounds[0]), min(high, bounds[1]))


def welch_freedom(parts: Sequence[ErrorPart]) -> float:
    """Welch and Satterthwaite's degrees of freedom of a sum of errors."""
    squares = sum(part.error**2 for part in parts)
    fourth = sum(part.error**4 / part.freedom for part in parts)
    return squares**2 / fourth if fourth else parts[0].freedom
