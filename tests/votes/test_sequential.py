"""Looking while votes come in: what enters when, the evidence by hand, and error rates by simulation."""

from __future__ import annotations

import json
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy.special import betaln
from scipy.stats import binom, norm

from idealist.errors import InputError
from idealist.statistics.sequential_testing import EProcess
from idealist.votes.vote_table import read_votes
from idealist.votes.vote_tests import complete_queries, look, query_sums
from idealist.votes.voting import gsb

# What enters ------------------------------------------------------------------------------------------------------


def entered(
    queries: str, votes_per_query: int | None = None, **columns: Any
) -> tuple[dict[str, list[int]], int]:
    table = {"query": list(queries), "vote": ["good"] * len(queries), **columns}
    return complete_queries(read_votes(table), votes_per_query)


def test_a_query_enters_when_the_next_one_begins() -> None:
    assert entered("aab") == ({"a": [0, 1]}, 1)
    assert entered("a") == ({}, 1)


def test_as_long_as_all_have_equally_many_votes_the_last_need_not_wait() -> None:
    assert entered("aabb") == ({"a": [0, 1], "b": [2, 3]}, 0)
    # One more than the others: b has entered with two and stays so; from now on ends are waited for.
    assert entered("aabbb") == ({"a": [0, 1], "b": [2, 3]}, 0)
    assert entered("aabbbcc") == ({"a": [0, 1], "b": [2, 3]}, 2)
    assert entered("aabbbccd") == ({"a": [0, 1], "b": [2, 3], "c": [5, 6]}, 1)
    # One fewer, too.
    assert entered("aabcc") == ({"a": [0, 1], "b": [2]}, 2)


def test_votes_that_come_back_to_a_query_are_left_out() -> None:
    assert entered("aabbaacc") == ({"a": [0, 1], "b": [2, 3], "c": [6, 7]}, 0)


def test_with_a_number_of_votes_a_query_enters_at_that_vote() -> None:
    assert entered("abcabacc", 2) == ({"a": [0, 3], "b": [1, 4], "c": [2, 6]}, 0)
    assert entered("abcab", 2) == ({"a": [0, 3], "b": [1, 4]}, 1)


def test_known_answers_and_weightless_votes_do_not_enter_nor_end_a_query() -> None:
    table: dict[str, Any] = {
        "query": list("axayb"),
        "vote": ["good"] * 5,
        "expected": ["", "good", "", "", ""],
    }
    found, waiting = complete_queries(read_votes({**table, "weight": [1, 1, 1, 0, 1]}))
    assert (found, waiting) == ({"a": [0, 2]}, 1)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.sampled_from([None, 1, 2, 3]))
def test_nothing_that_has_entered_changes_when_more_votes_come(
    queries: list[int], number: int | None
) -> None:
    votes: dict[str, list[Any]] = {"query": queries, "vote": ["good"] * len(queries)}
    before: list[tuple[str, list[int]]] = []
    for end in range(1, len(queries) + 1):
        now = list(
            complete_queries(read_votes({key: some[:end] for key, some in votes.items()}), number)[0].items()
        )
        assert now[: len(before)] == before
        before = now


@pytest.mark.parametrize(
    "times",
    [
        [3, 4, 1, 2],
        ["3", "4", "1", "2.5"],
        ["2026-05-01T12:00:00", "2026-05-01T12:30", "2026-04-30", "2026-05-01T13:00:00+02:00"],
    ],
)
def test_votes_are_taken_by_time_where_they_have_one(times: list[Any]) -> None:
    assert entered("aabb", timestamp=times) == ({"b": [2, 3], "a": [0, 1]}, 0)


def test_votes_of_one_time_stay_in_the_order_of_rows() -> None:
    assert entered("abab", time=[1, 1, 0, 0]) == ({"a": [2], "b": [3]}, 0)


def test_a_time_that_cannot_be_read() -> None:
    with pytest.raises(InputError, match="row 2: date is '03/04/26', not a time"):
        read_votes({"query": [1, 2], "vote": [1, 1], "date": ["2026-05-01", "03/04/26"]})
    table = {"query": [1, 2], "vote": [1, 1], "date": ["2026-05-01", None]}
    with pytest.raises(InputError, match="date is None, not a time"):
        read_votes(table)
    assert read_votes(table, columns={"time": ""}).times is None


# The evidence -------------------------------------------------------------------------------------------------------


