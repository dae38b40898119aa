"""Sets: what was retrieved, without regard to order. P, R, F and RelP without k belong here too."""

from __future__ import annotations

from math import log

from idealist import kernels
from idealist.errors import InputError
from idealist.measures.families.binary import hits_of
from idealist.measures.gains import number_text
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values


class SetAP(Measure, name="SetAP", aliases={"set_map": {}}):
    """Average precision of a set without order: precision times recall of all that was retrieved.

    Hits² / (retrieved · R); 0 when nothing was retrieved. Undefined when nothing is relevant. Buckley,
    trec_eval, 2008.

    >>> SetAP()([1, 0, 1, 0], judged=[1, 0, 1, 0, 1, 1])  # 1/2 · 1/2
    0.25
    """

    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        hits, relevant = hits_of(rankings, self.level, None), kernels.relevant(rankings.native, self.level)
        retrieved = kernels.retrieved(rankings.native, None)
        return (hits * hits / (retrieved * relevant)).filled(0.0).where_positive(relevant)


class Utility(
    Measure,
    name="Utility",
    aliases={"utility_": {"coefficients": "{}"}, "utility.": {"coefficients": "{}"}},
):
    """What a retrieved set is worth, when every document retrieved or missed, relevant or not, has its worth.

    a·(relevant and retrieved) + b·(retrieved only) + c·(relevant only) + d·(neither), with the coefficients a,
    b, c, d. Unless d is 0, collection_size says how many documents there are in all. Hull, The TREC-6 Filtering
    Track, 1997.

    >>> Utility(coefficients=[3, -2, -1, 0])([1, 0, 1], judged=[1, 0, 1, 1])  # 2·3 - 1·2 - 1·1
    3.0
    """

    coefficients: tuple[float, ...] = (1.0, -1.0, 0.0, 0.0)
    level: float = 1.0
    collection_size: float = 0.0
    bounds = (float("-inf"), float("inf"))
    favours_better = False  # not with every coefficient

    def values(self, rankings: Rankings) -> Values:
        hits, all_retrieved = hits_of(rankings, self.level, None), kernels.retrieved(rankings.native, None)
        relevant = kernels.relevant(rankings.native, self.level)
        worth_hit, worth_false, worth_missed, worth_rest = self.coefficients
        value = hits * worth_hit + (all_retrieved - hits) * worth_false + (relevant - hits) * worth_missed
        if worth_rest == 0:
            return value
        remaining = hits - all_retrieved - relevant + self.collection_size
        if (query := remaining.where_positive(remaining >= 0.0).first_undefined()) is not None:
            seen_documents = self.collection_size - remaining[query]
            raise InputError(
                f"{self}: query {rankings.native.name(query)!r} has {seen_documents:g} documents that are relevant or were "
                f"retrieved, and the collection is said to have {number_text(self.collection_size)}",
                hint="state how many documents there are, such as collection_size=528155",
            )
        return value + remaining * worth_rest


class YAAP(Measure, name="YAAP"):
    """Yet another average precision: AP as the logarithm of odds, smoothed.

    ln((1 + s) / (1 + R - s)), where s = Σ P@r over relevant documents at ranks r. Undefined when nothing is
    relevant. Robertson, ECIR 2012.

    >>> round(YAAP()([1, 0, 1, 0]), 4)  # s = 1 + 2/3: ln((8/3) / (4/3)) = ln 2
    0.6931
    """

    level: float = 1.0
    bounds = (float("-inf"), float("inf"))
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        relevant = kernels.relevant(rankings.native, self.level)
        precision_sum = kernels.precision_sum(rankings.native, self.level, None, rankings.threads)
        odds = (precision_sum + 1.0) / (relevant - precision_sum + 1.0)
        return (odds.log2() * log(2)).where_positive(relevant)
