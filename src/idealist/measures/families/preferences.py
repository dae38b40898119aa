"""Preferences: judgments say which of two documents is better, and a ranking is right about a pair or wrong.

trec_eval ranks documents of equal score by ascending id here, and by descending id everywhere else. Our rule for
ties is the same for all measures, unless a measure has tied=id-ascending, as under trec_eval's conventions.
"""

from __future__ import annotations

from idealist.data.needs import PREFERENCES
from idealist.data.preferences import preference_rankings
from idealist.kernels import Values
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data import Rankings

NAN = float("nan")
BLOCK = 256  # rows of a matrix at a time: what bounds the memory, and stays in the cache


class GroupOrder:
    """What a group prefers, its documents in the order of the ranking, the retrieved ones first: whatever has
    the higher level, or, where subgroups had to be put together, what a matrix says."""

    __slots__ = ("levels", "matrix", "retrieved")

    def __init__(self, levels: Any, matrix: Any, retrieved: int) -> None:
        self.levels, self.matrix, self.retrieved = levels, matrix, retrieved

    def rows(self, begin: int, end: int) -> Any:
        """Whether some of the documents are preferred to each of all."""
        if self.matrix is not None:
            return self.matrix[begin:end]
        return self.levels[begin:end, None] > self.levels[None, :]

    def only(self, mask: Any) -> GroupOrder:
        import numpy as np

        matrix = None if self.matrix is None else self.matrix[mask][:, mask]
        return GroupOrder(self.levels[mask], matrix, int(np.count_nonzero(mask[: self.retrieved])))


class Tally:
    """How many preferences are fulfilled, and how many there are, by how many of their two documents were
    retrieved: both, one, or neither."""

    __slots__ = ("both", "fulfilled_both", "fulfilled_one", "neither", "one")

    def __init__(self, order: GroupOrder) -> None:
        import numpy as np

        def count(part: Any) -> int:
            return int(np.count_nonzero(part))

        self.both = self.one = self.neither = self.fulfilled_both = self.fulfilled_one = 0
        retrieved = order.retrieved
        for begin in range(0, len(order.levels), BLOCK):
            rows = order.rows(begin, begin + BLOCK)
            retrieved_rows, other_rows = np.split(rows, [max(retrieved - begin, 0)])
            end = begin + len(retrieved_rows)
            self.both += count(retrieved_rows[:, :retrieved])
            self.fulfilled_both += count(np.triu(retrieved_rows[:, begin:end])) + count(
                retrieved_rows[:, end:retrieved]
            )
            self.fulfilled_one += count(retrieved_rows[:, retrieved:])
            self.one += count(retrieved_rows[:, retrieved:]) + count(other_rows[:, :retrieved])
            self.neither += count(other_rows[:, retrieved:])

    def fulfilled(self, over: str) -> int:
        return self.fulfilled_both if over == "retrieved" else self.fulfilled_both + self.fulfilled_one

    def possible(self, over: str) -> int:
        if over == "retrieved":
            return self.both
        return self.both + self.one + (self.neither if over == "all" else 0)


class Preferring(Measure):
    """The base of measures of preferences."""

    over: str = "all"
    tied: str = "as-ranked"
    needs = PREFERENCES
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        return Values([self._value(tallies) for tallies in self._ordered(rankings).view(_tallies)])

    def _ordered(self, rankings: Rankings) -> Rankings:
        """The rankings with documents of equal score in the measure's own order."""
        return rankings if self.tied == "as-ranked" else rankings.view(_by_ascending_id)

    def _value(self, tallies: list[Tally]) -> float:
        raise TypeError(f"{type(self).__name__} does not say how it is computed")


