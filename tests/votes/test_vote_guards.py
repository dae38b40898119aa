"""How often guards of votes fail when they should not, and when they should, by seeded simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from idealist.comparison.verdict import Guard
from idealist.votes.vote_summary import find_side_bias
from idealist.votes.vote_table import read_votes
from idealist.votes.vote_tests import flip_p
from idealist.votes.voting import gsb, votes_guard


def guard(table: dict[str, Any], name: str) -> Guard:
    return next(one for one in gsb(table, rounds=400).verdict.guards if one.name == name)


def shown(
    rng: np.random.Generator, queries: int, documents: int, left: float, better: float, bias: float
) -> Any:
    """Votes, half of them decided, of queries with tastes of their own; the side adds or takes the bias."""
    sides = rng.random((queries, documents)) < left
    taste = rng.normal(size=(queries, 1)) * 0.6**0.5 * (documents > 1)
    taste = taste + rng.normal(size=sides.shape) * (0.4 if documents > 1 else 1) ** 0.5
    value = better + np.where(sides, bias, -bias)
    votes = 1 * (taste > norm.ppf(1 - (0.5 + value) / 2)) - 1 * (taste < norm.ppf((0.5 - value) / 2))
    return {
        "query": np.repeat(np.arange(queries), documents).tolist(),
        "vote": votes.ravel().tolist(),
        "side": np.where(sides, "left", "right").ravel().tolist(),
    }


@pytest.mark.slow
@pytest.mark.parametrize(("queries", "documents"), [(300, 1), (30, 10), (25, 1)])
@pytest.mark.parametrize("left", [0.5, 0.6, 0.7])
def test_a_better_candidate_does_not_fail_the_sides(queries: int, documents: int, left: float) -> None:
    rng, trials = np.random.default_rng(31), 1000
    failed = 0
    for _ in range(trials):
        sides = find_side_bias(read_votes(shown(rng, queries, documents, left, 0.3, 0.0)), rounds=400)
        failed += sides is not None and sides.p_value < 0.05
    assert failed / trials <= 0.06 + 0.014  # two standard errors of so many trials


@pytest.mark.slow
@pytest.mark.parametrize(("queries", "documents"), [(300, 1), (30, 10)])
@pytest.mark.parametrize("left", [0.5, 0.7])
def test_a_side_that_is_favoured_is_found(queries: int, documents: int, left: float) -> None:
    rng = np.random.default_rng(37)
    found = sum(not guard(shown(rng, queries, documents, left, 0.1, 0.15), "sides").passed for _ in range(50))
    assert found > 40  # GSB 0.25 left, −0.05 right: 0.3 apart


def test_sides_of_votes_with_a_known_answer_do_not_count() -> None:
    table = {"query": range(44), "vote": [1, 0] * 20 + [1] * 4, "side": ["L", "L", "R", "R"] * 10 + ["L"] * 4}
    sides = gsb({**table, "expected": [""] * 40 + ["good"] * 4}).side_bias
    assert sides is not None
    assert (sides.shown, sides.gsb_left, sides.gsb_right) == (40, 0.5, 0.5)


def rated(rng: np.random.Generator, items: int, raters: int, same: float, right: float) -> dict[str, Any]:
    """Raters who give the right answer, or any of the other two; 1/3 is guessing among three."""
    answer = rng.choice([-1, 0, 1], p=[0.4 * (1 - same), same, 0.6 * (1 - same)], size=(items, 1))
    others = (answer + 1 + rng.integers(1, 3, (items, raters))) % 3 - 1
    votes = np.where(rng.random((items, raters)) < right, answer, others)
    return {
        "query": np.repeat(np.arange(items), raters).tolist(),
        "rater": np.tile(np.arange(raters), items).tolist(),
        "vote": votes.ravel().tolist(),
    }


@pytest.mark.slow
@pytest.mark.parametrize(("items", "raters"), [(30, 2), (50, 3), (300, 3)])
def test_good_raters_pass_where_nearly_all_is_same_and_those_who_guess_do_not(
    items: int, raters: int
) -> None:
    rng = np.random.default_rng(41)
    for right in (0.85, 0.95):
        tables = [rated(rng, items, raters, 0.95, right) for _ in range(60)]
        assert sum(guard(table, "agreement of raters").passed for table in tables) >= 58
    guessed = [rated(rng, items, raters, 0.95, 1 / 3) for _ in range(60)]
    assert sum(guard(table, "agreement of raters").passed for table in guessed) <= 3


def test_only_known_answers_tell_who_always_says_same() -> None:
    rows = [(f"q{at}", name, "same", "") for at in range(200) for name in "xy"]
    rows += [(f"known {at}", name, "same", "good") for at in range(4) for name in "xy"]
    table = {key: [row[at] for row in rows] for at, key in enumerate(("query", "rater", "vote", "expected"))}
    assert guard(table, "agreement of raters").passed
    assert not guard(table, "known answers").passed
    assert gsb(table).verdict.outcome == "undecided"


def test_the_sides_of_one_query_are_flipped_together() -> None:
    """Ten votes of a query alike, all on one side, are one vote."""
    table = {
        "query": np.repeat(range(4), 10).tolist(),
        "vote": np.repeat([1, 1, -1, -1], 10).tolist(),
        "side": np.repeat(["L", "L", "R", "R"], 10).tolist(),
    }
    sides = gsb(table).side_bias
    assert sides is not None
    assert sides.p_value == flip_p([1, 1, 1, 1]) == 1 / 8


def test_a_segment_that_lost_every_vote_is_named_first() -> None:
    """Three of three bad beside 297 of whom most are good: p 0.25, and yet no chance."""
    votes = [1] * 200 + [0] * 80 + [-1] * 17 + [-1] * 3
    result = gsb({"query": range(300), "vote": votes, "segment": ["rest"] * 297 + ["vip"] * 3})
    assert result.verdict.outcome == "undecided"
    answer = next(one for one in result.verdict.guards if one.name == "segments")
    assert (answer.answer, answer.stops) == ("cannot tell", True)
    assert answer.message.startswith("vip lost in each of its 3 queries, −1.0000")
    assert answer.message.endswith("passed: rest")


def test_segments_that_do_not_differ_ship() -> None:
    rng = np.random.default_rng(3)
    stopped = 0
    for _ in range(40):
        votes = rng.choice([-1, 0, 1], p=[0.15, 0.35, 0.5], size=200)
        table = {"query": range(200), "vote": votes.tolist(), "segment": [f"s{at % 20}" for at in range(200)]}
        stopped += any(one.stops for one in gsb(table, rounds=200).verdict.guards)
    assert stopped / 40 <= 0.1 + 2 * (0.1 * 0.9 / 40) ** 0.5


# Votes as a guard -----------------------------------------------------------------------------------------------

LOST_SEGMENT = {
    "query": range(300),
    "vote": ["good"] * 297 + ["bad"] * 3,
    "segment": ["rest"] * 297 + ["vip"] * 3,
}
GUESSED = {  # ann is right on both known answers, ben on none
    "query": [at for at in range(102) for _ in "ab"],
    "rater": ["ann", "ben"] * 102,
    "vote": ["good"] * 200 + ["good", "bad"] * 2,
    "expected": [""] * 200 + ["good"] * 4,
}


def test_votes_that_lost_a_segment_do_not_pass_as_a_guard() -> None:
    result = gsb(LOST_SEGMENT)
    assert result.verdict.reason == "better, but segments cannot tell"
    for stated in (False, True):
        found = votes_guard(result, stated=stated)
        assert (found.answer, found.stops) == ("cannot tell", True)
        assert "segments: vip lost in each of its 3 queries" in found.message


def test_raters_who_guess_say_nothing_and_have_not_passed() -> None:
    """Where nobody asked for more, what says nothing changes nothing."""
    result = gsb(GUESSED)
    assert result.verdict.reason == "better, but known answers failed"
    found = votes_guard(result, stated=False)
    assert (found.answer, found.stops) == ("cannot tell", False)
    assert votes_guard(result, stated=True).stops
    assert votes_guard(result, stated=False, stated_guards=["known answers"]).stops


def test_votes_that_show_no_loss_pass_as_a_guard() -> None:
    unsure = gsb(good=10, same=10, bad=10)
    assert unsure.verdict.outcome == "undecided"
    assert votes_guard(unsure, stated=False).answer == "passed"
    assert votes_guard(unsure, stated=True).answer == "cannot tell"
    assert votes_guard(gsb(good=5, same=10, bad=60), stated=False).answer == "failed"
