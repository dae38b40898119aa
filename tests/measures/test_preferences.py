"""Measures of preferences, against a twin that looks at every pair of documents by itself."""

from __future__ import annotations

import math
from itertools import product
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import preference_strategies
from support.preference_strategies import Subgroups
from support.strategies import DOCUMENTS, QUERIES, SCORES, check_only_the_query_matters

from idealist import Conventions, InputError, evaluate
from idealist.data.preferences import Preferences
from idealist.measures import parse

OVER = ["all", "implied", "retrieved"]
NAMES = ["PrefsSimple", "PrefsAvgJG", "PrefsAvgJGRnonrel", "PrefsPair", "NumPrefs", "NumPrefsFulfilled"]
MEASURES = [f"{name}(over={over})" for name, over in product(NAMES, OVER)]
Pair = tuple[str, str]

judged_queries = preference_strategies.preferences(QUERIES, DOCUMENTS, lowest=-1)
runs = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCUMENTS), SCORES), min_size=1
)


def encoded(document: str) -> bytes:
    return document.encode("utf-8", "surrogateescape")


def ranked(run: dict[str, float]) -> list[str]:
    return sorted(run, key=lambda d: (run[d], encoded(d)), reverse=True)


def pairs(subgroups: Subgroups) -> set[Pair]:
    """Of which the first is preferred, until nothing more follows."""
    known = {(a, b) for levels in subgroups.values() for a in levels for b in levels if levels[a] > levels[b]}
    while more := {(a, d) for a, b in known for c, d in known if b == c} - known:
        known |= more
    return known


class Twin:
    def __init__(self, order: list[str], over: str) -> None:
        self.order, self.wanted = order, {"all": 0, "implied": 1, "retrieved": 2}[over]

    def counts(self, pair: Pair) -> bool:
        return sum(document in self.order for document in pair) >= self.wanted

    def fulfils(self, pair: Pair) -> bool:
        a, b = pair
        return a in self.order and (b not in self.order or self.order.index(a) < self.order.index(b))

    def share(self, known: set[Pair]) -> tuple[int, int]:
        counting = list(filter(self.counts, known))
        return sum(map(self.fulfils, counting)), len(counting)

    def balanced(self, subgroups: Subgroups) -> tuple[int, int]:
        level = {d: value for levels in subgroups.values() for d, value in levels.items()}
        order = list(self.order)
        documents = order + sorted(set(level) - set(order), key=encoded)
        documents = [d for d in documents if d in level and (self.wanted < 2 or d in order)]
        good = [d for d in documents if level[d] > 0]
        bad = [d for d in documents if level[d] <= 0][: len(good)]
        added = [f"added {i}" for i in range(len(good) - len(bad))]
        known = {pair for pair in pairs(subgroups) if set(pair) <= {*good, *bad}}
        known |= {(a, b) for a in good for b in added}
        longer = Twin(order + added, OVER[self.wanted])
        return longer.share(known)

    def mean(self, shares: list[tuple[int, int]]) -> float:
        if all(possible == 0 for _, possible in shares):
            return math.nan
        return sum(fulfilled / possible if possible else 0 for fulfilled, possible in shares) / len(shares)

    def pair(self, known: list[set[Pair]]) -> float:
        every = {frozenset(pair) for one in known for pair in one if self.counts(pair)}
        total = 0.0
        for a, b in map(sorted, every):
            said = [pair for one in known for pair in ((a, b), (b, a)) if pair in one]
            total += sum(map(self.fulfils, said)) / len(said)
        return total / len(every) if every else math.nan


def twin(name: str, over: str, groups: dict[str, Subgroups], order: list[str]) -> float:
    one = Twin(order, over)
    known = [pairs(subgroups) for subgroups in groups.values()]
    shares = [one.share(each) for each in known]
    fulfilled, possible = (sum(each[i] for each in shares) for i in (0, 1))
    if name == "PrefsPair":
        return one.pair(known)
    if name == "PrefsAvgJG":
        return one.mean(shares)
    if name == "PrefsAvgJGRnonrel":
        return one.mean([one.balanced(subgroups) for subgroups in groups.values()])
    if name == "PrefsSimple":
        return fulfilled / possible if possible else math.nan
    return float(fulfilled if name == "NumPrefsFulfilled" else possible)


