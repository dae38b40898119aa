"""Popularity bias: how unevenly lists show popular items and the others, or some categories and the others."""

from __future__ import annotations

from idealist import kernels
from idealist.data.item_rankings import graded, relevant_items
from idealist.data.needs import ITEMS
from idealist.measures.item_lists import (
    OfItems,
    as_values,
    counted_queries,
    divide,
    group_position,
    in_tail,
    mean_over,
    refuse_more_than,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

    from idealist.data import Rankings
    from idealist.data.item_rankings import ItemLists
    from idealist.kernels import Values


class TailCount(OfItems, name="TailCount", aliases={"ACLT": {}}):
    """Average coverage of long-tail items: how many of the first k documents are not among the popular ones.

    An item is in the tail when the items more popular than it are at least a share `head` of the table.
    Abdollahpouri, Burke and Mobasher, FLAIRS 2019 (ACLT).

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c", "d", "e"], "popularity": [8, 2, 6, 1, 1]}  # a is the head
    >>> evaluate({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "ACLT@2", items=items).mean("ACLT@2")
    1.0
    """

    head: float = 0.2
    bounds = (0.0, float("inf"))
    column_needed = "popularity"

    def values(self, rankings: Rankings) -> Values:
        tail = in_tail(rankings, self.head).astype(float).tolist()
        return self.top(rankings).places.looked_up(tail).sum()


class Surprisal(OfItems, name="Surprisal"):
    """Mean surprisal of the first k documents, from 0 for items that everybody has to 1 for those that one person has.

    The mean of −log2(popularity/users) / log2(users); an item that nobody has counts as one that one person has.
    Undefined for an empty list, and for one user. Zhou and others, PNAS 2010, scaled as in RePlay.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "popularity": [16, 4, 1]}
    >>> evaluate({"q": {"a": 1}}, {"q": ["b", "c"]}, "Surprisal@2", items=items).mean("Surprisal@2")  # (2/4 + 4/4)/2
    0.75
    """

    users: float | None = None
    column_needed = "popularity"

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        popularity = np.maximum(rankings.table(ITEMS).popularity(), 1.0)
        users = float(popularity.max()) if self.users is None else self.users
        refuse_more_than(users, rankings)
        if users <= 1.0:
            return kernels.Values([float("nan")] * len(rankings))
        return mean_over(self.top(rankings), -np.log2(popularity / users) / np.log2(users))


class _OfTwoGroups(OfItems):
    """What the measures of popular items and the others have in common: the chance of each to be shown, compared."""

    head: float = 0.2
    aggregate = "pooled"
    better = "lower"
    column_needed = "popularity"

    def chances(self, rankings: Rankings) -> tuple[ndarray, ndarray]:
        """For every query, how many documents of the head and of the tail were shown, and of how many."""
        raise TypeError(f"{type(self).__name__} does not say how it is computed")

    def values(self, rankings: Rankings) -> Values:
        return as_values([_disparity(*self.chances(rankings))])

    def pooled(self, rankings: Rankings) -> float:
        shown, eligible = self.chances(rankings)
        counted = counted_queries(rankings)
        totals = shown[counted].sum(axis=0), eligible[counted].sum(axis=0)
        return float(_disparity(totals[0][None], totals[1][None])[0])


class PopREO(_OfTwoGroups, name="PopREO"):
    """Popularity-based ranking equal opportunity: how differently relevant popular and other items are retrieved.

    The standard deviation by the mean of two recalls: of the relevant documents among the popular items, and of those
    among the others, counted over all queries; 0 if they are equal, 1 if one is 0. `head` is that of TailShare. A
    query's own value is that of its list alone. Undefined where one group has no relevant document, or none was
    retrieved. Zhu, Wang and Caverlee, SIGIR 2020 (REO), with groups by popularity.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c", "d", "e"], "popularity": [8, 2, 6, 1, 1]}  # a is the head
    >>> judged, run = {"q": {"a": 1, "b": 1, "d": 1}}, {"q": ["a", "b"]}
    >>> result = evaluate(judged, run, "PopREO@2", items=items)
    >>> round(result.aggregate("PopREO@2"), 4)  # recalls of 1 and 1/2: 1/4 by 3/4
    0.3333
    """

    level: float = 1.0

    def chances(self, rankings: Rankings) -> tuple[ndarray, ndarray]:
        import numpy as np

        tail = in_tail(rankings, self.head)
        hits = np.asarray(kernels.grades(graded(rankings, self.k)) >= self.level)
        relevant = relevant_items(rankings, self.level)
        return (
            _by_group(self.top(rankings).lists, tail, hits),
            _by_group(relevant, tail, np.ones(len(relevant.numbers))),
        )


class PopRSP(_OfTwoGroups, name="PopRSP"):
    """Popularity-based ranking statistical parity: how differently popular and other items are shown.

    The standard deviation by the mean of two shares: of the popular items that are in the first k documents, and of the
    others, counted over all queries; 0 if they are equal, 1 if one is 0. With `users` stated, popularity counts who has an
    item already and is not shown it: item i can be shown to a share 1 − popularity/users of the queries. `head` is that
    of TailShare. A query's own value is that of its list alone. Undefined if nothing was retrieved. Zhu, Wang and
    Caverlee, SIGIR 2020 (RSP), with groups by popularity.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c", "d", "e"], "popularity": [8, 2, 6, 1, 1]}  # a is the head
    >>> evaluate({"q": {"a": 1}}, {"q": ["a", "b"]}, "PopRSP@2", items=items).aggregate("PopRSP@2")  # 1 and 1/4
    0.6
    """

    users: float | None = None

    def chances(self, rankings: Rankings) -> tuple[ndarray, ndarray]:
        import numpy as np

        tail, lists = in_tail(rankings, self.head), self.top(rankings).lists
        possible = np.ones(len(tail))
        if self.users is not None:
            refuse_more_than(self.users, rankings)
            possible = 1.0 - rankings.table(ITEMS).popularity() / self.users
        eligible = np.array([possible[~tail].sum(), possible[tail].sum()])
        shown = _by_group(lists, tail, np.ones(len(lists.numbers)))
        return shown, np.broadcast_to(eligible, shown.shape)


class BiasDisparity(OfItems, name="BiasDisparity"):
    """Bias disparity: how much more a group of items is shown than the relevant documents call for.

    (s − t) / t, where s is the group's share of the first k documents and t its share of the relevant documents, over all
    queries; 0 if they are equal, −1 if the group is not shown. `group` must be named, and `column` where it is not
    category. An item in several groups counts for each in part. A query's own value is that of its list alone. Undefined
    where no relevant document is in the group. Tsintzou, Pitoura and Tsaparas, RMSE 2019.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "category": ["war", "war", "comedy"]}
    >>> judged, run = {"q": {"a": 1, "c": 1}}, {"q": ["a", "b"]}
    >>> measure = "BiasDisparity(group=war)@2"  # all of the list, half of what is relevant
    >>> evaluate(judged, run, measure, items=items).aggregate(measure)
    1.0
    """

    column: str = "category"
    group: str | None = None
    level: float = 1.0
    aggregate = "pooled"
    bounds = (-1.0, float("inf"))
    better = "neither"

    def values(self, rankings: Rankings) -> Values:
        listed, relevant = self._counts(rankings)
        return as_values([_excess(listed, relevant)])

    def pooled(self, rankings: Rankings) -> float:
        counted = counted_queries(rankings)
        listed, relevant = (counts[counted].sum(axis=0)[None] for counts in self._counts(rankings))
        return float(_excess(listed, relevant)[0])

    def _counts(self, rankings: Rankings) -> tuple[ndarray, ndarray]:
        """For every query, how many documents are in the group and how many in any, of the list and of the relevant."""
        import numpy as np

        members = rankings.table(ITEMS).membership(self.column)
        at = group_position(self, self.group, self.column, members.names)
        both = []
        for lists in (self.top(rankings).lists, relevant_items(rankings, self.level)):
            parts = [
                part.sums(members, np.ones(len(part.number))) for part in lists.parts(len(members.names))
            ]
            both.append(np.concatenate([np.stack([sums[:, at], sums.sum(axis=1)], axis=1) for sums in parts]))
        return both[0], both[1]


def _by_group(lists: ItemLists, tail: ndarray, weights: ndarray) -> ndarray:
    """The weights of every query's places, those of popular items and those of the others."""
    import numpy as np

    lengths = np.diff(lists.begin)
    query = np.repeat(np.arange(len(lengths)), lengths)
    cells = np.bincount(query * 2 + tail[lists.numbers], weights=weights, minlength=2 * len(lengths))
    return cells.reshape(-1, 2)


def _disparity(shown: ndarray, eligible: ndarray) -> ndarray:
    """Of two chances, half the difference by the mean, a row each."""
    import numpy as np

    chances = divide(shown, eligible)
    return divide(np.abs(chances[:, 0] - chances[:, 1]), chances[:, 0] + chances[:, 1])


def _excess(listed: ndarray, relevant: ndarray) -> ndarray:
    shown, wanted = divide(listed[:, 0], listed[:, 1]), divide(relevant[:, 0], relevant[:, 1])
    return divide(shown - wanted, wanted)