class PrefsSimple(
    Preferring,
    name="PrefsSimple",
    aliases={
        "prefs_simp": {},
        "prefs_simp_ret": {"over": "retrieved"},
        "prefs_simp_imp": {"over": "implied"},
    },
):
    """The share of preferences that the ranking fulfils.

    A preference of one document to another is fulfilled when the first is retrieved, and the second below it
    or not at all. Fulfilled / possible, where every group's preference counts by itself. With over=retrieved,
    only preferences between two retrieved documents count; with over=implied, those of which at least one is
    retrieved. Undefined when no preference counts. Quadratic in a query's judged documents. Buckley,
    trec_eval 9, 2008 (prefs_simp); Carterette, Bennett, Chickering and Dumais, ECIR 2008.

    >>> from idealist import evaluate
    >>> from idealist.data.preferences import Preferences
    >>> judged = Preferences({"q": {"ann": {"0": {"a": 3, "b": 2, "c": 1}}}})
    >>> run = {"q": {"b": 2.0, "a": 1.0}}  # a > b is not fulfilled; a > c and b > c are: c was not found
    >>> evaluate(judged, run, "PrefsSimple").value("PrefsSimple", "q")
    0.6666666666666666
    """

    def _value(self, tallies: list[Tally]) -> float:
        possible = sum(tally.possible(self.over) for tally in tallies)
        fulfilled = sum(tally.fulfilled(self.over) for tally in tallies)
        return fulfilled / possible if possible else NAN


class PrefsAvgJG(
    Preferring,
    name="PrefsAvgJG",
    aliases={
        "prefs_avgjg": {},
        "prefs_avgjg_ret": {"over": "retrieved"},
        "prefs_avgjg_imp": {"over": "implied"},
    },
):
    """The share of preferences that the ranking fulfils, for each judgment group, averaged over them.

    As PrefsSimple, but a group with few preferences counts as much as one with many. A group without any that
    counts has the share 0; undefined when that is so for all. Quadratic in a query's judged documents.
    Buckley, trec_eval 9, 2008 (prefs_avgjg).

    >>> from idealist import evaluate
    >>> from idealist.data.preferences import Preferences
    >>> judged = Preferences({"q": {"ann": {"0": {"a": 1, "b": 0}}, "bob": {"0": {"c": 2, "b": 1, "a": 0}}}})
    >>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}  # ann has 1 of 1, bob 0 of 3
    >>> evaluate(judged, run, "PrefsAvgJG").value("PrefsAvgJG", "q")
    0.5
    """

    def _value(self, tallies: list[Tally]) -> float:
        return _mean_share([(tally.fulfilled(self.over), tally.possible(self.over)) for tally in tallies])


class PrefsAvgJGRnonrel(
    Preferring,
    name="PrefsAvgJGRnonrel",
    aliases={"prefs_avgjg_Rnonrel": {}, "prefs_avgjg_Rnonrel_ret": {"over": "retrieved"}},
):
    """PrefsAvgJG with as many documents that are not relevant as there are relevant ones, in each group.

    A group has R documents of a level above 0, and N others. Of more than R others, only the first R of the
    ranking count. If there are fewer, R - N are added to the end of the ranking, to which each of the R is
    preferred. So judging more of what is not relevant does not change what a group's preferences weigh. With
    over=retrieved, R and N are of retrieved documents. Undefined when no group has a preference that counts.
    Quadratic in a query's judged documents. Buckley, trec_eval 9, 2008 (prefs_avgjg_Rnonrel), whose program
    departs from its description: when N > R in a group without subgroups it also counts pairs of documents
    that are not relevant, most of them as failures; with over=retrieved it partly takes R from all documents;
    and a group without a preference makes the whole query 0.

    >>> from idealist import evaluate
    >>> from idealist.data.preferences import Preferences
    >>> judged = Preferences({"q": {"ann": {"0": {"a": 2, "b": 1, "x": 0}}}})
    >>> run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}  # a > b, a > x, b > x, and a and b > one more: 4 of 5
    >>> evaluate(judged, run, "prefs_avgjg_Rnonrel").value("prefs_avgjg_Rnonrel", "q")
    0.8
    """

    def values(self, rankings: Rankings) -> Values:
        shares_by_query = self._ordered(rankings).view(_balanced_shares, self.over)
        return Values([_mean_share(shares) for shares in shares_by_query])


