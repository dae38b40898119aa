"""Recall levels: precision where a share of the relevant documents, or a multiple of their number, is reached."""

from __future__ import annotations

from idealist import kernels
from idealist.measures.measure import Measure
from idealist.measures.measure_parameters import HIGHEST_RANK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values

ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def cut_rank(share: float, relevant: Values, rule: str) -> Values:
    """How many documents a share of the relevant ones is."""
    if rule == "nearest":
        return (relevant * share + 0.5).floored()
    if rule == "nine-tenths":
        return (relevant * share + 0.9).floored()
    # The product may miss a whole number by a bit; the quotient of whole numbers is the nearest double to
    # their ratio, and so is the share that somebody wrote down.
    below = (relevant * share).floored()
    return below + (below / relevant < share)


def _interpolated(rankings: Rankings, points: tuple[float, ...], level: float, rule: str) -> Values:
    """Interpolated precision, added up over points of recall."""
    relevant = kernels.relevant(rankings.native, level)
    hits_so_far = (kernels.grades(rankings.native) >= level).running()
    precision = hits_so_far / kernels.ranks(rankings.native)
    total = relevant * 0.0
    for point in points:
        total = total + (precision * (hits_so_far >= cut_rank(point, relevant, rule))).highest(0.0)
    return total.where_positive(relevant)


class IPrec(Measure, name="IPrec", aliases={"iprec_at_recall": {}}):
    """Interpolated precision: the highest precision at any rank where so much recall is reached.

    max P@r over ranks r with R@r ≥ recall; 0 when there is none. Undefined when nothing is relevant. trec_eval
    asks for floor(recall·R + 0.9) documents in version 9 (cut=nine-tenths) and for the nearest whole number to
    recall·R in version 10 (cut=nearest), which may be fewer than the recall says. Van Rijsbergen, Information
    Retrieval, 1979.

    >>> IPrec(recall=0.5)([1, 0, 0, 1, 1], judged=[1, 0, 0, 1, 1, 1])  # 2/4 at rank 4, 3/5 at rank 5
    0.6
    >>> IPrec(recall=0.3, cut="nearest")([1, 0, 0, 1, 1], judged=[1, 0, 0, 1, 1, 1])  # one of four will do
    1.0
    """

    recall: float = 0.0
    level: float = 1.0
    cut: str = "ceiling"
    at = "recall"
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        return _interpolated(rankings, (self.recall,), self.level, self.cut)


class IPrecAvg(
    Measure, name="IPrecAvg", aliases={"11pt_avg": {"points": "{}"}, "11-pt_avg": {"points": "{}"}}
):
    """Interpolated precision averaged over points of recall, by default the eleven from 0 to 1 in tenths.

    Undefined when nothing is relevant. `cut` is that of IPrec. Van Rijsbergen, Information Retrieval, 1979.

    >>> round(IPrecAvg()([1, 0, 1]), 4)  # 1 at the six points up to 0.5, 2/3 at the other five
    0.8485
    """

    points: tuple[float, ...] = ELEVEN
    level: float = 1.0
    cut: str = "ceiling"
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        return _interpolated(rankings, self.points, self.level, self.cut) / float(len(self.points))


class RprecMult(Measure, name="RprecMult", aliases={"Rprec_mult": {}}):
    """Precision at a multiple of R, when R documents are relevant.

    Hits@c / c at the rank c = multiple·R, rounded up. Undefined when nothing is relevant. trec_eval takes
    c = floor(multiple·R + 0.9) (cut=nine-tenths), and 0 for the value when that is 0. Buckley, trec_eval, 2008.

    >>> RprecMult(multiple=1.5)([1, 0, 0, 1])  # R = 2, one hit in the first three
    0.3333333333333333
    """

    multiple: float = 1.0
    level: float = 1.0
    cut: str = "ceiling"
    at = "multiple"

    def values(self, rankings: Rankings) -> Values:
        relevant = kernels.relevant(rankings.native, self.level)
        rank = cut_rank(self.multiple, relevant, self.cut)
        reached = rank.minimum(float(HIGHEST_RANK))
        hits = kernels.hits_within(rankings.native, self.level, reached, rankings.threads)
        return (hits / rank).filled(0.0).where_positive(relevant)


class RelP(
    Measure,
    name="RelP",
    aliases={
        "relative_P": {},
        "set_relative_P": {},
        "SetRelP": {},
        "calibrated_recall": {},
        "CalibratedRecall": {},
        "recall_cap": {},
        "R_cap": {},
    },
):
    """Relative precision: precision as a share of the highest there can be among the first k.

    Hits@k / min(k, R): precision as long as k ≤ R, then recall; recommenders call it calibrated recall, BEIR capped
    recall. Without k, of all that were retrieved; 0 when nothing was. Undefined when nothing is relevant. Buckley,
    trec_eval, 2008.

    >>> RelP(k=5)([1, 0, 1], judged=[1, 0, 1, 1, 1])  # 2 of the 4 that could be there
    0.5
    """

    k: int | None = None
    level: float = 1.0

    def values(self, rankings: Rankings) -> Values:
        relevant = kernels.relevant(rankings.native, self.level)
        hits = kernels.hits(rankings.native, self.level, self.k, rankings.threads)
        depth = kernels.retrieved(rankings.native, None) if self.k is None else float(self.k)
        return (hits / relevant.minimum(depth)).filled(0.0).where_positive(relevant)
