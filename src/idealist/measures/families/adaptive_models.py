"""Adaptive user models: whether a person goes on depends on what she has found."""

from __future__ import annotations

from math import e

from idealist.base.values import as_within
from idealist.measures.cwl import Adaptive, Graded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.kernels import Places


class _AdaptiveGraded(Graded, Adaptive):
    """With gains (y − min_grade)/(max_grade − min_grade), and k the last rank a person may look at."""

    favours_better = False  # who has enough stops, and misses the good that follows


class INST(_AdaptiveGraded, name="INST"):
    """The expected utility of a document, when a person wants T of gain and hopes less the longer it takes.

    C(r) = ((r + 2T − G(r) − 1)/(r + 2T − G(r)))², where G(r) is the gain up to rank r. Nobody goes below rank k.
    Moffat, Bailey, Scholer and Thomas, ADCS 2015.

    >>> INST(T=1, max_grade=1, k=2)([1, 0])  # C(1) = (1/2)², so that W = 4/5, 1/5
    0.8
    """

    T: float = 1.0

    def _checked(self, field: str, value: Any) -> Any:
        value = super()._checked(field, value)
        return as_within(value, "T", 0.5, hint="half a document of the best grade") if field == "T" else value

    def continues(self, ranks: Places, gains: Places) -> Places:
        back = 1.0 - 1.0 / (ranks + 2 * self.T - gains.running())
        return back * back


class BPM(_AdaptiveGraded, name="BPM"):
    """The expected utility of a document, when a person stops as soon as she has T of gain, or saw k documents.

    The Bejeweled player model in its static form: C(r) = 1 while G(r) < T and r < k, where G(r) is the gain up to
    rank r, then 0. Zhang, Liu, Li, Zhang, Xu and Ma, SIGIR 2017.

    >>> BPM(T=1, max_grade=1, k=10)([0, 0, 1, 1])  # she stops at rank 3, with 1
    0.3333333333333333
    """

    k: int | None = 10
    T: float = 1.0

    def continues(self, ranks: Places, gains: Places) -> Places:
        return gains.running() < self.T


class BPMDynamic(_AdaptiveGraded, name="BPMDynamic", aliases={"BPMD": {}, "BPM-D": {}}):
    """BPM of a person who wants more, and has more patience, after good documents.

    C(r) = 1 while G(r) < T(r) and r < B(r), then 0. T(1) = T and B(1) = budget; a document of gain g adds
    hb·(g − med) to T and hc·(g − med) to B from the next rank on. Nobody goes below rank k. Zhang, Liu, Li, Zhang,
    Xu and Ma, SIGIR 2017.

    >>> BPMDynamic(T=2, budget=3, max_grade=1)([1, 0, 0, 0, 0])  # B(2) = 3.5, B(3) = 3: three documents
    0.3333333333333333
    """

    T: float = 1.0
    budget: float = 10.0
    hb: float = 1.0
    hc: float = 1.0
    med: float = 0.5

    def continues(self, ranks: Places, gains: Places) -> Places:
        risen = (gains - self.med).before()
        wants = gains.running() < risen * self.hb + self.T
        return wants * (ranks < risen * self.hc + self.budget)


class NERR8(_AdaptiveGraded, name="NERR8"):
    """The expected utility of a document, when a person stops with the chance that it satisfies her, or at k.

    C(r) = 1 − g(r) above rank k: equation 8 of "ERR is not C/W/L". Azzopardi, Mackenzie and Moffat, ICTIR 2021.

    >>> NERR8(max_grade=2, k=2)([1, 2])  # V = 1, 1/2: (1/2 + 1/2) / (3/2)
    0.6666666666666666
    """

    def continues(self, ranks: Places, gains: Places) -> Places:
        return 1.0 - gains


class NERR9(_AdaptiveGraded, name="NERR9"):
    """The expected utility of a document, as in NERR8 but with ranks that count less, as 1/r does.

    C(r) = (1 − g(r))·r/(r + 1) above rank k: equation 9 of "ERR is not C/W/L". Azzopardi, Mackenzie and Moffat,
    ICTIR 2021.

    >>> NERR9(max_grade=2, k=2)([1, 2])  # V = 1, 1/4: (1/2 + 1/4) / (5/4)
    0.6
    """

    def continues(self, ranks: Places, gains: Places) -> Places:
        return (1.0 - gains) * (ranks / (ranks + 1.0))