def test_one_vote_a_query_has_the_closed_form() -> None:
    rng = np.random.default_rng(1)
    votes = rng.choice([-1, 0, 1], p=[0.3, 0.5, 0.2], size=150)
    good, bad = (votes > 0).sum(), (votes < 0).sum()
    expected = (good + bad) * log(2) + betaln(10 + good, 10 + bad) - betaln(10, 10)
    assert log(look(read_votes(votes.tolist())).e_value) == approx(expected)


def test_same_changes_nothing() -> None:
    assert look(read_votes([1, 0, 0, -1, 1])).e_value == approx(look(read_votes([1, -1, 1])).e_value)


def test_weights_by_hand() -> None:
    # y = 2/2 and 1/2, and κ has mean 0 and variance 1/(2·10 + 1): E(1 + κ)(1 + κ/2) = 1 + 1/42.
    table = {"query": ["a", "b"], "vote": [1, 1], "weight": [2.0, 1.0]}
    assert look(read_votes(table)).e_value == approx(1 + 1 / 42)
    # The largest weight so far: y = 1/1 and 2/2.
    table["weight"] = [1.0, 2.0]
    assert look(read_votes(table)).e_value == approx(1 + 1 / 21)
    assert look(read_votes({**table, "weight": [10.0, 20.0]})).e_value == approx(1 + 1 / 21)


def test_items_of_a_query_bet_together_and_raters_are_folded() -> None:
    # Items 1, 1 and 0, of raters who agree; then −1, 0, 0: y = 2/3 and −1/3.
    votes = [*[1, 1] * 2, *[0, 0], *[-1, -1], *[0, 0] * 2]
    table = {
        "query": ["a"] * 6 + ["b"] * 6,
        "document": list("112233") * 2,
        "rater": ["x", "y"] * 6,
        "vote": votes,
    }
    assert look(read_votes(table)).e_value == approx(1 - 2 / 9 / 21)
    split = {**table, "vote": [1, 0, *votes[2:]]}  # 3 of 6 votes; the means ½, 1 and 0; no majority is same
    assert look(read_votes(split)).e_value == approx(1 - 1.5 / 9 / 21)
    assert look(read_votes(split), fold="mean").e_value == approx(1 - 1.5 / 9 / 21)
    assert look(read_votes(split), fold="majority").e_value == approx(1 - 1 / 9 / 21)


