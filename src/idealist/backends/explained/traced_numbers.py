"""The core's numbers with how they were computed, and its lists of one query, written out document by document beside it."""

from __future__ import annotations

import operator
from functools import cached_property

from idealist import kernels
from idealist.base.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any


class Number:
    """What the core computed, by which operation, and of what; `name` is that of the measure's own variable."""

    __slots__ = ("name", "native", "operands", "operation")

    def __init__(self, native: Any, operation: str, operands: tuple[Any, ...]) -> None:
        self.native = native
        self.operation = operation
        self.operands = operands
        self.name = ""

    def __len__(self) -> int:
        return len(self.native)

    def __iter__(self) -> Iterator[float]:
        return iter(memoryview(self.native).tolist())

    def __getitem__(self, at: int) -> float:
        return float(memoryview(self.native)[at])

    def __array__(self, *how: Any, **also: Any) -> Any:
        import numpy as np

        return np.asarray(self.native).__array__(*how, **also)


class Places(Number):
    """`kernels.Places`; the places are those of `lists`."""

    __slots__ = ("lists",)

    def __init__(self, native: Any, operation: str, operands: tuple[Any, ...], lists: Lists) -> None:
        super().__init__(native, operation, operands)
        self.lists = lists


class Values(Number):
    """`kernels.Values`."""

    __slots__ = ()

    def joined(self, others: Sequence[Values]) -> Values:
        parts = (self, *others)
        return Values(kernels.joined([part.native for part in parts]), "joined", parts)

    def looked_up(self, table: Sequence[float]) -> Values:
        return Values(kernels.looked_up(self.native, table), "looked_up", (self, table))

    def first_undefined(self) -> int | None:
        return self.native.first_undefined()  # type: ignore[no-any-return]

    def first_infinite(self) -> int | None:
        return self.native.first_infinite()  # type: ignore[no-any-return]

    def count(self) -> int:
        return self.native.count()  # type: ignore[no-any-return]

    def sum(self) -> float:
        return self.native.sum()  # type: ignore[no-any-return]


def native_of(operand: Any) -> Any:
    """What the core takes for an operand."""
    return operand.native if isinstance(operand, Number) else operand


def recorded(native: Any, operation: str, operands: tuple[Any, ...]) -> Any:
    """What the core made of operands, with its origin; a number that is none of the core's stays as it is."""
    if isinstance(native, kernels.Values):
        return Values(native, operation, operands)
    if isinstance(native, kernels.Places):
        # What is looked up stands at the places that it is looked up for.
        at_places = operands[2:] if operation == "last_up_to" else operands
        lists = next(operand.lists for operand in at_places if isinstance(operand, Places))
        return Places(native, operation, operands, lists)
    return native


def _arithmetic(symbol: str, compute: Callable[[Any, Any], Any], turned: bool) -> Callable[[Any, Any], Any]:
    def method(self: Number, other: Any) -> Any:
        operands = (other, self) if turned else (self, other)
        try:
            native = compute(*map(native_of, operands))
        except TypeError:
            return NotImplemented
        return recorded(native, symbol, operands)

    return method


def _method(name: str, of_the_core: Any) -> Callable[..., Any]:
    def method(self: Number, *arguments: Any) -> Any:
        native = getattr(self.native, name)(*map(native_of, arguments))
        return recorded(native, name, (self, *arguments))

    method.__wrapped__ = of_the_core  # type: ignore[attr-defined]  # has its arguments
    return method


for _symbol, _name in {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "**": "pow"}.items():
    setattr(Number, f"__{_name}__", _arithmetic(_symbol, getattr(operator, _name), turned=False))
    setattr(Number, f"__r{_name}__", _arithmetic(_symbol, getattr(operator, _name), turned=True))
for _symbol, _name in {"≥": "ge", ">": "gt", "≤": "le", "<": "lt"}.items():
    setattr(Number, f"__{_name}__", _arithmetic(_symbol, getattr(operator, _name), turned=False))