@given(runs, judged_queries, st.sampled_from([1, 2, 3, 256]))
def test_values_are_the_twin_s(run: Any, judged: dict[str, dict[str, Subgroups]], block: int) -> None:
    run.setdefault(next(iter(judged)), {})
    undefined = Conventions(empty="one")
    with patch("idealist.measures.families.preferences.BLOCK", block):
        result = evaluate(Preferences(judged), run, MEASURES, conventions=undefined)
    for (name, over), (query, groups) in product(product(NAMES, OVER), judged.items()):
        expected = twin(name, over, groups, ranked(run.get(query, {})))
        expected = 1.0 if math.isnan(expected) else expected
        got = result.value(f"{name}(over={over})", query)
        assert got == pytest.approx(expected, abs=1e-12), (name, over, query)
        low, high = parse(name).bounds
        assert low <= got <= high


@given(runs, judged_queries, st.randoms())
def test_other_queries_and_the_order_of_rows_do_not_matter(
    run: Any, judged: dict[str, dict[str, Subgroups]], random: Any
) -> None:
    check_only_the_query_matters(run, judged, Preferences, MEASURES, random)


def value(measure: str, run: list[str], groups: dict[str, Subgroups], **conventions: Any) -> float:
    scores = {"q": {document: -float(rank) for rank, document in enumerate(run)}}
    result = evaluate(Preferences({"q": groups}), scores, measure, conventions=Conventions(**conventions))
    return result.value(measure, "q")


# Two people: ann has a > b > c and d with nothing; bob has c > a.
TWO: dict[str, Subgroups] = {
    "ann": {"1": {"a": 3, "b": 2, "c": 1}, "2": {"d": 1}},
    "bob": {"1": {"c": 5, "a": 4}},
}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # The run is a, c: a > c is right, c > a wrong, a > b implied, b > c wrong as b is missing.
        ("prefs_simp", 2 / 4),
        ("prefs_simp_imp", 2 / 4),
        ("prefs_simp_ret", 1 / 2),
        ("prefs_avgjg", (2 / 3 + 0 / 1) / 2),
        ("prefs_avgjg_ret", (1 / 1 + 0 / 1) / 2),
        ("prefs_avgjg_imp", (2 / 3 + 0 / 1) / 2),
        ("prefs_pair", (1 / 2 + 1 + 0) / 3),  # a and c, a and b, b and c
        ("prefs_pair_ret", 1 / 2),
        ("prefs_pair_imp", (1 / 2 + 1 + 0) / 3),
        ("prefs_num_prefs_poss", 4),
        ("prefs_num_prefs_ful", 2),
        ("prefs_num_prefs_ful_ret", 1),
        # ann: 4 added, a and c right about each, b and d not: 2 + 2·4 of 3 + 4·4; bob: 2 added: 0 + 4 of 1 + 4
        ("prefs_avgjg_Rnonrel", (10 / 19 + 4 / 5) / 2),
        # ann: a and c, 2 added: 1 + 4 of 1 + 4
        ("prefs_avgjg_Rnonrel_ret", (5 / 5 + 4 / 5) / 2),
    ],
)
def test_worked_by_hand(measure: str, expected: float) -> None:
    assert value(measure, ["a", "x", "c"], TWO) == pytest.approx(expected, abs=1e-15)


def test_neither_retrieved_counts_as_a_failure_unless_left_out() -> None:
    ann: dict[str, Subgroups] = {"ann": {"1": {"a": 2, "b": 1}}}
    assert value("prefs_simp", ["x"], ann, empty="one") == 0
    assert value("prefs_simp_imp", ["x"], ann, empty="one") == 1  # undefined
    assert value("prefs_pair", ["x"], ann, empty="one") == 0
    assert value("prefs_pair_imp", ["x"], ann, empty="one") == 1


