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
from idealist.measures.gains import number_text, refuse_grades_above
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data import Rankings
    from idealist.kernels import Places, Values

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
        total_gain, expected_depth = walk.total, walk.depth
        return total_gain.share_of(expected_depth)

    def worths(self, native: kernels.Rankings) -> kernels.Gain:
        return kernels.worths(native, self.worth, True)


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

    def chance(self, rank: float) -> float:
        """V(r), by arithmetic and comparisons, which every backend can follow."""
        raise TypeError(f"{type(self).__name__} does not say how a person goes on")

    def chances(self, ranks: int) -> list[float]:
        """V(1), …, V(ranks)."""
        return [self.chance(rank) for rank in range(1, ranks + 1)]

    def reach(self) -> float:
        """The sum of all V(r), which is the expected depth."""
        assert self.depth is not None
        return sum(self.chances(self.depth))

    def walk(self, rankings: Rankings, best: bool) -> Walk:
        native, k = rankings.native, self.depth
        chance_of_looking = kernels.by_rank(native, self.chance, self.chances, k)
        reach = _reach(self)
        total_gain = kernels.discounted_gains(
            native, self.worths(native), chance_of_looking, k, rankings.threads
        )
        if best:
            judged = kernels.worths(native, lambda _: 1.0, True)
            judged_chances = kernels.discounted_gains(native, judged, chance_of_looking, k, rankings.threads)
            total_gain = total_gain + (reach - judged_chances).maximum(0.0)
        expected_depth = kernels.retrieved(native, None) * 0.0 + reach
        return Walk(total_gain, expected_depth)


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
        totals: list[Values] = []
        depths: list[Values] = []
        for part in parts(rankings.native, self.depth):
            native = kernels.filled(part, UNJUDGED[best], self.depth, True)
            gains = kernels.gains(native, self.worths(native))
            chance_of_looking = self.continues(kernels.ranks(native), gains).product_before()
            totals.append((gains * chance_of_looking).sum())
            depths.append(chance_of_looking.sum())
        return Walk(kernels.joined(totals), kernels.joined(depths))


def parts(native: kernels.Rankings, ranks: int | None) -> Iterator[kernels.Rankings]:
    """So many queries at a time that filling their ranks, by default all, takes little memory."""
    if len(native) == 1:
        yield native
        return
    step = max(1, PLACES_AT_ONCE // max(1, ranks or native.longest()))
    for begin in range(0, len(native), step):
        yield kernels.part(native, begin, min(begin + step, len(native)))
