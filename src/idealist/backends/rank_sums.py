"""Sums over ranks: of a value that is one, what exchanging two documents changes is known from its parts.

Most measures ask lists for one sum over ranks, and divide it by what no order changes. Here a number of places is a function of the
grade times one of the rank, and for some the product or the sum of another above it; arithmetic that leads elsewhere raises `NotASum`.
"""

from __future__ import annotations

import numpy as np

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.conventions import match_options
from idealist.data import Rankings
from idealist.errors import IdealistError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.kernels import Gain
    from idealist.measures import Measure

# What lists are asked whose answer is the same for every order.
OF_ANY_ORDER = ("ideal_gains", "ideal_order", "relevant", "retrieved")
OF_THE_CORE = ("empty", "highest_grade", "levels", "longest", "missing", "name", "queries")


class NotASum(IdealistError):
    """A number that is no sum over ranks of this kind."""


class RankSum(Frozen):
    """The value of a query is a constant and scale × the sum, over the ranks r of its documents, of weight(r)·worth·

    - 1, where the form is "sum";
    - the product of (1 − stop) over the documents above, where it is "cascade";
    - the sum of worth down to r, where it is "running".
    """

    form: str
    levels: Any  # the grades that there are, lowest first, of which the others are worth nothing
    worth: Any  # of each level
    stops: Any  # of each level, for a cascade
    weights: Any  # of each rank
    scale: Any  # of each query, 0 where the measure is undefined

    def of_documents(self, by_level: ndarray, grades: ndarray) -> ndarray:
        """The worth or the stops of documents with these grades."""
        if not len(self.levels):
            return np.zeros(len(grades))
        places = np.minimum(np.searchsorted(self.levels, grades), len(self.levels) - 1)
        numbers: ndarray = np.where(self.levels[places] == grades, by_level[places], 0.0)
        return numbers


def rank_sum(measure: Measure, rankings: Rankings) -> RankSum | None:
    """The sum that a measure's values are, by its own definition; None if it is none."""
    lists = Lists(rankings.native, rankings)
    try:
        values: Any = measure.measured(Rankings(lists, rankings.conventions, threads=rankings.threads))  # type: ignore[arg-type]
        if isinstance(values, Sum):
            return values.parts()
        # Made without a look at the order.
        flat = np.ones(lists.longest())
        nothing = np.zeros(len(lists.grades_there))
        return RankSum("sum", lists.grades_there, nothing, (), flat, np.zeros(len(lists)))
    except (IdealistError, ArithmeticError, AttributeError, TypeError, ValueError):
        return None  # it asks for more than a sum has


def _quotient(part: Any, whole: Any) -> Any:
    """What is divided by 0 is undefined."""
    with np.errstate(all="ignore"):
        return np.where(np.equal(whole, 0), np.nan, np.divide(part, whole))


class _Numbers:
    """Arithmetic by `_combined`, which each kind of numbers has its own rules for."""

    __array_ufunc__ = None

    def _combined(self, operation: Callable[[Any, Any], Any], other: Any) -> Any:
        raise NotImplementedError

    def __sub__(self, other: Any) -> Any:
        return self + -1.0 * other

    def __rsub__(self, other: Any) -> Any:
        return -1.0 * self + other

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __add__(self, other: Any) -> Any:
        return self._combined(np.add, other)

    def __mul__(self, other: Any) -> Any:
        return self._combined(np.multiply, other)

    def __truediv__(self, other: Any) -> Any:
        return self._combined(_quotient, other)

    def __array__(self, *how: Any, **also: Any) -> Any:
        raise NotASum("numbers read one by one")

    def __iter__(self) -> Any:
        raise NotASum("numbers read one by one")