for _class, _core in ((Places, kernels.Places), (Values, kernels.Values)):
    for _name in vars(_core):
        if not _name.startswith("_") and _name not in vars(_class):
            setattr(_class, _name, _method(_name, vars(_core)[_name]))


# Operations that give a number for the query, and those that give one for every place.
OF_QUERIES = (
    "any_hit",
    "discounted_gains",
    "hits",
    "hits_within",
    "ideal_gains",
    "precision_sum",
    "reciprocal_rank",
    "relevant",
    "retrieved",
)
OF_PLACES = ("gains", "grades", "ideal_ranks", "ranks")


class Listing(Frozen):
    """A list written out: the grade at each rank, None for an unjudged document.

    `tie_groups` are the ranks that documents share, one rank each unless ties are averaged. `rows` says which row of the
    ranking that is explained each document stands in, None for one that is not shown.
    """

    grades: tuple[float | None, ...]
    tie_groups: tuple[range, ...]
    rows: tuple[int | None, ...]

    @classmethod
    def of_ranks(cls, grades: Sequence[float | None], rows: Sequence[int | None] | None = None) -> Listing:
        """A document at every rank."""
        count = len(grades)
        ranks = tuple(range(rank, rank + 1) for rank in range(1, count + 1))
        return cls(tuple(grades), ranks, tuple(range(count) if rows is None else rows))

    def down_to(self, k: int | None) -> Listing:
        """The same list without the documents that cannot stand at rank k or above it."""
        if k is None or k >= len(self.grades):
            return self
        tie_groups = tuple(group for group in self.tie_groups if group.start <= k)
        last = tie_groups[-1].stop - 1 if tie_groups else 0
        return Listing(self.grades[:last], tie_groups, self.rows[:last])

    def judged_only(self) -> Listing:
        groups: list[range] = []
        grades: list[float | None] = []
        rows: list[int | None] = []
        for group in self.tie_groups:
            kept = [at for at in range(group.start - 1, group.stop - 1) if self.grades[at] is not None]
            if kept:
                groups.append(range(len(grades) + 1, len(grades) + 1 + len(kept)))
            grades += [self.grades[at] for at in kept]
            rows += [self.rows[at] for at in kept]
        return Listing(tuple(grades), tuple(groups), tuple(rows))

    def filled(self, grade: float, depth: int | None, padded: bool) -> Listing:
        listing = self.down_to(depth)
        grades = [grade if known is None else known for known in listing.grades]
        below = (depth or 0) - len(grades) if padded else 0
        if below <= 0:
            return Listing(tuple(grades), listing.tie_groups, listing.rows)
        last = len(grades)
        groups = (*listing.tie_groups, *(range(last + at, last + at + 1) for at in range(1, below + 1)))
        return Listing((*grades, *[grade] * below), groups, (*listing.rows, *[None] * below))

    def by_grade(self, best_first: bool) -> Listing:
        """Tied documents in the order of their grades, an unjudged one below grade 0."""
        order: list[int] = []
        for group in self.tie_groups:
            places = range(group.start - 1, group.stop - 1)
            order += sorted(places, key=lambda at: _standing(self.grades[at]), reverse=best_first)
        return Listing.of_ranks([self.grades[at] for at in order], [self.rows[at] for at in order])

    def regraded(self, gain_of: dict[float, float]) -> Listing:
        grades = tuple(None if grade is None else gain_of[grade] for grade in self.grades)
        return Listing(grades, self.tie_groups, self.rows)


def _standing(grade: float | None) -> float:
    return -5e-324 if grade is None else grade