class PrefsPair(
    Preferring,
    name="PrefsPair",
    aliases={
        "prefs_pair": {},
        "prefs_pair_ret": {"over": "retrieved"},
        "prefs_pair_imp": {"over": "implied"},
    },
):
    """The share of preferences that the ranking fulfils, for each pair of documents, averaged over the pairs.

    As PrefsSimple, but a pair that many groups have a preference about counts as much as one that only one
    group knows: if three of five groups prefer the document that is ranked higher, its share is 3/5.
    Undefined when no pair counts. Quadratic in a query's judged documents. Buckley, trec_eval 9, 2008
    (prefs_pair).

    >>> from idealist import evaluate
    >>> from idealist.data.preferences import Preferences
    >>> judged = Preferences({"q": {"ann": {"0": {"a": 1, "b": 0}}, "bob": {"0": {"b": 2, "a": 1, "c": 0}}}})
    >>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}  # a, b: 1 of 2; a, c and b, c: 1 of 1
    >>> evaluate(judged, run, "PrefsPair").value("PrefsPair", "q")
    0.8333333333333334
    """

    def values(self, rankings: Rankings) -> Values:
        return Values([_pair_share(sums, self.over) for sums in self._ordered(rankings).view(_pair_sums)])


class NumPrefs(Preferring, name="NumPrefs", aliases={"prefs_num_prefs_poss": {}}):
    """How many preferences there are, in all groups together.

    Those that follow from others included. With over=retrieved or implied, of which both documents, or at
    least one, are retrieved. Quadratic in a query's judged documents. Buckley, trec_eval 9, 2008.

    >>> from idealist import evaluate
    >>> from idealist.data.preferences import Preferences
    >>> judged = Preferences({"q": {"ann": {"0": {"a": 2, "b": 1, "c": 1}}}})  # a > b, a > c
    >>> evaluate(judged, {"q": {"a": 1.0}}, "NumPrefs").value("NumPrefs", "q")
    2.0
    """

    bounds = (0.0, float("inf"))
    aggregate = "sum"
    better = "neither"

    def _value(self, tallies: list[Tally]) -> float:
        return float(sum(tally.possible(self.over) for tally in tallies))


class NumPrefsFulfilled(
    Preferring,
    name="NumPrefsFulfilled",
    aliases={"prefs_num_prefs_ful": {}, "prefs_num_prefs_ful_ret": {"over": "retrieved"}},
):
    """How many preferences the ranking fulfils, in all groups together.

    The upper part of PrefsSimple. With over=retrieved, only of two retrieved documents. Quadratic in a
    query's judged documents. Buckley, trec_eval 9, 2008.

    >>> from idealist import evaluate
    >>> from idealist.data.preferences import Preferences
    >>> judged = Preferences({"q": {"ann": {"0": {"a": 2, "b": 1, "c": 1}}}})
    >>> run = {"q": {"b": 2.0, "a": 1.0}}  # a > b is not fulfilled, a > c is: c was not found
    >>> evaluate(judged, run, "NumPrefsFulfilled").value("NumPrefsFulfilled", "q")
    1.0
    """

    bounds = (0.0, float("inf"))
    aggregate = "sum"

    def _value(self, tallies: list[Tally]) -> float:
        return float(sum(tally.fulfilled(self.over) for tally in tallies))


def _by_ascending_id(rankings: Rankings) -> Rankings:
    other = rankings.replaced(rankings.native)
    other.conventions = other.conventions.replace(ties="id-ascending")
    return other


