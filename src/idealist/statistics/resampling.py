"""The bootstrap: the mean of queries that are drawn again with replacement, and its interval."""

from __future__ import annotations

from functools import cached_property

from idealist.base.named import other_names
from idealist.statistics.inversion import CellSums, root_between
from idealist.statistics.mean_estimates import SAME, Interval
from idealist.statistics.randomness import generator, resampled_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

BOOTSTRAP = "bootstrap"
RESAMPLES = 10_000
MOST_DRAWN = 1_000  # values: of more, the distribution is found without drawing
CELLS = 32  # cells of the lattice in a standard deviation
SHOWN = 4.0  # standard errors on either side, in a histogram
ROUNDING = 1e-12  # of the largest value: means that are equal may differ by that
LEAST_SHARE = 1e-9  # the accuracy of shares that were not drawn
NEAR = 1e-5  # standard errors: a quantile is found as exactly


class Resampled:
    """The distribution of the mean of values that are resampled: with weights Σwx / Σw of those drawn.

    Of many values the sum is nearly continuous, and its distribution is found on a lattice, by Fourier transform: what
    infinitely many resamples would give. Of up to a thousand, `rounds` are drawn.

    >>> import numpy as np
    >>> found = Resampled(np.arange(2001.0))
    >>> round(found.error, 2)  # √(Σ(x − 1000)² / n) / √n: √(1000 · 1001 / 3) / √2001
    12.91
    >>> round((found.quantile(0.975) - found.mean) / found.error, 2)
    1.96
    """

    def __init__(self, values: Any, weights: Any = None, *, rounds: int = RESAMPLES, seed: int = 0) -> None:
        import numpy as np

        self._values = np.asarray(values, dtype=float)
        self._weights = None if weights is None else np.asarray(weights, dtype=float)
        if self._weights is not None:
            counting = self._weights > 0
            self._values, self._weights = self._values[counting], self._weights[counting]
        self.rounds, self._seed = rounds, seed
        self.n = len(self._values)
        self.total = float(self.n if self._weights is None else self._weights.sum())
        self.mean = float(self._weighed(self._values).sum()) / self.total
        self.error = float((self._weighed(self._values - self.mean) ** 2).sum()) ** 0.5 / self.total

    def _weighed(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self._weights is None else values * self._weights

    @property
    def alike(self) -> bool:
        """Whether there are too few values, or all are the same, so that resampling shows no spread."""
        import numpy as np

        return self.n < 2 or bool(np.ptp(self._values) <= SAME * np.abs(self._values).max())

    @property
    def drawn(self) -> bool:
        """Whether resamples are drawn at random, and not computed exactly."""
        return self.n <= MOST_DRAWN

    def share_below(self, mean: float) -> float:
        """The share of resamples whose mean is lower, those with the same mean counting half."""
        import numpy as np

        if self.drawn:
            below, ties = (self._means < mean).mean(), (self._means == mean).mean()
            return float(below + ties / 2)
        # Σ w(x − m) of those drawn is below 0 just when their mean is below m.
        shift = (0.0 if self._weights is not None else self.mean - mean) * self.n
        sums, cell = self._sums(mean if self._weights is not None else self.mean)
        edge = -shift / cell + 0.5
        low = int(np.floor(edge))
        above = [sums.tail(self.n, low), sums.tail(self.n, low + 1)]
        return 1 - float(np.interp(edge, [low, low + 1], above))

    def share_as_far(self, distance: float) -> float:
        """The share of resamples whose mean is as far from the mean as that, on either side: of those drawn, with what
        was seen as one more; of many values, with those exactly as far counting half. Never 0."""
        import numpy as np

        if self.drawn:
            slack = ROUNDING * float(np.abs(self._values).max())
            as_far = int((np.abs(self._means - self.mean) >= distance - slack).sum())
            return (1 + as_far) / (1 + self.rounds)
        outside = self.share_below(self.mean - distance) + 1 - self.share_below(self.mean + distance)
        return min(1.0, max(outside, LEAST_SHARE))

    def quantile(self, share: float) -> float:
        """The mean that such a share of resamples lies below."""
        import numpy as np
        from scipy.special import ndtri

        if self.drawn:
            return float(np.percentile(self._means, 100 * share))

        def excess(mean: float) -> float:  # nearly a straight line
            return float(ndtri(min(max(self.share_below(mean), 1e-15), 1 - 1e-15)) - ndtri(share))

        low, high = float(self._values.min()), float(self._values.max())
        guess = self.mean + float(ndtri(share)) * self.error
        guesses = (guess, guess - excess(guess) * self.error) if low < guess < high else ()
        return root_between(excess, low, high, guesses, near=NEAR * self.error)

    def histogram(self, bins: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The shares of the resamples in so many bins of equal width, and the edges of these."""
        import numpy as np

        if self.alike:
            return np.zeros(bins), np.linspace(self.mean - 0.5, self.mean + 0.5, bins + 1)
        if self.drawn:
            counts, edges = np.histogram(self._means, bins=bins)
            return counts / self.rounds, edges
        edges = np.linspace(self.mean - SHOWN * self.error, self.mean + SHOWN * self.error, bins + 1)
        return np.diff([self.share_below(float(edge)) for edge in edges]), edges

    def interval(self, confidence: float) -> Interval | None:
        """The interval, bias-corrected and accelerated (BCa), or plain percentiles where that is not defined; None where all
        values are alike. Efron, JASA 1987."""
        from scipy.special import ndtr, ndtri

        if self.alike:
            return None
        ends = [(1 - confidence) / 2, (1 + confidence) / 2]
        bias, skew = float(ndtri(self.share_below(self.mean))), self._acceleration()
        z_scores = [bias + float(ndtri(end)) for end in ends]
        corrected = [float(ndtr(bias + z / (1 - skew * z))) for z in z_scores]
        if all(0 < end < 1 for end in corrected):  # not where nothing drawn lies on one side of the mean
            ends = corrected
        low, high = map(self.quantile, ends)
        return Interval(low, high, confidence, BOOTSTRAP)

    def _acceleration(self) -> float:
        """The acceleration, from the means that leave one value out: Σu³ / 6(Σu²)^1.5, u being how far they lie below their mean."""
        weighted = self._weighed(self._values)
        means_without = (weighted.sum() - weighted) / (
            self.total - (1 if self._weights is None else self._weights)
        )
        u = means_without.mean() - means_without
        return float((u**3).sum() / (6 * (u**2).sum() ** 1.5))

    @cached_property
    def _means(self) -> NDArray[Any]:
        """The means of the resamples."""
        import numpy as np

        random = generator(self._seed)
        if self._weights is None:
            drawn = resampled_sums([self._values], self.rounds, random)
            return np.concatenate([sums / self.n for (sums,) in drawn])
        columns = [self._weighed(self._values), self._weights]
        drawn = resampled_sums(columns, self.rounds, random)
        return np.concatenate([sums / weights for sums, weights in drawn])

    def _sums(self, mean: float) -> tuple[CellSums, float]:
        """Σ w(x − m) of those drawn, on a lattice, and the size of its cells. Every value falls on the two cells around
        it, so that its mean stays."""
        import numpy as np

        if self._weights is None and self._cached_sums is not None:
            return self._cached_sums
        deviations = self._weighed(self._values - mean)
        cell = float(deviations.std()) / CELLS
        low = np.floor(deviations / cell)
        part = deviations / cell - low
        first = int(low.min())
        positions = (low - first).astype(int)
        chances = np.bincount(positions, 1 - part, positions.max() + 2)
        chances[1:] += np.bincount(positions, part)
        cells = np.flatnonzero(chances)
        self._cached_sums = CellSums(cells + first, chances[cells]), cell
        return self._cached_sums

    _cached_sums: tuple[CellSums, float] | None = None


@other_names(resamples="rounds")
def bootstrap_interval(
    differences: Sequence[float],
    weights: Sequence[float] | None = None,
    *,
    confidence: float = 0.95,
    rounds: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """The interval of a mean by the bootstrap, bias-corrected and accelerated; None for fewer than two values, and
    where all are alike. With few values it is too narrow. Efron, JASA 1987.

    >>> low, high = bootstrap_interval([0.0, 1.0] * 50)  # 0.5 ± 1.96·0.5/√100
    >>> round(low, 1), round(high, 1), bootstrap_interval([0.5, 0.5, 0.5])
    (0.4, 0.6, None)
    """
    return Resampled(differences, weights, rounds=rounds, seed=seed).interval(confidence)
