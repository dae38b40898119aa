"""What every document adds to a sum, and the numbers that this is made of, document by document."""

from __future__ import annotations

import operator
from bisect import bisect_right
from itertools import chain, repeat
from math import isnan, log2, nan

from idealist.backends.explained.traced_numbers import Number, Places, Values
from idealist.base.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from idealist.backends.explained.number_names import Names
    from idealist.backends.explained.traced_numbers import Listing, Lists

ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
    "≥": operator.ge,
    ">": operator.gt,
    "≤": operator.le,
    "<": operator.lt,
    "minimum": min,
    "maximum": max,
}
# What is shown without decimals: counts and grades, and what is made of them so.
COUNTS = (
    "hits",
    "hits_within",
    "relevant",
    "retrieved",
    "ranks",
    "grades",
    "gains",
    "ideal_ranks",
    "any_hit",
)
OF_COUNTS = (
    *("+", "-", "*", "minimum", "maximum", "running", "before", "sum", "highest", "filled", "descending"),
    *("where_positive", "last_up_to", "following", "joined"),
)
COMPARISONS = ("≥", ">", "≤", "<")
NEARLY = 1e-9


class Added(Frozen):
    """What the documents of one list add to a number, in the list's order; `ideal` if that is the ideal list."""

    numbers: tuple[float, ...]
    ideal: bool


