"""GSB of votes that come in queries and by raters: its value, its interval and its test, and what raters add to its uncertainty.

Votes of a query are a cluster, and so are those of a rater. The variance of a mean over both is that over queries,
plus the products of residuals of the same rater on different queries (Cameron, Gelbach and Miller, JBES 2011). From
those are taken as many products of different raters on different queries, which are 0 but for the mean that all
residuals share; so nothing is added, on average, where raters do not differ.
"""

from __future__ import annotations

from functools import cached_property
from math import inf

from idealist.base.frozen import Frozen
from idealist.base.values import as_within
from idealist.errors import InputError
from idealist.statistics.inversion import INVERSION, BoundedMean, MeanTest
from idealist.statistics.mean_estimates import Interval
from idealist.statistics.paired_shares import (
    AGRESTI_MIN,
    TANGO,
    agresti_min_interval,
    agresti_min_p,
    tango_interval,
    tango_p,
    two_sided_quantile,
)
from idealist.statistics.power import further_by_spread, further_queries
from idealist.statistics.randomness import generator, resampled_sums
from idealist.votes.vote_tests import flip_p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy import ndarray
    from numpy.typing import NDArray

    from idealist.votes.folded_votes import FoldedVotes
    from idealist.votes.voting import VoteSettings


LEAST_P = 1e-16  # a p-value that rounding can tell from 0
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
        of_queries = (distance / float(ndtri(max(p, LEAST_P)))) ** 2
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


LEAST = 1e-18  # a variance that is rounding alone
FEW_DECIDED = 25  # votes: with fewer, intervals but that by test inversion are too narrow
# The methods of the interval, with their names in reports.
METHODS = {
    "auto": "the method that fits",
    "tango": TANGO,
    "inversion": f"{INVERSION} over queries",
    "agresti-min": AGRESTI_MIN,
    "linearised": "a linearised variance",
    "bootstrap": "a bootstrap over queries",
}


class Stratum(Frozen):
    """A segment with its share of the traffic: GSB there, and the variance of that."""

    name: str
    share: float
    value: float
    variance: float
    n: int
    queries: int


