"""The operations that measures are written in: what lists are asked for, whoever has the lists.

`lists` are `rankings.native`. Where they are the core's own, the core answers; elsewhere the lists themselves, which have methods
of the same names and arguments (`idealist.backends`), or an error that names the operation. What comes back are `Places`, a
number for each judged document that was retrieved, in rank order, or `Values`, a number for each query; or lists again, seen
another way. `threads` are `rankings.threads`.

>>> from idealist import Rankings, kernels
>>> lists = Rankings.from_grades([[3, None, 0, 1]]).native
>>> memoryview(kernels.grades(lists) / kernels.ranks(lists)).tolist()  # documents at ranks 1, 3 and 4
[3.0, 0.0, 0.25]
"""

from __future__ import annotations

import idealist.kernels._native as core
from idealist.errors import InputError
from idealist.kernels._native import Gain as CoreGain
from idealist.kernels._native import Rankings, Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from idealist.kernels._native import Places


class Gain(CoreGain):
    """What grades are worth: the grade itself (linear), 2^grade - 1 (exp), or what a table of grades and gains says (table).

    Negative grades are worth 0 unless `negative_counts`.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_grades([[3, -1, 1]]).native
    >>> memoryview(kernels.gains(lists, kernels.Gain("exp", False, []))).tolist()
    [7.0, 0.0, 1.0]
    """

    def __init__(self, kind: str, negative_counts: bool, table: Sequence[tuple[float, float]], /) -> None:
        super().__init__(kind, negative_counts, table)
        # Other backends than the core look into it.
        self.kind = kind
        self.negative_counts = negative_counts
        self.table = table


def _asked(lists: Any, operation: str, *arguments: Any) -> Any:
    """What lists of another backend say, if they have the operation."""
    if not hasattr(lists, "backend"):
        return getattr(core, operation)(lists, *arguments)  # which says what they should be
    if not hasattr(lists, operation):
        raise InputError(
            f"{operation} is not an operation of {lists.backend}",
            hint="measure with idealist.evaluate, whose lists have all operations",
        )
    return getattr(lists, operation)(*arguments)


# A number for each judged document that was retrieved.


def grades(lists: Rankings, /) -> Places:
    """The grade of each document.

    >>> from idealist import Rankings, kernels
    >>> memoryview(kernels.grades(Rankings.from_grades([[3, None, 1]]).native)).tolist()
    [3.0, 1.0]
    """
    return core.grades(lists) if type(lists) is Rankings else _asked(lists, "grades")


def ranks(lists: Rankings, /) -> Places:
    """The rank of each document; where ties are averaged, tied documents have the first of theirs.

    >>> from idealist import Rankings, kernels
    >>> memoryview(kernels.ranks(Rankings.from_grades([[3, None, 1]]).native)).tolist()
    [1.0, 3.0]
    """
    return core.ranks(lists) if type(lists) is Rankings else _asked(lists, "ranks")


def gains(lists: Rankings, gain: Gain, /) -> Places:
    """The gain of each document.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_grades([[3, None, 1]]).native
    >>> memoryview(kernels.gains(lists, kernels.Gain("exp", False, []))).tolist()
    [7.0, 1.0]
    """
    return core.gains(lists, gain) if type(lists) is Rankings else _asked(lists, "gains", gain)


def ideal_ranks(lists: Rankings, /) -> Places:
    """The rank of each document among all judged ones, best first; of equals the retrieved stand first, in their order.

    >>> from idealist import Rankings, kernels
    >>> memoryview(kernels.ideal_ranks(Rankings.from_grades([[1, 3, 1]]).native)).tolist()
    [2.0, 1.0, 3.0]
    """
    return core.ideal_ranks(lists) if type(lists) is Rankings else _asked(lists, "ideal_ranks")


# A number for each query. With averaged ties, the mean over all orders of the tied documents.


def relevant(lists: Rankings, level: float, /) -> Values:
    """How many judged documents have at least this grade, retrieved or not.

    >>> from idealist import Rankings, kernels
    >>> list(kernels.relevant(Rankings.from_grades([[3, 0, 1]], [[3, 0, 1, 1]]).native, 1.0))
    [3.0]
    """
    return core.relevant(lists, level) if type(lists) is Rankings else _asked(lists, "relevant", level)


def retrieved(lists: Rankings, k: int | None, /) -> Values:
    """How many documents were retrieved, judged or not, and no more than k.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_grades([[3, None, 1]]).native
    >>> list(kernels.retrieved(lists, None)), list(kernels.retrieved(lists, 2))
    ([3.0], [2.0])
    """
    return core.retrieved(lists, k) if type(lists) is Rankings else _asked(lists, "retrieved", k)