class Documents:
    """The documents of a ranking, of which `shown` are, and what they add to numbers of its query."""

    def __init__(self, names: Names, lists: Lists, shown: int) -> None:
        self.names = names
        self.lists = lists
        self.shown = shown
        self._cells: dict[int, list[float]] = {}
        self._of_sums: dict[int, tuple[list[float], list[float]]] = {}

    # What is added.

    def added(self, number: Any) -> Added | None:
        """What each document adds to the number of the query, or None if it is no such sum."""
        if not isinstance(number, Values):
            return None
        added = self._added(number)
        if added is None or not _close(sum(added.numbers), number[0]):
            return None
        return added

    def _added(self, number: Values) -> Added | None:
        operation, operands = number.operation, number.operands
        if operation in SUMS:
            return self._of_lists(operands[0], SUMS[operation](self, number))
        if operation == "sum":
            return self._of_places(operands[0])
        if operation in ("filled", "where_positive", "without", "joined", "floored", "minimum", "maximum"):
            return self.added(operands[0])
        left, right = (
            (self.added(operand) for operand in operands[:2]) if len(operands) == 2 else (None, None)
        )
        if operation in ("+", "-") and left is not None and right is not None and left.ideal == right.ideal:
            both = zip(left.numbers, right.numbers, strict=True)
            return left.replace(numbers=tuple(ARITHMETIC[operation](a, b) for a, b in both))
        if operation == "*" and left is not None and right is not None:
            return None
        if operation in ("*", "/", "share_of") and left is not None:
            return _scaled(left, _number(operands[1]), operation == "*")
        if operation == "*" and right is not None:
            return _scaled(right, _number(operands[0]), times=True)
        return None

    def _of_lists(self, lists: Lists, numbers: Sequence[float]) -> Added:
        """Numbers of the documents of a list, in the rows of the ranking."""
        if lists.ideal:
            return Added(tuple(numbers), ideal=True)
        added = [0.0] * self.shown
        for row, number in zip(lists.listing.rows, numbers, strict=True):
            if row is not None and row < self.shown:
                added[row] += number
        return Added(tuple(added), ideal=False)

    def _of_places(self, places: Places) -> Added:
        numbers = [0.0] * len(places.lists.listing.grades)
        for number, place in zip(places, places.lists.places, strict=True):
            if place is not None:
                numbers[place] = number
        return self._of_lists(places.lists, numbers)

    # Columns: numbers of every document.

    def column(self, places: Places) -> list[float]:
        """The numbers of the places of a ranking, row by row, also where a document is not judged and has no place."""
        cells: list[float] = [nan] * self.shown
        for row, cell in zip(places.lists.listing.rows, self._cells_of(places), strict=True):
            if row is not None and row < self.shown:
                cells[row] = cell
        return [_whole(cell) for cell in cells] if is_count(places) else cells

    def _cells_of(self, places: Places) -> list[float]:
        if id(places) not in self._cells:
            numbers: dict[int, float] = {
                place: number
                for number, place in zip(places, places.lists.places, strict=True)
                if place is not None
            }
            self._cells[id(places)] = list(self._with_gaps(places, numbers))
        return self._cells[id(places)]

    def _with_gaps(self, places: Places, numbers: dict[int, float]) -> Iterator[float]:
        """The numbers, and between them what they would be for a document that is not judged, which adds nothing."""
        operation, count = places.operation, len(places.lists.listing.grades)
        if len(numbers) == count:
            yield from (numbers[place] for place in range(count))
            return
        operands = [self._operand(operand, count) for operand in places.operands]
        look_up = _last_up_to(places) if operation == "last_up_to" else None
        carried = {"running": 0.0, "before": 0.0, "product_before": 1.0}.get(operation, nan)
        for place in range(count):
            if place in numbers:
                yield numbers[place]
                if operation == "running":
                    carried = numbers[place]
                elif operation == "before":
                    carried = numbers[place] + operands[0][place]
                elif operation == "product_before":
                    carried = numbers[place] * operands[0][place]
            elif operation == "ranks":
                yield float(place + 1)
            elif operation == "gains":
                yield 0.0
            elif operation in ARITHMETIC:
                yield _computed(operation, operands[0][place], operands[1][place])
            elif operation in ("filled", "where_positive"):
                yield operands[0][place]
            elif operation == "looked_up":
                table, at = places.operands[1], operands[0][place]
                yield nan if isnan(at) else table[min(int(at), len(table) - 1)]
            elif look_up is not None:
                yield look_up(operands[2][place])
            elif operation == "log2":
                yield _computed("log2", operands[0][place], 0.0)
            else:
                yield carried

    def _operand(self, operand: Any, count: int) -> Sequence[float]:
        if isinstance(operand, Places):
            return self._cells_of(operand)
        return [_number(operand)] * count

    # Operations that are one sum over a list.

    def worth(self, number: Values) -> list[float]:
        """The gain of each document."""
        lists, gain = number.operands[:2]
        gain_of = lists.gain_of(gain)
        return [gain_of[grade] for grade in lists.listing.grades]

    def weights(self, number: Values) -> list[float]:
        """The discount of each document."""
        lists, _, discounts, k = number.operands[:4]
        return over_ties(lists.listing, list(discounts)[:k])

    def _discounted(self, number: Values) -> list[float]:
        pairs = zip(self.worth(number), self.weights(number), strict=True)
        return [gain * weight for gain, weight in pairs]

    def _counted(self, number: Values) -> list[float]:
        lists, level, k = number.operands[:3]
        cutoff = int(_number(k)) if isinstance(k, Number) else k
        pairs = zip(reaching(lists.listing, level), within(lists.listing, cutoff), strict=True)
        return [hit * chance for hit, chance in pairs]

    def _retrieved(self, number: Values) -> list[float]:
        lists, k = number.operands
        return within(lists.listing, k)

    def _precisions(self, number: Values) -> list[float]:
        lists, level = number.operands[:2]
        hits = reaching(lists.listing, level)
        precision = self.precisions(number)[1]
        return [hit * share for hit, share in zip(hits, precision, strict=True)]

    def precisions(self, number: Values) -> tuple[list[float], list[float]]:
        """How many relevant documents stand down to each, and precision there."""
        if id(number) not in self._of_sums:
            lists, level, k = number.operands[:3]
            self._of_sums[id(number)] = precisions(lists.listing, reaching(lists.listing, level), k)
        return self._of_sums[id(number)]

    def _first(self, number: Values) -> list[float]:
        lists, level, k = number.operands[:3]
        return at_first_relevant(lists.listing, reaching(lists.listing, level), self.by_rank(number)[:k])

    def counted(self, number: Values) -> list[float]:
        """What each document adds to a sum over its list."""
        return SUMS[number.operation](self, number)

    def over_ranks(self, number: Values) -> list[float]:
        """What the rank of each document is worth."""
        return over_ties(number.operands[0].listing, self.by_rank(number))

    def in_rows(self, lists: Lists, numbers: Sequence[float]) -> list[float]:
        """Numbers of a list's documents, in the rows of the ranking; 0 for a document that the list lacks."""
        cells: list[float] = [0] * self.shown
        for row, number in zip(lists.listing.rows, numbers, strict=True):
            if row is not None and row < self.shown:
                cells[row] = number
        return cells

    def by_rank(self, number: Values) -> list[float]:
        """What the first relevant document is worth by its rank."""
        ranks = range(1, len(number.operands[0].listing.grades) + 1)
        return [1.0 if number.operation == "any_hit" else 1 / rank for rank in ranks][: number.operands[2]]


