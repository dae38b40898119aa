"""Diversity: a query has subtopics, and a list is good when it serves them all."""

from __future__ import annotations

from idealist import kernels
from idealist.data.grouped import group_rankings
from idealist.measures.base import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values


class PIA(Measure, name="P-IA", aliases={"P_IA": {}}):
    """Intent-aware precision: precision for each subtopic, averaged over them.

    The mean over subtopics of P@k, in which the documents relevant to that subtopic count. Agrawal, Gollapudi,
    Halverson and Ieong, WSDM 2009.

    >>> from idealist import evaluate, GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1}, "cat": {"a": 1, "b": 1}}})
    >>> evaluate({"q": {"a": 2.0, "b": 1.0}}, judged, "P-IA@2").value("P-IA@2", "q")  # (1/2 + 2/2) / 2
    0.75
    """

    k: int = 20
    level: float = 1.0
    needs = "groups"
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        views = group_rankings(rankings)
        each = kernels.hits(views.native, self.level, self.k, rankings.threads) / self.k
        subtopics = kernels.Values([float(count) for count in views.counts])
        return each.sums_of(views.counts) / subtopics
