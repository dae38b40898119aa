"""Rated lists: how good documents are on the scale of grades, how much of all that is good was retrieved, and how much
was never rated."""

from __future__ import annotations

from idealist import kernels
from idealist.data.item_rankings import run_of
from idealist.data.needs import SCORES
from idealist.measures.discounts import discount_table, discounts_of
from idealist.measures.gains import native_gain, refuse_grades_above
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values
    from idealist.measures.discounts import Discount


class XDCG(Measure, name="XDCG"):
    """How good the first k documents are on the scale of grades, whatever else could have been retrieved.

    Σ d(r)·y_r/max_grade over ranks r = 1..k, divided by Σ d(r), with d(r) = 0.6^(r−1); negative grades count as 0.
    Azure prints 100 times as much, for k = 3. Microsoft, Azure AI Evaluation, DocumentRetrievalEvaluator, 2025.

    >>> round(XDCG(k=3)([4, None, 2]), 4)  # (1 + 0.36/2) of 1 + 0.6 + 0.36
    0.602
    """

    k: int = 3
    max_grade: float = 4.0
    discount: Discount = "rbp(0.6)"

    def values(self, rankings: Rankings) -> Values:
        refuse_grades_above(self.max_grade, rankings)
        discounts = discount_table(self.discount, self.k)
        gains = native_gain("linear", rankings)
        discount = discounts_of(self.discount, rankings.native, self.k)
        worth = kernels.discounted_gains(rankings.native, gains, discount, self.k, rankings.threads)
        return worth * (1.0 / (self.max_grade * sum(discounts)))


class Fidelity(Measure, name="Fidelity"):
    """How much of all that is known to be good was retrieved, at whatever rank.

    Σ (2^(y+1) − 1) over the retrieved documents of grade `level` or more, divided by the same sum over all judged
    ones. Undefined when nothing is relevant. Microsoft, Azure AI Evaluation, DocumentRetrievalEvaluator, 2025.

    >>> Fidelity()([None, 1], judged=[1, 2])  # 3 of 3 + 7
    0.3
    """

    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        ideal = kernels.ideal_order(rankings.native)
        worth_retrieved, worth_judged = self._worth(rankings.native), self._worth(ideal)
        return worth_retrieved.share_of(worth_judged)

    def _worth(self, native: kernels.Rankings) -> Values:
        grades = kernels.grades(native)
        return ((grades >= self.level) * (2.0 ** (grades + 1.0) - 1.0)).sum()


class Hole(Measure, name="Hole"):
    """The share of the first k documents that nobody judged for any query.

    So many / k, even when fewer than k were retrieved. A document that was judged for another query is no hole: `Unjudged`
    counts it, and is what says how far the values of a query can be trusted. Thakur and others, BEIR, NeurIPS 2021.

    >>> from idealist import evaluate
    >>> judged, run = {"p": {"a": 1}, "q": {"b": 1}}, {"p": ["a", "b"], "q": ["a", "c"]}
    >>> result = evaluate(judged, run, ["Hole@2", "Unjudged@2"])
    >>> result.mean("Hole@2"), result.mean("Unjudged@2")  # c of four; all but the first a
    (0.25, 0.75)
    """

    k: int = 10
    needs = SCORES
    averages_ties = False
    favours_better = False  # asks whether there is a grade, not how high it is
    better = "lower"

    def values(self, rankings: Rankings) -> Values:
        judgments, run = rankings.judgments, rankings.view(run_of)
        assert judgments is not None, "rankings of a run have judgments"
        judged = {document for query in judgments for document in judgments[query]}
        shares = []
        for query in rankings.queries:
            top = run.ranking(query, rankings.conventions)[: self.k] if query in run else []
            shares.append(sum(document not in judged for document in top) / self.k)
        return kernels.Values(shares)
