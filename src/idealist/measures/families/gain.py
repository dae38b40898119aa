"""The gain family: what the documents are worth, discounted by rank, compared with the ideal list."""

from __future__ import annotations

from idealist import kernels
from idealist.errors import InputError
from idealist.measures.discounts import discounts_of
from idealist.measures.gains import native_gain
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from idealist.data import Rankings
    from idealist.kernels import Places, Values
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain

    Sums = TypeVar("Sums", Places, Values)


def _dcg(rankings: Rankings, gain: Gain, discount: Discount, k: int | None) -> Values:
    discounts = discounts_of(discount, rankings.native, k)
    worth = native_gain(gain, rankings)
    dcg = kernels.discounted_gains(rankings.native, worth, discounts, k, rankings.threads)
    return _finite(dcg, rankings)


def _best(rankings: Rankings, gain: Gain, discount: Discount, k: int | None, ideal: str) -> Values:
    discounts = discounts_of(discount, rankings.native, k)
    worth = native_gain(gain, rankings)
    retrieved = ideal == "retrieved"
    idcg = kernels.ideal_gains(rankings.native, worth, discounts, k, retrieved, rankings.threads)
    return _finite(idcg, rankings)


def _share_of_retrieved(share: Values, best_of_judged: Values) -> Values:
    """Nothing retrieved has a gain: a bad run, not an empty query, if something judged has one."""
    return share.filled(0.0).where_positive(best_of_judged)


def _finite(sums: Values, rankings: Rankings) -> Values:
    if (query := sums.first_infinite()) is not None:
        raise InputError(
            f"the gains of query {rankings.native.name(query)!r} add up to more than a number can hold",
            hint="use smaller grades, or a gain that grows less",
        )
    return sums


class CG(Measure, name="CG", aliases={"cumulative_gain": {}}):
    """Cumulative gain: the sum of the gains, whatever their order.

    Σ g(y_r) over ranks r = 1..k. Järvelin and Kekäläinen, TOIS 2002.

    >>> CG()([5, 1, 3, 2, 4])
    15.0
    """

    k: int | None = None
    gain: Gain = "linear"
    bounds = (0.0, float("inf"))

    def values(self, rankings: Rankings) -> Values:
        return _dcg(rankings, self.gain, "none", self.k)


class DCG(Measure, name="DCG", aliases={"dcg_burges": {"gain": "exp"}}):
    """Discounted cumulative gain: gains count less the lower their documents stand.

    Σ g(y_r)·d(r) over ranks r = 1..k. Järvelin and Kekäläinen, TOIS 2002.

    >>> round(DCG(gain="exp")([5, 1, 3, 2, 4]), 4)
    42.2258
    """

    k: int | None = None
    gain: Gain = "linear"
    discount: Discount = "log2"
    bounds = (0.0, float("inf"))

    def values(self, rankings: Rankings) -> Values:
        return _dcg(rankings, self.gain, self.discount, self.k)


class _ShareOfIdeal(Measure):
    """What the measures with an ideal list have in common."""

    k: int | None = None
    gain: Gain = "linear"
    discount: Discount = "log2"
    ideal: str = "judged"

    @property
    def depth(self) -> int | None:
        return None if self.ideal == "retrieved" else self.k


class IDCG(_ShareOfIdeal, name="IDCG", aliases={"ideal_dcg": {}}):
    """The DCG of the ideal list: the judged documents with a gain above 0, best first.

    With ideal=retrieved, of the retrieved documents only. Järvelin and Kekäläinen, TOIS 2002.

    >>> round(IDCG(gain="exp")([5, 1, 3, 2, 4]), 4)
    45.6428
    """

    bounds = (0.0, float("inf"))

    def values(self, rankings: Rankings) -> Values:
        return _best(rankings, self.gain, self.discount, self.k, self.ideal)