class NERR10(_AdaptiveGraded, name="NERR10"):
    """The expected utility of a document, when a person goes on with the chance p unless it satisfies her.

    C(r) = p·(1 − g(r)): equation 10 of "ERR is not C/W/L". Nobody goes below rank k. Azzopardi, Mackenzie and
    Moffat, ICTIR 2021.

    >>> NERR10(p=0.5, max_grade=2, k=2)([1, 2])  # V = 1, 1/4: (1/2 + 1/4) / (5/4)
    0.6
    """

    p: float = 0.9

    def continues(self, ranks: Places, gains: Places) -> Places:
        return (1.0 - gains) * self.p


class NERR11(_AdaptiveGraded, name="NERR11"):
    """The expected utility of a document, when a person goes on as in INSQ unless it satisfies her.

    C(r) = ((r + 2T − 1)/(r + 2T))²·(1 − g(r)): equation 11 of "ERR is not C/W/L". Nobody goes below rank k.
    Azzopardi, Mackenzie and Moffat, ICTIR 2021.

    >>> NERR11(T=0.5, max_grade=2, k=2)([1, 2])  # V = 1, 1/8: (1/2 + 1/8) / (9/8)
    0.5555555555555556
    """

    T: float = 1.0

    def continues(self, ranks: Places, gains: Places) -> Places:
        back = 1.0 - 1.0 / (ranks + 2 * self.T)
        return back * back * (1.0 - gains)


def _short_of_goal(model: IFTGoal | IFT, gains: Places) -> Places:
    odds = model.b1 * e ** ((model.T - gains.running()) * model.R1)  # of going on
    return 1.0 - 1.0 / (odds + 1.0)


def _fast_enough(model: IFTRate | IFT, ranks: Places, gains: Places) -> Places:
    odds = model.b2 * e ** ((model.A - gains.running() / ranks) * model.R2)  # of stopping
    return 1.0 / (odds + 1.0)


class IFTGoal(_AdaptiveGraded, name="IFTGoal", aliases={"IFT-C1": {}}):
    """The expected utility of a document to a forager, who goes on while her goal of gain is not reached.

    C(r) = 1 − 1/(1 + b1·e^((T − G(r))·R1)), where G(r) is the gain up to rank r, T the goal and R1 how strictly she
    keeps to it. Nobody goes below rank k. Azzopardi, Thomas and Craswell, SIGIR 2018.

    >>> IFTGoal(T=1, b1=1, max_grade=1, k=2)([1, 0])  # at her goal, C(1) = 1 − 1/2
    0.6666666666666666
    """

    T: float = 2.0
    b1: float = 0.9
    R1: float = 1.0

    def continues(self, ranks: Places, gains: Places) -> Places:
        return _short_of_goal(self, gains)


class IFTRate(_AdaptiveGraded, name="IFTRate", aliases={"IFT-C2": {}}):
    """The expected utility of a document to a forager, who goes on while gain comes fast enough.

    C(r) = 1/(1 + b2·e^((A − G(r)/r)·R2)), where G(r) is the gain up to rank r, A the gain per document she expects
    and R2 how strictly she does. Nobody goes below rank k. Azzopardi, Thomas and Craswell, SIGIR 2018.

    >>> IFTRate(A=1, b2=1, max_grade=1, k=2)([1, 0])  # as fast as expected, C(1) = 1/2
    0.6666666666666666
    """

    A: float = 0.2
    b2: float = 0.9
    R2: float = 1.0

    def continues(self, ranks: Places, gains: Places) -> Places:
        return _fast_enough(self, ranks, gains)


class IFT(_AdaptiveGraded, name="IFT", aliases={"IFT-C1-C2": {}, "IFTGoalRate": {}}):
    """The expected utility of a document to a forager with a goal, who also wants gain to come fast enough.

    C(r) is IFTGoal's times IFTRate's. Nobody goes below rank k. Azzopardi, Thomas and Craswell, SIGIR 2018.

    >>> IFT(T=1, b1=1, A=1, b2=1, max_grade=1, k=2)([1, 0])  # C(1) = 1/2 · 1/2
    0.8
    """

    T: float = 2.0
    b1: float = 0.9
    R1: float = 1.0
    A: float = 0.2
    b2: float = 0.9
    R2: float = 1.0

    def continues(self, ranks: Places, gains: Places) -> Places:
        return _short_of_goal(self, gains) * _fast_enough(self, ranks, gains)
