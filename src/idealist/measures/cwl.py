"""The base of user models: C, the chance of going on below a rank, W, the weight a rank has by it, and L,
where a person ends. Moffat, Bailey, Scholer and Thomas, TOIS 2017.

A person always looks at rank 1, and at rank r with the chance V(r) = Π_{i<r} C(i). Over a list of gains g from 0
to 1 that makes

- the expected total utility, Σ V(r)·g(r), which is what she has when she ends;
- the expected depth, Σ V(r), which is how many documents she looks at;
- the measure itself, the expected utility of a document she looks at: the first by the second.

An unjudged document, and every rank below the end of a list, gains nothing at worst and 1 at best. A measure's
value is the worst case; what lies between the two is its residual (`expectations.Residual`).
"""

from __future__ import annotations

from functools import lru_cache

from idealist import kernels
from idealist.errors import InputError
from idealist.measures.base import Measure
from idealist.measures.gains import number_text, refuse_grades_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from idealist.data import Rankings
    from idealist.kernels import Places, Values
    from idealist.measures.contributions import Contributions
    from idealist.measures.grade_lists import GradeList

# Where the person of a model without an end of its own ends at the latest, as in cwl_eval.
HORIZON = 1000
MOST_RANKS = 1_000_000
PLACES_AT_ONCE = 100_000  # what a processor's cache holds
# The grade of an unjudged document in the worst case, and in the best.
UNJUDGED = {False: float("-inf"), True: float("inf")}


class Walk:
    """What a person has in all when she ends, and how many documents she looked at, query by query."""

    __slots__ = ("depth", "total")

    def __init__(self, total: Values, depth: Values) -> None:
        self.total = total
        self.depth = depth


class UserModel(Measure):
    """A measure that is the expected utility of the documents a person looks at."""

    def worth(self, grade: float) -> float:
        """The gain of a grade, from 0 to 1."""
        raise TypeError(f"{type(self).__name__} does not say what a grade is worth")

    def walk(self, rankings: Rankings, best: bool) -> Walk:
        """How a person fares when unjudged documents are as bad, or as good, as can be."""
        raise TypeError(f"{type(self).__name__} does not say how a person goes on")

    def values(self, rankings: Rankings) -> Values:
        walk = self.walk(rankings, best=False)
        return walk.total.share_of(walk.depth)

    def worths(self, native: kernels.Rankings) -> kernels.Gain:
        return kernels.Gain("table", True, [(grade, self.worth(grade)) for grade in native.levels()])

    def _weighed(
        self, listed: GradeList, gains: Sequence[float], looks: Sequence[float], depth: float
    ) -> Contributions:
        """What each document adds: its gain, by the weight of its rank, which is V(r) / ΣV."""
        weights = [chance / depth for chance in looks]
        return listed.contributions(
            {"gain": gains, "chance of looking": looks, "weight": weights},
            [gain * weight for gain, weight in zip(gains, weights, strict=True)],
            running_title=self.name,
        )


class Binary(UserModel):
    """A document gains 1 when its grade reaches `level`."""

    k: int | None = None
    level: float = 1.0

    def worth(self, grade: float) -> float:
        return float(grade >= self.level)


class Graded(UserModel):
    """A document gains its grade's place between the lowest and the highest of the scale."""

    k: int | None = HORIZON
    min_grade: float = 0.0
    max_grade: float = 4.0

    def _checked(self, field: str, value: Any) -> Any:
        value = super()._checked(field, value)
        if field == "k" and value is not None and value > MOST_RANKS:
            raise InputError(f"{self.name}: the cut-off k must be at most {MOST_RANKS}, not {value}")
        if field == "max_grade" and value <= self.min_grade:
            low, high = number_text(self.min_grade), number_text(value)
            raise InputError(
                f"min_grade must be below max_grade, {high}, not {low}", hint="state both ends of the scale"
            )
        return value

    def worth(self, grade: float) -> float:
        share = (grade - self.min_grade) / (self.max_grade - self.min_grade)
        return min(max(share, 0.0), 1.0)

    def walk(self, rankings: Rankings, best: bool) -> Walk:
        refuse_grades_above(self.max_grade, rankings)
        return super().walk(rankings, best)


class Fixed(UserModel):
    """How far a person goes does not depend on what she finds, so that a rank has one weight for all lists."""

    def chances(self, ranks: int) -> list[float]:
        """V(1), …, V(ranks)."""
        raise TypeError(f"{type(self).__name__} does not say how a person goes on")

    def reach(self) -> float:
        """The sum of all V(r), which is the expected depth."""
        assert self.depth is not None
        return sum(self.chances(self.depth))

    def walk(self, rankings: Rankings, best: bool) -> Walk:
        native, k = rankings.native, self.depth
        chances = self.chances(min(native.longest(), k or native.longest()))
        reach = _reach(self)
        total = kernels.discounted_gains(native, self.worths(native), chances, k, rankings.threads)
        if best:
            judged = kernels.Gain("table", True, [(grade, 1.0) for grade in native.levels()])
            judged_chances = kernels.discounted_gains(native, judged, chances, k, rankings.threads)
            total = total + (reach - judged_chances).maximum(0.0)
        return Walk(total, kernels.retrieved(native, None) * 0.0 + reach)

    def contributions(self, listed: GradeList) -> Contributions:
        top = listed.down_to(self.depth)
        gains = self._gains(listed)
        looks = top.over_ties(self.chances(min(len(top.grades), self.depth or len(top.grades))))
        return self._weighed(top, [gains[grade] for grade in top.grades], looks, self._divided_by())

    def _gains(self, listed: GradeList) -> dict[float | None, float]:
        return listed.gains(self.worths(listed.rankings.native))

    def _divided_by(self) -> float:
        """What the total utility is divided by."""
        return _reach(self)


@lru_cache(maxsize=256)
def _reach(model: Fixed) -> float:
    return model.reach()


class Adaptive(UserModel):
    """How far a person goes depends on what she finds. There is no closed form for averaged ties."""

    averages_ties = False

    def continues(self, ranks: Places, gains: Places) -> Places:
        """C(r) at every rank."""
        raise TypeError(f"{type(self).__name__} does not say how a person goes on")

    def walk(self, rankings: Rankings, best: bool) -> Walk:
        assert self.depth is not None
        totals: list[float] = []
        depths: list[float] = []
        for part in parts(rankings.native, self.depth):
            native = kernels.filled(part, UNJUDGED[best], self.depth, True)
            gains = kernels.gains(native, self.worths(native))
            looks = self.continues(kernels.ranks(native), gains).product_before()
            totals += (looks * gains).sum()
            depths += looks.sum()
        return Walk(kernels.Values(totals), kernels.Values(depths))

    def contributions(self, listed: GradeList) -> Contributions:
        top = listed.down_to(self.depth)
        native = kernels.filled(listed.rankings.native, UNJUDGED[False], self.depth, True)
        gains = kernels.gains(native, self.worths(native))
        looks = self.continues(kernels.ranks(native), gains).product_before()
        down_to = len(top.grades)
        return self._weighed(top, memoryview(gains)[:down_to], memoryview(looks)[:down_to], looks.sum()[0])


def parts(native: kernels.Rankings, ranks: int) -> Iterator[kernels.Rankings]:
    """So many queries at a time that filling their ranks takes little memory."""
    step = max(1, PLACES_AT_ONCE // max(1, ranks))
    for begin in range(0, len(native), step):
        yield kernels.part(native, begin, min(begin + step, len(native)))