class NDCG(
    _ShareOfIdeal,
    name="nDCG",
    aliases={"ndcg_cut": {}, "ndcg_burges": {"gain": "exp"}, "normalized_dcg": {}},
):
    """DCG as a share of the ideal list's DCG.

    DCG@k / IDCG@k. Undefined when nothing judged has a gain; with ideal=retrieved, 0 when something has, but nothing
    that was retrieved. Järvelin and Kekäläinen, TOIS 2002.

    >>> round(NDCG(gain="exp")([5, 1, 3, 2, 4]), 4)
    0.9251
    """

    def values(self, rankings: Rankings) -> Values:
        dcg = _dcg(rankings, self.gain, self.discount, self.k)
        idcg = _best(rankings, self.gain, self.discount, self.k, self.ideal)
        if self.ideal == "judged":
            return dcg.share_of(idcg)
        best_of_judged = _best(rankings, self.gain, self.discount, self.k, "judged")
        return _share_of_retrieved(dcg.share_of(idcg), best_of_judged)


class NCG(Measure, name="NCG", aliases={"normalized_cg": {}}):
    """Cumulative gain as a share of the ideal list's.

    CG@k / the same sum over the ideal list. Undefined when nothing judged has a gain; with ideal=retrieved, 0 when
    something has, but nothing that was retrieved. Järvelin and Kekäläinen, TOIS 2002.

    >>> NCG(k=2)([0, 3, 2, 1])  # 3 of 3 + 2
    0.6
    """

    k: int | None = None
    gain: Gain = "linear"
    ideal: str = "judged"

    @property
    def depth(self) -> int | None:
        return None if self.ideal == "retrieved" else self.k

    def values(self, rankings: Rankings) -> Values:
        cg = _dcg(rankings, self.gain, "none", self.k)
        ideal_cg = _best(rankings, self.gain, "none", self.k, self.ideal)
        if self.ideal == "judged":
            return cg.share_of(ideal_cg)
        best_of_judged = _best(rankings, self.gain, "none", self.k, "judged")
        return _share_of_retrieved(cg.share_of(ideal_cg), best_of_judged)


class _Course:
    """A list from rank to rank: ranks, gains, and the DCG so far, at its places; the DCG of all of it."""

    def __init__(self, listed: kernels.Rankings, gains: Places, discounts: Sequence[float]) -> None:
        self.ranks = kernels.ranks(listed)
        self.gains = gains
        self.discounted = gains * kernels.at_ranks(self.ranks, discounts)
        self.dcg = self.discounted.running()
        self.total = self.discounted.sum()


def _ideal_order(rankings: Rankings) -> kernels.Rankings:
    return kernels.ideal_order(rankings.native)


def _courses(rankings: Rankings, gain: Gain, discount: Discount) -> tuple[_Course, _Course]:
    """The ranking, and the judged documents best first; one with a gain below 0 has no place there."""
    worth, discounts = native_gain(gain, rankings), discounts_of(discount, rankings.native, None)
    ideal_order = rankings.view(_ideal_order)
    best_first = kernels.gains(ideal_order, worth).descending().maximum(0.0)
    course = _Course(rankings.native, kernels.gains(rankings.native, worth), discounts)
    ideal = _Course(ideal_order, best_first, discounts)
    _finite(ideal.total, rankings)
    return course, ideal


def _share(sums: Sums, best: Sums) -> Sums:
    """0 where there is no best; sums of the same numbers in another order must not pass 1."""
    return (sums / best).filled(0.0).minimum(1.0)


