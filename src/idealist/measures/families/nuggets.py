"""Nuggets: facts that an answer should state; answers, or passages, support each in full, in part, or not."""

from __future__ import annotations

from idealist import kernels
from idealist.data.grouped import group_rankings
from idealist.data.needs import GROUPS
from idealist.measures.gains import refuse_grades_above
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values

VITAL = 1.0


class Nuggets(
    Measure,
    name="Nuggets",
    aliases={
        "nugget_recall": {},
        "all_score": {},
        "strict_all_score": {"credit": "strict"},
        "vital_score": {"nuggets": "vital"},
        "strict_vital_score": {"nuggets": "vital", "credit": "strict"},
        "weighted_score": {"nuggets": "weighted"},
        "strict_weighted_score": {"nuggets": "weighted", "credit": "strict"},
    },
):
    """Nugget score: how many of a query's nuggets the first k documents support; an answer is a list of one document.

    Σ w·s / Σ w over the nuggets of the query. s is the highest grade that any of the first k documents has for the
    nugget, by max_grade: with grades 0, 1 and 2, support in part counts 0.5 or, with credit=strict, nothing. The
    weights are 1 (nuggets=all), 1 for vital nuggets and 0 for others (nuggets=vital), or as given (nuggets=weighted: 1
    for vital ones, 0.5 for those that are okay). Judgments by group hold the nuggets; one that nothing supports stands
    there with grade 0. Undefined for a query without such nuggets. Pradeep and others, AutoNuggetizer, TREC 2024.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = {"q": {"n1": {"answer": 2}, "n2": {"answer": 1}, "n3": {"answer": 0}}}
    >>> weights = {"q": {"n1": 1, "n2": 1, "n3": 0.5}}
    >>> measures = ["Nuggets", "Nuggets(nuggets=vital,credit=strict)", "Nuggets(nuggets=weighted)"]
    >>> result = evaluate(GroupedJudgments(judged, weights=weights), {"q": {"answer": 1}}, measures)
    >>> [result.mean(measure) for measure in measures]  # (1 + 1/2)/3, 1/2, (1 + 1/2)/2.5
    [0.5, 0.5, 0.6]
    """

    k: int | None = None
    nuggets: str = "all"
    credit: str = "partial"
    max_grade: float = 2.0
    needs = GROUPS
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        views = group_rankings(rankings)
        refuse_grades_above(self.max_grade, rankings.replaced(views.native))
        grades = kernels.grades(views.native)
        if self.k is not None:
            grades = grades * (kernels.ranks(views.native) <= float(self.k))
        support = grades.highest(0.0) / self.max_grade
        if self.credit == "strict":
            support = support >= 1.0
        weights = views.weights
        if self.nuggets != "weighted":
            weights = weights >= VITAL if self.nuggets == "vital" else weights > 0.0
        return (support * weights).sums_of(views.counts) / weights.sums_of(views.counts)