SUMS: dict[str, Callable[[Documents, Values], list[float]]] = {
    "any_hit": Documents._first,
    "discounted_gains": Documents._discounted,
    "hits": Documents._counted,
    "hits_within": Documents._counted,
    "precision_sum": Documents._precisions,
    "reciprocal_rank": Documents._first,
    "retrieved": Documents._retrieved,
}


def _last_up_to(places: Places) -> Callable[[float], float]:
    """What `last_up_to` gives for a limit; keys rise."""
    numbers, keys = list(places.operands[0]), list(places.operands[1])
    otherwise = float(places.operands[3])

    def look_up(limit: float) -> float:
        above = bisect_right(keys, limit)
        return numbers[above - 1] if above else otherwise

    return look_up


def is_count(number: Any) -> bool:
    """Whether this is made of grades and counts, and shown without decimals where it has none."""
    if not isinstance(number, Number):
        return isinstance(number, (int, float)) and abs(number) < float("inf") and number == int(number)
    operation = number.operation
    if operation == "discounted_gains":
        return set(number.operands[2]) <= {1.0}
    if operation in COUNTS or operation in COMPARISONS:
        return True
    if operation == "looked_up":
        return all(map(is_count, number.operands[1]))
    return operation in OF_COUNTS and all(map(is_count, number.operands))


def shown_number(number: Any) -> float:
    """The number of the query, as it is shown."""
    value = _number(number)
    return _whole(value) if is_count(number) else value


def _whole(number: float) -> float:
    return int(number) if abs(number) < 1e15 and number == int(number) else number


def _number(operand: Any) -> float:
    if isinstance(operand, Number):
        return operand[0]
    return float(operand) if isinstance(operand, (int, float)) else nan


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= NEARLY * max(1.0, abs(b))


def _scaled(added: Added, factor: float, times: bool) -> Added:
    if times:
        return added.replace(numbers=tuple(number * factor for number in added.numbers))
    return added.replace(numbers=tuple(number / factor if factor else nan for number in added.numbers))


def _computed(operation: str, a: float, b: float) -> float:
    if isnan(a) or isnan(b):
        return nan
    try:
        if operation == "log2":
            return log2(a)
        return float(ARITHMETIC[operation](a, b))
    except (ZeroDivisionError, ValueError, OverflowError):
        return nan


# Documents that share a score: their numbers are means over all orders of their group.


def over_ties(listing: Listing, by_rank: Sequence[float]) -> list[float]:
    """For each document the number of its rank, 0 where they end; in a tie group the mean over its ranks."""
    numbers: list[float] = []
    for group in listing.tie_groups:
        numbers_there = by_rank[group.start - 1 : group.stop - 1]
        if len(group) == 1:
            numbers.append(numbers_there[0] if numbers_there else 0)
        else:
            numbers += [sum(numbers_there) / len(group)] * len(group)
    return numbers


