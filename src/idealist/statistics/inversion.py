"""The interval of a mean of bounded values, by inverting a test that knows the range.

Student's interval fails where most differences are 0 and a few are large: the large ones may not have been drawn
yet. This one asks of every possible mean m: what is the likeliest distribution with that mean, made of the values
that were seen and of an unseen one, such as the end of the range (the empirical likelihood), and how probable is a
mean as far out as the one seen, when it is true? The interval holds every m for which that is not improbable.

All values alike give Clopper and Pearson's interval, votes of +1, 0 and −1 one close to Tango's, and many values of
an ordinary spread Student's. There is no random number in it. docs/decisions.md has the simulations.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property

from idealist.statistics.mean_estimates import SAME, Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

INVERSION = "test inversion"
EXPLAINED = f"{INVERSION}: docs/decisions.md#the-confidence-interval"
ALLOWING = "allowing for rare large differences"  # what it means for who reads an interval
CELLS = 16  # cells of the lattice in a standard deviation: the sum of n values is found on it, by Fourier transform
FAR = 9.0  # standard deviations: what lies beyond has no probability that counts
NEVER = 1e-9  # a probability that does not count
FADED = 45.0  # a frequency that n draws damp by exp(−45) does not count
NEAR = 1e-4  # standard errors: a limit is found as exactly
STEPS = 60  # of Newton's method, which takes about eight


def usual_weight(weights: NDArray[Any]) -> float:
    """A weight between the largest and that of the query which a unit of weight belongs to on average."""
    from math import sqrt

    return sqrt((weights**2).sum() / weights.sum() * weights.max())


class Tilted:
    """The likeliest distribution with a given mean: the chance of every cell, and of the unseen value."""

    def __init__(self, chances: NDArray[Any], unseen: float) -> None:
        self.chances = chances
        self.unseen = unseen


class MeanTest:
    """The one-sided test whether the mean is greater than m, allowing for an unseen value, `low`. Values that were seen may
    lie below it; of a mean below it, the values seen must account alone.

    A query adds `sums` (weight · value) to a total and `weights` to another; the mean is their ratio. For a
    query with several items both are sums over its items. What was not seen yet is a query with the value
    `low` and a weight between the largest and Σw²/Σw, that of the query which a unit of weight belongs to on
    average: with the one the interval is too wide where weights are very uneven, with the other too narrow.

    >>> import numpy as np
    >>> test = MeanTest(np.zeros(25), np.ones(25), -1.0)  # 25 queries, none of which changed
    >>> round(test.p_value(-0.1), 4)  # the 10 % that lose 1 were not among them: 0.9 ** 25
    0.0718
    >>> round(test.limit(0.025), 4)  # 1 − 0.025 ** (1/25)
    -0.1372
    """

    def __init__(
        self, sums: NDArray[Any], weights: NDArray[Any], low: float, unseen_weight: float | None = None
    ) -> None:
        import numpy as np

        self.n = len(sums)
        self.low = float(low)
        self._least_seen = float((sums / weights).min())
        self.weight = usual_weight(weights) if unseen_weight is None else unseen_weight
        self.mean = float(sums.sum() / weights.sum())
        deviations = sums - self.mean * weights  # from the mean; adds up to 0
        self.drop = self.weight * (self.mean - self.low)  # how far the unseen value lies below it
        spread = float(deviations.std())
        self.flat = spread <= SAME * max(float(np.abs(sums).max()), self.drop)
        self.cell = 1.0 if self.flat else spread / CELLS
        positions = np.zeros(self.n, dtype=int) if self.flat else np.rint(deviations / self.cell).astype(int)
        self.positions, position_of_query = np.unique(positions, return_inverse=True)
        self.counts = np.bincount(position_of_query).astype(float)
        self._deviations = np.bincount(position_of_query, deviations) / self.counts
        self._weight = np.bincount(position_of_query, weights) / self.counts
        self.observed_sum = int(positions.sum())  # 0 but for rounding
        self.mean_weight = float(weights.mean())
        self.error = spread * self.n**0.5 / float(weights.sum())

    @property
    def least(self) -> float:
        """The least value that there may be."""
        return min(self.low, self._least_seen)

    def shifted(self, mean: float) -> MeanTest:
        """The test of values that lie around another mean, as these do around theirs."""
        other = copy(self)
        other.mean = mean
        other.drop = self.weight * (mean - self.low)
        other._least_seen = self._least_seen + mean - self.mean
        return other

    def tilt(self, m: float) -> Tilted:
        """The likeliest distribution whose mean is m, at most the mean that was seen: values are reweighted by
        1/(1 + λ·y), y = sum − m·weight, and the rest of the probability falls to the unseen value."""
        import numpy as np

        y = self._deviations + (self.mean - m) * self._weight
        floor = self.weight * (m - self.low)
        shares = self.counts / self.n
        if floor <= 0 and y.min() >= 0:  # all there is lies at the least value seen
            return Tilted(np.where(y == y.min(), 1.0, 0.0), 0.0)
        most = 1 / floor if floor > 0 else float("inf")
        if floor > 0 and 1 + most * y.min() > SAME and (shares * y / (1 + most * y)).sum() >= 0:
            chances = shares / (1 + most * y)
            return Tilted(chances, max(0.0, 1 - float(chances.sum())))
        low, high, rate = 0.0, min(most, -1 / y.min()) if y.min() < 0 else most, 0.0
        for _ in range(STEPS):
            factors = 1 + rate * y
            slope = float((shares * y / factors).sum())
            low, high = (rate, high) if slope > 0 else (low, rate)
            next_rate = rate + slope / float((shares * (y / factors) ** 2).sum())
            if not low < next_rate < high:
                next_rate = (low + high) / 2
            rate, last_rate = next_rate, rate
            if abs(rate - last_rate) <= SAME * rate:
                break
        chances = shares / (1 + rate * y)
        return Tilted(chances / chances.sum(), 0.0)

    def p_value(self, m: float, n: int | None = None) -> float:
        """How probable a mean as high as the one seen is, when the true one is m; of n values, if not of as many."""
        n = n or self.n
        if m <= self.least:
            return 0.0
        if m >= self.mean:
            return 1.0
        tilted = self.tilt(m)
        if self.flat:
            return float((1 - tilted.unseen) ** n)
        return self.tail(tilted, n, n * self.observed_sum / self.n - self.slack(n))

    def slack(self, n: int) -> int:
        """Cells by which sums of n values that are equal may differ: rounding has an error of √(n/12) of them. So
        that ties with what was seen count, as they must where values are few."""
        return int(1.5 * (n / 12) ** 0.5) + 2

    def tail(self, tilted: Tilted, n: int, least: float) -> float:
        """The probability that n values fall on cells that add up to `least` or more."""
        from math import exp, lgamma, log, log1p

        if tilted.unseen >= 1:
            return 0.0
        drawn = CellSums(self.positions, tilted.chances)
        total, unseen = 0.0, 0
        while unseen <= n:  # how often the unseen value comes up
            chance = (n - unseen) * log1p(-tilted.unseen) + (unseen * log(tilted.unseen) if unseen else 0.0)
            chance = exp(chance + lgamma(n + 1) - lgamma(unseen + 1) - lgamma(n - unseen + 1))
            beyond = drawn.tail(n - unseen, least + unseen * self.drop / self.cell)
            total += chance * beyond
            if tilted.unseen == 0 or beyond <= NEVER or (unseen > n * tilted.unseen and chance <= NEVER):
                break
            unseen += 1
        return min(1.0, max(0.0, total))

    def limit(self, level: float) -> float:
        """The smallest mean that is not rejected at this level."""
        from scipy.special import ndtri

        if self.mean <= self.least:
            return self.least

        def excess(m: float) -> float:  # nearly a straight line in m
            return float(ndtri(min(max(self.p_value(m), 1e-15), 1 - 1e-15)) - ndtri(level))

        # Where it would be for a normal mean. There, a step by the excess in standard errors is nearly right.
        normal = self.mean + float(ndtri(level)) * self.error
        guesses = (normal, normal - excess(normal) * self.error) if self.least < normal < self.mean else ()
        return root_between(excess, self.least, self.mean, guesses, near=NEAR * self.error + 1e-12)


def root_between(
    function: Callable[[float], float], low: float, high: float, guesses: Sequence[float], *, near: float
) -> float:
    """Where a function that rises from below 0 at `low` to above 0 at `high` is 0, to within `near`: by secants, from
    guesses if there are some, and by halves where secants leave the bracket or do not shrink it.

    >>> round(root_between(lambda x: x**2 - 2, 0.0, 2.0, (1.4,), near=1e-6), 9)  # √2
    1.414213562
    """
    pending = [guess for guess in guesses if low < guess < high]
    points: list[tuple[float, float]] = []
    slow = 0  # steps since the bracket was halved
    while high - low > near:
        x = pending.pop(0) if pending else _secant(points, low, high)
        if slow > 3:
            x, slow = (low + high) / 2, 0
        elif points and abs(x - (last := points[-1][0])) < near / 2:
            # As near as that the root is likely between: a step beyond it closes the bracket.
            x = (
                min(last + near / 2, (last + high) / 2)
                if last == low
                else max(last - near / 2, (last + low) / 2)
            )
        value, width = function(x), high - low
        if value == 0:
            return x
        low, high = (x, high) if value < 0 else (low, x)
        slow = slow + 1 if high - low > width / 2 else 0
        points.append((x, value))
    return _secant(points, low, high)


def _secant(points: Sequence[tuple[float, float]], low: float, high: float) -> float:
    """Where the line through the last two points is 0, if that lies between; else the middle."""
    if len(points) > 1:
        (x, f), (y, g) = points[-2:]
        if f != g and low < (root := y - g * (y - x) / (g - f)) < high:
            return root
    return (low + high) / 2


class CellSums:
    """Sums of independent draws from a distribution on cells."""

    def __init__(self, positions: NDArray[Any], chances: NDArray[Any]) -> None:
        self._positions = positions
        self._chances = chances / chances.sum()
        self.mean = float((self._chances * positions).sum())
        self._variance = max(float((self._chances * (positions - self.mean) ** 2).sum()), SAME)
        self._width = int(positions[-1] - positions[0])
        self._waves: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}

    def tail(self, n: int, least: float) -> float:
        """The probability that n draws add up to `least` or more."""
        import numpy as np

        if n == 0:
            return float(least <= 0)
        centre, reach = n * self.mean, FAR * (n * self._variance) ** 0.5 + self._width
        if least <= centre - reach:
            return 1.0
        if least > centre + reach:
            return 0.0
        # The sum wraps around a circle that is wider than all that is probable.
        size = _fast_size(int(2 * reach) + 2)
        first = int(np.floor(centre - reach))
        begin = max(int(np.ceil(least)), first)
        return self._share(n, size, begin, first + size - begin)

    def _share(self, n: int, size: int, begin: int, count: int) -> float:
        """The probability of `count` positions from `begin` on, when n draws are added up on a circle of `size` positions:
        the inverse Fourier transform, summed over these positions. Of many draws only a few frequencies are left."""
        import numpy as np

        wave, power = self._wave(size)
        frequencies = np.flatnonzero(power[1:] > np.exp(-2 * FADED / n)) + 1
        half = frequencies * (np.pi / size)
        middle = (2 * begin + count - 1) % (2 * size)  # twice the middle of the positions, on the circle
        phases = np.exp(n * np.log(wave[frequencies]) + 1j * half * middle)
        parts = phases.real * np.sin(half * count) / np.sin(half)
        if size % 2 == 0 and len(frequencies) and frequencies[-1] == size // 2:
            parts[-1] /= 2  # the others stand for a frequency and its mirror image
        return max(0.0, (count + 2 * float(parts.sum())) / size)

    def _wave(self, size: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The Fourier transform on a circle of so many cells, and its squared size; kept, as sums of various n
        share it."""
        import numpy as np

        if size not in self._waves:
            wave = np.fft.rfft(np.bincount(self._positions % size, self._chances, size))
            self._waves[size] = wave, wave.real**2 + wave.imag**2
        return self._waves[size]