class Summands(_Numbers):
    """worth(grade)·weight(rank), times the product of 1 − stop(grade) over the documents above or the sum of so_far(grade) down
    to the rank; None stands for 1."""

    def __init__(
        self,
        lists: Lists,
        worth: Any = None,
        weight: Any = None,
        stops: Any = None,
        so_far: Any = None,
        reach: Any = None,
    ) -> None:
        self.lists, self.reach = lists, reach  # where that is 0, stops are not known, and no weight may be
        self.worth, self.weight, self.stops, self.so_far = worth, weight, stops, so_far

    def _like(self, **parts: Any) -> Summands:
        return Summands(self.lists, **parts)

    @property
    def _kind(self) -> str:
        """Which of its parts alone it has, if it is one."""
        return self._parts_there[0] if len(self._parts_there) == 1 else ""

    @property
    def _parts_there(self) -> list[str]:
        return [name for name, part in self._parts().items() if part is not None]

    def _pointwise(self, operation: Callable[..., Any], *others: Any) -> Summands:
        """A function of numbers that are all of the grade, or all of the rank."""
        kind = self._kind
        operands = [getattr(other, kind) if isinstance(other, Summands) else other for other in others]
        alike = all(
            isinstance(o, (int, float)) or (isinstance(o, Summands) and o._kind == kind) for o in others
        )
        reaches = [one.reach for one in (self, *others) if isinstance(one, Summands)]
        if kind not in ("worth", "weight") or not alike or any(reach is not None for reach in reaches):
            raise NotASum("numbers of grades and of ranks together")
        with np.errstate(all="ignore"):
            return self._like(**{kind: np.asarray(operation(getattr(self, kind), *operands), np.float64)})

    def _combined(self, operation: Callable[[Any, Any], Any], other: Any) -> Any:
        if isinstance(other, Summands) and operation in (np.multiply, _quotient):
            return self._product(operation, other)
        if isinstance(other, (int, float)) and operation in (np.multiply, _quotient):
            name = "weight" if self.worth is None and self.weight is not None else "worth"
            numbers = 1.0 if getattr(self, name) is None else getattr(self, name)
            return self._like(
                **{**self._parts(), name: operation(numbers * np.ones(1), other)}, reach=self.reach
            )
        return self._pointwise(operation, other)

    def _parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("worth", "weight", "stops", "so_far")}

    def _product(self, operation: Callable[[Any, Any], Any], other: Summands) -> Summands:
        parts = {}
        for name, mine in self._parts().items():
            factor = getattr(other, name)
            if factor is None:
                parts[name] = mine
            elif name in ("worth", "weight"):
                parts[name] = operation(1.0 if mine is None else mine, factor)
            elif mine is None and operation is np.multiply:
                parts[name] = factor
            else:
                raise NotASum("a product of what stands above")
        if parts["stops"] is not None and parts["so_far"] is not None:
            raise NotASum("a product of what stands above")
        return self._like(**parts, reach=self.reach if other.reach is None else other.reach)

    def __rsub__(self, other: Any) -> Any:
        """Of numbers down to a rank: as if they went on, since nothing is asked of what is below."""
        weight = self.weight
        if (
            self._parts_there == ["worth", "weight"]
            and np.isin(weight, (0, 1)).all()
            and not np.diff(weight * 1.0).max(initial=0)
        ):
            return self._like(worth=other - self.worth, reach=weight)
        return super().__rsub__(other)

    def __rtruediv__(self, other: Any) -> Summands:
        return self._pointwise(lambda numbers: _quotient(other, numbers))

    def __pow__(self, other: Any) -> Summands:
        return self._pointwise(np.power, other)

    def __rpow__(self, other: Any) -> Summands:
        return self._pointwise(lambda numbers: np.power(other, numbers))

    def __ge__(self, other: Any) -> Summands:
        return self._pointwise(np.greater_equal, other)

    def __gt__(self, other: Any) -> Summands:
        return self._pointwise(np.greater, other)

    def __le__(self, other: Any) -> Summands:
        return self._pointwise(np.less_equal, other)

    def __lt__(self, other: Any) -> Summands:
        return self._pointwise(np.less, other)

    def minimum(self, other: Any) -> Summands:
        return self._pointwise(np.minimum, other)

    def maximum(self, other: Any) -> Summands:
        return self._pointwise(np.maximum, other)

    def log2(self) -> Summands:
        return self._pointwise(np.log2)

    def looked_up(self, table: Sequence[float]) -> Summands:
        last = len(table) - 1
        return self._pointwise(lambda numbers: np.asarray(table)[np.minimum(numbers.astype(int), last)])

    def product_before(self) -> Summands:
        if self._kind != "worth":
            raise NotASum("a product of more than grades")
        return self._like(stops=1.0 - self.worth, reach=self.reach)

    def running(self) -> Summands:
        if self._kind != "worth" or self.reach is not None:
            raise NotASum("a sum of more than grades")
        return self._like(so_far=self.worth)

    def sum(self) -> Sum:
        return Sum(self, np.ones(len(self.lists)))


