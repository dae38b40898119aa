"""How sure a mean is."""

from __future__ import annotations

from math import fsum, sqrt

from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Interval(Frozen):
    """What a number probably lies between, with the confidence it was made for."""

    low: float
    high: float
    confidence: float


def mean_interval(
    values: Sequence[float], weights: Sequence[float] | None = None, *, confidence: float = 0.95
) -> Interval | None:
    """Student's interval of a mean, weighted or not; None when there are too few values to tell.

    The mean's squared error is n/(n−1) · Σ w²(x − mean)² / (Σw)², the degrees of freedom are the effective
    sample size (Σw)²/Σw² less one; with equal weights both are the textbook's.

    >>> interval = mean_interval([0.2, 0.4, 0.6])  # mean 0.4, error 0.2/√3, t(2) = 4.303
    >>> round(interval.low, 3), round(interval.high, 3)
    (-0.097, 0.897)
    """
    if not 0 < confidence < 1:
        raise InputError(f"a confidence of {confidence:g}", hint="it lies between 0 and 1, such as 0.95")
    pairs = [(x, w) for x, w in zip(values, weights or [1.0] * len(values), strict=True) if w > 0 and x == x]
    total = fsum(w for _, w in pairs)
    effective = total**2 / fsum(w * w for _, w in pairs) if pairs else 0.0
    if len(pairs) < 2 or effective <= 1:
        return None
    from scipy.special import stdtrit

    mean = fsum(w * x for x, w in pairs) / total
    squares = fsum((w * (x - mean)) ** 2 for x, w in pairs)
    error = sqrt(len(pairs) / (len(pairs) - 1) * squares) / total
    reach = float(stdtrit(effective - 1, (1 + confidence) / 2)) * error
    return Interval(mean - reach, mean + reach, confidence)