class VoteEstimate:
    """GSB = Σ a·x over votes, where the a sum to 1: equal without weights, w/Σw with them, and with strata each
    stratum's share of the traffic times w/Σw within it. (Under other folds items are in the place of votes.)

    The variance is that of a ratio, linearised: Σ over queries of (Σ a(x − GSB))², within strata, and what raters add to
    it; votes of one query, or of one rater, may be correlated in any way. The interval is by test inversion over
    queries. Where strata are weighted it is Tango's, at as many independent votes as have this variance, fewer by
    (z/t)² for the uncertainty of a variance from few queries (t has Satterthwaite's degrees of freedom), unless fewer
    than FEW_DECIDED of them are decided.
    """

    def __init__(self, votes: FoldedVotes, shares: Mapping[str, float] | None = None) -> None:
        import numpy as np

        self.votes = votes
        self.strata_shares = None if shares is None else _traffic(votes, shares)
        self._stratum = np.zeros(votes.n, dtype=int) if shares is None else votes.segment
        stratum_shares = np.ones(1) if self.strata_shares is None else self.strata_shares
        self._shares = stratum_shares
        totals = np.bincount(self._stratum, votes.weight, len(stratum_shares))
        self.a = stratum_shares[self._stratum] * votes.weight / totals[self._stratum]
        # Without strata the plain weights, so that counts stay whole.
        weights = votes.weight if shares is None else self.a
        self.good, self.same, self.bad = (
            float((weights * kind).sum()) for kind in (votes.good, votes.same, votes.bad)
        )
        total = self.good + self.same + self.bad
        self.value = float((weights * votes.x).sum()) / total + 0.0
        self.decided = (self.good + self.bad) / total
        means = np.bincount(self._stratum, self.a * votes.x, len(stratum_shares)) / stratum_shares
        self._means = means
        residuals = np.bincount(votes.query, self.a * (votes.x - means[self._stratum]), votes.queries)
        stratum_of_query = np.zeros(votes.queries, dtype=int)
        stratum_of_query[votes.query] = self._stratum
        self._home, self._sizes = (
            stratum_of_query,
            np.bincount(stratum_of_query, minlength=len(stratum_shares)),
        )
        squares = np.bincount(stratum_of_query, residuals**2, len(stratum_shares))
        with np.errstate(divide="ignore", invalid="ignore"):
            self._variances = np.where(self._sizes > 1, squares * self._sizes / (self._sizes - 1), np.nan)
        # The effective number of queries of equal weight, less one for each stratum.
        by_query = np.bincount(votes.query, self.a, votes.queries)
        self._equal = float(1 / (by_query**2).sum())
        within = np.bincount(stratum_of_query, by_query, len(stratum_shares)) ** 2 / np.bincount(
            stratum_of_query, by_query**2, len(stratum_shares)
        )
        if shares is not None:
            self._widen(within)
        self.effects = rater_effects(votes, self.a, self.a * (votes.x - means[self._stratum]))
        # One vote a query of equal weight: the textbook's formulas hold.
        self.plain = bool(
            votes.queries == votes.n and not votes.weighted and shares is None and self.effects is None
        )
        self.variance = float(self._variances.sum())
        self.df = max(1.0, self._satterthwaite(within))
        if self.effects is not None:
            of_queries, of_raters = self.variance, self.effects.freedom(self.variance)
            self.variance += self.effects.variance
            share = of_queries / self.variance if self.variance else 1.0
            self.df = max(1.0, 1 / (share**2 / self.df + 1 / of_raters))

    def _widen(self, equal: ndarray) -> None:
        """Gives strata whose queries all vote alike, which are still uncertain, Agresti and Min's variance."""
        import numpy as np

        strata = len(self._shares)
        good = equal * np.bincount(self._stratum, self.a * self.votes.good, strata) / self._shares + 0.5
        bad = equal * np.bincount(self._stratum, self.a * self.votes.bad, strata) / self._shares + 0.5
        n = equal + 2
        spread = (good + bad) / n - ((good - bad) / n) ** 2
        certain = self._variances < LEAST
        self._variances[certain] = (self._shares**2 * spread / n)[certain]

    def _satterthwaite(self, equal: ndarray) -> float:
        """Degrees of freedom of a sum of variances, each with those of its own stratum."""
        import numpy as np

        freedom = np.maximum(equal - 1, 1e-9)
        denominator = float((self._variances**2 / freedom).sum())
        return float(self.variance**2 / denominator) if denominator > 0 else float(equal.sum()) - len(equal)

    @cached_property
    def bounded(self) -> BoundedMean:
        """GSB as the mean of votes between −1 and 1 that come in queries and by raters."""
        return self.ratio(self.votes.x, low=-1.0)

    def ratio(self, above: ndarray, below: ndarray | None = None, *, low: float = 0.0) -> BoundedMean:
        """Σ a·above / Σ a·below over votes, by query and rater; `below` is 1 for every vote by default."""
        import numpy as np

        votes = self.votes
        parts = self.a if below is None else self.a * below
        sums = np.bincount(votes.query, self.a * above, votes.queries)
        weights = np.bincount(votes.query, parts, votes.queries)
        counting = weights > 0
        largest = weights.max()
        sums, weights = sums[counting] / largest, weights[counting] / largest
        if self.effects is None:
            return BoundedMean(sums, low, 1.0, weights)
        total = parts.sum()
        shares = parts / total
        # By no dot product: that of BLAS depends on the number of threads.
        residuals = self.a * above / total - shares * float((self.a * above).sum() / total)
        effects = rater_effects(votes, shares, residuals)
        return (
            BoundedMean(sums, low, 1.0, weights)
            if effects is None
            else RatedMean(sums, low, 1.0, weights, effects)
        )

    @property
    def totals(self) -> ndarray:
        """The sum that every query adds to the value."""
        import numpy as np

        return np.bincount(self.votes.query, self.a * self.votes.x, self.votes.queries)

    @property
    def clusters(self) -> str:
        """Raters, where they widen the interval, behind its name."""
        return "" if self.effects is None else " and raters"

    def flip_p(self, settings: VoteSettings) -> float:
        """The test by sign flips of queries; of one vote a query the exact binomial test."""
        return flip_p(self.totals, rounds=settings.rounds, seed=settings.seed)

    @property
    def degenerate(self) -> bool:
        """Whether all queries have the same value, so that their spread is no measure of uncertainty."""
        return self.variance < LEAST

    def effective_n(self, confidence: float) -> float:
        """The number of independent votes that would give GSB the same variance."""
        from scipy.special import stdtrit

        if self.plain:
            return float(self.votes.n)
        spread = self.decided - self.value**2
        if not self.variance >= LEAST or spread <= 0:
            return self._equal
        ratio = two_sided_quantile(confidence) / float(stdtrit(self.df, (1 + confidence) / 2))
        most = float(self.votes.votes)
        return float(min(spread / self.variance * ratio**2, most))

    def method(self, settings: VoteSettings) -> str:
        """The method of the interval: the one requested, unless too few votes are decided for it or all queries vote alike."""
        if self.few_decided(settings.confidence):
            return "inversion"
        if settings.interval == "auto":
            return "inversion" if self.strata_shares is None else "tango"
        alike = not self.variance >= LEAST and settings.interval in ("linearised", "bootstrap")
        return "inversion" if alike else settings.interval

    def few_decided(self, confidence: float) -> bool:
        """Whether so few votes are good or bad that all but test inversion is too narrow."""
        return self.effective_n(confidence) * self.decided < FEW_DECIDED

    def interval(self, settings: VoteSettings) -> Interval | None:
        """The interval of GSB; None when a stratum, or the whole, is a single query with several items."""
        method, confidence = self.method(settings), settings.confidence
        if not self.plain and self.variance != self.variance:
            return None
        if method == "inversion":
            return self.bounded.interval(confidence)
        if method == "linearised":
            return self._linearised(confidence)
        if method == "bootstrap":
            return self._drawn(settings)
        return self._scored(self.effective_n(confidence), confidence, method)

    def p_value(self, settings: VoteSettings) -> float:
        """The two-sided p-value of the test that the interval inverts."""
        method = self.method(settings)
        if method == "inversion" or (self.variance != self.variance and not self.plain):
            return self.bounded.p_value()
        if method == "linearised":
            from scipy.special import stdtr

            return float(2 * stdtr(self.df, -abs(self.value) / self.variance**0.5))
        if method == "bootstrap":
            drawn = self._drawn_means(settings)
            beyond = 1 + min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
            return min(1.0, 2 * beyond / (len(drawn) + 1))
        n = self.effective_n(settings.confidence)
        scale = n / (self.good + self.same + self.bad)
        if method == "agresti-min":
            return agresti_min_p(self.good * scale, self.bad * scale, n)
        return tango_p(self.good * scale, self.bad * scale)

    def _scored(self, n: float, confidence: float, method: str) -> Interval:
        """The interval of n independent votes with these shares."""
        scale = n / (self.good + self.same + self.bad)
        interval_function = agresti_min_interval if method == "agresti-min" else tango_interval
        return interval_function(self.good * scale, self.bad * scale, n, confidence=confidence)

    def needed(self, margin: float, confidence: float) -> int | None:
        """How many more queries would decide with 80 % power, if their votes fall as these did and are of the same
        raters."""
        if self.variance != self.variance and not self.plain:
            return None
        return further_votes(self.bounded, margin, confidence)

    def _linearised(self, confidence: float) -> Interval:
        from scipy.special import stdtrit

        reach = float(stdtrit(self.df, (1 + confidence) / 2)) * self.variance**0.5
        return Interval(
            max(-1.0, self.value - reach), min(1.0, self.value + reach), confidence, METHODS["linearised"]
        )

    def _drawn(self, settings: VoteSettings) -> Interval:
        """The interval between the means that so many of the drawn ones lie beyond as p_value asks for."""
        import numpy as np

        drawn, confidence = np.sort(self._drawn_means(settings)), settings.confidence
        beyond = max(0, int((1 - confidence) / 2 * (len(drawn) + 1) + 1e-9) - 1)
        return Interval(
            float(drawn[beyond]), float(drawn[len(drawn) - 1 - beyond]), confidence, METHODS["bootstrap"]
        )

    def _drawn_means(self, settings: VoteSettings) -> ndarray:
        """GSB of queries that are drawn again, stratum by stratum, and what raters add."""
        import numpy as np

        votes, random = self.votes, generator(settings.seed)
        sums = np.bincount(votes.query, votes.weight * votes.x, votes.queries)
        weights = np.bincount(votes.query, votes.weight, votes.queries)
        drawn = np.zeros(settings.rounds)
        for stratum, share in enumerate(self._shares):
            members = self._home == stratum
            blocks = resampled_sums([sums[members], weights[members]], settings.rounds, random)
            totals, drawn_weights = map(np.concatenate, zip(*blocks, strict=True))
            with np.errstate(invalid="ignore"):
                drawn += share * totals / drawn_weights
        drawn = drawn[~np.isnan(drawn)]
        if self.effects is not None and self.effects.variance:
            # Up and down, so that exchanging good and bad is a mirror.
            reach = random.standard_t(self.effects.raters - 1, len(drawn)) * self.effects.variance**0.5
            drawn = np.clip(np.concatenate([drawn + reach, drawn - reach]), -1, 1)
        return drawn

    def strata(self) -> tuple[Stratum, ...]:
        import numpy as np

        if self.strata_shares is None:
            return ()
        counts = np.bincount(self._stratum, minlength=len(self._shares))
        return tuple(
            Stratum(
                name,
                float(self._shares[stratum]),
                float(self._means[stratum]),
                float(self._variances[stratum] / self._shares[stratum] ** 2),
                int(counts[stratum]),
                int(self._sizes[stratum]),
            )
            for stratum, name in enumerate(self.votes.segment_names)
        )


