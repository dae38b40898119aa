"""GSB of items that come in queries, with weights and strata: its value, its interval and its test."""

from __future__ import annotations

from functools import cached_property
from math import ceil

from idealist.data.values import as_within
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.statistics.further import further_queries
from idealist.statistics.interval import Interval
from idealist.statistics.inversion import INVERSION, BoundedMean
from idealist.statistics.paired_shares import (
    AGRESTI_MIN,
    TANGO,
    agresti_min_interval,
    tango_interval,
    tango_p,
    two_sided_quantile,
)
from idealist.statistics.randomness import generator, resampled_sums
from idealist.votes.tests import flip_p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy import ndarray

    from idealist.votes.folding import VotedItems
    from idealist.votes.settings import VoteSettings

LEAST = 1e-18  # a variance that is rounding alone
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
    """GSB = Σ a·x over items, where the a sum to 1: equal without weights, w/Σw with them, and with strata each
    stratum's share of the traffic times w/Σw within it.

    The variance is that of a ratio, linearised: Σ over queries of (Σ a(x − GSB))², within strata; items of one query may
    be correlated in any way. The interval is Tango's where every query has one vote of equal weight, and where strata are
    weighted, at as many independent votes as have this variance, fewer by (z/t)² for the uncertainty of a variance from
    few queries (t has Satterthwaite's degrees of freedom). Elsewhere it is by test inversion over queries.
    """

    def __init__(self, items: VotedItems, shares: Mapping[str, float] | None = None) -> None:
        import numpy as np

        self.items = items
        self.strata_shares = None if shares is None else _traffic(items, shares)
        single = items.queries == items.n and set(np.unique(items.x)) <= {-1.0, 0.0, 1.0}
        # One vote a query of equal weight: the textbook's formulas hold.
        self.plain = bool(single and not items.weighted and shares is None)
        self._stratum = np.zeros(items.n, dtype=int) if shares is None else items.segment
        stratum_shares = np.ones(1) if self.strata_shares is None else self.strata_shares
        self._shares = stratum_shares
        totals = np.bincount(self._stratum, items.weight, len(stratum_shares))
        self.a = stratum_shares[self._stratum] * items.weight / totals[self._stratum]
        # Without strata the plain weights, so that counts stay whole.
        item_weights = items.weight if shares is None else self.a
        self.good, self.same, self.bad = (
            float((item_weights * kind).sum()) for kind in (items.good, items.same, items.bad)
        )
        total = self.good + self.same + self.bad
        self.value = float((item_weights * items.x).sum()) / total + 0.0
        self.decided = (self.good + self.bad) / total
        means = np.bincount(self._stratum, self.a * items.x, len(stratum_shares)) / stratum_shares
        self._means = means
        residuals = np.bincount(items.query, self.a * (items.x - means[self._stratum]), items.queries)
        stratum_of_query = np.zeros(items.queries, dtype=int)
        stratum_of_query[items.query] = self._stratum
        self._home, self._sizes = (
            stratum_of_query,
            np.bincount(stratum_of_query, minlength=len(stratum_shares)),
        )
        squares = np.bincount(stratum_of_query, residuals**2, len(stratum_shares))
        with np.errstate(divide="ignore", invalid="ignore"):
            self._variances = np.where(self._sizes > 1, squares * self._sizes / (self._sizes - 1), np.nan)
        # The effective number of queries of equal weight, less one for each stratum.
        by_query = np.bincount(items.query, self.a, items.queries)
        self._equal = float(1 / (by_query**2).sum())
        within = np.bincount(stratum_of_query, by_query, len(stratum_shares)) ** 2 / np.bincount(
            stratum_of_query, by_query**2, len(stratum_shares)
        )
        if shares is not None:
            self._widen(within)
        self.variance = float(self._variances.sum())
        self.df = max(1.0, self._satterthwaite(within))

    def _widen(self, equal: ndarray) -> None:
        """Gives strata whose queries all vote alike, which are still uncertain, Agresti and Min's variance."""
        import numpy as np

        strata = len(self._shares)
        good = equal * np.bincount(self._stratum, self.a * self.items.good, strata) / self._shares + 0.5
        bad = equal * np.bincount(self._stratum, self.a * self.items.bad, strata) / self._shares + 0.5
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
        """GSB as the mean of votes between −1 and 1 that come in queries."""
        return self.ratio(self.items.x, low=-1.0)

    def ratio(self, above: ndarray, below: ndarray | None = None, *, low: float = 0.0) -> BoundedMean:
        """Σ a·above / Σ a·below over items, by query; `below` is 1 for every item by default."""
        import numpy as np

        items = self.items
        sums = np.bincount(items.query, self.a * above, items.queries)
        weights = np.bincount(items.query, self.a if below is None else self.a * below, items.queries)
        counting = weights > 0
        largest = weights.max()
        return BoundedMean(sums[counting] / largest, low, 1.0, weights[counting] / largest)

    @property
    def totals(self) -> ndarray:
        """What every query adds to the value."""
        import numpy as np

        return np.bincount(self.items.query, self.a * self.items.x, self.items.queries)

    def p_value(self, settings: VoteSettings) -> float:
        return flip_p(self.totals, rounds=settings.rounds, seed=settings.seed)

    @property
    def degenerate(self) -> bool:
        """Whether all queries have the same value, so that their spread is no measure of uncertainty."""
        return self.variance < LEAST

    def effective_n(self, confidence: float) -> float:
        """The number of independent votes that would give GSB the same variance."""
        from scipy.special import stdtrit

        if self.plain:
            return float(self.items.n)
        spread = self.decided - self.value**2
        if not self.variance >= LEAST or spread <= 0:
            return self._equal
        ratio = two_sided_quantile(confidence) / float(stdtrit(self.df, (1 + confidence) / 2))
        most = float(self.items.votes.sum())
        return float(min(spread / self.variance * ratio**2, most))

    def method(self, settings: VoteSettings) -> str:
        """The method of the interval: the one requested, or else the one that fits."""
        degenerate = self.degenerate and settings.interval in ("linearised", "bootstrap")
        if settings.interval != "auto" and not degenerate:
            return settings.interval
        return "tango" if self.plain or self.strata_shares is not None else "inversion"

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

    def own_p(self, settings: VoteSettings) -> float | None:
        """The p-value of the test that the interval inverts; None where it inverts none."""
        method = self.method(settings)
        if method == "tango":
            scale = self.effective_n(settings.confidence) / (self.good + self.same + self.bad)
            return tango_p(self.good * scale, self.bad * scale)
        return self.bounded.p_value() if method == "inversion" else None

    def _scored(self, n: float, confidence: float, method: str) -> Interval:
        """The interval of n independent votes with these shares."""
        scale = n / (self.good + self.same + self.bad)
        interval_function = agresti_min_interval if method == "agresti-min" else tango_interval
        return interval_function(self.good * scale, self.bad * scale, n, confidence=confidence)

    def needed(self, margin: float, confidence: float) -> int | None:
        """How many more queries would decide with 80 % power, if their votes fall as these did."""
        if self.variance != self.variance and not self.plain:
            return None
        if (
            self.plain and not self.decided and margin
        ):  # Tango's interval of n equal votes ends at z²/(n + z²)
            return max(0, ceil(two_sided_quantile(confidence) ** 2 * (1 / margin - 1)) - self.items.n) or None
        return further_queries(self.bounded, margin, confidence)

    def _linearised(self, confidence: float) -> Interval:
        from scipy.special import stdtrit

        reach = float(stdtrit(self.df, (1 + confidence) / 2)) * self.variance**0.5
        return Interval(
            max(-1.0, self.value - reach), min(1.0, self.value + reach), confidence, METHODS["linearised"]
        )

    def _drawn(self, settings: VoteSettings) -> Interval:
        """The percentile interval of GSB when queries are drawn again, stratum by stratum."""
        import numpy as np

        items, random = self.items, generator(settings.seed)
        confidence = settings.confidence
        sums = np.bincount(items.query, items.weight * items.x, items.queries)
        weights = np.bincount(items.query, items.weight, items.queries)
        drawn = np.zeros(settings.rounds)
        for stratum, share in enumerate(self._shares):
            members = self._home == stratum
            blocks = resampled_sums([sums[members], weights[members]], settings.rounds, random)
            totals, drawn_weights = map(np.concatenate, zip(*blocks, strict=True))
            with np.errstate(invalid="ignore"):
                drawn += share * totals / drawn_weights
        low, high = np.nanquantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
        return Interval(float(low), float(high), confidence, METHODS["bootstrap"])

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
            for stratum, name in enumerate(self.items.segment_names)
        )


