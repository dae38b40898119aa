"""A mean, weighted or not, its standard error, and the interval: the range that a number probably lies in."""

from __future__ import annotations

from math import fsum, sqrt

from idealist.base.frozen import Frozen
from idealist.base.values import as_within
from idealist.data.query_weights import effective_size
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray


class Interval(Frozen):
    """The range that a number probably lies in, its confidence and its method.

    >>> interval = Interval(-0.25, 0.5, 0.95, "Student's t")
    >>> low, high = interval
    >>> low, high, 0.0 in interval, 0.6 in interval
    (-0.25, 0.5, True, False)
    """

    low: float
    high: float
    confidence: float
    method: str = ""

    def __iter__(self) -> Iterator[float]:
        yield self.low
        yield self.high

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __neg__(self) -> Interval:
        """The interval of the number times −1."""
        return self.replace(low=-self.high, high=-self.low)


SAME = 1e-12  # relative: two values that differ by less are one value


class Estimate(Frozen):
    """A mean, its standard error, the degrees of freedom that has, and the effective
    sample size."""

    mean: float
    error: float
    freedom: float
    size: float


def has_no_spread(estimate: Estimate) -> bool:
    """Whether all values are the same, but for rounding."""
    return estimate.error <= SAME * abs(estimate.mean)


def estimate_mean(
    values: Sequence[float] | NDArray[Any], weights: Sequence[float] | None = None
) -> Estimate | None:
    """A mean, weighted or not, and its standard error; None when there are too few values.

    With shares h = w/Σw the squared error is Σ h²(x − mean)² / (1 − 2h + Σh²), which is right in the mean where
    all values vary alike: heavy ones pull the mean towards themselves. The degrees of freedom are the effective
    sample size (Σw)²/Σw² less one. With equal weights both are the textbook's.

    >>> estimate_mean([1.0, 3.0])  # standard deviation √2, error √2/√2
    Estimate(mean=2.0, error=1.0, freedom=1.0, size=2.0)
    """
    import numpy as np

    checked_weights = None if weights is None else [as_within(w, "a weight", 0) for w in weights]
    if checked_weights is not None and len(checked_weights) != len(values):
        raise InputError(
            f"there are {len(values)} values, but {len(checked_weights)} weights",
            hint="give one weight per value",
        )
    x = np.asarray(values, dtype=float)
    w = (
        np.ones(len(x))
        if checked_weights is None
        else np.array(checked_weights) / (max(checked_weights, default=0.0) or 1.0)
    )
    counting = (w > 0) & ~np.isnan(x)
    x, w = x[counting], w[counting]
    effective = float(len(x)) if checked_weights is None else effective_size(w.tolist())
    if len(x) < 2 or effective <= 1:
        return None
    # Exact sums: the order of the queries changes nothing.
    total = fsum(w.tolist())
    mean = fsum((w * x).tolist()) / total
    shares = w / total
    squared_shares = fsum((shares * shares).tolist())
    squares = (shares * (x - mean)) ** 2 / (1 - 2 * shares + squared_shares)
    return Estimate(mean, sqrt(fsum(squares.tolist())), effective - 1, effective)


def weighted_mean(values: Any, weights: Sequence[float] | None = None) -> float:
    """The mean by exact sums; nan of no values.

    >>> weighted_mean([1.0, 3.0], [3.0, 1.0])
    1.5
    """
    import numpy as np

    x = np.asarray(values, dtype=float)
    if weights is None:
        return fsum(x.tolist()) / len(x) if len(x) else float("nan")
    total = fsum(weights)
    return fsum((x * np.asarray(weights)).tolist()) / total if total else float("nan")
