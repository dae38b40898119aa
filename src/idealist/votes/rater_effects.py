"""What raters add to the uncertainty of votes: one who likes the candidate likes it in all of her queries.

Votes of a query are a cluster, and so are those of a rater. The variance of a mean over both is that over queries,
plus the products of residuals of the same rater on different queries (Cameron, Gelbach and Miller, JBES 2011). From
those are taken as many products of different raters on different queries, which are 0 but for the mean that all
residuals share; so nothing is added, on average, where raters do not differ.
"""

from __future__ import annotations

from functools import cached_property
from math import inf

from idealist.frozen import Frozen
from idealist.statistics.further import further_by_spread, further_queries
from idealist.statistics.inversion import BoundedMean, MeanTest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray
    from numpy.typing import NDArray

    from idealist.votes.folding import FoldedVotes

LEAST = 1e-16  # a p-value that rounding can tell from 0
FEW_RATERS = 5  # by fewer, what raters add to the variance is hardly known


class RaterEffects(Frozen):
    """The variance that raters add to that over queries, the chance part of its estimate, and how many raters of equal
    shares there are."""

    variance: float
    noise: float
    raters: float

    def freedom(self, variance: float, shrunk: float = 1.0) -> float:
        """Degrees of freedom beside a variance over queries (Satterthwaite). Half of the noise counts as if it
        were of raters: with few of them a variance of 0 is found where there is one. With more queries the noise
        has `shrunk`."""
        total = variance + self.variance
        doubtful = min(self.variance + self.noise * shrunk / 2, total)
        return max(1.0, (total / doubtful) ** 2 * (self.raters - 1)) if doubtful else inf


def rater_effects(votes: FoldedVotes, shares: ndarray, residuals: ndarray) -> RaterEffects | None:
    """The effects of raters on a mean, by the share of every vote in it, and its residual times that share. None
    where nothing can be said: nobody or only one is named, or nobody voted on two queries."""
    import numpy as np

    if votes.cells is None:
        return None
    query, rater, cell = votes.cells
    if rater.max() < 1 or query.max() < 1:
        return None

    def products(parts: ndarray) -> tuple[float, float, float]:
        """Sums of products: by a rater, by her on different queries, and by different ones on different queries."""
        by_cell = np.bincount(cell, parts, len(query))
        of_cells = float((by_cell**2).sum())
        of_raters = float((np.bincount(rater, by_cell) ** 2).sum())
        of_queries = float((np.bincount(query, by_cell) ** 2).sum())
        total = float(by_cell.sum()) ** 2
        return of_raters, of_raters - of_cells, total - of_raters - of_queries + of_cells

    share_of_raters, shared, others = products(shares)
    if not shared > 0 or not others > 0:
        return None
    of_raters, same_rater, different = products(residuals)
    raters = 1 / share_of_raters
    found = same_rater - shared / others * different
    noise = max(0.0, of_raters * raters / (raters - 1) - found) if raters > 1 else 0.0
    return RaterEffects(max(0.0, found), noise, max(raters, 1 + 1e-9))


class RatedTest(MeanTest):
    """The test of a mean over queries, with what raters add: its p-value is taken for that of a standard error, which
    theirs is added to."""

    def __init__(self, sums: NDArray[Any], weights: NDArray[Any], low: float, effects: RaterEffects) -> None:
        super().__init__(sums, weights, low)
        self._effects = effects

    def p_value(self, m: float, n: int | None = None) -> float:
        from scipy.special import ndtri, stdtr

        p = super().p_value(m, n)
        if m <= self.least or p >= 0.5:
            return p
        distance = self.mean - m
        of_queries = (distance / float(ndtri(max(p, LEAST)))) ** 2
        error = (of_queries + self._effects.variance) ** 0.5
        return float(stdtr(self._effects.freedom(of_queries), -distance / error))


class RatedMean(BoundedMean):
    """The mean of votes that come in queries and by raters, with its interval and test."""

    def __init__(self, sums: Any, low: float, high: float, weights: Any, effects: RaterEffects) -> None:
        super().__init__(sums, low, high, weights)
        self.effects = effects

    @cached_property
    def above(self) -> MeanTest:
        return RatedTest(self._sums, self._weights, self.low, self.effects)

    @cached_property
    def below(self) -> MeanTest:
        return RatedTest(-self._sums, self._weights, -self.high, self.effects)

    def further(self, margin: float, confidence: float) -> int | None:
        """How many more queries decide with 80 % power, if the same raters vote on them; None where none do, because
        raters differ too much."""
        of_queries = self.above.error**2
        return further_by_spread(
            self.value,
            of_queries,
            len(self._sums),
            margin,
            confidence,
            lasting=self.effects.variance,
            freedom=lambda shrunk: self.effects.freedom(of_queries * shrunk, shrunk),
        )


def further_votes(mean: BoundedMean, margin: float, confidence: float) -> int | None:
    """How many more queries decide with 80 % power, by the rule of this mean; None where it decides, or none would."""
    if not isinstance(mean, RatedMean) or mean.above.flat:
        return further_queries(mean, margin, confidence)
    level = (1 - confidence) / 2
    if min(mean.above.p_value(-margin), mean.below.p_value(0.0)) <= level:
        return None
    return mean.further(margin, confidence)