def test_only_the_first_documents_that_are_not_relevant_count() -> None:
    # R = 1: only x counts, so a > x is all there is, whatever else was judged.
    ann: dict[str, Subgroups] = {"ann": {"1": {"a": 1, "x": 0, "y": 0, "z": 0}}}
    assert value("prefs_avgjg_Rnonrel", ["x", "a", "y", "z"], ann) == 0
    assert value("prefs_avgjg_Rnonrel", ["a", "x", "y", "z"], ann) == 1
    assert value("prefs_avgjg", ["x", "a", "y", "z"], ann) == 2 / 3


@pytest.mark.parametrize(
    ("negative", "expected"), [("not-relevant", 1 / 3), ("keep", 1 / 3), ("unjudged", 1)]
)
def test_negative_levels(negative: str, expected: float) -> None:
    # a > x and b > x are not fulfilled, a > b is; -1 is a level like others unless it is unjudged
    ann: dict[str, Subgroups] = {"ann": {"1": {"a": 2, "b": 1, "x": -1}}}
    assert value("prefs_simp", ["x", "a", "b"], ann, negative=negative) == expected


def test_counts_are_summed_over_queries() -> None:
    judged = Preferences({q: {"ann": {"1": {"a": 2, "b": 1}}} for q in "pq"})
    result = evaluate(judged, {"p": {"a": 1.0}, "q": {"b": 1.0}}, ["NumPrefs", "NumPrefsFulfilled"])
    assert (result.aggregate("NumPrefs"), result.aggregate("NumPrefsFulfilled")) == (2, 1)


def test_many_documents() -> None:
    """In the order of the levels all is fulfilled, in the reverse order nothing: of n documents with
    different levels, n(n - 1)/2 pairs."""
    names = [f"d{i:04}" for i in range(500)]
    ann: dict[str, Subgroups] = {"ann": {"1": {name: float(i) for i, name in enumerate(names)}}}
    assert value("prefs_num_prefs_ful", names[::-1], ann) == 500 * 499 / 2
    assert value("prefs_num_prefs_ful", names, ann) == 0
    # The same as single pairs, one below the other: the rest follows.
    chain: dict[str, Subgroups] = {
        "ann": {f"s{i}": {names[i]: 1.0, names[i + 1]: 2.0} for i in range(len(names) - 1)}
    }
    assert value("prefs_num_prefs_ful", names[::-1], chain) == 500 * 499 / 2
    assert value("prefs_pair", names, chain) == 0


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("prefs_simp", "PrefsSimple"),
        ("prefs_simp_ret", "PrefsSimple(over=retrieved)"),
        ("prefs_pair_imp", "PrefsPair(over=implied)"),
        ("prefs_avgjg_ret", "PrefsAvgJG(over=retrieved)"),
        ("prefs_avgjg_Rnonrel_ret", "PrefsAvgJGRnonrel(over=retrieved)"),
        ("prefs_num_prefs_poss", "NumPrefs"),
        ("prefs_num_prefs_ful_ret", "NumPrefsFulfilled(over=retrieved)"),
    ],
)
def test_trec_eval_s_names(theirs: str, ours: str) -> None:
    assert str(parse(theirs)) == ours


def test_what_cannot_be_right_is_refused() -> None:
    ann: dict[str, Subgroups] = {"ann": {"1": {"a": 2, "b": -1}}}
    with pytest.raises(InputError, match="PrefsSimple needs preference judgments"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "prefs_simp")
    with pytest.raises(InputError, match="AP needs one grade per document"):
        value("AP", ["a"], ann)
    with pytest.raises(InputError, match="over must be all, implied or retrieved, not 'some'"):
        parse("PrefsSimple(over=some)")
    with pytest.raises(InputError, match="query 'q' has a negative level"):
        value("prefs_simp", ["a"], ann, negative="error")
    for ties in ("averaged", "optimistic"):
        with pytest.raises(InputError, match="ties"):
            value("prefs_simp", ["a"], ann, ties=ties)
