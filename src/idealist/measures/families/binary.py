"""The binary family: a document is relevant when its grade reaches `level`; how much above does not count."""

from __future__ import annotations

from idealist import kernels
from idealist.base.values import ANY_GRADE
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values


def hits_of(rankings: Rankings, level: float, k: int | None) -> Values:
    """How many documents of at least this grade are among the first k."""
    return kernels.hits(rankings.native, level, k, rankings.threads)


def _relevant(rankings: Rankings, level: float) -> Values:
    return kernels.relevant(rankings.native, level)


class P(Measure, name="P", aliases={"precision": {}, "prec": {}, "set_P": {}, "SetP": {}}):
    """Precision: the share of relevant documents among the first k.

    Hits@k / k, even when fewer than k were retrieved. Without k, of all that were retrieved; 0 when
    nothing was. Van Rijsbergen, Information Retrieval, 1979.

    >>> P(k=5)([1, 0, 1])
    0.4
    """

    k: int | None = None
    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        hits = hits_of(rankings, self.level, self.k)
        if self.k is not None:
            return hits / self.k
        return (hits / kernels.retrieved(rankings.native, None)).filled(0.0)


class R(Measure, name="R", aliases={"recall": {}, "set_recall": {}, "SetR": {}}):
    """Recall: the share of all relevant documents that are among the first k.

    Hits@k / R. Undefined when nothing is relevant. Van Rijsbergen, Information Retrieval, 1979.

    >>> R(k=2)([1, 0, 1], judged=[1, 0, 1, 1, 1])
    0.25
    """

    k: int | None = None
    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        return hits_of(rankings, self.level, self.k) / _relevant(rankings, self.level)


# trec_eval's parameter of set_F, which is ir_measures' beta too, is beta².
class F(Measure, name="F", aliases={"f1": {}, "set_F": {"beta": "√{}"}, "SetF": {"beta": "√{}"}}):
    """The harmonic mean of precision and recall, recall counting beta times as much.

    (1 + beta²)·P·R / (beta²·P + R) at k. Undefined when nothing is relevant. Van Rijsbergen,
    Information Retrieval, 1979.

    >>> F(k=4)([1, 0, 1, 0], judged=[1, 0, 1, 0])  # P = 1/2, R = 1
    0.6666666666666666
    """

    k: int | None = None
    level: float = 1.0
    beta: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        weight = self.beta * self.beta
        relevant = _relevant(rankings, self.level)
        retrieved = kernels.retrieved(rankings.native, None) if self.k is None else None
        # With h hits, P = h/k and R = h/R: the h cancel, and what is left is linear in h.
        hits = hits_of(rankings, self.level, self.k)
        return (
            hits
            * (1 + weight)
            / (relevant * weight + (float(self.k or 0) if retrieved is None else retrieved))
        ).where_positive(relevant)


class AP(
    Measure,
    name="AP",
    aliases={
        "map": {},
        "map_cut": {},
        "average_precision": {},
        "mean_average_precision": {},
        "label_ranking_average_precision": {},
    },
):
    """Average precision: precision at the rank of each relevant document, averaged over all of them.

    Σ P@r over relevant documents at ranks r = 1..k, divided by all relevant documents R. Some tools divide by
    min(R, k) instead (divisor=reachable), or by the relevant documents among the first k (divisor=found), for
    which one more found may lower the value. Undefined when nothing is relevant. Its mean over queries is MAP.
    Buckley and Voorhees, SIGIR 2000.

    >>> AP()([1, 0, 1, 0])  # (1/1 + 2/3) / 2
    0.8333333333333333
    >>> AP(k=2)([1, 0, 1, 1]), AP(k=2, divisor="reachable")([1, 0, 1, 1])  # 1/3 and 1/2
    (0.3333333333333333, 0.5)
    """

    k: int | None = None
    level: float = 1.0
    divisor: str = "relevant"

    @property
    def averages_ties(self) -> bool:  # type: ignore[override]
        # Without a cut-off, what is found does not depend on the order.
        return self.divisor != "found" or self.k is None

    @property
    def favours_better(self) -> bool:  # type: ignore[override]
        return self.divisor != "found"

    @property
    def favours_order(self) -> bool:  # type: ignore[override]
        return self.averages_ties

    def values(self, rankings: Rankings) -> Values:
        relevant = _relevant(rankings, self.level)
        precision_sum = kernels.precision_sum(rankings.native, self.level, self.k, rankings.threads)
        if self.divisor == "found":
            relevant_found = hits_of(rankings, self.level, self.k)
            return (precision_sum / relevant_found).filled(0.0).where_positive(relevant)
        if self.divisor == "reachable" and self.k is not None:
            relevant_within_reach = relevant.minimum(float(self.k))
            return precision_sum.share_of(relevant_within_reach)
        return precision_sum.share_of(relevant)


