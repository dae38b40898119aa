"""Sequential testing: an e-process, and the confidence sequence it gives. Both stay valid however often one looks,
and whenever one stops. Numbers only; `votes.sequential` folds votes into them."""

from __future__ import annotations

from math import exp, log

from idealist.base.values import as_share
from idealist.errors import InputError
from idealist.statistics.inversion import BoundedMean
from idealist.statistics.mean_estimates import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy import ndarray

SEQUENCE = "confidence sequence"
CONCENTRATION = 10.0  # a of Beta(a, a), which bets are drawn from: small differences are expected
SPREAD_OUT = 0.5  # the same of differences in measures
NODES = 128  # of the mixture; enough to be exact up to 255 decided queries, and a valid mixture beyond
BLOCK = 10_000  # queries whose numbers are held at once
TOGETHER = 16
LOOKS = 200  # that the interval is made of, when there were more
ROUNDING = 1e-9  # relative: sums may pass their weights by that
EDGE = 1e-9  # how near to −1 and 1 a mean is tried
DRIFT = 3.29  # z of the second half against the first; 1 in 1,000 by chance


class EProcess:
    """The evidence against every mean m of values between −1 and 1, one unit (a query) after the other:
    E(m) = ∫ ∏(1 + κₘ(y − mw)), with y and w a unit's weighted sum of values and its weight over the largest weight so
    far, where (1 + κ)/2 is drawn from Beta(a, a), a = `concentration` (10 for votes), and κₘ = κ/(1 + m) above 0, κ/(1 − m) below, so that no factor
    is negative. E(0) is a fair game while the mean is 0: it ever reaches 1/α with a probability of α at most.

    Every factor is c + d/(1 ± m) with c and d of 0 or more, its logarithm convex in m; so are log E(m) and its
    largest value so far, and the means that were never rejected are an interval. Waudby-Smith and Ramdas, JRSS-B 2024.

    >>> process = EProcess([1.0, 1.0, 1.0])  # 2³ · Beta(13, 10)/Beta(10, 10) = 2³ · (10·11·12)/(20·21·22)
    >>> round(process.e_value, 6), round(process.p_value, 6)
    (1.142857, 0.875)
    """

    def __init__(self, totals: Any, weights: Any = None, *, concentration: float = CONCENTRATION) -> None:
        import numpy as np
        from scipy.special import roots_jacobi

        totals = np.asarray(totals, dtype=float)
        weights = np.ones(len(totals)) if weights is None else np.asarray(weights, dtype=float)
        if not (weights > 0).all() or not (np.abs(totals) <= weights * (1 + ROUNDING)).all():
            raise InputError(
                "values must lie between −1 and 1, and weights above 0",
                hint="a unit's sum is at most its weight",
            )
        largest = np.maximum.accumulate(weights)
        self.y, self.w = totals / largest, weights / largest
        self._bets, shares = roots_jacobi(NODES, concentration - 1, concentration - 1)
        self._log_shares = np.log(shares / shares.sum())
        self.against_zero = self.path(0.0, np.arange(1, len(totals) + 1))

    @property
    def e_value(self) -> float:
        """The evidence against a mean of 0 now; 1 before anything was seen."""
        return _exp(self.against_zero[-1]) if len(self.against_zero) else 1.0

    @property
    def largest(self) -> float:
        """The largest evidence against 0 so far."""
        return _exp(self._strongest)

    @property
    def p_value(self) -> float:
        """The p-value of a mean of 0, whenever one looks: 1/largest."""
        return exp(-self._strongest)

    @property
    def _strongest(self) -> float:
        return max(0.0, float(self.against_zero.max(initial=0.0)))

    def path(self, mean: float, looks: ndarray) -> ndarray:
        """log E(mean) after so many queries as each look says; looks are in order, from 1 on."""
        import numpy as np

        bets = self._bets / np.where(self._bets > 0, 1 + mean, 1 - mean)
        log_values, before, begin = [np.zeros(0)], self._log_shares, 0
        for block_looks in np.split(looks, np.searchsorted(looks, np.arange(BLOCK, len(self.y), BLOCK))):
            if not len(block_looks):
                continue
            factors = (self.y[begin : block_looks[-1]] - mean * self.w[begin : block_looks[-1]])[
                :, None
            ] * bets
            factors += 1
            np.maximum(factors, 1e-15, out=factors)  # 0 but for rounding is a bet that lost all it had
            # Logarithms of products of a few factors, which are quick and neither vanish nor overflow.
            ends = np.union1d(block_looks, np.arange(begin + TOGETHER, block_looks[-1], TOGETHER)) - begin
            logs = np.log(np.multiply.reduceat(factors, [0, *ends[:-1]], axis=0))
            sums = before + np.cumsum(logs, axis=0)[np.searchsorted(ends, block_looks - begin)]
            top = sums.max(axis=1)
            log_values.append(top + np.log(np.exp(sums - top[:, None]).sum(axis=1)))
            before, begin = sums[-1], block_looks[-1]
        return np.concatenate(log_values)

    def interval(self, confidence: float) -> Interval:
        """The means that no look rejected; of many looks, so many that this is quick: leaving looks out can but
        widen it. When no mean is left, because values changed over time, those that the last look does not
        reject."""
        import numpy as np
        from scipy.optimize import minimize_scalar

        limit, n = -log(1 - as_share(confidence, "confidence")), len(self.y)
        if not n:
            return Interval(-1.0, 1.0, confidence, SEQUENCE)
        # With the look that speaks most against 0, so that interval and p-value say the same of 0.
        strongest = 1 + int(self.against_zero.argmax())
        looks = np.union1d(np.linspace(1, n, min(n, LOOKS)).astype(int), [strongest])

        def worst(mean: float) -> float:
            return float(self.path(mean, looks).max()) - limit

        def last(mean: float) -> float:
            return float(self.path(mean, looks)[-1]) - limit

        middle = min(max(float(self.y.sum() / self.w.sum()), -1 + EDGE), 1 - EDGE)
        excess = worst
        if excess(middle) >= 0:
            best = minimize_scalar(worst, bounds=(-1 + EDGE, 1 - EDGE), method="bounded")
            if best.fun < 0:
                middle = float(best.x)
            else:
                excess = last  # at the mean itself no bet wins, so `middle` is inside
        low, high = (_end(excess, middle, far, 2 / n**0.5) for far in (-1.0, 1.0))
        return Interval(low, high, confidence, SEQUENCE)