def hits(lists: Rankings, level: float, k: int | None, threads: int, /) -> Values:
    """How many documents of at least this grade are among the first k.

    >>> from idealist import Rankings, kernels
    >>> list(kernels.hits(Rankings.from_grades([[3, None, 0, 1]]).native, 1.0, 3, 1))
    [1.0]
    """
    if type(lists) is Rankings:
        return core.hits(lists, level, k, threads)
    return _asked(lists, "hits", level, k, threads)  # type: ignore[no-any-return]


def hits_within(lists: Rankings, level: float, k: Values, threads: int, /) -> Values:
    """How many documents of at least this grade are among the first ones, with a cut-off for each query.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_grades([[1, 1, 1], [1, 1, 1]]).native
    >>> list(kernels.hits_within(lists, 1.0, kernels.Values([1.0, 2.0]), 1))
    [1.0, 2.0]
    """
    if type(lists) is Rankings:
        return core.hits_within(lists, level, k, threads)
    return _asked(lists, "hits_within", level, k, threads)  # type: ignore[no-any-return]


def any_hit(lists: Rankings, level: float, k: int | None, threads: int, /) -> Values:
    """Whether a document of at least this grade is among the first k: 1 or 0.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_grades([[0, 0, 1]]).native
    >>> list(kernels.any_hit(lists, 1.0, 3, 1)), list(kernels.any_hit(lists, 1.0, 2, 1))
    ([1.0], [0.0])
    """
    if type(lists) is Rankings:
        return core.any_hit(lists, level, k, threads)
    return _asked(lists, "any_hit", level, k, threads)  # type: ignore[no-any-return]


def reciprocal_rank(lists: Rankings, level: float, k: int | None, threads: int, /) -> Values:
    """1 / rank of the first document of at least this grade, 0 where none is among the first k.

    >>> from idealist import Rankings, kernels
    >>> list(kernels.reciprocal_rank(Rankings.from_grades([[0, 1, 1]]).native, 1.0, None, 1))
    [0.5]
    """
    if type(lists) is Rankings:
        return core.reciprocal_rank(lists, level, k, threads)
    return _asked(lists, "reciprocal_rank", level, k, threads)  # type: ignore[no-any-return]


def precision_sum(lists: Rankings, level: float, k: int | None, threads: int, /) -> Values:
    """Σ precision at the rank of each document of at least this grade among the first k.

    >>> from idealist import Rankings, kernels
    >>> list(kernels.precision_sum(Rankings.from_grades([[1, 0, 0, 1]]).native, 1.0, None, 1))  # 1/1 + 2/4
    [1.5]
    """
    if type(lists) is Rankings:
        return core.precision_sum(lists, level, k, threads)
    return _asked(lists, "precision_sum", level, k, threads)  # type: ignore[no-any-return]


def discounted_gains(
    lists: Rankings, gain: Gain, discounts: Sequence[float], k: int | None, threads: int, /
) -> Values:
    """Σ gain · discount over the first k ranks; `discounts[0]` is for rank 1, and there is one for every rank.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_grades([[3, None, 1]]).native
    >>> list(kernels.discounted_gains(lists, kernels.Gain("linear", False, []), [1.0, 0.5, 0.25], None, 1))
    [3.25]
    """
    if type(lists) is Rankings:
        return core.discounted_gains(lists, gain, discounts, k, threads)
    return _asked(lists, "discounted_gains", gain, discounts, k, threads)  # type: ignore[no-any-return]


def ideal_gains(
    lists: Rankings,
    gain: Gain,
    discounts: Sequence[float],
    k: int | None,
    retrieved_only: bool,
    threads: int,
    /,
) -> Values:
    """The same of all judged documents in their best order, or of the retrieved ones only.

    >>> from idealist import Rankings, kernels
    >>> lists, gain = Rankings.from_grades([[1, 2]], [[1, 2, 3]]).native, kernels.Gain("linear", False, [])
    >>> list(kernels.ideal_gains(lists, gain, [1.0, 0.5, 0.25], 2, False, 1))
    [4.0]
    >>> list(kernels.ideal_gains(lists, gain, [1.0, 0.5, 0.25], 2, True, 1))
    [2.5]
    """
    if type(lists) is Rankings:
        return core.ideal_gains(lists, gain, discounts, k, retrieved_only, threads)
    return _asked(lists, "ideal_gains", gain, discounts, k, retrieved_only, threads)  # type: ignore[no-any-return]


