"""Counts: how many queries, documents and judgments there are."""

from __future__ import annotations

from idealist import kernels
from idealist.data.needs import QUERIES
from idealist.measures.families.binary import hits_of
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values


class NumQ(Measure, name="NumQ", aliases={"num_q": {}}):
    """How many queries there are: 1 for each.

    >>> NumQ()([0])
    1.0
    """

    bounds = (1.0, 1.0)
    aggregate = "sum"
    depth = 0  # looks at no rank
    needs = QUERIES
    better = "neither"

    def values(self, rankings: Rankings) -> Values:
        return kernels.retrieved(rankings.native, None) * 0.0 + 1.0


class NumRet(Measure, name="NumRet", aliases={"num_ret": {}}):
    """How many documents were retrieved.

    >>> NumRet()([1, None, 0])
    3.0
    """

    bounds = (0.0, float("inf"))
    aggregate = "sum"
    depth = 0  # looks at no rank
    needs = QUERIES
    better = "neither"

    def values(self, rankings: Rankings) -> Values:
        return kernels.retrieved(rankings.native, None)


class NumRel(Measure, name="NumRel", aliases={"num_rel": {}}):
    """How many judged documents are relevant, retrieved or not.

    >>> NumRel(level=2)([1, 2], judged=[1, 2, 3])
    2.0
    """

    level: float = 1.0
    bounds = (0.0, float("inf"))
    aggregate = "sum"
    depth = 0  # looks at no rank
    better = "neither"

    def values(self, rankings: Rankings) -> Values:
        return kernels.relevant(rankings.native, self.level)


class NumRelRet(Measure, name="NumRelRet", aliases={"num_rel_ret": {}, "NumRet(rel)": {}}):
    """How many relevant documents were retrieved.

    >>> NumRelRet()([1, None, 0, 2])
    2.0
    """

    level: float = 1.0
    bounds = (0.0, float("inf"))
    aggregate = "sum"

    def values(self, rankings: Rankings) -> Values:
        return hits_of(rankings, self.level, None)


class NumNonrelJudgedRet(Measure, name="NumNonrelJudgedRet", aliases={"num_nonrel_judged_ret": {}}):
    """How many documents that were judged not relevant were retrieved.

    Those with a grade from 0 up to, not including, level: a negative grade says that the document was pooled
    but not judged.

    >>> NumNonrelJudgedRet()([1, None, 0, 2, 0, -1])
    2.0
    """

    level: float = 1.0
    bounds = (0.0, float("inf"))
    aggregate = "sum"
    favours_better = False  # the more, the worse
    better = "lower"

    def values(self, rankings: Rankings) -> Values:
        judged = hits_of(rankings, min(0.0, self.level), None)
        return judged - hits_of(rankings, self.level, None)


class NumUnjudgedRet(Measure, name="NumUnjudgedRet", aliases={"num_unjudged_ret": {}, "holes": {}}):
    """How many documents were retrieved that were not judged: holes in the judgments.

    A negative grade says that the document was pooled but not judged. Azure counts them so; BEIR's hole@k is `Hole`.
    Microsoft, Azure AI Evaluation, DocumentRetrievalEvaluator, 2025.

    >>> NumUnjudgedRet()([1, None, 0, 2, None, -1])
    3.0
    """

    bounds = (0.0, float("inf"))
    aggregate = "sum"
    favours_better = False  # asks whether there is a grade, not how high it is
    better = "lower"

    def values(self, rankings: Rankings) -> Values:
        return kernels.retrieved(rankings.native, None) - hits_of(rankings, 0.0, None)