class OrderedMean(BoundedMean):
    """The mean of values between −`most` and `most` in the order in which they came, with an interval and a p-value that
    hold at all looks together: a confidence sequence. Bets are drawn from Beta(½, ½), as differences in measures vary
    less than votes.

    >>> mean = OrderedMean([0.2] * 60, 1.0)
    >>> low, high = mean.interval(0.95)
    >>> 0 < low < 0.2 < high, mean.p_value() < 0.05
    (True, True)
    """

    def __init__(self, values: Any, most: float, weights: Any = None) -> None:
        import numpy as np

        x = np.asarray(values, dtype=float)
        w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=float)
        x, w = x[w > 0], w[w > 0]
        super().__init__(x * w / w.max(), -most, most, w / w.max(), method=SEQUENCE)
        self._most = most
        self._process = EProcess(x * w / most, w, concentration=SPREAD_OUT)

    def interval(self, confidence: float) -> Interval:
        low, high = self._process.interval(confidence)
        low, high = min(low * self._most, self.value), max(high * self._most, self.value)
        return Interval(low, high, confidence, SEQUENCE)

    def p_value(self, m: float = 0.0) -> float:
        """The p-value of a true mean m, whenever one looks: 1 over the largest evidence so far."""
        import numpy as np

        looks = np.arange(1, len(self._sums) + 1)
        return min(1.0, exp(-float(self._process.path(m / self._most, looks).max(initial=0.0))))

    @property
    def p_better(self) -> float:
        p = self.p_value() / 2
        return p if self.value > 0 else 1 - p


def _end(excess: Callable[[float], float], inside: float, far: float, step: float) -> float:
    """Where means begin to be rejected, from one that is not towards −1 or 1, in steps that double."""
    from scipy.optimize import brentq

    edge, direction = far * (1 - EDGE), 1.0 if far > 0 else -1.0
    while (edge - inside) * direction > 0:
        outer = inside + direction * step
        outer = outer if (edge - outer) * direction > 0 else edge
        if excess(outer) >= 0:
            return float(brentq(excess, inside, outer, xtol=1e-6))
        inside, step = outer, 2 * step
    return far


def differing_halves(totals: ndarray, weights: ndarray) -> tuple[float, float] | None:
    """The means of the first and of the second half of the units, where these differ by more than chance."""
    if len(totals) < 2:
        return None
    residuals = totals - weights * (totals.sum() / weights.sum())
    half = len(totals) // 2
    spread = float((residuals**2).sum()) ** 0.5
    if not abs(float(residuals[half:].sum() - residuals[:half].sum())) > DRIFT * spread:
        return None
    first, second = (
        float(totals[part].sum() / weights[part].sum()) for part in (slice(half), slice(half, None))
    )
    return first, second


def _exp(power: float) -> float:
    return exp(min(power, 700.0))
