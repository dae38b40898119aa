"""GSB and the people behind it: raters, known answers, sides."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from pytest import approx

from idealist.errors import InputError
from idealist.votes.voting import gsb

# Raters ---------------------------------------------------------------------------------------------------------


RATED = {
    "query": ["a", "a", "a", "b", "b", "b", "c", "c"],
    "rater": ["x", "y", "z", "x", "y", "z", "x", "y"],
    "vote": ["good", "good", "bad", "good", "same", "bad", "good", "same"],
}


def test_majority_and_none() -> None:
    result = gsb(RATED, fold="majority")
    assert (result.good, result.same, result.bad, result.n, result.votes) == (1, 2, 0, 3, 8)
    assert "2 of 3 items have no majority, and count as same" in result.notes
    assert result.interval == gsb([1, 0, 0]).interval
    assert result.verdict.unit == "queries"


def test_mean_of_raters() -> None:
    result = gsb(RATED, fold="mean")
    assert result.value == approx((1 / 3 + 0 + 1 / 2) / 3)
    assert result.good == approx(2 / 3 + 1 / 3 + 1 / 2)
    assert result.agreement is not None
    assert result.agreement.items == 3


def test_anchors_check_raters_and_do_not_count() -> None:
    known = {name: [*column, column[0]] for name, column in RATED.items()}
    known["query"][-1] = "known"
    result = gsb({**known, "expected": [""] * 8 + ["bad"]})
    assert result.items == 3
    assert result.anchors[0].below
    assert "below the floor on known answers: x (0/1)" in result.notes
    with pytest.raises(InputError, match="no vote counts"):
        gsb({"query": ["a"], "vote": ["good"], "anchor": ["good"]})


def test_raters_who_guess_stop_a_launch() -> None:
    rng = np.random.default_rng(2)
    votes = rng.choice([-1, 0, 1], p=[0.1, 0.3, 0.6], size=900).tolist()
    table = {"query": [at // 3 for at in range(900)], "rater": list("xyz") * 300, "vote": votes}
    result = gsb(table)
    assert (result.verdict.outcome, result.value > 0.2) == ("undecided", True)
    assert [guard.passed for guard in result.verdict.guards] == [False]
    assert result.agreement is not None
    assert result.verdict.guards[0].message.startswith(
        f"AC1 {result.agreement.ac1.value:.4f}, at least 0.3000"
    )
    assert gsb(table, agreement_floor=-1).verdict.outcome == "ship"


def test_raters_who_guess_by_habit_have_an_ac1_but_no_alpha() -> None:
    rng = np.random.default_rng(4)
    votes = rng.choice([-1, 0, 1], p=[0.05, 0.75, 0.2], size=1200).tolist()
    table = {"query": [at // 3 for at in range(1200)], "rater": list("xyz") * 400, "vote": votes}
    result = gsb(table)
    assert result.agreement is not None
    assert result.agreement.ac1.value > 0.4
    assert result.verdict.outcome == "undecided"
    assert "raters seem to vote by habit, not by item" in result.verdict.guards[0].message


# Known answers ----------------------------------------------------------------------------------------------------


def with_known_answers(right: dict[str, tuple[int, int]], votes: dict[str, int]) -> dict[str, list[Any]]:
    """Good votes of raters, each on queries of their own, and how many of how many known answers were right."""
    rows = [(f"{name} {at}", name, "good", "") for name, number in votes.items() for at in range(number)]
    for name, (hits, n) in right.items():
        rows += [(f"known {at}", name, "bad" if at < hits else "same", "bad") for at in range(n)]
    return {key: [row[at] for row in rows] for at, key in enumerate(("query", "rater", "vote", "expected"))}


def test_a_sole_rater_who_misses_known_answers_does_not_ship() -> None:
    result = gsb(with_known_answers({"ann": (0, 3)}, {"ann": 40}))
    assert result.verdict.outcome == "undecided"
    assert result.verdict.reason == "better, but known answers failed"
    guard = result.verdict.guards[-1]
    assert guard.message.startswith(
        "ann 0 of 3 right, at least 70 % is needed; 100 % of the votes are theirs"
    )
    assert gsb(with_known_answers({"ann": (3, 3)}, {"ann": 40})).verdict.outcome == "ship"
    chosen = gsb(with_known_answers({"ann": (0, 3)}, {"ann": 40}), guards=["sides"])
    assert chosen.verdict.outcome == "ship"


@pytest.mark.parametrize(("votes", "passed"), [(9, False), (8, True)])
def test_a_tenth_of_the_votes_by_raters_below_the_floor_is_too_much(votes: int, passed: bool) -> None:
    table = with_known_answers({"ann": (10, 10), "ben": (6, 10)}, {"ann": 81, "ben": votes})
    guard = gsb(table).verdict.guards[-1]
    assert (guard.name, guard.passed) == ("known answers", passed)
    assert ("ben 6 of 10 right" in guard.message) is not passed


def test_all_known_answers_together_below_the_floor() -> None:
    # Ben gave few votes, but 10 of 20 + 9 of 9 is below 70 %.
    table = with_known_answers({"ann": (9, 9), "ben": (10, 20)}, {"ann": 95, "ben": 5})
    assert not gsb(table).verdict.guards[-1].passed


def test_known_answers_without_names_of_raters() -> None:
    table = {"query": range(43), "vote": ["good"] * 43, "expected": [""] * 40 + ["bad"] * 3}
    result = gsb(table)
    assert result.verdict.outcome == "undecided"
    assert "all 0 of 3 right" in result.verdict.guards[-1].message


# Sides ----------------------------------------------------------------------------------------------------------


def test_sides() -> None:
    result = gsb(
        {"query": range(7), "vote": [1, 1, -1, -1, 0, 1, 1], "side": ["L", "R", "L", "R", "L", "", "L"]}
    )
    sides = result.side_bias
    assert sides is not None
    assert (sides.gsb_left, sides.gsb_right, sides.difference) == (1 / 4, 0.0, 1 / 4)
    assert (sides.left_wins, sides.decided, sides.shown_left, sides.shown) == (3, 5, 4, 6)
    # (left − 4/6)·(vote − 1/6), in 18ths: 5, −10, −7, 14, −1, 5; the sum is 6 of 18.
    parts = [5, -10, -7, 14, -1, 5]
    ways = [
        abs(sum(s * part for s, part in zip(signs, parts, strict=True)))
        for signs in product((1, -1), repeat=6)
    ]
    assert sides.p_value == approx(sum(way >= 6 for way in ways) / 64)


def test_a_better_candidate_that_is_shown_left_more_often_is_no_side_bias() -> None:
    # Good on 60 % of both sides; left won 60 of 100 decided there and lost 24 of 40 here.
    sides = ["left"] * 100 + ["right"] * 40
    votes = [1] * 60 + [0] * 40 + [1] * 24 + [0] * 16
    result = gsb({"query": range(140), "vote": votes, "side": sides})
    assert result.side_bias is not None
    assert result.side_bias.difference == approx(0.0)
    assert result.verdict.outcome == "ship"
    assert "shown left 100 of 140 times" in " ".join(result.notes)


def test_a_left_hand_habit_stops_a_launch() -> None:
    # Left always wins, 60 times as candidate and 40 as baseline.
    sides, votes = ["left"] * 60 + ["right"] * 40, [1] * 60 + [-1] * 40
    result = gsb({"query": range(500), "vote": votes + [1] * 100 + [0] * 300, "side": sides + [""] * 400})
    assert result.verdict.outcome == "undecided"
    assert "sides" in result.verdict.reason


def test_always_on_one_side() -> None:
    result = gsb({"query": range(50), "vote": [1] * 50, "side": ["left"] * 50})
    assert result.verdict.outcome == "undecided"
    assert "always shown left" in result.verdict.guards[0].message