# The lists seen another way.


def ideal_order(lists: Rankings, /) -> Rankings:
    """All judged documents, best first, as if exactly they had been retrieved.

    >>> from idealist import Rankings, kernels
    >>> best = kernels.ideal_order(Rankings.from_grades([[1, None, 2]], [[1, 2, 3]]).native)
    >>> memoryview(kernels.grades(best)).tolist()
    [3.0, 2.0, 1.0]
    """
    return core.ideal_order(lists) if type(lists) is Rankings else _asked(lists, "ideal_order")


def condensed(lists: Rankings, /) -> Rankings:
    """The lists without their unjudged documents.

    >>> from idealist import Rankings, kernels
    >>> memoryview(kernels.ranks(kernels.condensed(Rankings.from_grades([[1, None, 2]]).native))).tolist()
    [1.0, 2.0]
    """
    return core.condensed(lists) if type(lists) is Rankings else _asked(lists, "condensed")


def cut_short(lists: Rankings, depth: int, /) -> Rankings:
    """The first ranks, as if no more had been retrieved.

    >>> from idealist import Rankings, kernels
    >>> memoryview(kernels.grades(kernels.cut_short(Rankings.from_grades([[1, 2, 3]]).native, 2))).tolist()
    [1.0, 2.0]
    """
    return core.cut_short(lists, depth) if type(lists) is Rankings else _asked(lists, "cut_short", depth)


def filled(lists: Rankings, grade: float, depth: int | None, padded: bool, /) -> Rankings:
    """Every unjudged document down to a rank with a grade, and with `padded` every rank below a list's end.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_grades([[1, None]]).native
    >>> memoryview(kernels.grades(kernels.filled(lists, 0.5, 3, True))).tolist()
    [1.0, 0.5, 0.5]
    """
    if type(lists) is Rankings:
        return core.filled(lists, grade, depth, padded)
    return _asked(lists, "filled", grade, depth, padded)  # type: ignore[no-any-return]


def regraded(lists: Rankings, gain: Gain, /) -> Rankings:
    """The gains in the place of the grades.

    >>> from idealist import Rankings, kernels
    >>> lists = kernels.regraded(Rankings.from_grades([[3, 1]]).native, kernels.Gain("exp", False, []))
    >>> list(kernels.relevant(lists, 2.0))
    [1.0]
    """
    return core.regraded(lists, gain) if type(lists) is Rankings else _asked(lists, "regraded", gain)


def best_of_ties(lists: Rankings, /) -> Rankings:
    """Documents of equal score in the best order, by grade.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_arrays([[0, 1]], [[0.5, 0.5]]).native
    >>> memoryview(kernels.grades(kernels.best_of_ties(lists))).tolist()
    [1.0, 0.0]
    """
    return core.best_of_ties(lists) if type(lists) is Rankings else _asked(lists, "best_of_ties")


def worst_of_ties(lists: Rankings, /) -> Rankings:
    """Documents of equal score in the worst order, by grade.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_arrays([[0, 1]], [[0.5, 0.5]]).native
    >>> memoryview(kernels.grades(kernels.worst_of_ties(lists))).tolist()
    [0.0, 1.0]
    """
    return core.worst_of_ties(lists) if type(lists) is Rankings else _asked(lists, "worst_of_ties")


def tied(lists: Rankings, /) -> list[int]:
    """The places of the queries for which the order of documents of equal score may matter.

    >>> from idealist import Rankings, kernels
    >>> kernels.tied(Rankings.from_arrays([[0, 1], [0, 1]], [[2, 1], [1, 1]]).native)
    [1]
    """
    return core.tied(lists) if type(lists) is Rankings else _asked(lists, "tied")


def part(lists: Rankings, begin: int, end: int, /) -> Rankings:
    """The queries from `begin` up to `end`.

    >>> from idealist import Rankings, kernels
    >>> kernels.part(Rankings.from_grades([[1], [2], [3]]).native, 1, 3).queries()
    ['1', '2']
    """
    return core.part(lists, begin, end) if type(lists) is Rankings else _asked(lists, "part", begin, end)


def chosen(lists: Rankings, queries: Sequence[int], /) -> Rankings:
    """Some queries, in the order they are named.

    >>> from idealist import Rankings, kernels
    >>> kernels.chosen(Rankings.from_grades([[1], [2], [3]]).native, [2, 0]).queries()
    ['2', '0']
    """
    return core.chosen(lists, queries) if type(lists) is Rankings else _asked(lists, "chosen", queries)