def _traffic(items: VotedItems, shares: Mapping[str, float]) -> ndarray:
    """The share of every segment, summing to 1."""
    import numpy as np

    if not items.segment_names:
        raise InputError(
            "the votes have no segments, so shares cannot be used", hint="votes need a column segment"
        )
    share_by_name = {
        str(name): as_within(share, f"the share of {name!r}", 0, ends="(]") for name, share in shares.items()
    }
    for name in items.segment_names:
        if name not in share_by_name:
            raise InputError(f"segment {name!r} has no share", hint="give the traffic share of every segment")
    for name in share_by_name:
        if name not in items.segment_names:
            raise InputError(
                f"no vote is in segment {name!r}", hint=f"the segments are {', '.join(items.segment_names)}"
            )
    query_segments = set(zip(items.query.tolist(), items.segment.tolist(), strict=True))
    if len(query_segments) > items.queries:
        query = next(
            q for q, _ in sorted(query_segments) if sum(other == q for other, _ in query_segments) > 1
        )
        raise InputError(
            f"query {items.query_names[query]!r} is in several segments",
            hint="strata are made of whole queries",
        )
    shares_in_order: ndarray = np.asarray([share_by_name[name] for name in items.segment_names])
    traffic: ndarray = shares_in_order / shares_in_order.sum()
    return traffic
