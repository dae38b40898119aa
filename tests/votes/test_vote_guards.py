"""How often guards of votes fail when they should not, and when they should, by seeded simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from idealist.decision.verdict import Guard
from idealist.io import read_votes
from idealist.votes.sides import find_side_bias
from idealist.votes.tests import flip_p
from idealist.votes.voting import gsb


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
