"""Incomplete judgments: what is known when not every document was judged."""

from __future__ import annotations

from idealist import kernels
from idealist.measures.base import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values

SMOOTHING = 0.00001


class InfAP(Measure, name="infAP"):
    """Inferred average precision: AP estimated when only some of the pooled documents were judged.

    (1/R)·Σ (1 + p·(h + ε)/(h + n + 2ε)) / r over the relevant documents that were retrieved, at ranks r, with
    ε = 0.00001: p pooled documents stand above one, of which h were judged relevant and n not. A negative grade
    says that the document was pooled but not judged; with negative=unjudged it is as if it had not been pooled.
    Undefined when nothing is relevant. Yilmaz and Aslam, CIKM 2006.

    >>> round(InfAP()([1, -1, 1, None, 0]), 4)  # (1 + (1 + 2·1/1)/3) / 2: the -1 is relevant as often as the 1
    1.0
    """

    level: float = 1.0
    averages_ties = False
    favours_better = False  # a pooled document, even of a negative grade, is better than one outside the pool

    def values(self, rankings: Rankings) -> Values:
        grades = kernels.grades(rankings.native)
        hit = grades >= self.level
        pooled = (grades * 0.0 + 1.0).before()
        hits = hit.before()
        judged = (grades >= min(0.0, self.level)).before()
        expected = pooled * (hits + SMOOTHING) / (judged + 2 * SMOOTHING)
        at_hits = hit * (expected + 1.0) / kernels.ranks(rankings.native)
        return at_hits.sum().share_of(kernels.relevant(rankings.native, self.level))
