"""The gain family: what the documents are worth, discounted by rank, held against the ideal list."""

from __future__ import annotations

from idealist import kernels
from idealist.errors import InputError
from idealist.measures.base import Measure
from idealist.measures.discounts import discount_table
from idealist.measures.gains import native_gain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain


def _ranks(rankings: Rankings, k: int | None) -> int:
    longest = rankings.native.longest()
    return longest if k is None else min(k, longest)


def _found(rankings: Rankings, gain: Gain, discount: Discount, k: int | None) -> Values:
    discounts = discount_table(discount, _ranks(rankings, k))
    worth = native_gain(gain, rankings)
    found = kernels.discounted_gains(rankings.native, worth, discounts, k, rankings.threads)
    return _finite(found, rankings)


def _best(rankings: Rankings, gain: Gain, discount: Discount, k: int | None, ideal: str) -> Values:
    discounts = discount_table(discount, _ranks(rankings, k))
    worth = native_gain(gain, rankings)
    retrieved = ideal == "retrieved"
    best = kernels.ideal_gains(rankings.native, worth, discounts, k, retrieved, rankings.threads)
    return _finite(best, rankings)


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
        return _found(rankings, self.gain, "none", self.k)


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
        return _found(rankings, self.gain, self.discount, self.k)


class _HeldAgainstIdeal(Measure):
    """What the measures with an ideal list have in common."""

    k: int | None = None
    gain: Gain = "linear"
    discount: Discount = "log2"
    ideal: str = "judged"

    @property
    def depth(self) -> int | None:
        return None if self.ideal == "retrieved" else self.k


class IDCG(_HeldAgainstIdeal, name="IDCG", aliases={"ideal_dcg": {}}):
    """The DCG of the ideal list: the judged documents with a gain above 0, best first.

    With ideal=retrieved, of the retrieved documents only. Järvelin and Kekäläinen, TOIS 2002.

    >>> round(IDCG(gain="exp")([5, 1, 3, 2, 4]), 4)
    45.6428
    """

    bounds = (0.0, float("inf"))

    def values(self, rankings: Rankings) -> Values:
        return _best(rankings, self.gain, self.discount, self.k, self.ideal)


class NDCG(
    _HeldAgainstIdeal,
    name="nDCG",
    aliases={"ndcg_cut": {}, "ndcg_burges": {"gain": "exp"}, "normalized_dcg": {}},
):
    """DCG as a share of the ideal list's DCG.

    DCG@k / IDCG@k. Undefined when nothing judged has a gain. Järvelin and Kekäläinen, TOIS 2002.

    >>> round(NDCG(gain="exp")([5, 1, 3, 2, 4]), 4)
    0.9251
    """

    def values(self, rankings: Rankings) -> Values:
        found = _found(rankings, self.gain, self.discount, self.k)
        best = _best(rankings, self.gain, self.discount, self.k, self.ideal)
        return found.share_of(best)
