"""The difference of two means, of independent groups: its interval and its p-value.

The interval of each mean is that of `inversion`, which allows for a rare large value that the group happens not to
have. From their ends l and u around the means a and b (Zou and Donner, Statistics in Medicine 2008, "MOVER"):

    lower = b − a − √((b − l_b)² + (u_a − a)²)        upper = b − a + √((u_b − b)² + (a − l_a)²)

Exchange the groups, and all is mirrored. Welch's interval calls the smaller one of two groups worse in 12 to 35 % of logs
with rare or skewed values, 100 beside 900, where 2.5 % may be: the few large values are mostly in the larger group.
"""

from __future__ import annotations

from math import hypot

from idealist.statistics.interval import Interval
from idealist.statistics.inversion import INVERSION, BoundedMean
from idealist.statistics.skewed_means import p_value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

TWO_MEANS = f"{INVERSION} in both groups"
LEAST_P = 1e-6  # smaller ones are not told apart


class MeanDifference:
    """The mean of `values` less that of `baseline_values`, all of which lie between `low` and `high`.

    >>> import numpy as np
    >>> found = MeanDifference(np.array([1.0] * 30 + [0.0] * 70), np.array([1.0] * 10 + [0.0] * 90), 0.0, 1.0)
    >>> low, high = found.interval(0.95)  # 0.3 in 0.212 … 0.400, and 0.1 in 0.049 … 0.176
    >>> round(found.value, 3), round(low, 3), round(high, 3)
    (0.2, 0.084, 0.312)
    """

    def __init__(self, values: NDArray[Any], baseline_values: NDArray[Any], low: float, high: float) -> None:
        self.mean, self.baseline_mean = float(values.mean()), float(baseline_values.mean())
        self.n = len(values) + len(baseline_values)
        self._means = BoundedMean(values, low, high), BoundedMean(baseline_values, low, high)

    @property
    def value(self) -> float:
        return self.mean - self.baseline_mean

    @property
    def error(self) -> float:
        """The standard error."""
        return hypot(*(mean.above.error for mean in self._means))

    def interval(self, confidence: float) -> Interval:
        return Interval(*self._ends(confidence), confidence, TWO_MEANS)

    def p_value(self) -> float:
        """That both means are the same: below 1 − confidence just where the interval leaves out 0."""
        p = p_value_of(self._ends)
        return p if p > 2 * LEAST_P else LEAST_P

    def _ends(self, confidence: float) -> tuple[float, float]:
        own, baseline = (mean.interval(confidence) for mean in self._means)
        below = hypot(self.mean - own.low, baseline.high - self.baseline_mean)
        above = hypot(own.high - self.mean, self.baseline_mean - baseline.low)
        return self.value - below, self.value + above
