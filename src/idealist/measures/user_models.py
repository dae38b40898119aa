"""User models: how far down a list a person goes, and what she has by then."""

from __future__ import annotations

from idealist import kernels
from idealist.measures.base import Measure
from idealist.measures.gains import native_gain, refuse_grades_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data import Rankings
    from idealist.kernels import Values


class ERR(Measure, name="ERR"):
    """Expected reciprocal rank: 1 / rank of the document a person stops at.

    Σ_r (1/r)·R_r·Π_{j<r}(1 − R_j) over ranks r = 1..k, where R = (2^y − 1)/2^max_grade is the chance that a
    document of grade y satisfies. Chapelle, Metzler, Zhang and Grinspan, CIKM 2009.

    >>> ERR(max_grade=2)([2, 0, 1])  # 3/4, then 1/3 · 1/4 of what is left
    0.7708333333333334
    """

    k: int | None = None
    max_grade: float = 4.0
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        refuse_grades_above(self.max_grade, rankings)
        ranks = kernels.ranks(rankings.native)
        worth = kernels.gains(rankings.native, native_gain("exp", rankings))
        stops = worth * float(2.0**-self.max_grade) * (ranks <= (self.k or float("inf")))
        return (stops * (1.0 - stops).product_before() / ranks).sum()