class RR(Measure, name="RR", aliases={"recip_rank": {}, "mrr": {}, "reciprocal_rank": {}}):
    """Reciprocal rank: 1 / rank of the first relevant document, 0 when none is among the first k.

    Undefined when nothing is relevant. Its mean over queries is MRR. Voorhees, TREC-8, 1999.

    >>> RR()([0, 0, 1])
    0.3333333333333333
    """

    k: int | None = None
    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        value = kernels.reciprocal_rank(rankings.native, self.level, self.k, rankings.threads)
        return value.where_positive(_relevant(rankings, self.level))


class Rprec(Measure, name="Rprec", aliases={"r_precision": {}, "r-precision": {}}):
    """R-precision: precision at rank R, when R documents are relevant.

    Hits@R / R. Undefined when nothing is relevant. Buckley and Voorhees, SIGIR 2000.

    >>> Rprec()([1, 0, 1, 0])  # R = 2, one hit in the first two
    0.5
    """

    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        relevant = _relevant(rankings, self.level)
        hits = kernels.hits_within(rankings.native, self.level, relevant, rankings.threads)
        return hits / relevant


class Success(Measure, name="Success", aliases={"hit_rate": {}, "hitrate": {}, "hr": {}}):
    """Whether a relevant document is among the first k: 1 or 0. Recommenders call it hit rate.

    Undefined when nothing is relevant. Craswell and Hawking, TREC 2004.

    >>> Success(k=5)([0, 0, 1]), Success(k=2)([0, 0, 1])
    (1.0, 0.0)
    """

    k: int | None = None
    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        value = kernels.any_hit(rankings.native, self.level, self.k, rankings.threads)
        return value.where_positive(_relevant(rankings, self.level))


class Hits(Measure, name="Hits"):
    """How many relevant documents are among the first k.

    >>> Hits(k=3)([1, 0, 1, 1])
    2.0
    """

    k: int | None = None
    level: float = 1.0
    bounds = (0.0, float("inf"))

    def values(self, rankings: Rankings) -> Values:
        return hits_of(rankings, self.level, self.k)


class Judged(Measure, name="Judged"):
    """The share of judged documents among the first k, or among all retrieved if they are fewer.

    0 when nothing was retrieved. The lower it is, the less the other values mean.

    >>> Judged(k=4)([1, None, 0, None])
    0.5
    """

    k: int | None = None
    favours_better = False  # asks whether there is a grade, not how high it is

    def values(self, rankings: Rankings) -> Values:
        return (hits_of(rankings, ANY_GRADE, self.k) / kernels.retrieved(rankings.native, self.k)).filled(0.0)


class Unjudged(Measure, name="Unjudged", aliases={"unj": {}, "holes_ratio": {}}):
    """The share of unjudged documents among the first k.

    So many / k, even when fewer than k were retrieved; without k, of all that were retrieved, and 0 when
    nothing was. A document of a negative grade was pooled but not judged. Soboroff, trec_eval 10, 2023.

    >>> Unjudged(k=4)([1, None, 0, None])
    0.5
    """

    k: int | None = None
    favours_better = False  # asks whether there is a grade, not how high it is
    better = "lower"

    def values(self, rankings: Rankings) -> Values:
        retrieved = kernels.retrieved(rankings.native, self.k)
        unjudged = retrieved - hits_of(rankings, 0.0, self.k)
        return (unjudged / (retrieved if self.k is None else float(self.k))).filled(0.0)