def within(listing: Listing, k: int | None) -> list[float]:
    """For each document 1 if it is among the first k, else 0; the chance of it where its rank is open."""
    count = len(listing.grades)
    return over_ties(listing, [1] * (count if k is None else min(k, count)))


def reaching(listing: Listing, level: float) -> list[int]:
    """For each document 1 if its grade reaches the level, else 0."""
    return [int(grade is not None and grade >= level) for grade in listing.grades]


def precisions(listing: Listing, hits: Sequence[int], k: int | None) -> tuple[list[float], list[float]]:
    """For each document, how many relevant ones stand down to it, and precision there, 0 below rank k."""
    hits_so_far: list[float] = []
    precision: list[float] = []
    hits_above = 0
    for group in listing.tie_groups:
        group_hits = hits[group.start - 1 : group.stop - 1]
        size, relevant = len(group), sum(group_hits)
        ranks = range(group.start, group.stop if k is None else min(group.stop, k + 1))
        means: dict[int, tuple[float, float]] = {}
        for hit in set(group_hits):
            # At any rank of its group a document has its share of the group's other relevant ones above it.
            share = (relevant - hit) / (size - 1) if size > 1 else 0
            counts = (hits_above + hit + share * position for position in range(size))
            total = sum(count / rank for count, rank in zip(counts, ranks, strict=False))
            means[hit] = hits_above + hit + (share * (size - 1) / 2 if size > 1 else 0), total / size
        hits_so_far += [means[hit][0] for hit in group_hits]
        precision += [means[hit][1] for hit in group_hits]
        hits_above += relevant
    return hits_so_far, precision


def at_first_relevant(listing: Listing, hits: Sequence[int], by_rank: Sequence[float]) -> list[float]:
    """For each document the number of its rank if it is the first relevant one, else 0; the mean of that over the orders of
    tied documents. `by_rank` ends at the cut-off."""
    added = [0.0] * len(hits)
    for group in listing.tie_groups:
        group_slice = slice(group.start - 1, group.stop - 1)
        if relevant := sum(hits[group_slice]):
            numbers = by_rank[group_slice]
            chances = _chances_of_first(len(group), relevant, len(numbers))
            expected = sum(chance * number for chance, number in zip(chances, numbers, strict=True))
            added[group_slice] = [hit * expected / relevant for hit in hits[group_slice]]
            break
    return added


def _chances_of_first(size: int, relevant: int, ranks: int) -> Iterator[float]:
    """For each of the first ranks of a tie group, the chance that its first relevant document stands there."""
    chance = relevant / size
    for position in range(ranks):
        yield chance
        remaining = size - position - 1
        chance = chance * (remaining - relevant + 1) / remaining if remaining > 0 else 0.0


class IdealDocuments(Frozen):
    """The grades of an ideal list, best first, and what each adds."""

    grades: tuple[float, ...]
    added: tuple[float, ...]


def best_first(number: Values, retrieved_only: bool) -> IdealDocuments:
    """The documents that have a gain, those with the highest first, as far as the discounts of a sum of gains go."""
    lists, gain, discounts, k = number.operands[:4]
    gain_of, counts = lists.gain_of(gain), _counts(lists, retrieved_only)
    by_gain = sorted((grade for grade in counts if gain_of[grade] > 0), key=lambda grade: -gain_of[grade])
    grades = chain.from_iterable(repeat(grade, counts[grade]) for grade in by_gain)
    pairs = list(zip(grades, list(discounts)[:k], strict=False))
    return IdealDocuments(
        tuple(grade for grade, _ in pairs), tuple(gain_of[grade] * discount for grade, discount in pairs)
    )


def _counts(lists: Lists, retrieved_only: bool) -> dict[float, int]:
    """How many judged documents have each grade, highest first; of those retrieved, if asked for."""
    _, _, found, judged = lists.native.query(0)
    counts: dict[float, int] = {}
    for grade in sorted(found if retrieved_only else judged, reverse=True):
        counts[grade] = counts.get(grade, 0) + 1
    return counts
