"""Interleaved lists: what they are made of, and that nobody is favoured."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from idealist import Run
from idealist.clicks import (
    BEHAVIOURS,
    Balanced,
    Interleaving,
    Optimised,
    Probabilistic,
    TeamDraft,
    analyse_interleaving,
    interleave,
    simulate_interleaving,
)
from idealist.errors import InputError
from idealist.statistics.randomness import generator

METHODS: list[Interleaving] = [TeamDraft(), Balanced(), Probabilistic(), Optimised()]
IDS = [method.name for method in METHODS]
GOOD, BAD = list("abcdefgh"), list("hgfedcba")
GRADES = {"q": {"a": 3, "b": 2, "c": 1, "d": 1}}

permutations = st.permutations(list("abcdef"))


@given(permutations, permutations, st.integers(1, 6), st.integers(0, 50), st.sampled_from(METHODS))
def test_lists_hold_each_document_once(
    x: list[str], y: list[str], k: int, seed: int, method: Interleaving
) -> None:
    drawn = method.prepare({"x": x, "y": y}, k)(generator(seed))
    assert len(drawn.documents) == k == len(set(drawn.documents))
    for values in (*drawn.credits.values(), *drawn.ranks.values()):
        assert len(values) == k


@given(permutations, permutations, st.integers(1, 6), st.integers(0, 50))
def test_every_document_is_the_best_left_of_somebody(x: list[str], y: list[str], k: int, seed: int) -> None:
    for method in (TeamDraft(), Balanced(), Optimised()):
        documents = method.prepare({"x": x, "y": y}, k)(generator(seed)).documents
        for at, document in enumerate(documents):
            best = {next(d for d in ranking if d not in documents[:at]) for ranking in (x, y)}
            assert document in best, method.name


@given(st.lists(permutations, min_size=2, max_size=4), st.integers(0, 20))
def test_teams_take_turns(rankings: list[list[str]], seed: int) -> None:
    """In every full round each system adds one document."""
    named = {f"s{at}": ranking for at, ranking in enumerate(rankings)}
    drawn = TeamDraft().prepare(named, 6)(generator(seed))
    teams = np.array(list(drawn.credits.values()))
    assert teams.sum(axis=0) == approx(np.ones(6))
    for begin in range(0, 6 - len(named) + 1, len(named)):
        assert teams[:, begin : begin + len(named)].sum(axis=1) == approx(np.ones(len(named)))


def test_shared_credit_by_arithmetic() -> None:
    """x draws a first with 1/(1 + 1/8) = 8/9, y with 1/9; then only b is left, to both."""
    draw = Probabilistic().prepare({"x": ["a", "b"], "y": ["b", "a"]}, 2)
    drawn = draw(generator(1))
    first = 8 / 9 if drawn.documents[0] == "a" else 1 / 9
    assert drawn.credits["x"] == approx((first, 0.5))
    assert drawn.credits["y"] == approx((1 - first, 0.5))
    shares = np.mean([draw(random).documents[0] == "a" for random in [generator(3)] for _ in range(4000)])
    assert shares == approx(0.5, abs=0.03)  # either system begins


def test_balanced_by_arithmetic() -> None:
    """x: a b c, y: b c d. Begun by x: a b c; by y: b a c. A click on c alone, which x has third and y second: both
    are read down to rank 2, where y has it and x has not."""
    draw = Balanced().prepare({"x": list("abc"), "y": list("bcd")}, 3)
    assert {draw(generator(seed)).documents for seed in range(8)} == {tuple("abc"), tuple("bac")}
    log = {
        "impression": [1, 1, 1],
        "query": ["q"] * 3,
        "document": list("abc"),
        "position": [1, 2, 3],
        "click": [0, 0, 1],
        "rank:x": [1, 2, 3],
        "rank:y": [None, 1, 2],
    }
    found = analyse_interleaving(log)
    assert (found["y"].wins, found["y"].losses) == (1, 0)


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("method", METHODS, ids=IDS)
def test_identical_systems_win_alike(method: Interleaving, behaviour: str) -> None:
    """The same ranking twice: no preference but by chance, whatever users do; 3 standard errors of 600."""
    log = simulate_interleaving(
        GRADES, {"x": {"q": GOOD}, "y": {"q": GOOD}}, behaviour, method, impressions=600, k=5, seed=7
    )
    entry = analyse_interleaving(log)["y"]
    assert abs(entry.value) <= 3 * np.sqrt(max(entry.wins + entry.losses, 1)) / 600
    if method.name != "team-draft":
        assert entry.ties == 600  # every click is shared


@pytest.mark.parametrize("method", METHODS, ids=IDS)
def test_a_shuffle_of_equals_wins_half(method: Interleaving) -> None:
    """Two opposite rankings and random clicks: the mean credit of both is the same."""
    log = simulate_interleaving(
        GRADES, {"x": {"q": GOOD}, "y": {"q": BAD}}, "random", method, impressions=1500, k=5, seed=3
    )
    entry = analyse_interleaving(log)["y"]
    if entry.interval is not None:
        assert abs(entry.value) < 1.6 * (entry.interval.high - entry.value)


@pytest.mark.parametrize("behaviour", [name for name in BEHAVIOURS if name != "random"])
@pytest.mark.parametrize("method", METHODS, ids=IDS)
def test_the_better_one_wins(method: Interleaving, behaviour: str) -> None:
    log = simulate_interleaving(
        GRADES, {"bad": {"q": BAD}, "good": {"q": GOOD}}, behaviour, method, impressions=400, k=5, seed=5
    )
    entry = analyse_interleaving(log)["good"]
    assert entry.value > 0
    assert entry.p_value is None or entry.p_value < 0.01


@pytest.mark.parametrize("method", ["team-draft", "probabilistic", "optimised"])
def test_multileaving_ranks_three(method: str) -> None:
    middle = list("badcefgh")
    runs = {"bad": {"q": BAD}, "middle": {"q": middle}, "good": {"q": GOOD}}
    log = simulate_interleaving(GRADES, runs, "navigational", method, impressions=2000, k=6, seed=2)
    found = analyse_interleaving(log)
    assert [entry.system for entry in found.preferences] == ["middle", "good"]
    assert found["good"].value > 0 < found["middle"].value
    assert found["good"].value > found["middle"].value
    for entry in found.preferences:
        assert entry.p_adjusted is not None
        assert entry.p_value is not None
        assert entry.p_adjusted >= entry.p_value


def test_short_and_unlike_rankings() -> None:
    """A ranking that ends, and documents that only one has."""
    rankings = {"x": ["a"], "y": ["b", "c", "d"]}
    for method in METHODS:
        for seed in range(5):
            documents = method.prepare(rankings, 10)(generator(seed)).documents
            assert sorted(documents) == ["a", "b", "c", "d"], method.name


def test_many_allowed_lists_are_drawn() -> None:
    rankings = {"x": list("abcdefghijkl"), "y": list("lkjihgfedcba"), "z": list("fghijklabcde")}
    lists, chances, _ = Optimised(most=200).program(rankings, 10)
    assert 100 < len(lists) <= 200
    assert chances.sum() == approx(1)


def test_the_seed_says_it_all() -> None:
    runs = {"x": {"q": GOOD, "r": BAD}, "y": {"q": BAD, "r": GOOD}}
    first, second, other = (interleave(runs, lists=5, seed=seed) for seed in (1, 1, 2))
    assert first == second != other
    assert len(first) == 10
    assert set(first.columns) == {
        "list",
        "query",
        "position",
        "document",
        "credit:x",
        "credit:y",
    }


def test_runs_in_a_list_are_named_as_evaluate_names_them() -> None:
    assert interleave([{"q": ["a"]}, {"q": ["b"]}]).systems == ("run 1", "run 2")
    assert interleave([Run({"q": {"a": 1.0}}, name="old"), Run({"q": {"b": 1.0}}, name="new")]).systems == (
        "old",
        "new",
    )


@pytest.mark.parametrize(
    ("runs", "settings", "message"),
    [
        ({"x": {"q": ["a"]}}, {}, "two or more runs are interleaved, not 1"),
        ({"x": {"q": ["a"]}, "y": {"r": ["a"]}}, {}, "the runs share no query"),
        ({"x": {"q": ["a"]}, "y": {"q": ["b"]}}, {"method": "random"}, "there is no interleaving method"),
        ({"x": {"q": ["a"]}, "y": {"q": ["b"]}}, {"k": 0}, "k must"),
        (
            {n: {"q": ["a"]} for n in "xyz"},
            {"method": "balanced"},
            "balanced interleaving takes two systems, not 3",
        ),
    ],
)
def test_bad_input(runs: dict[str, dict[str, list[str]]], settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        interleave(runs, **settings)  # type: ignore[arg-type]
