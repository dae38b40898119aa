"""User models: how far down a list a person goes, and what she has by then."""

from __future__ import annotations

from math import ceil

from idealist import kernels
from idealist.errors import InputError
from idealist.measures.cwl import Binary, Fixed, Graded, Walk
from idealist.measures.discounts import log2
from idealist.measures.gains import gain_rule, native_gain, refuse_grades_above
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values
    from idealist.measures.gains import Gain


# ranx writes rbp.95 for p=0.95; trec_eval 10 writes rbp_0.90, and means p=0.9 where it says nothing.
RBP_NAMES: dict[str, dict[str, object]] = {
    "rank_biased_precision": {},
    "rbp.": {"p": "0.{}"},
    "rbp.0.": {"p": "0.{}"},
    "rbp_": {"p": "{}"},
}


class ERR(Measure, name="ERR", aliases={"expected_reciprocal_rank": {}}):
    """Expected reciprocal rank: 1 / rank of the document a person stops at.

    Σ_r (1/r)·R_r·Π_{j<r}(1 − R_j) over ranks r = 1..k, where R = (2^y − 1)/2^max_grade is the chance that a
    document of grade y satisfies. Chapelle, Metzler, Zhang and Grinspan, CIKM 2009.

    >>> ERR(max_grade=2)([2, 0, 1])  # 3/4, then 1/3 · 1/4 of what is left
    0.7708333333333334
    """

    k: int | None = None
    max_grade: float = 4.0
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        return self._values(rankings, rankings.native)

    def _values(self, rankings: Rankings, native: kernels.Rankings) -> Values:
        refuse_grades_above(self.max_grade, rankings)
        ranks = kernels.ranks(native)
        gains = kernels.gains(native, native_gain("exp", rankings))
        satisfies = gains * float(2.0**-self.max_grade) * (ranks <= (self.k or float("inf")))
        chance_of_looking = (1.0 - satisfies).product_before()
        return (satisfies * chance_of_looking / ranks).sum()


class NERR(ERR, name="nERR", aliases={"normalized_err": {}}):
    """ERR as a share of the ideal list's ERR.

    ERR@k / ERR@k of all judged documents, best first. Undefined when nothing judged has a gain. Chapelle, Metzler,
    Zhang and Grinspan, CIKM 2009.

    >>> round(NERR(max_grade=1)([0, 1]), 4)  # 1/2 · 1/2 for 1/2
    0.5
    """

    def values(self, rankings: Rankings) -> Values:
        err = self._values(rankings, rankings.native)
        ideal_err = self._values(rankings, kernels.ideal_order(rankings.native))
        return err.share_of(ideal_err)


class Q(Measure, name="Q", aliases={"q_measure": {}, "q-measure": {}}):
    """Q-measure: average precision in which gain counts beside relevance.

    Σ (C(r) + beta·G(r)) / (r + beta·I(r)) over relevant documents at ranks r = 1..k, divided by all relevant
    documents R. C(r) counts the relevant documents up to rank r, G(r) sums their gains, and I(r) sums those of
    the ideal list. NTCIREVAL divides by min(R, k) (divisor=reachable). Undefined when nothing is relevant. Sakai, NTCIR-4, 2004.

    >>> Q()([0, 2], judged=[2, 1, 0])  # (1 + 2) / (2 + 3), of two relevant documents
    0.3
    """

    k: int | None = None
    level: float = 1.0
    gain: Gain = "linear"
    beta: float = 1.0
    divisor: str = "relevant"
    averages_ties = False

    @property
    def favours_better(self) -> bool:  # type: ignore[override]
        return self.divisor != "found"

    @property
    def favours_order(self) -> bool:  # type: ignore[override]
        return self.divisor != "found" or self.k is None

    def values(self, rankings: Rankings) -> Values:
        native, worth = rankings.native, self._worths(rankings)
        ideal = kernels.ideal_order(native)
        ranks = kernels.ranks(native)
        hit = (kernels.grades(native) >= self.level) * (ranks <= float(self.k or "inf"))
        ideal_gain_so_far = kernels.gains(ideal, worth).running().last_up_to(kernels.ranks(ideal), ranks, 0.0)
        if (query := ideal_gain_so_far.highest(0.0).first_infinite()) is not None:
            raise InputError(
                f"the gains of query {native.name(query)!r} add up to more than a number can hold",
                hint="use smaller grades, or a gain that grows less",
            )
        relevant_so_far, gain_so_far = hit.running(), kernels.gains(native, worth).running()
        blended_ratio = (relevant_so_far + gain_so_far * self.beta) / (ranks + ideal_gain_so_far * self.beta)
        sum_of_ratios = (hit * blended_ratio).sum()
        relevant = kernels.relevant(native, self.level)
        if self.divisor == "found":
            relevant_found = hit.sum()
            return (sum_of_ratios / relevant_found).filled(0.0).where_positive(relevant)
        if self.divisor == "reachable" and self.k is not None:
            relevant_within_reach = relevant.minimum(float(self.k))
            return sum_of_ratios.share_of(relevant_within_reach)
        return sum_of_ratios.share_of(relevant)

    def _worths(self, rankings: Rankings) -> kernels.Gain:
        """What each grade is worth: nothing below the level."""
        native_gain(self.gain, rankings)  # makes sure that every grade has one
        gain = gain_rule(self.gain)
        lowest = self.level if rankings.conventions.negative == "keep" else max(self.level, 0.0)

        def worth(grade: float) -> float:
            return max(gain(grade), 0.0) if grade >= lowest else 0.0

        worth.grades = getattr(gain, "grades", None)  # type: ignore[attr-defined]
        worths = kernels.worths(rankings.native, worth, True)
        numbers = [number for _, number in worths.table]
        if numbers != sorted(numbers):
            raise InputError(f"{self}: the gain falls where the grade rises", hint="give a gain that rises")
        return worths


