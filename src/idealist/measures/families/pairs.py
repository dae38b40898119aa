"""Pairs: how often a better document stands above a worse one."""

from __future__ import annotations

from idealist import kernels
from idealist.base.values import ANY_GRADE
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values


class Bpref(Measure, name="Bpref"):
    """Binary preference: how few documents judged not relevant stand above the relevant ones.

    (1/R)·Σ 1 - min(n, R) / min(N, R) over the relevant documents that were retrieved, where n documents judged
    not relevant stand above one, and N were judged so in all. Unjudged documents do not count, nor do those of
    a negative grade, which were pooled but not judged. Undefined when nothing is relevant. Buckley and Voorhees,
    SIGIR 2004; with N as in trec_eval.

    >>> Bpref()([1, 0, None, 1, 0])  # 1 for the first, 1 - 1/2 for the second
    0.75
    """

    level: float = 1.0
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        grades = kernels.grades(rankings.native)
        hit = grades >= self.level
        relevant = kernels.relevant(rankings.native, self.level)
        not_relevant = kernels.relevant(rankings.native, min(0.0, self.level)) - relevant
        above = ((grades >= min(0.0, self.level)) - hit).before()
        share = above.minimum(relevant) / not_relevant.minimum(relevant)
        preferred = (hit * (1.0 - share.filled(0.0))).sum()
        return preferred / relevant


class Accuracy(Measure, name="Accuracy"):
    """Pairwise accuracy: the share of pairs in order, of a relevant and another document among the first k.

    Unjudged documents are not relevant. Undefined when none or all of the first k are relevant. MacAvaney,
    Macdonald and Ounis, ir_measures, ECIR 2022.

    >>> Accuracy()([1, None, 1, 0])  # 3 of the 4 pairs
    0.75
    """

    k: int | None = None
    level: float = 1.0
    averages_ties = False
    favours_better = False  # undefined when all are relevant

    def values(self, rankings: Rankings) -> Values:
        ranks = kernels.ranks(rankings.native)
        hit = (kernels.grades(rankings.native) >= self.level) * (ranks <= float(self.k or "inf"))
        hits = hit.sum()
        others = kernels.retrieved(rankings.native, self.k) - hits
        return 1.0 - (hit * (ranks - hit.running())).sum() / (hits * others)


class AUC(Measure, name="AUC", aliases={"roc_auc": {}}):
    """Area under the ROC curve: the chance that a relevant document stands above one judged not relevant.

    Of all pairs of a judged relevant and a judged not relevant document, the share in order. Documents that
    were not retrieved stand below those that were; a pair of them counts half, as a pair with equal scores does
    when ties are averaged. Undefined when all or none of the judged are relevant. Hanley and McNeil, Radiology
    1982.

    >>> AUC()([1, 0, None, 1], judged=[1, 0, 1, 0])  # 3 of the 4 pairs: the last 0 was not retrieved
    0.75
    """

    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        ranks, grades = kernels.ranks(rankings.native), kernels.grades(rankings.native)
        good = grades >= self.level
        bad = 1.0 - good
        relevant = kernels.relevant(rankings.native, self.level)
        others = kernels.relevant(rankings.native, ANY_GRADE) - relevant
        good_found, bad_found = good.sum(), bad.sum()
        # Tied documents have one rank, and neither is before the other.
        in_order = (bad * ranks.earlier_less(good)).sum()
        out_of_order = (good * ranks.earlier_less(bad)).sum()
        half_in_order = (good_found * bad_found + in_order - out_of_order) / 2.0
        # A relevant document that was not retrieved is at best level with one that was not either.
        half_missed = (good_found + relevant) / 2.0 * (others - bad_found)
        return (half_in_order + half_missed) / (relevant * others)


class PartialAUC(Measure, name="pAUC", aliases={"partial_auc": {}}):
    """Partial AUC: the area under the ROC curve where few documents judged not relevant stand above, scaled to 0.5 to 1.

    (1 + (A − c²/2) / (c − c²/2)) / 2, where A is the area from a false positive rate of 0 up to c = max_fpr: 0.5 for
    an order by chance, 1 for a perfect one; below 0.5 if it is worse than chance. Documents that were not retrieved
    stand below those that were, side by side. Undefined when all or none of the judged are relevant. McClish, Medical
    Decision Making 1989.

    >>> PartialAUC(max_fpr=0.5)([1, 0, 1, 0])  # A = 1/2·1/2: the mean of 1 and (1/4 − 1/8)/(1/2 − 1/8)
    0.6666666666666666
    """

    max_fpr: float = 0.1
    level: float = 1.0
    averages_ties = False
    favours_better = False  # the more are relevant, the fewer of the others are looked at
    favours_order = True

    def values(self, rankings: Rankings) -> Values:
        good = kernels.grades(rankings.native) >= self.level
        bad = 1.0 - good
        relevant = kernels.relevant(rankings.native, self.level)
        others = kernels.relevant(rankings.native, ANY_GRADE) - relevant
        # A step to the right at every document judged not relevant, as high as relevant ones stand above it.
        width = (self.max_fpr - bad.before() / others).minimum(1.0 / others).maximum(0.0)
        steps = (bad * good.running() / relevant * width).sum()
        # What was not retrieved is one slope, from where the list ends to the upper right corner.
        left, height = bad.sum() / others, good.sum() / relevant
        beyond = (self.max_fpr - left).maximum(0.0)
        rise = ((1.0 - height) * (beyond / (1.0 - left))).filled(0.0)
        area = steps + beyond * (height + rise / 2.0)
        least = self.max_fpr * self.max_fpr / 2.0
        return 0.5 + (area - least) / (2.0 * (self.max_fpr - least))