class Lists:
    """`kernels.Rankings` of one query. The core computes; operations note what they were asked.

    `listing` is made when it is asked for; `ideal` says that the documents are not those of the ranking, but the judged ones,
    best first.
    """

    backend = "explanations"

    def __init__(self, native: Any, listing: Callable[[], Listing], *, ideal: bool = False) -> None:
        self.native = native
        self._listing = listing
        self.ideal = ideal

    def __len__(self) -> int:
        return len(self.native)

    def __getattr__(self, question: str) -> Any:
        """What `kernels.Rankings` answer: `longest`, `levels`, `highest_grade` …"""
        if question.startswith("_"):
            raise AttributeError(question)
        return getattr(self.native, question)

    @cached_property
    def listing(self) -> Listing:
        return self._listing()

    @cached_property
    def places(self) -> list[int | None]:
        """Where in the listing each place of the core's lists is; of tied documents of one grade, one after the other."""
        listing = self.listing
        groups = {group.start: group for group in listing.tie_groups}
        taken: set[int] = set()
        places: list[int | None] = []
        ranks, grades = kernels.ranks(self.native), kernels.grades(self.native)
        for rank, grade in zip(memoryview(ranks), memoryview(grades), strict=True):
            group = groups.get(int(rank), range(0))
            free = (at - 1 for at in group if at - 1 not in taken and listing.grades[at - 1] == grade)
            place = next(free, None)
            if place is not None:
                taken.add(place)
            places.append(place)
        return places

    def gain_of(self, gain: Any) -> dict[float | None, float]:
        """The gain of every grade that occurs, and of unjudged documents: 0."""
        levels = self.native.levels()
        options = kernels.MatchOptions("input-order", False, False, False, None)
        listed = kernels.rank_lists([levels], [levels], options)
        return {None: 0.0, **dict(zip(levels, memoryview(kernels.gains(listed, gain)), strict=True))}

    def ideal_order(self) -> Lists:
        native = kernels.ideal_order(self.native)
        return Lists(
            native, lambda: Listing.of_ranks(memoryview(kernels.grades(native)).tolist()), ideal=True
        )

    def condensed(self) -> Lists:
        return self._view(kernels.condensed(self.native), lambda: self.listing.judged_only())

    def cut_short(self, depth: int) -> Lists:
        return self._view(kernels.cut_short(self.native, depth), lambda: self.listing.down_to(depth))

    def filled(self, grade: float, depth: int | None, padded: bool) -> Lists:
        native = kernels.filled(self.native, grade, depth, padded)
        return self._view(native, lambda: self.listing.filled(grade, depth, padded))

    def best_of_ties(self) -> Lists:
        return self._view(kernels.best_of_ties(self.native), lambda: self.listing.by_grade(best_first=True))

    def worst_of_ties(self) -> Lists:
        return self._view(kernels.worst_of_ties(self.native), lambda: self.listing.by_grade(best_first=False))

    def regraded(self, gain: Any) -> Lists:
        native = kernels.regraded(self.native, gain)
        return self._view(native, lambda: self.listing.regraded(self.gain_of(gain)))  # type: ignore[arg-type]

    def part(self, begin: int, end: int) -> Lists:
        return self._view(kernels.part(self.native, begin, end), lambda: self.listing)

    def chosen(self, queries: Sequence[int]) -> Lists:
        return self._view(kernels.chosen(self.native, queries), lambda: self.listing)

    def tied(self) -> list[int]:
        return kernels.tied(self.native)

    def _view(self, native: Any, listing: Callable[[], Listing]) -> Lists:
        return Lists(native, listing, ideal=self.ideal)


def _operation(name: str) -> Callable[..., Any]:
    def operation(self: Lists, *arguments: Any) -> Any:
        native = getattr(kernels, name)(self.native, *map(native_of, arguments))
        if name in OF_PLACES:
            return Places(native, name, (self, *arguments), self)
        return recorded(native, name, (self, *arguments))

    operation.__wrapped__ = getattr(kernels, name)  # type: ignore[attr-defined]  # has its arguments
    return operation


for _name in (*OF_QUERIES, *OF_PLACES):
    setattr(Lists, _name, _operation(_name))