class Sum(_Numbers):
    """scale × a sum over ranks, and a number for each query that is not kept; nan where they are undefined."""

    def __init__(self, places: Summands, scale: ndarray) -> None:
        self.places, self.scale = places, scale

    def __len__(self) -> int:
        return len(self.scale)

    def _scaled(self, scale: ndarray) -> Sum:
        return Sum(self.places, scale)

    def _fixed(self, other: Any) -> Any:
        if isinstance(other, Sum):
            raise NotASum("two sums together")
        return other if isinstance(other, (int, float)) else np.asarray(memoryview(other))

    def _combined(self, operation: Callable[[Any, Any], Any], other: Any) -> Sum:
        fixed = self._fixed(other)
        if operation is np.add:
            return self._scaled(self.scale + 0.0 * fixed)
        return self._scaled(operation(self.scale, fixed))

    share_of = _Numbers.__truediv__

    def where_positive(self, condition: Any) -> Sum:
        return self._scaled(np.where(self._fixed(condition) > 0, self.scale, np.nan))

    def filled(self, _undefined: float) -> Sum:
        return self._scaled(np.nan_to_num(self.scale, nan=0.0))

    def first_infinite(self) -> None:
        """None that is known here."""

    def parts(self) -> RankSum:
        """The sum in one of its three forms."""
        places, lists = self.places, self.places.lists
        levels, ranks = lists.grades_there, lists.longest()
        worth = np.ones(len(levels)) if places.worth is None else places.worth * np.ones(len(levels))
        weights = np.ones(ranks) if places.weight is None else places.weight * np.ones(ranks)
        if places.reach is not None and (places.weight is None or (weights[places.reach == 0] != 0).any()):
            raise NotASum("stops below the last rank that counts")
        scale = np.nan_to_num(self.scale, nan=0.0)
        form = "cascade" if places.stops is not None else "sum"
        if places.so_far is not None:
            # The sum that is asked for is of the same numbers; a factor goes to the scale.
            top = int(np.abs(worth).argmax()) if len(worth) else 0
            factor = worth[top] / places.so_far[top] if len(worth) and places.so_far[top] else 1.0
            if not np.array_equal(worth, factor * places.so_far):
                raise NotASum("a sum so far of other numbers")
            form, worth, scale = "running", places.so_far, scale * factor
        numbers = (worth, weights, scale, () if places.stops is None else places.stops)
        if not all(np.isfinite(part).all() for part in numbers):
            raise NotASum("numbers that are undefined")
        return RankSum(form, levels, worth, numbers[3], weights, scale)


def _summed(places: Any) -> Sum:
    total: Sum = places.sum()
    return total


class Lists:
    """Lists in any order: what is asked of the order is answered as a sum over ranks, and all else by the core's lists."""

    backend = "sums over ranks"

    def __init__(self, core: kernels.Rankings, rankings: Rankings) -> None:
        self.core = core
        self.grades_there = np.array(core.levels(), np.float64)
        levels = self.grades_there.tolist()
        # One list that has each grade once, of which the core says what grades are worth.
        self._levels = kernels.rank_lists([levels], [levels], match_options(rankings.conventions))

    def __len__(self) -> int:
        return len(self.core)

    def __getattr__(self, name: str) -> Any:
        if name in OF_THE_CORE:
            return getattr(self.core, name)
        if name in OF_ANY_ORDER:
            return lambda *arguments: getattr(kernels, name)(self.core, *arguments)
        raise AttributeError(name)

    def tied(self) -> list[int]:
        return []

    def grades(self) -> Summands:
        return Summands(self, worth=self.grades_there)

    def gains(self, gain: Gain) -> Summands:
        return Summands(self, worth=np.array(memoryview(kernels.gains(self._levels, gain))))

    def ranks(self) -> Summands:
        return Summands(self, weight=np.arange(1.0, self.longest() + 1))

    # The sums that lists are asked for, by what they are sums of.

    def _within(self, k: int | None) -> Summands:
        return self.ranks() <= (float("inf") if k is None else float(k))

    def _relevance(self, level: float) -> Summands:
        return self.grades() >= level

    def hits(self, level: float, k: int | None, threads: int) -> Sum:
        return _summed(self._relevance(level) * self._within(k))

    def any_hit(self, level: float, k: int | None, threads: int) -> Sum:
        relevance = self._relevance(level)
        return _summed(relevance * (1.0 - relevance).product_before() * self._within(k))

    def reciprocal_rank(self, level: float, k: int | None, threads: int) -> Sum:
        relevance = self._relevance(level)
        return _summed(relevance * (1.0 - relevance).product_before() / self.ranks() * self._within(k))

    def precision_sum(self, level: float, k: int | None, threads: int) -> Sum:
        relevance = self._relevance(level)
        return _summed(relevance * relevance.running() / self.ranks() * self._within(k))

    def discounted_gains(self, gain: Gain, discounts: Sequence[float], k: int | None, threads: int) -> Sum:
        last = len(discounts) if k is None else min(k, len(discounts))
        weights = self.ranks().looked_up([0.0, *discounts[:last], 0.0])
        return _summed(self.gains(gain) * weights)