class GroupAUC(AUC, name="GAUC", aliases={"group_auc": {}}):
    """Group AUC: the AUC of each user (= query), of which the mean is weighted by how much was shown to her.

    Σ w·AUC / Σ w over the users for whom AUC is defined, where w counts judged documents (impressions) or, with
    weighting=relevant, relevant ones (clicks). A query's own value is its AUC. Zhu and others, KDD 2017; Zhou and
    others, KDD 2018.

    >>> from idealist import evaluate
    >>> run = {"u": {"a": 2, "b": 1}, "v": {"a": 3, "b": 2, "c": 1}}
    >>> judged = {"u": {"a": 1, "b": 0}, "v": {"a": 0, "b": 0, "c": 1}}
    >>> evaluate(judged, run, "GAUC").aggregate("GAUC")  # 1 for 2 documents, 0 for 3
    0.4
    """

    weighting: str = "judged"
    aggregate = "pooled"

    def pooled(self, rankings: Rankings) -> float:
        level = ANY_GRADE if self.weighting == "judged" else self.level
        values = self.values(rankings)
        weights = kernels.relevant(rankings.native, level) * (values * 0.0 + 1.0).filled(0.0)
        total = weights.sum()
        return (values.filled(0.0) * weights).sum() / total if total else float("nan")


class RankingLoss(Measure, name="RankingLoss", aliases={"label_ranking_loss": {}}):
    """Label ranking loss: the chance that a relevant document stands below one judged not relevant.

    1 - AUC: of all pairs of a judged relevant and a judged not relevant document, the share out of order; 0 is best.
    Undefined when all or none of the judged are relevant. Schapire and Singer, Machine Learning 2000.

    >>> RankingLoss()([1, 0, None, 1])  # 1 of the 2 pairs
    0.5
    """

    level: float = 1.0
    favours_better = False  # the fewer, the better
    favours_order = True
    better = "lower"

    def values(self, rankings: Rankings) -> Values:
        return 1.0 - AUC(level=self.level).values(rankings)


class CoverageError(Measure, name="CoverageError", aliases={"coverage_error": {}}):
    """Coverage error: how many documents one has to see to have seen every relevant one.

    The rank of the last relevant document. Relevant documents that were not retrieved stand below all that were.
    Undefined when nothing is relevant. Tsoumakas, Katakis and Vlahavas, Data Mining and Knowledge Discovery
    Handbook, 2010; with ranks from 1, as in scikit-learn.

    >>> CoverageError()([1, 0, 1, 0])
    3.0
    """

    level: float = 1.0
    bounds = (0.0, float("inf"))
    averages_ties = False
    favours_better = False  # the lower, the better; and the more are relevant, the later is the last
    favours_order = True
    better = "lower"

    def values(self, rankings: Rankings) -> Values:
        hit = kernels.grades(rankings.native) >= self.level
        relevant = kernels.relevant(rankings.native, self.level)
        last = (hit * kernels.ranks(rankings.native)).highest(0.0)
        missed = relevant - hit.sum()
        below = (kernels.retrieved(rankings.native, None) + missed) * (missed > 0.0)
        return last.maximum(below).where_positive(relevant)


class PNR(Measure, name="PNR", aliases={"positive_negative_ratio": {}}):
    """Positive-negative ratio: pairs in order per pair out of order, of judged documents of different grades.

    A pair is in order when the better document stands above. Documents that were not retrieved stand below those
    that were; pairs of them do not count. Where no pair is out of order, as in the best order of all, it is as
    if one were. Undefined when there is no such pair at all. Zou et al., KDD 2021.

    >>> PNR()([2, 0, 1, None, 0])  # 2-0, 2-1, 2-0, 1-0 are in order, 0-1 is not
    4.0
    """

    bounds = (0.0, float("inf"))
    averages_ties = False
    favours_better = False  # undefined when all grades are alike, however high
    favours_order = True

    def values(self, rankings: Rankings) -> Values:
        grades = kernels.grades(rankings.native)
        ones = grades * 0.0 + 1.0
        worse_above = grades.earlier_less(ones).sum()
        better_above = (0.0 - grades).earlier_less(ones).sum()
        differing = worse_above + better_above
        ideal = kernels.ideal_order(rankings.native)
        down = 0.0 - kernels.grades(ideal)
        # Among all judged documents, how many are better, and how many are better or as good.
        better = down.earlier_less(down * 0.0 + 1.0).last_up_to(down, 0.0 - grades, 0.0)
        not_worse = kernels.ranks(ideal).last_up_to(down, 0.0 - grades, 0.0)
        judged = kernels.relevant(rankings.native, ANY_GRADE)
        # Counted at the retrieved document of a pair; pairs of two retrieved ones are in `differing`.
        in_order = better_above + (judged - not_worse).sum() - differing
        out_of_order = worse_above + better.sum() - differing
        return (in_order / out_of_order.maximum(1.0)).where_positive(in_order + out_of_order)