class NDCGRel(Measure, name="nDCGRel", aliases={"ndcg_rel": {}}):
    """nDCG at the rank of each document with a gain, averaged over all of them.

    The mean of nDCG@r over judged documents with a gain, at ranks r; one that was not retrieved counts the
    whole list's nDCG. Undefined when nothing judged has a gain. Buckley, trec_eval, 2008.

    >>> round(NDCGRel()([0, 2, 1]), 4)  # 1.2619/2.6309 at rank 2, 1.7619/2.6309 at 3
    0.5746
    """

    gain: Gain = "linear"
    discount: Discount = "log2"
    averages_ties = False
    # A document of little gain above better ones adds a low nDCG; if it is not retrieved, the whole list's.
    favours_better = False

    def values(self, rankings: Rankings) -> Values:
        course, ideal = _courses(rankings, self.gain, self.discount)
        hit = course.gains > 0.0
        ndcg_there = _share(course.dcg, ideal.dcg.last_up_to(ideal.ranks, course.ranks, 0.0))
        count = (ideal.gains > 0.0).sum()
        missed = (count - hit.sum()) * _share(course.total, ideal.total)
        sum_at_gains = (ndcg_there * hit).sum() + missed
        return sum_at_gains / count


class RNDCG(Measure, name="RnDCG"):
    """nDCG at the ranks where the gain falls in the ideal list, averaged over them.

    The mean of nDCG@r over the ranks r at which the documents of one gain end in the ideal list, and over the
    end of the ranking if that is more than one rank below the last of them, as trec_eval has it. Undefined when
    nothing judged has a gain. Buckley, trec_eval, 2008.

    >>> round(RNDCG()([1, 2]), 4)  # 1/2 at rank 1, where the 2 ends; 2.2619/2.6309 at rank 2
    0.6799
    """

    gain: Gain = "linear"
    discount: Discount = "log2"
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        course, ideal = _courses(rankings, self.gain, self.discount)
        falls = ideal.gains > ideal.gains.following(0.0)
        at_ideal_rank = _share(course.dcg.last_up_to(course.ranks, ideal.ranks, 0.0), ideal.dcg)
        count = (ideal.gains > 0.0).sum()
        longer = kernels.retrieved(rankings.native, None) > count + 1.0
        total = (at_ideal_rank * falls).sum() + longer * _share(course.total, ideal.total)
        return (total / (falls.sum() + longer)).where_positive(count)


class G(Measure, name="G"):
    """Normalized gain: a document's gain counts less the more gain could have been had by its rank.

    Σ g / log2(2 + c(r) - s(r)) over ranks r, divided by all gains of the ideal list. s(r) is the gain found up to
    rank r, c(r) the same in the ideal list, in which every rank counts at least 1. Undefined when nothing judged
    has a gain. Buckley, trec_eval, 2008.

    >>> round(G()([0, 2, 1]), 4)  # (2/log2(2 + 3 - 2) + 1/log2(2 + 4 - 3)) / 3
    0.6309
    """

    gain: Gain = "linear"
    averages_ties = False
    # Of two high gains far below where they belong, the lower one had better come first.
    favours_better = False

    def values(self, rankings: Rankings) -> Values:
        course, ideal = _courses(rankings, self.gain, "none")
        gain_so_far, all_gains = course.dcg, ideal.total
        # Below the ideal list every rank could have had 1.
        possible_gain_so_far = ideal.gains.maximum(1.0).running().last_up_to(
            ideal.ranks, course.ranks, 0.0
        ) + (course.ranks - ideal.ranks.highest(0.0)).maximum(0.0)
        behind = (possible_gain_so_far - gain_so_far).maximum(0.0)  # rounding could put it below
        discounted_gains = (course.gains / (behind + 2.0).log2()).sum()
        return discounted_gains.share_of(all_gains)


class BinG(Measure, name="binG"):
    """Binary G: a relevant document counts less the more others stand above it.

    (1/R)·Σ 1 / log2(2 + n) over the relevant documents that were retrieved, where n that are not relevant stand
    above one. Undefined when nothing is relevant. Buckley, trec_eval, 2008.

    >>> round(BinG()([0, 1, 1]), 4)  # 1/log2(3), twice
    0.6309
    """

    level: float = 1.0
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        hit = kernels.grades(rankings.native) >= self.level
        others_above = kernels.ranks(rankings.native) - hit.running()
        discounted_hits = (hit / (others_above + 2.0).log2()).sum()
        return discounted_hits.share_of(kernels.relevant(rankings.native, self.level))