def _traffic(votes: FoldedVotes, shares: Mapping[str, float]) -> ndarray:
    """The share of every segment, summing to 1."""
    import numpy as np

    if not votes.segment_names:
        raise InputError(
            "the votes have no segments, so shares cannot be used", hint="votes need a column segment"
        )
    share_by_name = {
        str(name): as_within(share, f"the share of {name!r}", 0, ends="(]") for name, share in shares.items()
    }
    for name in votes.segment_names:
        if name not in share_by_name:
            raise InputError(f"segment {name!r} has no share", hint="give the traffic share of every segment")
    for name in share_by_name:
        if name not in votes.segment_names:
            raise InputError(
                f"no vote is in segment {name!r}", hint=f"the segments are {', '.join(votes.segment_names)}"
            )
    query_segments = set(zip(votes.query.tolist(), votes.segment.tolist(), strict=True))
    if len(query_segments) > votes.queries:
        query = next(
            q for q, _ in sorted(query_segments) if sum(other == q for other, _ in query_segments) > 1
        )
        raise InputError(
            f"query {votes.query_names[query]!r} is in several segments",
            hint="strata are made of whole queries",
        )
    shares_in_order: ndarray = np.asarray([share_by_name[name] for name in votes.segment_names])
    traffic: ndarray = shares_in_order / shares_in_order.sum()
    return traffic
