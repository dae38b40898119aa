"""Diversity: a query has subtopics, and a list is good when it serves them all.

P(i|q) below is the chance that subtopic i is meant: the weights of the judgments say so, and without weights
all subtopics are alike. As in ndeval, a subtopic for which nothing is relevant does not count, and the weights of
the others are made to add up to 1; ERR-IA, NRBP and alpha-DCG count it with subtopics=all, as their papers do.
"""

from __future__ import annotations

from math import e

from idealist.data.needs import GRADES, GROUPS
from idealist.errors import InputError
from idealist.measures.families.binary import AP, P
from idealist.measures.families.gain import NDCG
from idealist.measures.measure import Measure
from idealist.measures.subtopics import (
    by_global_gain,
    covered_counts,
    intent_aware,
    novelty_sum,
    share_of_bound,
    share_of_greedy,
    subtopic_counts,
    total_weights,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data import Rankings
    from idealist.kernels import Values
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain

# A greedy list may be beaten, but its first r documents have at least 1 − 1/e of what any r documents have
# (Nemhauser, Wolsey and Fisher, 1978).
BEST_TO_GREEDY = e / (e - 1)


class _OfSubtopics(Measure):
    """What the measures of subtopics have in common."""

    needs = GROUPS
    averages_ties = False


class AlphaDCG(_OfSubtopics, name="alpha-DCG", aliases={"alpha_DCG": {}, "α-DCG": {}, "α_DCG": {}}):
    """DCG in which a subtopic is worth less each time it is covered again.

    Σ_r d(r)·Σ_i (1 − alpha)^(documents above r that cover i), over the subtopics i of the document at rank
    r = 1..k, d(r) = 1/log2(r + 1). As ndeval does, divided by the same sum for a list whose every document
    covers every subtopic (ndeval forgets to at k = 1); with norm=none, the sum itself, in which a subtopic
    counts N·P(i|q), of N subtopics. P(i|q) is over the subtopics for which something is relevant, or over all
    (subtopics=all). Undefined when nothing is relevant. Clarke, Kolla, Cormack, Vechtomova,
    Ashkan, Büttcher and MacKinnon, SIGIR 2008.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1, "b": 1}, "cat": {"a": 1}}})
    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> round(evaluate(judged, run, "alpha-DCG(norm=none)@2").mean("alpha-DCG(norm=none)@2"), 4)  # 2 + 0.63/2
    2.3155
    """

    k: int = 20
    alpha: float = 0.5
    level: float = 1.0
    norm: str = "bound"
    subtopics: str = "relevant"
    bounds = (0.0, float("inf"))

    def values(self, rankings: Rankings) -> Values:
        if self.norm == "bound":
            return share_of_bound(rankings, self.level, self.alpha, "log2", self.k, self.subtopics)
        alpha_dcg = novelty_sum(rankings, self.level, self.alpha, "log2", self.k)
        count = subtopic_counts(rankings, self.level, self.subtopics)
        return alpha_dcg * (count / total_weights(rankings, self.level, self.subtopics))


class AlphaNDCG(_OfSubtopics, name="alpha-nDCG", aliases={"alpha_nDCG": {}, "α-nDCG": {}, "α_nDCG": {}}):
    """alpha-DCG as a share of the greedy ideal list's.

    The ideal list takes at each rank the document that adds most, and the greater id where several do, as
    ndeval does; a better list may exist, and then have a value above 1. Making it is quadratic in the
    relevant documents at worst. Undefined when nothing is relevant. Clarke, Kolla, Cormack, Vechtomova,
    Ashkan, Büttcher and MacKinnon, SIGIR 2008.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1, "b": 1}, "cat": {"c": 1}}})
    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> round(evaluate(judged, run, "alpha-nDCG@2").mean("alpha-nDCG@2"), 4)  # (1 + 0.63/2) / (1 + 0.63)
    0.8066
    """

    k: int | None = None
    alpha: float = 0.5
    level: float = 1.0
    bounds = (0.0, BEST_TO_GREEDY)

    def values(self, rankings: Rankings) -> Values:
        return share_of_greedy(rankings, self.level, self.alpha, "log2", self.k)


class ERRIA(_OfSubtopics, name="ERR-IA", aliases={"ERR_IA": {}}):
    """Intent-aware expected reciprocal rank, as a share of the most any list could have.

    Σ_r (1/r)·Σ_i P(i|q)·(1 − alpha)^(documents above r that cover i), over the subtopics i of the document
    at rank r = 1..k, divided by Σ_r (1/r)·(1 − alpha)^(r−1), as ndeval does (but at k = 1). The plain mean
    over subtopics, by grades, is IA(of=ERR). P(i|q) is over the subtopics for which something is relevant, or over
    all (subtopics=all). Undefined when nothing is relevant. Chapelle, Ji, Liao,
    Velipasaoglu, Lai and Wu, Information Retrieval 2011.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1}, "cat": {"b": 1}}})
    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> evaluate(judged, run, "ERR-IA@2").mean("ERR-IA@2")  # (1 + 1/2) / 2 subtopics / (1 + 1/4)
    0.6
    """

    k: int = 20
    alpha: float = 0.5
    level: float = 1.0
    subtopics: str = "relevant"

    def values(self, rankings: Rankings) -> Values:
        return share_of_bound(rankings, self.level, self.alpha, "zipf", self.k, self.subtopics)


class NERRIA(_OfSubtopics, name="nERR-IA", aliases={"nERR_IA": {}}):
    """Intent-aware expected reciprocal rank as a share of the greedy ideal list's.

    ERR-IA@k of the list, divided by that of the greedy ideal list of alpha-nDCG, which a better list may
    beat. Making it is quadratic in the relevant documents at worst. Undefined when nothing is relevant.
    Chapelle, Ji, Liao, Velipasaoglu, Lai and Wu, Information Retrieval 2011.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1, "b": 1}, "cat": {"c": 1}}})
    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> round(evaluate(judged, run, "nERR-IA@2").mean("nERR-IA@2"), 4)  # (1 + 1/2 · 1/2) / (1 + 1/2)
    0.8333
    """

    k: int | None = None
    alpha: float = 0.5
    level: float = 1.0
    bounds = (0.0, BEST_TO_GREEDY)

    def values(self, rankings: Rankings) -> Values:
        return share_of_greedy(rankings, self.level, self.alpha, "zipf", self.k)


class _Patient(_OfSubtopics):
    """What both forms of NRBP have in common."""

    alpha: float = 0.5
    beta: float = 0.5
    level: float = 1.0

    def _checked(self, field: str, value: Any) -> Any:
        checked = super()._checked(field, value)
        if field == "beta" and checked > 1:
            raise InputError(
                f"beta must be above 0 and at most 1, not {checked:g}", hint="here it is a probability"
            )
        return checked

    @property
    def _discount(self) -> str:
        return "none" if self.beta == 1 else f"rbp({self.beta!r})"


class NRBP(_Patient, name="NRBP"):
    """Novelty- and rank-biased precision: a person goes on with chance beta, and tires of what she has seen.

    (1 − (1 − alpha)·beta)·Σ_r beta^(r−1)·Σ_i P(i|q)·(1 − alpha)^(documents above r that cover i), over the
    subtopics i of the document at rank r. P(i|q) is over the subtopics for which something is relevant, or over all
    (subtopics=all). Undefined when nothing is relevant. Clarke, Kolla and Vechtomova, ICTIR 2009.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1}, "cat": {"b": 1}}})
    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> evaluate(judged, run, "NRBP").mean("NRBP")  # 3/4 · (1 + 1/2) / 2 subtopics
    0.5625
    """

    subtopics: str = "relevant"

    def values(self, rankings: Rankings) -> Values:
        novelty = novelty_sum(rankings, self.level, self.alpha, self._discount, None)
        most = total_weights(rankings, self.level, self.subtopics) / (1.0 - (1.0 - self.alpha) * self.beta)
        return novelty.share_of(most)


class NNRBP(_Patient, name="nNRBP"):
    """NRBP as a share of the greedy ideal list's.

    NRBP of the list, divided by that of the greedy ideal list of alpha-nDCG, which a better list may beat.
    Making it is quadratic in the relevant documents at worst. Undefined when nothing is relevant. Clarke,
    Kolla and Vechtomova, ICTIR 2009.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1}, "cat": {"b": 1}}})
    >>> run = {"q": {"x": 2.0, "b": 1.0}}
    >>> round(evaluate(judged, run, "nNRBP").mean("nNRBP"), 4)  # 1/2 of the ideal 1 + 1/2
    0.3333
    """

    bounds = (0.0, BEST_TO_GREEDY)

    def values(self, rankings: Rankings) -> Values:
        return share_of_greedy(rankings, self.level, self.alpha, self._discount, None)


class IA(_OfSubtopics, name="IA", aliases={"intent_aware": {}}):
    """A measure made intent-aware: its values for each subtopic, averaged over them.

    Σ_i P(i|q)·M_i, where M_i is the value on the judgments of subtopic i, over the subtopics for which
    something is relevant and M is defined; undefined without any. Agrawal, Gollapudi, Halverson and Ieong,
    WSDM 2009.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1}, "cat": {"b": 1}}})
    >>> evaluate(judged, {"q": {"a": 2.0, "b": 1.0}}, "IA(of=RR)").mean("IA(of=RR)")  # (1 + 1/2) / 2
    0.75
    """

    of: Measure = NDCG(k=10)

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        return self.of.bounds

    @property
    def better(self) -> str:  # type: ignore[override]
        return self.of.better

    def _checked(self, field: str, value: Any) -> Any:
        measure = super()._checked(field, value)
        if measure.needs != GRADES or measure.aggregate != "mean":
            raise InputError(
                f"{measure} cannot be made intent-aware",
                hint="it is for measures of one grade per document, such as IA(of=nDCG@10)",
            )
        return measure

    @property
    def depth(self) -> int | None:
        return self.of.depth

    def values(self, rankings: Rankings) -> Values:
        return intent_aware(rankings, self.of)


class APIA(_OfSubtopics, name="AP-IA", aliases={"AP_IA": {}, "MAP-IA": {}, "MAP_IA": {}}):
    """Intent-aware average precision: average precision for each subtopic, averaged over them.

    Σ_i P(i|q)·AP_i, which is IA(of=AP). Undefined when nothing is relevant. Agrawal, Gollapudi, Halverson
    and Ieong, WSDM 2009.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1}, "cat": {"b": 1}}})
    >>> evaluate(judged, {"q": {"a": 2.0, "b": 1.0}}, "AP-IA").mean("AP-IA")  # (1 + 1/2) / 2
    0.75
    """

    k: int | None = None
    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        return intent_aware(rankings, AP(k=self.k, level=self.level))


class PIA(_OfSubtopics, name="P-IA", aliases={"P_IA": {}}):
    """Intent-aware precision: precision for each subtopic, averaged over them.

    Σ_i P(i|q)·P_i@k, which is IA(of=P@k). Undefined when nothing is relevant. Agrawal, Gollapudi, Halverson
    and Ieong, WSDM 2009.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1}, "cat": {"a": 1, "b": 1}}})
    >>> evaluate(judged, {"q": {"a": 2.0, "b": 1.0}}, "P-IA@2").value("P-IA@2", "q")  # (1/2 + 2/2) / 2
    0.75
    """

    k: int = 20
    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        return intent_aware(rankings, P(k=self.k, level=self.level))


class StRecall(
    _OfSubtopics,
    name="StRecall",
    aliases={"strec": {}, "subtopic_recall": {}, "S-recall": {}, "I-rec": {}, "I_rec": {}},
):
    """Subtopic recall: the share of subtopics that the first k documents cover. Also called I-rec.

    Of the subtopics with a weight above 0 for which something is relevant, however likely they are.
    Undefined when nothing is relevant. Zhai, Cohen and Lafferty, SIGIR 2003.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1}, "cat": {"b": 1}}})
    >>> evaluate(judged, {"q": {"a": 2.0, "b": 1.0}}, "StRecall@1").mean("StRecall@1")
    0.5
    """

    k: int | None = None
    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        return covered_counts(rankings, self.level, self.k) / subtopic_counts(rankings, self.level)


class DNDCG(_OfSubtopics, name="D-nDCG", aliases={"D_nDCG": {}}):
    """nDCG by global gain: what a document is worth to each subtopic, times the chance that it is meant.

    nDCG@k in which a document's gain is Σ_i P(i|q)·g(its grade for subtopic i). Undefined when nothing
    judged has a gain. Sakai and Song, SIGIR 2011.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1, "b": 2}, "cat": {"b": 1}}})
    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> round(evaluate(judged, run, "D-nDCG@1").mean("D-nDCG@1"), 4)  # (1/2) / (2/2 + 1/2)
    0.3333
    """

    k: int | None = None
    gain: Gain = "linear"
    discount: Discount = "log2"

    def values(self, rankings: Rankings) -> Values:
        return NDCG(k=self.k, discount=self.discount).values(rankings.view(by_global_gain, self.gain))


class DSharpNDCG(_OfSubtopics, name="D#-nDCG", aliases={"D#_nDCG": {}, "DSharp-nDCG": {}, "DSharp_nDCG": {}}):
    """The mean of subtopic recall and D-nDCG: how many subtopics are served, and how well.

    gamma·StRecall@k + (1 − gamma)·D-nDCG@k. Undefined when nothing is relevant. Sakai and Song, SIGIR 2011.

    >>> from idealist import evaluate
    >>> from idealist.data import GroupedJudgments
    >>> judged = GroupedJudgments({"q": {"car": {"a": 1, "b": 2}, "cat": {"b": 1}}})
    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> round(evaluate(judged, run, "D#-nDCG@1").mean("D#-nDCG@1"), 4)  # (1/2 + 1/3) / 2
    0.4167
    """

    k: int | None = None
    gamma: float = 0.5
    level: float = 1.0
    gain: Gain = "linear"
    discount: Discount = "log2"

    def values(self, rankings: Rankings) -> Values:
        served = StRecall(k=self.k, level=self.level).values(rankings)
        worth = DNDCG(k=self.k, gain=self.gain, discount=self.discount).values(rankings)
        return served * self.gamma + worth * (1.0 - self.gamma)