class RBP(Binary, Fixed, name="RBP", aliases=RBP_NAMES):
    """Rank-biased precision: the expected gain of a document, when a person goes on with the chance p.

    (1 − p)·Σ p^(r−1)·g(r) over ranks r = 1..k. A document of at least `level` gains 1 or, with max_grade stated,
    y/max_grade. trec_eval 10 has p=0.9 and divides by the highest grade judged for the query, if that is above 1
    (scale=judged), so that queries with different highest grades do not count alike. What lies below the list, or below k, is not known: `Residual(of=RBP)` says how much that could
    add. Moffat and Zobel, TOIS 2008.

    >>> RBP(p=0.5)([1, 0, 1])  # 1/2 + 1/8
    0.625
    >>> RBP(p=0.5, max_grade=4)([1, 0, 2])  # 1/2 · 1/4 + 1/8 · 2/4
    0.1875
    """

    p: float = 0.8
    max_grade: float | None = None
    scale: str = "stated"

    def worth(self, grade: float) -> float:
        relevant = super().worth(grade)
        if self.scale == "judged":
            return relevant * max(grade, 0.0)
        return relevant if self.max_grade is None else relevant * min(max(grade / self.max_grade, 0.0), 1.0)

    def chance(self, rank: float) -> float:
        return self.p ** (rank - 1)  # type: ignore[no-any-return]

    def reach(self) -> float:
        return 1 / (1 - self.p)

    def walk(self, rankings: Rankings, best: bool) -> Walk:
        if self.scale == "judged":
            return self._walk_by_query(rankings, best)
        if self.max_grade is not None:
            refuse_grades_above(self.max_grade, rankings)
        return super().walk(rankings, best)

    def _walk_by_query(self, rankings: Rankings, best: bool) -> Walk:
        """The total is linear in the gains, so that it can be divided at the end."""
        walk = super().walk(rankings, best=False)
        highest = kernels.grades(kernels.ideal_order(rankings.native)).highest(0.0).maximum(1.0)
        total = walk.total / highest
        if best:
            stated = self.replace(scale="stated", max_grade=None)
            total = total + stated.walk(rankings, best=True).total - stated.walk(rankings, best=False).total
        return Walk(total, walk.depth)


class _Total(Graded, Fixed):
    """With total=true, the gain in all, in the place of the gain per document."""

    total: bool = False

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        return (0.0, float("inf") if self.total else 1.0)

    def values(self, rankings: Rankings) -> Values:
        return self.walk(rankings, best=False).total if self.total else super().values(rankings)


class _Geometric(Graded, Fixed):
    """RBP with another parameter in the place of p, and graded gains."""

    k: int | None = None

    @property
    def p(self) -> float:
        raise TypeError(f"{type(self).__name__} does not say how a person goes on")

    def chance(self, rank: float) -> float:
        return self.p ** (rank - 1)  # type: ignore[no-any-return]

    def reach(self) -> float:
        return 1 / (1 - self.p)


