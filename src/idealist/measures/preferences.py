"""Preferences: judgments say which of two documents is better, and a ranking is right about a pair or wrong.

trec_eval ranks documents of equal score by ascending id here, and by descending id everywhere else; our rule
for ties is the same for all measures.
"""

from __future__ import annotations

from idealist.data.preferences import preference_rankings
from idealist.kernels import Values
from idealist.measures.base import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data import Rankings
    from idealist.data.preferences import Group

NAN = float("nan")


class Tally:
    """How many preferences are fulfilled, and how many there are, by how many of their two documents were
    retrieved: both, one, or neither."""

    __slots__ = ("both", "fulfilled_both", "fulfilled_one", "neither", "one")

    def __init__(self, preferred: Any, retrieved: int) -> None:
        """Rows and columns of `preferred` are in the order of the ranking, the retrieved ones first."""
        import numpy as np

        count, shown = np.count_nonzero, preferred[:retrieved, :retrieved]
        self.both = int(count(shown))
        self.fulfilled_both = int(count(np.triu(shown)))
        self.fulfilled_one = int(count(preferred[:retrieved, retrieved:]))
        self.one = self.fulfilled_one + int(count(preferred[retrieved:, :retrieved]))
        self.neither = int(count(preferred[retrieved:, retrieved:]))

    def fulfilled(self, over: str) -> int:
        return self.fulfilled_both if over == "retrieved" else self.fulfilled_both + self.fulfilled_one

    def possible(self, over: str) -> int:
        if over == "retrieved":
            return self.both
        return self.both + self.one + (self.neither if over == "all" else 0)


class Preferring(Measure):
    """The base of measures of preferences."""

    over: str = "all"
    needs = "preferences"
    averages_ties = False

    def values(self, rankings: Rankings) -> Values:
        return Values([self._value(tallies) for tallies in rankings.view(_tallies)])

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
    >>> run = {"q": {"b": 2.0, "a": 1.0}}  # b > a is wrong; a > c and b > c are right: c was not found
    >>> evaluate(run, judged, "PrefsSimple").value("PrefsSimple", "q")
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
    >>> evaluate(run, judged, "PrefsAvgJG").value("PrefsAvgJG", "q")
    0.5
    """

    def _value(self, tallies: list[Tally]) -> float:
        return _mean_share([(one.fulfilled(self.over), one.possible(self.over)) for one in tallies])


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
    >>> evaluate(run, judged, "prefs_avgjg_Rnonrel").value("prefs_avgjg_Rnonrel", "q")
    0.8
    """

    def values(self, rankings: Rankings) -> Values:
        return Values([_mean_share(shares) for shares in rankings.view(_balanced_shares, self.over)])


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
    >>> evaluate(run, judged, "PrefsPair").value("PrefsPair", "q")
    0.8333333333333334
    """

    def values(self, rankings: Rankings) -> Values:
        return Values([_pair_share(sums, self.over) for sums in rankings.view(_pair_sums)])


class NumPrefs(Preferring, name="NumPrefs", aliases={"prefs_num_prefs_poss": {}}):
    """How many preferences there are, in all groups together.

    Those that follow from others included. With over=retrieved or implied, of which both documents, or at
    least one, are retrieved. Quadratic in a query's judged documents. Buckley, trec_eval 9, 2008.

    >>> from idealist import evaluate
    >>> from idealist.data.preferences import Preferences
    >>> judged = Preferences({"q": {"ann": {"0": {"a": 2, "b": 1, "c": 1}}}})  # a > b, a > c
    >>> evaluate({"q": {"a": 1.0}}, judged, "NumPrefs").value("NumPrefs", "q")
    2.0
    """

    bounds = (0.0, float("inf"))
    aggregate = "sum"

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
    >>> run = {"q": {"b": 2.0, "a": 1.0}}  # a > b is wrong, a > c right: c was not found
    >>> evaluate(run, judged, "NumPrefsFulfilled").value("NumPrefsFulfilled", "q")
    1.0
    """

    bounds = (0.0, float("inf"))
    aggregate = "sum"

    def _value(self, tallies: list[Tally]) -> float:
        return float(sum(tally.fulfilled(self.over) for tally in tallies))


def _ordered(group: Group, place: dict[str, int], retrieved: int) -> tuple[Any, list[str], int]:
    """What the group prefers, in the order of the ranking; the documents, and how many were retrieved."""
    import numpy as np

    places = np.array([place[document] for document in group.documents], dtype=np.int64)
    order = np.argsort(places)
    shown = int(np.count_nonzero(places < retrieved))
    return group.preferred()[order][:, order], [group.documents[at] for at in order], shown


def _tallies(rankings: Rankings) -> list[list[Tally]]:
    """The counts of every query and group."""
    seen = preference_rankings(rankings)
    tallies = []
    for groups, place, retrieved in zip(seen.groups, seen.place, seen.retrieved, strict=True):
        ordered = (_ordered(group, place, retrieved) for group in groups)
        tallies.append([Tally(preferred, shown) for preferred, _, shown in ordered])
    return tallies


def _balanced_shares(rankings: Rankings, over: str) -> list[list[tuple[int, int]]]:
    """The fulfilled and possible preferences of every query and group, when R others are counted."""
    seen = preference_rankings(rankings)
    return [
        [_balanced_share(group, place, retrieved, over) for group in groups]
        for groups, place, retrieved in zip(seen.groups, seen.place, seen.retrieved, strict=True)
    ]


def _balanced_share(group: Group, place: dict[str, int], retrieved: int, over: str) -> tuple[int, int]:
    import numpy as np

    preferred, documents, shown = _ordered(group, place, retrieved)
    relevant = np.array([group.level[document] > 0 for document in documents], dtype=bool)
    if over == "retrieved":
        preferred, relevant = preferred[:shown, :shown], relevant[:shown]
    count = int(np.count_nonzero(relevant))
    kept = relevant | (np.cumsum(~relevant) <= count)
    tally = Tally(preferred[kept][:, kept], int(np.count_nonzero(kept[:shown])))
    added = max(2 * count - len(relevant), 0)
    found = int(np.count_nonzero(relevant[:shown]))
    return tally.fulfilled(over) + found * added, tally.possible(over) + count * added


def _pair_sums(rankings: Rankings) -> list[tuple[float, int, float, int, int]]:
    """For every query, of the pairs of which both documents are retrieved, then of those of which one is:
    the sum of their shares, and how many there are; then how many have neither."""
    import numpy as np

    seen = preference_rankings(rankings)
    sums = []
    for groups, place, retrieved in zip(seen.groups, seen.place, seen.retrieved, strict=True):
        counts = np.zeros((len(place), len(place)), dtype=np.int32)
        for group in groups:
            places = np.array([place[document] for document in group.documents], dtype=np.int64)
            counts[np.ix_(places, places)] += group.preferred()
        right, wrong = np.triu(counts), np.triu(counts.T)
        known = right + wrong
        shares = np.divide(right, known, out=np.zeros(known.shape), where=known > 0)
        both, one = np.s_[:retrieved, :retrieved], np.s_[:retrieved, retrieved:]
        sums.append(
            (
                float(shares[both].sum()),
                int(np.count_nonzero(known[both])),
                float(shares[one].sum()),
                int(np.count_nonzero(known[one])),
                int(np.count_nonzero(known[retrieved:])),
            )
        )
    return sums


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