def _orders(rankings: Rankings) -> Iterator[list[tuple[GroupOrder, Any]]]:
    """For every query its groups, each with the places of its documents in the ranking."""
    import numpy as np

    ranked = preference_rankings(rankings)
    for groups, position_of, retrieved in zip(ranked.groups, ranked.position, ranked.retrieved, strict=True):
        orders = []
        for group in groups:
            positions = np.array([position_of[document] for document in group.documents], dtype=np.int64)
            levels = np.array([group.level[document] for document in group.documents])
            order = np.argsort(positions)
            matrix = None if group.worse is None else group.preferred()[order][:, order]
            retrieved_count = int(np.count_nonzero(positions < retrieved))
            orders.append((GroupOrder(levels[order], matrix, retrieved_count), positions[order]))
        yield orders


def _tallies(rankings: Rankings) -> list[list[Tally]]:
    """The counts of every query and group."""
    return [[Tally(order) for order, _ in orders] for orders in _orders(rankings)]


def _balanced_shares(rankings: Rankings, over: str) -> list[list[tuple[int, int]]]:
    """The fulfilled and possible preferences of every query and group, when R others are counted."""
    return [[_balanced_share(order, over) for order, _ in orders] for orders in _orders(rankings)]


def _balanced_share(order: GroupOrder, over: str) -> tuple[int, int]:
    import numpy as np

    relevant = order.levels > 0
    considered = np.ones(len(relevant), dtype=bool)
    if over == "retrieved":
        considered[order.retrieved :] = False
    relevant &= considered
    others = considered & ~relevant
    count = int(np.count_nonzero(relevant))
    tally = Tally(order.only(relevant | (others & (np.cumsum(others) <= count))))
    added = max(count - int(np.count_nonzero(others)), 0)
    relevant_retrieved = int(np.count_nonzero(relevant[: order.retrieved]))
    return tally.fulfilled(over) + relevant_retrieved * added, tally.possible(over) + count * added


def _pair_sums(rankings: Rankings) -> list[tuple[float, int, float, int, int]]:
    """For every query, of the pairs of which both documents are retrieved, then of those of which one is:
    the sum of their shares, and how many there are; then how many have neither."""
    ranked = preference_rankings(rankings)
    return [
        _sums_of_pairs(orders, len(position_of), retrieved)
        for orders, position_of, retrieved in zip(
            _orders(rankings), ranked.position, ranked.retrieved, strict=True
        )
    ]


def _sums_of_pairs(
    orders: list[tuple[GroupOrder, Any]], documents: int, retrieved: int
) -> tuple[float, int, float, int, int]:
    import numpy as np

    if len(orders) == 1:  # then every pair has one preference
        tally = Tally(orders[0][0])
        return float(tally.fulfilled_both), tally.both, float(tally.fulfilled_one), tally.one, tally.neither
    counts = np.zeros((documents, documents), dtype=np.int32)
    for order, positions in orders:
        counts[positions[:, None], positions] += order.rows(0, len(positions))
    share, pairs, implied_share, implied, neither = 0.0, 0, 0.0, 0, 0
    for begin in range(0, documents, BLOCK):
        end = begin + BLOCK
        right, wrong = np.triu(counts[begin:end, begin:]), np.triu(counts[begin:, begin:end].T)
        stated = right + wrong
        shares = np.divide(right, stated, out=np.zeros(stated.shape), where=stated > 0)
        split = max(retrieved - begin, 0)
        share += float(shares[:split, :split].sum())
        pairs += int(np.count_nonzero(stated[:split, :split]))
        implied_share += float(shares[:split, split:].sum())
        implied += int(np.count_nonzero(stated[:split, split:]))
        neither += int(np.count_nonzero(stated[split:]))
    return share, pairs, implied_share, implied, neither


def _pair_share(sums: tuple[float, int, float, int, int], over: str) -> float:
    share, pairs, implied_share, implied, neither = sums
    if over != "retrieved":
        share, pairs = share + implied_share, pairs + implied
    if over == "all":
        pairs += neither
    return share / pairs if pairs else NAN


def _mean_share(shares: list[tuple[int, int]]) -> float:
    if not any(possible for _, possible in shares):
        return NAN
    return sum(fulfilled / possible for fulfilled, possible in shares if possible) / len(shares)
