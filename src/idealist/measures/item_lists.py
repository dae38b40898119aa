"""What measures of items have in common: the first documents of a list, groups of items, and shares that add up to 1."""

from __future__ import annotations

from idealist import kernels
from idealist.data.item_rankings import graded, item_rankings
from idealist.data.needs import ITEMS
from idealist.errors import InputError
from idealist.kernels import Values
from idealist.measures.discounts import discount_table
from idealist.measures.gains import native_gain, number_text, refuse_grades_above
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import ndarray

    from idealist.data import Rankings
    from idealist.data.item_rankings import ItemLists, ItemRankings
    from idealist.kernels import Places
    from idealist.measures.discounts import Discount


def as_values(parts: list[ndarray]) -> Values:
    return Values([number for part in parts for number in part.tolist()])


def row_sums(matrix: ndarray) -> ndarray:
    """The sum of every row, from left to right, so that zeros behind a row do not change it."""
    import numpy as np

    return np.cumsum(matrix, axis=1)[:, -1] if matrix.shape[1] else np.zeros(len(matrix))


def divide(part: ndarray, total: ndarray, otherwise: float = float("nan")) -> ndarray:
    """part / whole, and `otherwise` where the whole is 0."""
    import numpy as np

    return np.where(total != 0, part / np.where(total != 0, total, 1.0), otherwise)


def shares(counts: ndarray) -> ndarray:
    """Each row by its sum; zeros where that is 0."""
    return divide(counts, row_sums(counts)[:, None], otherwise=0.0)


def entropies(distributions: ndarray) -> ndarray:
    """Shannon entropies in bits."""
    import numpy as np

    logs = np.log2(np.where(distributions > 0, distributions, 1.0))
    bits: ndarray = np.maximum(-row_sums(distributions * logs), 0.0)
    return bits


def divergences(p: ndarray, q: ndarray) -> ndarray:
    """Kullback-Leibler divergences of p from q, in nats; q is above 0 wherever p is."""
    import numpy as np

    ratios = np.where(p > 0, p, 1.0) / np.where(p > 0, q, 1.0)
    nats: ndarray = np.maximum(row_sums(p * np.log(ratios)), 0.0)
    return nats


MOST_SHOWN = 10


def group_position(measure: Measure, group: str | None, column: str, names: Sequence[str]) -> int:
    """Where the group that a measure names stands among those of the column; an error where it names none, or none
    of these."""
    if group not in names:
        problem = "needs group" if group is None else f"names group {group!r}, which no item is in"
        raise InputError(f"{measure} {problem}", hint=groups_hint(column, names))
    return names.index(group)


def groups_hint(column: str, names: Sequence[str]) -> str:
    """The groups that a column has, a few of them where they are many.

    >>> groups_hint("group", ["a", "b"])
    'column group has a, b'
    """
    more = ", …" if len(names) > MOST_SHOWN else ""
    return f"column {column} has {', '.join(names[:MOST_SHOWN])}{more}"


class OfItems(Measure):
    """What the measures of items have in common: they look at the first k documents, judged or not."""

    k: int = 10
    needs = ITEMS
    averages_ties = False
    favours_better = False

    def top(self, rankings: Rankings) -> ItemRankings:
        return item_rankings(rankings, self.k)


def mean_over(items_ranked: ItemRankings, table: ndarray) -> Values:
    """The mean of a number that every item has; undefined for an empty list."""
    return items_ranked.places.looked_up(table.tolist()).sum() / items_ranked.counts


class RelevanceAware(OfItems):
    """What the measures of Vargas and Castells have in common: a document counts by its rank and by how
    likely it is relevant."""

    relevance: str = "binary"
    level: float = 1.0
    max_grade: float = 4.0
    discount: Discount = "log2"

    def likely(self, rankings: Rankings) -> Places:
        native = graded(rankings, self.k)
        if self.relevance == "none":
            return kernels.ranks(native) >= 1.0
        if self.relevance == "binary":
            return kernels.grades(native) >= self.level
        refuse_grades_above(self.max_grade, rankings)
        worth = kernels.gains(native, native_gain("exp", rankings))
        return (worth * float(2.0**-self.max_grade)).maximum(0.0)

    def discounts(self, items_ranked: ItemRankings) -> list[float]:
        longest = int(max(items_ranked.counts, default=0.0))
        return discount_table(self.discount, longest)

    def expected(self, rankings: Rankings, items_ranked: ItemRankings, novelty: ndarray) -> Values:
        discounts = items_ranked.ranks.looked_up([0.0, *self.discounts(items_ranked)])
        worth = discounts * self.likely(rankings) * items_ranked.places.looked_up(novelty.tolist())
        return worth.sum() / discounts.sum()


