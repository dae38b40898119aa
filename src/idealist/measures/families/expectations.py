"""What else a user model expects: ExpectedDepth(of=INST(T=2)), and how far that is open: Residual(of=RBP).

`of` is any user model (RBP, INST, BPM …), or P@k, RR or AP, which are such models too.
"""

from __future__ import annotations

from idealist import kernels
from idealist.base.values import ANY_GRADE
from idealist.errors import InputError
from idealist.measures.cwl import (
    HORIZON,
    MOST_RANKS,
    UNJUDGED,
    Adaptive,
    Binary,
    Fixed,
    UserModel,
    Walk,
    parts,
)
from idealist.measures.families.binary import AP, RR, P, hits_of
from idealist.measures.families.user_models import RBP
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data import Rankings
    from idealist.kernels import Places, Values


class _FirstRanks(Binary, Fixed):
    """The person of P@k looks at k documents."""

    def chance(self, rank: float) -> float:
        return 1.0

    def reach(self) -> float:
        return float(self.k or 0)


class _UpToRelevant(Binary, Adaptive):
    """The person of RR stops at the first relevant document, or at rank k."""

    def continues(self, ranks: Places, gains: Places) -> Places:
        return 1.0 - gains


class _OneOfTheRelevant(Binary):
    """The person of AP stops at a relevant document, at rank r with a chance that is as 1/r. A relevant document
    that was not retrieved is one at an infinite rank. Below the list there is nothing."""

    averages_ties = False

    def walk(self, rankings: Rankings, best: bool) -> Walk:
        totals: list[Values] = []
        depths: list[Values] = []
        for part in parts(rankings.native, self.k):
            native = kernels.filled(part, UNJUDGED[best], self.k, False)
            gains = kernels.gains(native, self.worths(native))
            stops = gains / kernels.ranks(native)
            totals.append((stops * gains.running()).sum() / stops.sum())
            depths.append(kernels.relevant(native, self.level) / stops.sum())
        return Walk(kernels.joined(totals), kernels.joined(depths))


def _model(measure: Measure) -> UserModel:
    if isinstance(measure, UserModel):
        return measure
    if isinstance(measure, P):
        if measure.k is None:
            raise InputError("P without a cut-off has no user model", hint="for example P@10")
        return _FirstRanks(k=measure.k, level=measure.level)
    if isinstance(measure, RR):
        if (measure.k or HORIZON) > MOST_RANKS:
            raise InputError(
                f"the user model of {measure} goes too deep", hint=f"k must be at most {MOST_RANKS}"
            )
        return _UpToRelevant(k=measure.k or HORIZON, level=measure.level)
    if isinstance(measure, AP):
        return _OneOfTheRelevant(k=measure.k, level=measure.level)
    raise InputError(
        f"{measure} has no user model", hint="P@k, RR, AP and user models such as RBP, INST and BPM have one"
    )


class _Expectation(Measure):
    """What a user model expects besides its own value."""

    of: Measure = RBP()
    favours_better = False  # who finds what she wants stops sooner

    def _checked(self, field: str, value: Any) -> Any:
        value = super()._checked(field, value)
        if field == "of":
            self._model_of(value)
        return value

    def _model_of(self, measure: Measure) -> UserModel:
        return _model(measure)

    @property
    def averages_ties(self) -> bool:  # type: ignore[override]
        return self._model_of(self.of).averages_ties

    @property
    def depth(self) -> int | None:
        return self._model_of(self.of).depth

    def expected(self, walk: Walk) -> Values:
        """What is asked for, of one walk."""
        raise TypeError(f"{type(self).__name__} does not say what is expected")

    def values(self, rankings: Rankings) -> Values:
        return self.expected(_model(self.of).walk(rankings, best=False))


