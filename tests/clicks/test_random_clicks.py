"""Clicks that know no relevance prefer nobody: users who come again, and what an analysis says. How often single clicks do
is simulated in `simulations/random_clicks`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from simulations.random_clicks import DOCUMENTS, IMPRESSIONS, LISTS, METHODS, K, drawn_lists

from idealist.clicks import Optimised, Probabilistic, TeamDraft, analyse_interleaving, simulate_interleaving
from idealist.clicks.interleaving_methods import fair_places
from idealist.statistics.inversion import BoundedMean
from idealist.statistics.randomness import generator

LOGS = 400


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_users_who_come_again_are_kept_together(method: str) -> None:
    """Every user has ten impressions and clicks at the same place in all of them."""
    gains, _ = drawn_lists(method, "shifted", LOGS)
    place = np.repeat(np.random.default_rng(3).integers(0, K, LOGS * IMPRESSIONS // 10), 10)
    preference = gains[np.arange(len(gains)), place].reshape(LOGS, IMPRESSIONS // 10, 10).sum(axis=2)
    false = sum(BoundedMean(log / 10, -1.0, 1.0).p_value() < 0.05 for log in preference)
    assert false / LOGS <= 0.055 + 2 * (0.05 * 0.95 / LOGS) ** 0.5


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("lists", LISTS)
def test_an_analysis_of_random_clicks(method: str, lists: str) -> None:
    """One log each, through all that a user would run; 4 standard errors, as there are 18."""
    a, b = LISTS[lists]
    log = simulate_interleaving(
        {"q": {"d1": 1}}, {"a": {"q": a}, "b": {"q": b}}, "random", method, impressions=400, seed=11
    )
    entry = analyse_interleaving(log)["b"]
    assert entry.interval is not None
    assert entry.p_value is not None
    assert (entry.p_value < 0.05) == (not entry.interval.low <= 0 <= entry.interval.high)
    assert entry.p_value > 1e-4


def test_balanced_interleaving_has_no_verdict() -> None:
    """b has a document more on top, and clicks at random prefer it; nothing says that it is better."""
    a, b = LISTS["inserted"]
    log = simulate_interleaving(
        {"q": {"d1": 1}}, {"a": {"q": a}, "b": {"q": b}}, "random", "balanced", impressions=400
    )
    found = analyse_interleaving(log)
    entry = found["b"]
    assert (entry.interval, entry.p_value, entry.p_adjusted, entry.sequential) == (None, None, None, None)
    assert found.verdict.outcome == "undecided"
    assert found.verdict.reason == (
        "balanced interleaving has no verdict, as random clicks alone favour one of two lists that are nearly alike: "
        "interleave by team-draft, probabilistic or optimised"
    )


rankings = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1, max_size=6)


@given(rankings, rankings, st.integers(1, 6))
def test_optimised_credits_are_fair_at_every_place(x: list[str], y: list[str], k: int) -> None:
    """Of lists of any lengths: over all lists with their chances, both systems are credited alike at each place."""
    _, chances, credits = Optimised().program({"x": x, "y": y}, k)
    expected = np.tensordot(chances, credits, axes=1)
    assert expected[0] == approx(expected[1], abs=1e-6)
    assert np.abs(credits[:, 0] - credits[:, 1]).max() <= 1 + 1e-9


@given(rankings, rankings, st.integers(1, 6))
def test_shared_credits_are_fair_at_every_place(x: list[str], y: list[str], k: int) -> None:
    """A system that has nothing left is given the mean of the others, so neither is ahead there."""
    drawn = Probabilistic().prepare({"x": x, "y": y}, k)(generator(0))
    left = {"x": set(x), "y": set(y)}
    for place, document in enumerate(drawn.documents):
        if not left["x"] or not left["y"]:
            assert drawn.credits["x"][place] == approx(drawn.credits["y"][place])
        left = {name: documents - {document} for name, documents in left.items()}


def test_rounds_that_a_longer_list_would_win_are_credited_to_nobody() -> None:
    """x has one document: in one round both add one, and the rest is y's whatever is clicked."""
    rankings = {"x": ["a"], "y": ["b", "c", "d"]}
    assert fair_places(rankings, 10) == 2
    drawn = TeamDraft().prepare(rankings, 10)(generator(0))
    assert sorted(drawn.documents[:2]) == ["a", "b"]
    assert drawn.credits["y"][2:] == (0.0, 0.0)
    # y may have used x's only document: then x adds nothing, and the round is y's by its length.
    assert fair_places({"x": ["a"], "y": ["a", "b"]}, 10) == 0
    assert fair_places({"x": DOCUMENTS, "y": DOCUMENTS[::-1]}, 10) == 10
    assert fair_places(dict.fromkeys("xyz", DOCUMENTS), 10) == 10


def test_better_holds_beside_all_candidates() -> None:
    """The p-value of c alone is below 5 %, and eight times as large beside seven others it is not."""
    wins = "c" * 29 + "a" * 13
    credit = {name: [0.0] * 42 for name in "abcdefghi"}
    for at, winner in enumerate(wins):
        credit[winner][at] = 1.0
    log = {
        "impression": list(range(42)),
        "query": ["q"] * 42,
        "document": ["d"] * 42,
        "position": [1] * 42,
        "click": [1] * 42,
    }
    pair = analyse_interleaving({**log, "credit:a": credit["a"], "credit:c": credit["c"]})["c"]
    assert pair.verdict.reason == "better"
    all_credits = {f"credit:{name}": credits for name, credits in credit.items()}
    entry = analyse_interleaving({**log, **all_credits})["c"]
    assert entry.interval == pair.interval
    assert entry.verdict.reason != "better"
    assert "better by itself, but not as one of 8 candidates" in entry.verdict.line