def test_copies_of_a_vote_are_no_evidence() -> None:
    once = look(read_votes([1] * 30))
    ten = look(read_votes({"query": [at // 10 for at in range(300)], "vote": [1] * 300}))
    assert ten.e_value == approx(once.e_value)
    assert ten.interval.low == approx(once.interval.low, abs=1e-5)


def test_very_many_votes_do_not_overflow() -> None:
    found = look(read_votes([1] * 5000))
    assert found.e_value == found.largest > 1e300
    assert 0 < found.p_value < 1e-300 or found.p_value == 0.0
    assert (found.interval.high, found.interval.low > 0.9) == (1.0, True)


# The confidence sequence --------------------------------------------------------------------------------------------


def test_the_interval_is_all_means_that_were_never_rejected() -> None:
    rng = np.random.default_rng(2)
    votes = rng.choice([-1, 0, 1], p=[0.2, 0.4, 0.4], size=120).astype(float)
    process, looks = EProcess(votes, np.ones(120)), np.arange(1, 121)
    interval = process.interval(0.95)
    for mean in np.linspace(-0.99, 0.99, 199):
        inside = interval.low < mean < interval.high
        assert inside == (process.path(float(mean), looks).max() < log(20))


def test_interval_and_p_value_say_the_same_of_nothing() -> None:
    rng = np.random.default_rng(3)
    outside = 0
    for _ in range(60):
        found = look(read_votes(rng.choice([-1, 0, 1], p=[0.2, 0.45, 0.35], size=150).tolist()))
        if found.halves is None:
            holds = found.interval.low <= 0 <= found.interval.high
            assert holds == (found.p_value > 0.05)
            outside += not holds
    assert 5 < outside < 55


def test_nothing_is_known_before_a_query_is_complete() -> None:
    found = look(read_votes(["good"]))
    assert (found.e_value, found.p_value, found.queries, found.waiting) == (1.0, 1.0, 0, 1)
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)


def test_the_interval_holds_the_value_of_all_votes() -> None:
    # Only the first vote of every query enters: all bad. The rest are good.
    table = {"query": list(range(60)) + list(range(60)) * 3, "vote": [-1] * 60 + [1] * 180}
    result = gsb(table, sequential=True)
    assert result.value == 0.5
    assert result.interval is not None
    assert result.interval.low < 0 < result.interval.high == 0.5
    assert any(note.startswith("180 votes are not in the sequential test") for note in result.notes)


def test_votes_that_change_over_time_are_remarked_on() -> None:
    result = gsb(["bad"] * 50 + ["good"] * 50)
    assert result.sequential is not None
    assert (result.value, result.p_value, result.sequential.e_value < 1) == (0.0, 1.0, True)
    assert result.sequential.p_value < 1e-6  # there was a time when all were bad
    assert result.sequential.halves == (-1.0, 1.0)
    assert any("votes changed while they came in: GSB −1.0000" in note for note in result.notes)
    verdict = gsb(["bad"] * 50 + ["good"] * 50, sequential=True).verdict
    assert verdict.outcome == "undecided"
    shuffled = np.random.default_rng(0).permutation([1, -1] * 50).tolist()
    steady = gsb(shuffled).sequential
    assert steady is not None
    assert (steady.halves, steady.p_value > 0.5) == (None, True)


def test_weights_count() -> None:
    # GSB is 0: a hundred good votes of weight 1 and ten bad ones of weight 10.
    rng = np.random.default_rng(5)
    evidence = []
    for _ in range(25):
        order = rng.permutation(110)
        votes, weights = np.array([1] * 100 + [-1] * 10)[order], np.array([1.0] * 100 + [10.0] * 10)[order]
        table = {"query": range(110), "vote": votes.tolist(), "weight": weights.tolist()}
        evidence.append(look(read_votes(table)).e_value)
    assert gsb(table).value == approx(0.0)
    assert np.median(evidence) < 2
    assert look(read_votes({**table, "weight": [1] * 110})).e_value > 1e10


@pytest.mark.slow
def test_weights_that_go_with_the_votes() -> None:
    """Heavy queries are bad and light ones good, so that GSB is 0: half the weight lies above e."""
    rng = np.random.default_rng(8)
    alarms = 0
    for _ in range(200):
        weights = rng.lognormal(size=400)
        votes = np.where(weights > np.e, -1.0, 1.0)
        alarms += EProcess(votes * weights, weights).against_zero.max() >= log(20)
    assert alarms / 200 <= 0.05 + 0.02


# The verdict ----------------------------------------------------------------------------------------------------------


def test_a_sequential_verdict() -> None:
    few, many = gsb(["good"] * 8, sequential=True), gsb(["good"] * 40, sequential=True)
    assert (few.verdict.outcome, gsb(["good"] * 8).verdict.outcome) == ("undecided", "ship")
    assert many.verdict.outcome == "ship"
    assert many.sequential is not None
    assert many.verdict.interval == many.interval == many.sequential.interval
    assert "valid at every look" in many.verdict.remark
    assert many.method == "confidence sequence"
    record = json.loads(many.to_json())
    assert record["sequential"]["interval"]["low"] == many.sequential.interval.low
    assert (record["e_value"], record["always_valid_p"]) == (many.e_value, many.always_valid_p)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"votes_per_query": 0}, "votes per query must be a whole number, 1 or more, not 0"),
        ({"sequential": True, "shares": {"x": 1.0}}, "cannot use shares"),
    ],
)
def test_settings_that_cannot_be_right(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        gsb({"query": [1, 2], "vote": [1, 0], "segment": ["x", "x"]}, **settings)


# Error rates ------------------------------------------------------------------------------------------------------------


def clustered(rng: np.random.Generator, queries: int, documents: int, alike: float, value: float) -> Any:
    """Votes, 70 % of them same, whose taste has the share `alike` of its variance from the query."""
    taste = rng.normal(size=(queries, 1)) * alike**0.5
    taste = taste + rng.normal(size=(queries, documents)) * (1 - alike) ** 0.5
    good, bad = (0.3 + value) / 2, (0.3 - value) / 2
    return 1 * (taste > norm.ppf(1 - good)) - 1 * (taste < norm.ppf(bad))


def by_document(rng: np.random.Generator, documents: int, value: float) -> dict[str, Any]:
    return {
        "query": np.repeat(np.arange(200), documents),
        "document": np.tile(np.arange(documents), 200),
        "vote": clustered(rng, 200, documents, 0.9, value).ravel(),
    }


def shuffled(rng: np.random.Generator, table: dict[str, Any]) -> dict[str, Any]:
    order = rng.permutation(len(table["vote"]))
    return {name: column[order] for name, column in table.items()}


def weighted(rng: np.random.Generator, value: float) -> dict[str, Any]:
    votes = clustered(rng, 600, 1, 0.0, value).ravel()
    return {"query": np.arange(600), "vote": votes, "weight": rng.lognormal(size=600)}


def rated(rng: np.random.Generator, value: float) -> dict[str, Any]:
    votes = np.repeat(clustered(rng, 100, 4, 0.8, value).ravel(), 3)
    guessed = rng.random(len(votes)) < 0.2 * (value == 0)
    votes = np.where(guessed, rng.integers(-1, 2, len(votes)), votes)
    raters, documents = np.tile(np.arange(3), 400), np.tile(np.repeat(np.arange(4), 3), 100)
    return {"query": np.repeat(np.arange(100), 12), "document": documents, "rater": raters, "vote": votes}


def uneven(rng: np.random.Generator, value: float) -> dict[str, Any]:
    sizes = rng.integers(1, 12, 200)
    votes = [clustered(rng, 1, size, 0.9, value).ravel() for size in sizes]
    return {"query": np.repeat(np.arange(200), sizes), "vote": np.concatenate(votes)}


CASES: dict[str, Any] = {
    "10 documents, query by query": (lambda rng, value: by_document(rng, 10, value), None),
    "30 documents, query by query": (lambda rng, value: by_document(rng, 30, value), None),
    "10 documents, shuffled": (lambda rng, value: shuffled(rng, by_document(rng, 10, value)), None),
    "10 documents, shuffled, first 10": (lambda rng, value: shuffled(rng, by_document(rng, 10, value)), 10),
    "weighted": (weighted, None),
    "3 raters": (rated, None),
    "uneven": (uneven, None),
}


def evidence(table: dict[str, list[Any]], number: int | None) -> EProcess:
    votes = read_votes(table)
    return EProcess(*query_sums(votes, complete_queries(votes, number)[0], "majority"))


@pytest.mark.parametrize("case", CASES)
def test_looks_at_the_votes_so_far_are_steps_of_one_path(case: str) -> None:
    """So that error rates at all looks are those of the path, which every query is a look of."""
    make, number = CASES[case]
    table = {name: column[:800].tolist() for name, column in make(np.random.default_rng(1), 0.1).items()}
    path = [0.0, *evidence(table, number).against_zero]
    for end in range(50, len(table["vote"]) + 1, 150):
        so_far = look(read_votes({name: some[:end] for name, some in table.items()}), votes_per_query=number)
        assert log(so_far.e_value) == approx(path[so_far.queries], abs=1e-9)
        assert log(so_far.largest) == approx(max(path[: so_far.queries + 1]), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("value", [0.0, 0.1])
def test_a_look_after_every_query(case: str, value: float) -> None:
    """False alarms at 5 % at most, and the truth inside the confidence sequence at all looks in 95 %. It is inside
    where its own evidence stays below 20."""
    make, number = CASES[case]
    rng = np.random.default_rng(23)
    trials, alarms, missed = 100, 0, 0
    for _ in range(trials):
        process = evidence({name: column.tolist() for name, column in make(rng, value).items()}, number)
        alarms += process.against_zero.max() >= log(20)
        missed += process.path(value, np.arange(1, len(process.y) + 1)).max() >= log(20)
    # Of 100 at 5 %, more than 10 come by chance in 1 of 90; order and signs made anew at each look had 30 and more.
    assert missed <= 10
    assert value or alarms <= 10


@pytest.mark.slow
def test_false_alarms_and_coverage_of_plain_votes() -> None:
    rng = np.random.default_rng(5)
    votes = rng.choice([-1, 0, 1], p=[0.15, 0.7, 0.15], size=(600, 1000))
    looks = np.arange(1, 1001)
    alarms = np.mean([EProcess(row, np.ones(1000)).against_zero.max() >= log(20) for row in votes * 1.0])
    assert alarms <= 0.05
    better = rng.choice([-1, 0, 1], p=[0.1, 0.6, 0.3], size=(300, 1000)) * 1.0
    missed = np.mean([EProcess(row, np.ones(1000)).path(0.2, looks).max() >= log(20) for row in better])
    assert missed <= 0.05
    # The plain test, looked at every 20 votes, alarms in one of four.
    good, bad = (np.cumsum(votes == one, axis=1)[:, 19::20] for one in (1, -1))
    plain = np.minimum(1.0, 2 * binom.cdf(np.minimum(good, bad), good + bad, 0.5))
    assert 0.2 < (plain <= 0.05).any(axis=1).mean() < 0.32