class ExpectedTotalUtility(_Expectation, name="ExpectedTotalUtility", aliases={"ETU": {}}):
    """What a person has gained in all when she ends, by a user model.

    Σ V(r)·g(r), where V(r) is the chance that she looks at rank r: the model's value times the expected depth.
    Moffat, Bailey, Scholer and Thomas, TOIS 2017.

    >>> ExpectedTotalUtility(of=RBP(p=0.5))([1, 0, 1])  # 1 + 1/4
    1.25
    """

    bounds = (0.0, float("inf"))

    def expected(self, walk: Walk) -> Values:
        return walk.total


class ExpectedDepth(_Expectation, name="ExpectedDepth", aliases={"expected_items": {}}):
    """How many documents a person looks at, by a user model.

    Σ V(r), where V(r) is the chance that she looks at rank r. By AP's model, R / Σ 1/r over the relevant documents
    found, undefined when none is. Moffat, Bailey, Scholer and Thomas, TOIS 2017.

    >>> ExpectedDepth(of=RBP(p=0.5))([1, 0, 1])
    2.0
    >>> ExpectedDepth(of=RR())([0, 0, 1, 1])
    3.0
    """

    bounds = (0.0, float("inf"))
    better = "neither"

    def expected(self, walk: Walk) -> Values:
        return walk.depth


class ExpectedTotalCost(_Expectation, name="ExpectedTotalCost", aliases={"ETC": {}}):
    """What it costs a person to look at the documents she looks at, by a user model.

    The expected depth times the cost of a document, which is the same for all: 1 unless stated. Azzopardi, Thomas
    and Moffat, SIGIR 2019.

    >>> ExpectedTotalCost(of=RBP(p=0.5), cost=3)([1, 0, 1])
    6.0
    """

    cost: float = 1.0
    bounds = (0.0, float("inf"))
    better = "neither"

    def expected(self, walk: Walk) -> Values:
        return walk.depth * self.cost


class ExpectedCost(_Expectation, name="ExpectedCost"):
    """What it costs a person to look at one document, by a user model.

    The cost of a document is the same for all, and so this is it: 1 unless stated. Azzopardi, Thomas and Moffat,
    SIGIR 2019.

    >>> ExpectedCost(of=RBP(p=0.5), cost=3)([1, 0, 1])
    3.0
    """

    cost: float = 1.0
    bounds = (0.0, float("inf"))
    better = "neither"

    def expected(self, walk: Walk) -> Values:
        return walk.depth / walk.depth * self.cost


class Residual(
    _Expectation,
    name="Residual",
    aliases={
        "rbp_resid": {"of": "RBP(p=0.9)"},
        "rbp_resid_": {"of": "RBP(p={})"},
        "rbp_resid.": {"of": "RBP(p={})"},
        "RBPResidual": {"of": "RBP"},
    },
):
    """How much higher a user model's value would be, were all that is not judged as good as can be.

    The value with every unjudged document, and every rank below the list, of the highest gain, minus the value.
    By AP's model, unjudged documents of the list only. Of a model's expectations too: Residual(of=ExpectedDepth(…)),
    which is below 0 where the person would stop sooner. trec_eval 10 gives 0 to a list without an unjudged document,
    as if it had no end (below=with-unjudged). Moffat and Zobel, TOIS 2008.

    >>> Residual(of=RBP(p=0.5))([1, None, 0])  # 1/4, and 1/8 for all that follows
    0.375
    """

    below: str = "counted"
    bounds = (float("-inf"), float("inf"))
    better = "lower"

    def _model_of(self, measure: Measure) -> UserModel:
        return _model(measure.of if isinstance(measure, _Expectation) else measure)

    def expected(self, walk: Walk) -> Values:
        if isinstance(self.of, _Expectation):
            return self.of.expected(walk)
        if getattr(self.of, "total", False):
            return walk.total
        return walk.total.share_of(walk.depth)

    def values(self, rankings: Rankings) -> Values:
        model = self._model_of(self.of)
        at_best = self.expected(model.walk(rankings, best=True))
        residual = at_best - self.expected(model.walk(rankings, best=False))
        if self.below == "counted":
            return residual
        retrieved = kernels.retrieved(rankings.native, self.depth)
        return residual * (retrieved > hits_of(rankings, ANY_GRADE, self.depth))