def by_group(
    lists: Rankings,
    begin: Sequence[int],
    group: Sequence[int],
    grade: Sequence[float],
    groups: Sequence[int],
    /,
) -> Rankings:
    """The documents of each group as a list of its own. Lists hold the documents' numbers in the place of grades: document d is
    in the groups `group[begin[d]:begin[d + 1]]`, with the grades there; query q has `groups[q]` of all groups, in turn.

    >>> from idealist import Rankings, kernels
    >>> numbers = Rankings.from_grades([[1, 0]]).native  # document 1 in group 0; document 0 in groups 0 and 1
    >>> memoryview(kernels.grades(kernels.by_group(numbers, [0, 2, 3], [0, 1, 0], [5.0, 6.0, 7.0], [2]))).tolist()
    [7.0, 5.0, 6.0]
    """
    if type(lists) is Rankings:
        return core.by_group(lists, begin, group, grade, groups)
    return _asked(lists, "by_group", begin, group, grade, groups)  # type: ignore[no-any-return]


OPERATIONS = (
    "any_hit",
    "best_of_ties",
    "by_group",
    "chosen",
    "condensed",
    "cut_short",
    "discounted_gains",
    "filled",
    "gains",
    "grades",
    "hits",
    "hits_within",
    "ideal_gains",
    "ideal_order",
    "ideal_ranks",
    "part",
    "precision_sum",
    "ranks",
    "reciprocal_rank",
    "regraded",
    "relevant",
    "retrieved",
    "tied",
    "worst_of_ties",
)

# What is made of values.


def joined(parts: Sequence[Values]) -> Values:
    """The values of neighbouring queries, one part behind the other.

    >>> list(joined([Values([1.0]), Values([2.0, 3.0])]))
    [1.0, 2.0, 3.0]
    """
    if len(parts) == 1:
        return parts[0]
    if parts and hasattr(parts[0], "joined"):
        return parts[0].joined(parts[1:])  # type: ignore[no-any-return]
    return Values([number for part_of in parts for number in part_of])


def looked_up(places: Values, table: Sequence[float]) -> Values:
    """The number of a table at the place that each value is; beyond the end the last one.

    >>> list(looked_up(Values([0.0, 2.0]), [0.5, 0.25]))
    [0.5, 0.25]
    """
    if not isinstance(places, Values):
        return places.looked_up(table)
    last = len(table) - 1
    return Values([table[int(min(place, last))] for place in places])


def worths(native: Any, worth: Callable[[Any], Any], negative_counts: bool) -> Gain:
    """What grades are worth by a function of Python, for `gains`; 0 below grade 0 unless `negative_counts`.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_grades([[2, 0]]).native
    >>> list(memoryview(kernels.gains(lists, kernels.worths(lists, lambda grade: grade / 4, True))))
    [0.5, 0.0]
    """
    if hasattr(native, "worths"):
        return native.worths(worth, negative_counts)  # type: ignore[no-any-return]
    grades = [grade for grade in native.levels() if negative_counts or grade >= 0]
    return Gain("table", negative_counts, [(grade, worth(grade)) for grade in grades])


def by_rank(
    native: Any, number: Callable[[Any], Any], table: Callable[[int], Sequence[float]], k: int | None
) -> Sequence[float]:
    """A number of each rank, down to k or the last: `table` of so many ranks, which a backend that has none follows `number` for.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_grades([[1, 0]]).native
    >>> kernels.by_rank(lists, lambda rank: 1 / rank, lambda ranks: [1 / rank for rank in range(1, ranks + 1)], 10)
    [1.0, 0.5]
    """
    if hasattr(native, "rank_formula"):
        return native.rank_formula(number, table, k)  # type: ignore[no-any-return]
    longest = native.longest()
    return table(longest if k is None else min(k, longest))


def at_ranks(ranks: Places, numbers: Any) -> Places:
    """The number of every place's rank, of what `by_rank` gave.

    >>> from idealist import Rankings, kernels
    >>> lists = Rankings.from_grades([[1, 0]]).native
    >>> list(memoryview(kernels.at_ranks(kernels.ranks(lists), [1.0, 0.5])))
    [1.0, 0.5]
    """
    return numbers.at(ranks) if hasattr(numbers, "at") else ranks.looked_up([0.0, *numbers])


def are_values(numbers: Any) -> bool:
    """Whether these are the values of queries, of the core or of another backend.

    >>> are_values(Values([1.0])), are_values([1.0])
    (True, False)
    """
    return isinstance(numbers, Values) or hasattr(numbers, "first_infinite")
