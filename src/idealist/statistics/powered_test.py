"""The interval and the test of a corrected mean, allowing for queries that the few human values happen not to show.

The values of the n queries that people judged, each corrected by the machine, h − λ·(f − mean(f̃)), have the interval of
`inversion`, with what an unseen query may be worth to people; the error of λ·mean(f̃) is put to it by Zou and Donner's
method (Statistics in Medicine, 2008). What a machine explains of the values that were seen says nothing about a failure that
was not: it is allowed for as if the machine did not see it either.

Means of one system have Student's interval with its allowance for skewness as well, and the wider end of the two counts.
"""

from __future__ import annotations

from math import exp, log, sqrt

from idealist.statistics.skewed_means import LEAST_P

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.statistics.inversion import BoundedMean
    from idealist.statistics.skewed_means import ErrorPart, SkewedMean


class PoweredTest:
    """A corrected mean and its standard error: `people` are the corrected values with what unseen ones may be worth, `machine`
    is the error that the machine's mean adds, `skewed` the mean whose error has both parts, where it counts too.

    >>> from idealist.statistics.inversion import BoundedMean
    >>> from idealist.statistics.skewed_means import ErrorPart
    >>> people = BoundedMean([0.0] * 25, -1.0, 1.0)  # 25 queries: up to 1 − 0.025 ** (1/25) may lose 1
    >>> test = PoweredTest(0.0, 0.02, people, ErrorPart(0.02, 1e9, 0.0))
    >>> round(test.ends(0.95)[0], 4)  # −√(0.1372² + (1.96·0.02)²)
    -0.1427
    """

    def __init__(
        self,
        mean: float,
        error: float,
        people: BoundedMean,
        machine: ErrorPart,
        skewed: SkewedMean | None = None,
    ) -> None:
        self.mean = mean
        self.error = error
        self.people = people
        self.machine = machine
        self.skewed = skewed

    def reach(self, confidence: float) -> float:
        """Half of the width of the interval of the machine's part."""
        from scipy.special import stdtrit

        return float(stdtrit(self.machine.freedom, (1 + confidence) / 2)) * self.machine.error

    def ends(self, confidence: float) -> tuple[float, float]:
        """The ends of the interval."""
        both = [] if self.skewed is None else [self.skewed.ends(confidence)]
        alone, reach = self.people.interval(confidence), self.reach(confidence)
        below, above = self.mean - alone.low, alone.high - self.mean
        both.append((self.mean - sqrt(below**2 + reach**2), self.mean + sqrt(above**2 + reach**2)))
        return min(low for low, _ in both), max(high for _, high in both)

    def p_value(self) -> float:
        """That the mean is 0: below 1 − confidence just where the interval leaves out 0."""
        by_skewness = None if self.skewed is None else self.skewed.p_value()
        return max(by_skewness or 0.0, self._p_of_people())

    def _p_of_people(self) -> float:
        """The reach of the machine's part goes by the level, so that p is where the test at level p gives p."""
        from scipy.optimize import brentq

        def p_with(reach: float) -> float:
            if (inside := self.inside(0.0, reach)) is None:
                return 1.0
            above = self.mean > 0
            tail = self.people.above.p_value(inside) if above else self.people.below.p_value(-inside)
            return max(min(1.0, 2 * tail), LEAST_P)

        def excess(log_p: float) -> float:
            return log(p_with(self.reach(1 - exp(log_p)))) - log_p

        least = p_with(0.0)  # by people alone
        if self.mean == 0 or excess(log(least)) <= 0:
            return 1.0 if self.mean == 0 else least
        return exp(brentq(excess, log(least), 0.0, xtol=1e-6))

    def inside(self, end: float, reach: float) -> float | None:
        """Where the interval of `people` alone ends, when that of both ends at `end`; None where the machine's error alone
        reaches as far."""
        if (square := (self.mean - end) ** 2 - reach**2) <= 0:
            return None
        return self.mean - sqrt(square) if end < self.mean else self.mean + sqrt(square)
