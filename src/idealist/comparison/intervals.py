"""How sure a mean is."""

from __future__ import annotations

from math import fsum, sqrt

from idealist.data.numbers import as_number
from idealist.errors import InputError
from idealist.evaluation import effective_size
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Interval(Frozen):
    """What a number probably lies between, with the confidence it was made for."""

    low: float
    high: float
    confidence: float


class Estimate(Frozen):
    """A mean, its standard error, the degrees of freedom that has, and how many values of equal weight would
    tell as much."""

    mean: float
    error: float
    freedom: float
    size: float


def mean_interval(
    values: Sequence[float], weights: Sequence[float] | None = None, *, confidence: float = 0.95
) -> Interval | None:
    """Student's interval of a mean, weighted or not; None when there are too few values to tell.

    >>> interval = mean_interval([0.2, 0.4, 0.6])  # mean 0.4, error 0.2/√3, t(2) = 4.303
    >>> round(interval.low, 3), round(interval.high, 3)
    (-0.097, 0.897)
    """
    require_confidence(confidence)
    found = estimate_mean(values, weights)
    return None if found is None else interval_of(found, confidence)


def require_confidence(confidence: float) -> float:
    """What was given, if it is a confidence."""
    if not 0 < as_number(confidence, "the confidence", finite=True) < 1:
        raise InputError(f"a confidence of {confidence:g}", hint="it lies between 0 and 1, such as 0.95")
    return confidence


def interval_of(found: Estimate, confidence: float) -> Interval:
    """Student's interval."""
    from scipy.special import stdtrit

    reach = float(stdtrit(found.freedom, (1 + confidence) / 2)) * found.error
    return Interval(found.mean - reach, found.mean + reach, confidence)


def estimate_mean(values: Sequence[float], weights: Sequence[float] | None = None) -> Estimate | None:
    """A mean, weighted or not, and its standard error; None when there are too few values to tell.

    The squared error is n/(n−1) · Σ w²(x − mean)² / (Σw)², the degrees of freedom are the effective sample
    size (Σw)²/Σw² less one; with equal weights both are the textbook's.

    >>> estimate_mean([1.0, 3.0])  # standard deviation √2, error √2/√2
    Estimate(mean=2.0, error=1.0, freedom=1.0, size=2.0)
    """
    weighed = (
        [1.0] * len(values) if weights is None else [as_number(w, "a weight", finite=True) for w in weights]
    )
    if len(weighed) != len(values):
        raise InputError(f"there are {len(values)} values, but {len(weighed)} weights")
    if any(weight < 0 for weight in weighed):
        raise InputError("a weight is negative", hint="weights are 0 or more")
    largest = max(weighed, default=0.0) or 1.0
    pairs = [(float(x), w / largest) for x, w in zip(values, weighed, strict=True) if w > 0 and x == x]
    effective = effective_size([w for _, w in pairs])
    if len(pairs) < 2 or effective <= 1:
        return None
    total = fsum(w for _, w in pairs)
    mean = fsum(w * x for x, w in pairs) / total
    squares = fsum((w * (x - mean)) ** 2 for x, w in pairs)
    error = sqrt(len(pairs) / (len(pairs) - 1) * squares) / total
    return Estimate(mean, error, effective - 1, effective)
