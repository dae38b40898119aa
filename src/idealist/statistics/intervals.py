"""Intervals of a mean: Student's, over values or over clusters of them, and by test inversion where values have
bounds."""

from __future__ import annotations

from idealist.base.values import as_share
from idealist.statistics.interval import Interval
from idealist.statistics.inversion import bounded_mean
from idealist.statistics.means import estimate_mean, has_no_spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import ndarray

    from idealist.statistics.means import Estimate

STUDENT = "Student's t"


def mean_interval(
    values: Sequence[float],
    weights: Sequence[float] | None = None,
    *,
    confidence: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> Interval | None:
    """Student's interval of a mean, weighted or not; None when there are too few values, or all are
    alike, so that there is no spread.

    With finite `bounds`, between which the values must lie, the interval of `inversion`, which holds for few, sparse
    and skewed values too: five values that are all 1 leave room for others.

    >>> interval = mean_interval([0.2, 0.4, 0.6])  # mean 0.4, error 0.2/√3, t(2) = 4.303
    >>> round(interval.low, 3), round(interval.high, 3)
    (-0.097, 0.897)
    >>> interval = mean_interval([1.0] * 5, bounds=(0, 1))
    >>> round(interval.low, 3), interval.high  # 0.025 ** (1/5)
    (0.478, 1.0)
    """
    as_share(confidence, "confidence")
    estimate = estimate_mean(values, weights)
    if estimate is None:
        return None
    if bounds is None or not bounds[1] - bounds[0] < float("inf"):
        return None if has_no_spread(estimate) else student_interval(estimate, confidence)
    return bounded_mean(values, weights, *bounds).interval(confidence)


def student_interval(estimate: Estimate, confidence: float) -> Interval:
    """Student's interval of a mean whose values have some spread."""
    from scipy.special import stdtrit

    reach = float(stdtrit(estimate.freedom, (1 + confidence) / 2)) * estimate.error
    return Interval(estimate.mean - reach, estimate.mean + reach, confidence, STUDENT)


def clustered_interval(
    values: ndarray, cluster: ndarray, clusters: int, confidence: float, unit: str
) -> Interval | None:
    """Student's interval of a mean of values that come in clusters, `cluster` being the number of each value's: those of
    one may resemble each other in any way. None with a single cluster; `unit` is what clusters are called.

    >>> import numpy as np
    >>> interval = clustered_interval(np.array([0.2, 0.4, 0.6]), np.arange(3), 3, 0.95, "users")  # each by itself
    >>> round(interval.low, 3), round(interval.high, 3), interval.method
    (-0.097, 0.897, "Student's t over users")
    """
    import numpy as np
    from scipy.special import stdtrit

    if clusters < 2:
        return None
    mean = float(values.mean())
    sums = np.bincount(cluster, values - mean, clusters)
    error = float(np.sqrt((sums**2).sum() * clusters / (clusters - 1))) / len(values)
    reach = float(stdtrit(clusters - 1, (1 + confidence) / 2)) * error
    return Interval(mean - reach, mean + reach, confidence, f"{STUDENT} over {unit}")
