"""Judgment groups: several groups of people judged a query, and each has its say."""

from __future__ import annotations

from idealist import kernels
from idealist.data.grouped import group_rankings
from idealist.data.needs import GROUPS
from idealist.measures.families.recall_levels import cut_rank
from idealist.measures.measure import Measure
from idealist.measures.measure_parameters import HIGHEST_RANK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values


class AveragedOverGroups(Measure):
    """The base of measures that are the mean over the groups of a query of what each of them gives, by the
    groups' weights where the judgments have some."""

    needs = GROUPS
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        views = group_rankings(rankings)
        group_native = views.native
        if rankings.conventions.unjudged == "removed":
            group_native = kernels.condensed(group_native)  # what this group did not judge
        each = self._each(group_native, rankings.threads)
        defined = (each * 0.0 + 1.0).filled(0.0).sums_of(views.counts)
        total = (each.filled(0.0) * views.weights).sums_of(views.counts)
        return (total / views.weights.sums_of(views.counts)).where_positive(defined)

    def _each(self, group_native: kernels.Rankings, threads: int) -> Values:
        """The value of every query and group; nan where it is undefined."""
        raise TypeError(f"{type(self).__name__} does not say how it is computed")


class APAvgJG(AveragedOverGroups, name="AP-AvgJG", aliases={"map_avgjg": {}, "AP_avgjg": {}}):
    """Average precision for each judgment group, averaged over them.

    The mean over groups of AP, in which the documents relevant to that group count. A group to which nothing
    is relevant has 0; undefined when that is so for all. Buckley, trec_eval 9, 2008 (map_avgjg).

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"ann": {"a": 1, "b": 0}, "bob": {"a": 0, "b": 1}}})
    >>> evaluate(judged, {"q": {"a": 2.0, "b": 1.0}}, "AP-AvgJG").value("AP-AvgJG", "q")  # (1 + 1/2) / 2
    0.75
    """

    k: int | None = None
    level: float = 1.0

    def _each(self, group_native: kernels.Rankings, threads: int) -> Values:
        precision_sum = kernels.precision_sum(group_native, self.level, self.k, threads)
        return precision_sum.share_of(kernels.relevant(group_native, self.level))


class PAvgJG(AveragedOverGroups, name="P-AvgJG", aliases={"P_avgjg": {}}):
    """Precision for each judgment group, averaged over them.

    The mean over groups of P@k, in which the documents relevant to that group count. Buckley, trec_eval 9,
    2008 (P_avgjg).

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"ann": {"a": 1, "b": 0}, "bob": {"a": 1, "b": 1}}})
    >>> evaluate(judged, {"q": {"a": 2.0, "b": 1.0}}, "P-AvgJG@2").value("P-AvgJG@2", "q")  # (1/2 + 2/2) / 2
    0.75
    """

    k: int = 10
    level: float = 1.0

    def _each(self, group_native: kernels.Rankings, threads: int) -> Values:
        return kernels.hits(group_native, self.level, self.k, threads) / self.k


class RprecMultAvgJG(AveragedOverGroups, name="RprecMult-AvgJG", aliases={"Rprec_mult_avgjg": {}}):
    """Precision at a multiple of R, the number of relevant documents, for each judgment group, averaged over them.

    The mean over groups of the precision at rank multiple·R, rounded up, where R documents are relevant to the
    group. A group whose rank that is 0 has 0; undefined when that is so for all. trec_eval takes the rank
    floor(multiple·R + 0.9) (cut=nine-tenths). Buckley, trec_eval 9, 2008 (Rprec_mult_avgjg).

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"ann": {"a": 1}, "bob": {"b": 1, "z": 1}}})
    >>> measure = "RprecMult-AvgJG@2"  # ann looks at 2 ranks, bob at 4: (1/2 + 1/4) / 2
    >>> evaluate(judged, {"q": {"a": 2.0, "b": 1.0}}, measure).value(measure, "q")
    0.375
    """

    multiple: float = 1.0
    level: float = 1.0
    cut: str = "ceiling"
    at = "multiple"

    def _each(self, group_native: kernels.Rankings, threads: int) -> Values:
        rank = cut_rank(self.multiple, kernels.relevant(group_native, self.level), self.cut)
        reached = rank.minimum(float(HIGHEST_RANK))
        return kernels.hits_within(group_native, self.level, reached, threads) / rank