def _fast_size(least: int) -> int:
    """The smallest number from `least` on that is 1, 3, 5 or 9 times a power of 2: Fourier transforms of it are fast.

    >>> [_fast_size(least) for least in (7, 11, 1025, 1200)]  # 8, 3·4, 9·128, 5·256
    [8, 12, 1152, 1280]
    """
    return min(odd << max(0, (-(-least // odd) - 1).bit_length()) for odd in (1, 3, 5, 9))


class BoundedMean:
    """The mean of values, weighted or in clusters, with its interval and test. Values that were not seen are taken to lie
    between `low` and `high`: the ends of the range, or what they are worth (see `unseen`).

    >>> mean = BoundedMean([1.0] * 9 + [0.0], 0.0, 1.0)
    >>> interval = mean.interval(0.95)  # Clopper and Pearson's
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.555, 0.997)
    """

    def __init__(
        self,
        sums: Any,
        low: float,
        high: float,
        weights: Any = None,
        *,
        method: str = INVERSION,
        unseen_weight: float | None = None,
    ) -> None:
        import numpy as np

        self.method = method
        self._sums = np.asarray(sums, dtype=float)
        self._weights = np.ones(len(self._sums)) if weights is None else np.asarray(weights, dtype=float)
        self.low, self.high = low, high
        self._unseen_weight = unseen_weight

    @cached_property
    def above(self) -> MeanTest:
        """The test whether the mean is greater than m."""
        return MeanTest(self._sums, self._weights, self.low, self._unseen_weight)

    @cached_property
    def below(self) -> MeanTest:
        """The mirror image: the test whether the mean of −x is greater than −m."""
        return MeanTest(-self._sums, self._weights, -self.high, self._unseen_weight)

    @property
    def value(self) -> float:
        return self.above.mean

    @property
    def largest_loss(self) -> float:
        """How far below 0 an unseen value may lie."""
        return -self.low

    def interval(self, confidence: float) -> Interval:
        level = (1 - confidence) / 2
        low, high = self.above.limit(level), -self.below.limit(level)
        return Interval(min(low, self.value), max(high, self.value), confidence, self.method)

    def p_value(self, m: float = 0.0) -> float:
        """The two-sided p-value of a true mean m: below 1 − confidence just when the interval leaves m out."""
        return min(1.0, 2 * min(self.above.p_value(m), self.below.p_value(-m)))

    @property
    def p_better(self) -> float:
        """The one-sided p-value of a mean that is not above 0."""
        return self.above.p_value(0.0)


def bounded_mean(
    values: Any,
    weights: Any,
    low: float,
    high: float,
    *,
    method: str = INVERSION,
    unseen_weight: float | None = None,
) -> BoundedMean:
    """The mean of values with weights, or without; those that have no value or no weight do not count. `unseen_weight` is
    that of the unseen query, in the unit of the weights."""
    import numpy as np

    x = np.asarray(values, dtype=float)
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=float)
    counting = (w > 0) & ~np.isnan(x)
    largest = w.max()
    x, w = x[counting], w[counting] / largest
    unseen_weight = None if unseen_weight is None else unseen_weight / float(largest)
    return BoundedMean(x * w, low, high, w, method=method, unseen_weight=unseen_weight)
