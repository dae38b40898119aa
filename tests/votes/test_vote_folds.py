"""What GSB is taken over where raters share an item, and what raters add to its uncertainty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from idealist.votes.folded_votes import FoldedVotes
from idealist.votes.vote_estimates import VoteEstimate
from idealist.votes.vote_table import read_votes
from idealist.votes.voting import gsb


def by_item(votes: list[list[int]], raters: str = "abc") -> dict[str, list[Any]]:
    """A row of votes for every query, the first by the first rater."""
    return {
        "query": [query for query, row in enumerate(votes) for _ in row],
        "rater": [rater for row in votes for rater in raters[: len(row)]],
        "vote": [vote for row in votes for vote in row],
    }


# 60 items lose by 2 : 1 and 40 win by 3 : 0, with each rater in the minority as often as the others.
SPLIT = [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]] * 20 + [[1, 1, 1]] * 40


def test_minority_votes_count() -> None:
    result = gsb(by_item(SPLIT))
    assert (result.good, result.same, result.bad, result.n, result.items) == (180, 0, 120, 300, 100)
    assert result.value == approx((180 - 120) / 300)
    assert result.verdict.outcome == "ship"
    majority = result.refolded
    assert majority is not None
    assert (majority.fold, majority.good, majority.bad) == ("majority", 40, 60)
    assert majority.value == approx((40 - 60) / 100)
    assert "GSB by the majority of each item's votes is −0.2000" in result.conflict
    first = str(result).splitlines()[0]
    assert first.startswith("GSB by all votes is 0.2000, but GSB by the majority")
    assert result.conflict in result.verdict.reason


def test_an_outcome_that_is_the_same_is_not_contrasted() -> None:
    """Five items are too few for either: 9 good and 6 bad votes, 2 items won and 3 lost."""
    result = gsb(by_item(SPLIT[:3] + SPLIT[-2:]))
    assert result.verdict.outcome == "undecided"
    assert result.conflict == "GSB by the majority of each item's votes is −0.2000"
    assert gsb(by_item(SPLIT)).conflict == f"{result.conflict}, which would leave it undecided"


def test_votes_and_items_are_printed_apart() -> None:
    lines = str(gsb(by_item(SPLIT))).splitlines()
    assert "votes: good 180, same 0, bad 120 on 100 items of 100 queries by 3 raters" in lines
    assert "votes: good 2, same 0, bad 1 on 3 queries" in str(gsb([1, 1, -1]))
    lines = str(gsb(by_item(SPLIT), fold="majority")).splitlines()
    assert any(
        line.startswith("items by the majority of each item's votes: good 40, same 0, bad 60")
        for line in lines
    )
    assert "note: every item counts once, by the majority of each item's votes" in lines


def test_items_with_more_votes_count_more_unless_means_are_taken() -> None:
    table = by_item([[1, 1, 1], [-1]])
    assert gsb(table).value == approx((3 - 1) / 4)  # what a spreadsheet gives
    assert gsb(table, fold="mean").value == 0.0
    notes = " ".join(gsb(table).notes)
    assert "items have 1 to 3 votes, and every vote counts once" in notes


def test_weights_are_those_of_every_vote() -> None:
    table = {**by_item([[1, 1], [-1]]), "weight": [1, 1, 6]}
    assert gsb(table).value == approx((1 + 1 - 6) / (1 + 1 + 6))
    assert gsb(table, fold="mean").value == approx((1 - 6) / (1 + 6))


def test_no_item_has_two_votes_nothing_stands_beside() -> None:
    assert gsb([1, 0, -1]).refolded is None
    assert gsb([1, 0, -1]).conflict == ""
    assert str(gsb([1, 0, -1], fold="votes")) == str(gsb([1, 0, -1]))


# Raters ------------------------------------------------------------------------------------------------------


def test_raters_who_agree_in_the_mean_add_nothing() -> None:
    """All three have the same mean, so that the interval is that over queries."""
    with_raters = gsb(by_item(SPLIT))
    table = by_item(SPLIT)
    table["rater"] = [f"{query}{rater}" for query, rater in zip(table["query"], table["rater"], strict=True)]
    without = gsb(table)  # everybody votes once
    assert with_raters.interval is not None
    assert without.interval is not None
    assert without.interval.low <= with_raters.interval.low + 0.01
    assert with_raters.interval.low == approx(without.interval.low, abs=0.01)
    assert with_raters.test == "test inversion over queries and raters"
    assert without.test == "test inversion over queries"


def test_one_rater_against_two_decides_nothing() -> None:
    """One likes everything, the others are of two minds: over queries alone, GSB 0.33 would be certain."""
    rng = np.random.default_rng(2)
    votes = [[1, int(rng.integers(-1, 2)), int(rng.integers(-1, 2))] for _ in range(200)]
    result = gsb(by_item(votes))
    assert result.interval is not None
    assert result.value == approx(1 / 3, abs=0.06)
    assert result.interval.low < 0 < result.value
    alone = {name: column for name, column in by_item(votes).items() if name != "rater"}
    interval = gsb(alone).interval
    assert interval is not None
    assert interval.low > 0.2
    assert result.verdict.needed is None  # no number of queries makes three raters many
    assert any(note.startswith("3 raters say little about how others would vote") for note in result.notes)


def test_the_variance_of_raters_by_hand() -> None:
    """Two raters on two queries: GSB = 0, residuals of a quarter each. Products of the same rater on different
    queries add up to 4/16, of different raters on different queries to −4/16, as many pairs of each."""
    effects = VoteEstimate(FoldedVotes(read_votes(by_item([[1, -1], [1, -1]])))).effects
    assert effects is not None
    assert effects.variance == approx(4 / 16 + 4 / 16)
    assert effects.raters == approx(2)


def test_one_rater_says_so() -> None:
    result = gsb(by_item([[1], [0], [-1]] * 5))
    assert "one rater: the votes cannot say how others would vote" in result.notes


# Laws --------------------------------------------------------------------------------------------------------

ROWS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("abc"), st.integers(-1, 1), st.integers(1, 3)),
    min_size=2,
    max_size=18,
    unique_by=lambda row: (row[0], row[1]),
)


def turned(rows: list[tuple[int, str, int, int]], sign: int, weighted: bool) -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = {
        "query": [row[0] for row in rows],
        "rater": [row[1] for row in rows],
        "vote": [sign * row[2] for row in rows],
    }
    return {**table, "weight": [1 + row[0] for row in rows]} if weighted else table


@settings(max_examples=60, deadline=None)
@given(
    ROWS,
    st.sampled_from(["votes", "mean", "majority"]),
    st.sampled_from(["auto", "tango", "agresti-min", "linearised", "bootstrap"]),
    st.booleans(),
)
def test_exchanging_good_and_bad_mirrors_everything(
    rows: list[tuple[int, str, int, int]], fold: str, method: str, weighted: bool
) -> None:
    one, other = (
        gsb(turned(rows, sign, weighted), fold=fold, interval=method, rounds=199) for sign in (1, -1)
    )
    assert one.value == approx(-other.value, abs=1e-12)
    assert (one.good, one.same, one.bad) == approx((other.bad, other.same, other.good))
    assert one.p_value == approx(other.p_value, abs=1e-6)
    assert [test.p_value for test in one.other_tests] == approx([test.p_value for test in other.other_tests])
    assert (one.interval is None) == (other.interval is None)
    if one.interval is not None and other.interval is not None:
        assert (one.interval.low, one.interval.high) == approx(
            (-other.interval.high, -other.interval.low), abs=1e-6
        )
    assert (one.refolded is None) == (other.refolded is None)
    if one.refolded is not None and other.refolded is not None:
        assert one.refolded.value == approx(-other.refolded.value, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    ROWS,
    st.sampled_from(["votes", "mean", "majority"]),
    st.sampled_from(["auto", "tango", "agresti-min", "linearised", "bootstrap"]),
)
def test_the_p_value_is_that_of_the_interval(
    rows: list[tuple[int, str, int, int]], fold: str, method: str
) -> None:
    result = gsb(turned(rows, 1, False), fold=fold, interval=method, rounds=199)
    if result.interval is not None and abs(result.p_value - 0.05) > 1e-3:
        assert (result.interval.low > 0 or result.interval.high < 0) == (result.p_value < 0.05)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_decision_by_numbers_has_a_p_below_the_level(sign: int) -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        n = int(rng.integers(4, 40))
        votes = sign * rng.choice([-1, 0, 1], size=n, p=[0.15, 0.35, 0.5])
        result = gsb(votes.tolist())
        if result.verdict.reason in ("better", "worse"):
            assert result.p_value < 0.05