class NPV(_Geometric, name="NPV"):
    """Net present value: the expected gain of a document, when the next is worth less by a rate.

    RBP with p = 1/(1 + rate) and gains (y − min_grade)/(max_grade − min_grade). The sum Σ g(r)/(1 + rate)^(r−1)
    over ranks r = 1..k itself is its ExpectedTotalUtility. Azzopardi, Thomas and Moffat, SIGIR 2019.

    >>> NPV(rate=1, max_grade=1)([1, 0, 1])  # 1/2 + 1/8
    0.625
    """

    rate: float = 0.1

    @property
    def p(self) -> float:
        return 1 / (1 + self.rate)


class TBG(_Geometric, _Total, name="TBG", aliases={"time_biased_gain": {"total": "true"}}):
    """Time-biased gain: the expected gain of a document, when half the people leave in every half-life.

    RBP with p = 2^(−1/halflife) and gains (y − min_grade)/(max_grade − min_grade): all documents take the same
    time, and the half-life is a number of documents. The paper's number is the gain Σ g(r)·2^(−(r−1)/halflife), not
    divided by the expected depth: TBG(total=true), also called time_biased_gain. Smucker and Clarke, SIGIR 2012.

    >>> TBG(halflife=1, max_grade=1)([1, 0, 1])  # 1/2 + 1/8
    0.625
    >>> TBG(halflife=1, max_grade=1, total=True)([1, 0, 1])  # 1 + 1/4
    1.25
    """

    halflife: float = 224.0
    total: bool = False

    @property
    def p(self) -> float:
        return float(2 ** (-1 / self.halflife))


class UMeasure(_Total, name="U-measure", aliases={"U": {}, "umeasure": {}}):
    """U-measure: the expected gain of a document, when a person's interest falls evenly until she has read L.

    V(r) = 1 − (r − 1)/L while that is above 0, with gains (y − min_grade)/(max_grade − min_grade); L is a number of
    documents, which are all of the same length. The value is divided by ΣV(r); the paper's number is the sum of
    discounted gains itself: U-measure(total=true). Sakai and Dou, SIGIR 2013.

    >>> UMeasure(L=2, max_grade=1)([0, 1])  # V = 1, 1/2: 1/2 of 3/2
    0.3333333333333333
    >>> UMeasure(L=2, max_grade=1, total=True)([0, 1])
    0.5
    """

    k: int | None = None
    L: float = 1000.0
    total: bool = False

    def chance(self, rank: float) -> float:
        return max(0.0, 1 - (rank - 1) / self.L)

    def reach(self) -> float:
        ranks = ceil(self.L)
        return ranks - (ranks - 1) * ranks / (2 * self.L)


class SDCG(Graded, Fixed, name="SDCG", aliases={"scaled_dcg": {}}):
    """Scaled DCG: DCG as a share of what k documents of the highest grade would give.

    Σ g(r)/log2(r + 1) over ranks r = 1..k, divided by Σ 1/log2(r + 1), with gains
    (y − min_grade)/(max_grade − min_grade). Järvelin and Kekäläinen, TOIS 2002; as a user model, Moffat, Thomas and
    Scholer, CIKM 2013.

    >>> round(SDCG(max_grade=2, k=2)([1, 0]), 4)  # 1/2 of 1 + 1/log2(3)
    0.3066
    """

    def chance(self, rank: float) -> float:
        return 1 / log2(rank + 1)  # type: ignore[no-any-return]


class INSQ(Graded, Fixed, name="INSQ"):
    """The expected gain of a document, when a person hopes to find T in all and is ever surer to go on.

    C(r) = ((r + 2T − 1)/(r + 2T))², with gains (y − min_grade)/(max_grade − min_grade). Nobody goes below rank k.
    Moffat, Scholer and Thomas, ADCS 2012.

    >>> INSQ(T=0.5, max_grade=1, k=2)([0, 1])  # V = 1, 1/4
    0.2
    """

    T: float = 1.0

    def chance(self, rank: float) -> float:
        return (2 * self.T / (rank - 1 + 2 * self.T)) ** 2


class SET(Graded, Fixed, name="SET"):
    """Search economics: the expected gain of a document, when k documents worth 1 give k^power in all.

    V(r) = r^power − (r − 1)^power above rank k, with gains (y − min_grade)/(max_grade − min_grade). With power 1 it
    is the precision of graded documents. Azzopardi, SIGIR 2014.

    >>> SET(power=0.5, max_grade=1, k=4)([1, 0, 0, 0])  # 1 of 4^0.5
    0.5
    """

    k: int | None = 10
    power: float = 0.5

    def chance(self, rank: float) -> float:
        return rank**self.power - (rank - 1) ** self.power  # type: ignore[no-any-return]

    def reach(self) -> float:
        return float((self.k or 0) ** self.power)