class Pooled(OfItems):
    """What is computed over the lists of all queries together."""

    aggregate = "pooled"

    def of_list(self, length: ndarray, items: int) -> ndarray:
        """The values of lists by themselves, of so many different items of so many there are."""
        raise TypeError(f"{type(self).__name__} does not say how it is computed")

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        length = np.asarray(self.top(rankings).counts)
        return as_values([self.of_list(length, len(rankings.table(ITEMS)))])


class OfItemCounts(Pooled):
    """What is computed from how often each item is in the lists: counts of parts of the queries add up to those of all."""

    def of_counts(self, counts: ndarray) -> float:
        """The value for items that were shown so often."""
        raise TypeError(f"{type(self).__name__} does not say how it is computed")

    def pooled(self, rankings: Rankings) -> float:
        return self.of_counts(self.item_counts(rankings))

    def item_counts(self, rankings: Rankings) -> ndarray:
        """How often each item of the table is in the first k documents of the queries that count."""
        import numpy as np

        numbers, _ = counted_lists(self, rankings)
        counts: ndarray = np.bincount(numbers, minlength=len(rankings.table(ITEMS)))
        return counts


def counted_queries(rankings: Rankings) -> ndarray:
    """Which queries count in what is computed over all of them."""
    import numpy as np

    counted = np.ones(len(rankings), dtype=bool)
    if rankings.conventions.empty == "skip":
        counted[rankings.native.empty()] = False
    return counted


def counted_lists(measure: OfItems, rankings: Rankings) -> tuple[ndarray, ndarray]:
    """The items of the queries that count, one list behind the other, and how long the lists are."""
    import numpy as np

    lists = measure.top(rankings).lists
    counted, lengths = counted_queries(rankings), np.diff(lists.begin)
    return lists.numbers[np.repeat(counted, lengths)], lengths[counted]


def more_popular(popularity: ndarray) -> ndarray:
    """How many items are more popular than each."""
    import numpy as np

    return len(popularity) - np.searchsorted(np.sort(popularity), popularity, side="right")


def in_tail(rankings: Rankings, head: float) -> ndarray:
    """Which items are in the long tail: those more popular are at least a share `head` of the table."""
    popularity = rankings.table(ITEMS).popularity()
    tail: ndarray = more_popular(popularity) >= head * len(popularity)
    return tail


def refuse_more_than(users: float, rankings: Rankings) -> None:
    """An error where an item has more users than there are."""
    items = rankings.table(ITEMS)
    popularity = items.popularity()
    if float(popularity.max()) > users:
        item = int(popularity.argmax())
        raise items.wrong(
            f"item {items.ids[item]!r} has popularity {number_text(float(popularity[item]))}, above "
            f"users={number_text(users)}",
            item,
            hint="popularity counts users, each once",
        )


def self_information(rankings: Rankings, items_ranked: ItemRankings, smoothing: float) -> ndarray:
    """−log2 of every item's share of the popularity of all; nan for a share of 0, which no list may show."""
    import numpy as np

    items = rankings.table(ITEMS)
    counts = items.popularity() + smoothing
    unpopular = items_ranked.lists.numbers[counts[items_ranked.lists.numbers] == 0]
    if len(unpopular):
        item = int(unpopular[0])
        raise items.wrong(
            f"item {items.ids[item]!r} was retrieved and has popularity 0, so that its self-information is "
            "infinite",
            item,
            hint="add to every popularity with smoothing=1",
        )
    return -np.log2(np.where(counts > 0, counts, np.nan) / max(float(counts.sum()), 1e-300))


def category_counts(rankings: Rankings, lists: ItemLists) -> Iterator[ndarray]:
    """How often each category is in each list, part by part."""
    import numpy as np

    members = rankings.table(ITEMS).categories()
    for part in lists.parts(len(members.names)):
        yield part.sums(members, np.ones(len(part.number)))
