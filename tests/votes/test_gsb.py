"""GSB: values by hand, clusters, weights, strata, sides, segments, the verdict."""

from __future__ import annotations

import json
from math import inf, isnan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from scipy.stats import binomtest, t

from idealist import evaluate, read_judgments, read_run, read_votes
from idealist.errors import InputError
from idealist.statistics import mean_interval
from idealist.statistics.paired_shares import agresti_min_interval, tango_interval
from idealist.votes.voting import gsb, gsb_from


def test_the_worked_example() -> None:
    result = gsb(["good", "same", "bad", "bad"])
    assert result.value == -1 / 4
    assert (result.good, result.same, result.bad, result.n, result.queries) == (1, 1, 2, 4, 4)
    assert result.rates.win_rate == 1 / 3
    assert result.rates.win_rate_half_ties == 1.5 / 4
    assert result.rates.ratio == 2 / 3
    assert result.rates.not_worse_rate == 1 / 2
    assert result.other_tests[0].p_value == binomtest(1, 3).pvalue
    assert result.interval == mean_interval([1, 0, -1, -1], bounds=(-1, 1))
    assert gsb(good=10, same=10, bad=20, interval="tango").interval == tango_interval(10, 20, 40)
    assert result.severity is None
    assert result.verdict.outcome == "undecided"
    assert result.verdict.unit == "judgments"


def test_severity_by_hand() -> None:
    result = gsb([3, -1, 0, 0, 0, 0, 0, 0])
    assert result.severity is not None
    assert result.severity.value == approx(2 / (3 * 8))
    assert result.value == 0.0
    assert result.severity.interval == mean_interval([1, -1 / 3, *[0] * 6], bounds=(-1, 1))


def test_severity_that_is_the_same_for_all_lies_in_its_interval() -> None:
    result = gsb(read_votes([1] * 20, scale=3))
    assert result.severity is not None
    assert result.severity.interval is not None
    # All 20 at 1/3: a share 1 − 0.025^(1/20) = 0.168 of others may be at −1 or at 1.
    others = 1 - 0.025 ** (1 / 20)
    assert result.severity.value == approx(1 / 3)
    assert result.severity.interval.low == approx((1 - others) / 3 - others)
    assert result.severity.interval.high == approx((1 - others) / 3 + others)


def test_all_votes_same() -> None:
    result = gsb(["same"] * 100)
    assert result.interval is not None
    assert (result.value, result.p_value) == (0.0, 1.0)
    assert result.interval.high == approx(-result.interval.low) == approx(1 - 0.025 ** (1 / 100))
    assert isnan(result.rates.win_rate)
    clustered = gsb({"query": [at // 10 for at in range(100)], "vote": ["same"] * 100})
    assert clustered.interval is not None
    assert clustered.interval.high == approx(1 - 0.025 ** (1 / 10))  # as ten queries, not a hundred
    for method in ("linearised", "bootstrap"):
        told = gsb({"query": [at // 10 for at in range(100)], "vote": ["same"] * 100}, interval=method)
        assert told.interval == clustered.interval
        assert "all queries vote alike, so the interval is by test inversion over queries" in told.notes


def test_all_votes_good() -> None:
    result = gsb(["good"] * 20)
    assert result.interval is not None
    assert (result.value, result.interval.high, result.rates.ratio) == (1.0, 1.0, inf)
    assert json.loads(result.to_json())["rates"]["ratio"] is None


def test_how_many_more_would_decide() -> None:
    few = gsb(["same"] * 50)
    assert few.verdict.needed == 133  # 0.98¹⁸³ < 0.025 < 0.98¹⁸²
    assert gsb(["same"] * 182).verdict.outcome == "undecided"
    assert gsb(["same"] * 183).verdict.outcome == "ship"


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [
        (["good"] * 40 + ["same"] * 60, "ship"),
        (["bad"] * 40 + ["same"] * 60, "block"),
        (["good"] * 11 + ["bad"] * 10 + ["same"] * 60, "undecided"),
    ],
)
def test_verdicts(votes: list[str], outcome: str) -> None:
    assert gsb(votes).verdict.outcome == outcome


def test_agresti_min_is_offered() -> None:
    votes = ["good"] * 10 + ["bad"] * 16 + ["same"] * 135
    assert gsb(votes, interval="agresti-min").interval == agresti_min_interval(10, 16, 161)


# Clusters -----------------------------------------------------------------------------------------------------


def test_linearised_ratio_by_hand() -> None:
    # Ten times queries with totals 2 of 2, −1 of 1, 1 of 3: GSB = 20/60; residuals 2 − 2/3, −1 − 1/3, 1 − 1.
    queries = [f"{query}{at}" for at in range(10) for query in "aabccc"]
    result = gsb({"query": queries, "vote": [1, 1, -1, 1, 0, 0] * 10}, interval="linearised")
    error = sqrt(30 / 29 * 10 * ((4 / 3) ** 2 + (4 / 3) ** 2)) / 60
    kish = 60**2 / (10 * (2**2 + 1 + 3**2))
    assert result.value == approx(1 / 3)
    assert result.interval is not None
    assert result.interval.low == approx(1 / 3 - error * t.ppf(0.975, kish - 1))
    assert result.p_value == approx(2 * t.sf(1 / 3 / error, kish - 1))
    assert result.verdict.unit == "queries"


def test_flips_by_hand() -> None:
    (flips,) = gsb({"query": list("aabccc"), "vote": [1, 1, -1, 1, 0, 0]}).other_tests
    assert flips.name == "sign flips of queries"
    assert flips.p_value == 6 / 8  # |±2 ± 1 ± 1| ≥ 2 but for 2−1−1 and its mirror


def test_copies_of_a_vote_add_nothing_to_what_is_known() -> None:
    rng = np.random.default_rng(0)
    votes = rng.choice([-1, 0, 1], p=[0.1, 0.6, 0.3], size=200)
    once = gsb(votes.tolist())
    ten = gsb({"query": np.repeat(np.arange(200), 10).tolist(), "vote": np.repeat(votes, 10).tolist()})
    assert once.interval is not None
    assert ten.interval is not None
    assert ten.value == approx(once.value)
    width = once.interval.high - once.interval.low
    assert ten.interval.high - ten.interval.low == approx(width)
    assert ten.p_value == approx(once.p_value)
    naive = tango_interval(ten.good, ten.bad, ten.n)
    assert naive.high - naive.low < 0.4 * width


def test_a_single_query_has_no_interval() -> None:
    result = gsb({"query": ["q"] * 5, "vote": ["good"] * 4 + ["bad"]})
    assert result.interval is None
    assert result.verdict.outcome == "undecided"
    assert result.notes[0].startswith("a single query")


def test_bootstrap_is_seeded_and_near_the_others() -> None:
    rng = np.random.default_rng(0)
    table = {"query": (np.arange(600) // 3).tolist(), "vote": rng.integers(-1, 2, 600).tolist()}
    one, same, other = (gsb(table, interval="bootstrap", seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one.interval != other.interval
    assert one.interval is not None
    straight = gsb(table, interval="linearised").interval
    assert straight is not None
    assert one.interval.low == approx(straight.low, abs=0.01)
    assert one.interval.high == approx(straight.high, abs=0.01)


# Weights, segments, strata ----------------------------------------------------------------------------------------


def test_weights_by_hand() -> None:
    result = gsb({"query": range(4), "vote": [1, 1, -1, 0], "weight": [1, 2, 4, 1]}, interval="linearised")
    assert result.value == approx((1 + 2 - 4) / 8)
    assert result.rates.not_worse_rate == approx(4 / 8)
    assert "without weights GSB is 0.2500" in " ".join(result.notes)
    same = gsb({"query": range(4), "vote": [1, 1, -1, 0], "weight": [3, 3, 3, 3]})
    assert same.interval == gsb([1, 1, -1, 0]).interval


def test_votes_without_weight_do_not_count() -> None:
    result = gsb({"query": range(5), "vote": [1, 1, -1, 0, -1], "weight": [1, 2, 4, 1, 0]})
    assert result.n == 4
    assert "1 vote of weight 0 left out" in result.notes


SEGMENTED = {
    "query": list(range(80)),
    "vote": [1] * 20 + [0] * 20 + [-1] * 25 + [0] * 15,
    "segment": ["head"] * 40 + ["tail"] * 40,
}


def test_segments_are_gsb_of_their_own() -> None:
    result = gsb(SEGMENTED)
    head, tail = result.segments
    assert (head.name, head.value, head.interval) == ("head", 0.5, gsb([1] * 20 + [0] * 20).interval)
    assert (tail.value, tail.p_value) == approx((-25 / 40, gsb([-1] * 25 + [0] * 15).p_value))
    guard = result.verdict.guards[0]
    assert (guard.name, guard.passed) == ("segments", False)
    assert guard.message.startswith("tail is significantly worse, −0.6250 in 40 queries")


def test_strata_by_hand() -> None:
    result = gsb(SEGMENTED, shares={"head": 3, "tail": 1}, interval="linearised")
    assert result.value == approx(0.75 * 0.5 - 0.25 * 0.625)
    head, tail = result.strata
    assert (head.share, head.value, head.n) == approx((0.75, 0.5, 40))
    # The variance of a mean: (ψ − δ²)/(n − 1).
    assert head.variance == approx((0.5 - 0.25) / 39)
    assert tail.variance == approx((0.625 - 0.625**2) / 39)
    # Satterthwaite: (v₁ + v₂)² / (v₁²/39 + v₂²/39).
    one, other = 0.75**2 * head.variance, 0.25**2 * tail.variance
    freedom = (one + other) ** 2 / ((one**2 + other**2) / 39)
    reach = t.ppf(0.975, freedom) * sqrt(one + other)
    assert result.interval is not None
    assert result.interval.high == approx(result.value + reach)


def test_a_stratum_of_equal_votes_is_not_certain() -> None:
    table = {"query": range(12), "vote": [0] * 6 + [1, 0, -1, 1, 0, 1], "segment": ["x"] * 6 + ["y"] * 6}
    result = gsb(table, shares={"x": 0.9, "y": 0.1})
    assert result.strata[0].variance == approx((1 / 8) / 8)  # Agresti and Min: (½ + ½)/8 of 6 + 2
    assert result.interval is not None
    assert result.interval.high > 0.15


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"head": 1}, "segment 'tail' has no share"),
        ({"head": 1, "tail": 0}, "the share of 'tail' must be above 0, not 0"),
        ({"head": 1, "tail": float("nan")}, "the share of 'tail' must be a number, not nan"),
        ({"head": 1, "tail": 1, "torso": 1}, "no vote is in segment 'torso'"),
    ],
)
def test_shares_that_cannot_be_right(shares: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        gsb(SEGMENTED, shares=shares)


def test_strata_are_made_of_whole_queries() -> None:
    with pytest.raises(InputError, match="query 'q' is in several segments"):
        gsb({"query": ["q", "q"], "vote": [1, 1], "segment": ["x", "y"]}, shares={"x": 1, "y": 1})
    with pytest.raises(InputError, match="the votes have no segments"):
        gsb(["good"], shares={"x": 1})


# Policies --------------------------------------------------------------------------------------------


def test_the_sign_policy_says_how_often_it_is_wrong() -> None:
    votes = ["good"] * 44 + ["bad"] * 46 + ["same"] * 210
    result = gsb(votes, policy="sign")
    assert result.verdict.outcome == "block"
    assert "blocks a candidate that is as good 48 % of the time" in result.verdict.remark
    assert gsb(votes).verdict.outcome == "undecided"
    assert gsb(votes).verdict.remark == ""


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fold": "median"}, "fold must be votes, mean or majority, not 'median'"),
        (
            {"interval": "wald"},
            "interval must be auto, tango, inversion, agresti-min, linearised or bootstrap, not 'wald'",
        ),
        ({"confidence": 95}, "confidence must lie between 0 and 1, not 95"),
        ({"margin": -0.1}, "the margin must be 0 or more, not -0.1"),
        ({"policy": "hope"}, "policy must be interval or sign, not 'hope'"),
        ({"rounds": 0}, "rounds must be a whole number, 1 or more, not 0"),
        ({"seed": -1}, "the seed must be a whole number, 0 or more, not -1"),
        ({"agreement_floor": 2}, "agreement_floor must be from -1 to 1, not 2"),
    ],
)
def test_settings_that_cannot_be_right(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        gsb(["good", "bad"], **settings)


# By a measure ---------------------------------------------------------------------------------------------------


def test_from_an_evaluation(shop: Path) -> None:
    runs = {name: read_run(shop / f"{name}.run") for name in ("a", "b")}
    evaluation = evaluate(read_judgments(shop / "shop.qrels"), runs, ["nDCG@10", "RR"])
    result = gsb_from(evaluation, "nDCG@10", threshold=0.01)
    ours, theirs = evaluation.by_query("nDCG@10", "b"), evaluation.by_query("nDCG@10", "a")
    steps = [ours[query] - theirs[query] for query in ours]
    assert result.good == sum(step > 0.01 for step in steps)
    assert result.bad == sum(step < -0.01 for step in steps)
    assert result.n == len(steps)
    assert result.verdict.unit == "queries"
    assert gsb_from(evaluation, "nDCG@10", "a", "b", threshold=0.01).value == approx(-result.value)
    assert gsb_from(evaluation, "nDCG@10", threshold=2.0).same == result.n
    assert result.notes[0] == "b compared with a by nDCG@10; differences up to 0.01 are same"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "AP"}, "AP was not evaluated"),
        ({"system": "c"}, "no system is called 'c'"),
        ({"system": "a", "baseline": "a"}, "a would be compared with itself"),
        ({"threshold": -1}, "the threshold must be 0 or more, not -1"),
        ({"segments": {}}, "query '1' has no segment"),
    ],
)
def test_evaluations_that_cannot_be_compared(arguments: dict[str, Any], message: str) -> None:
    evaluation = evaluate({"1": {"d": 1}}, {"a": {"1": {"d": 1}}, "b": {"1": {"d": 1}}}, "RR")
    with pytest.raises(InputError, match=message):
        gsb_from(evaluation, **{"measure": "RR", **arguments})


def test_three_systems_need_names() -> None:
    runs = {name: {"1": {"d": 1}} for name in "abc"}
    with pytest.raises(InputError, match="name the system and the baseline"):
        gsb_from(evaluate({"1": {"d": 1}}, runs, "RR"), "RR")
    assert gsb_from(evaluate({"1": {"d": 1}}, runs, "RR"), "RR", "c", "a").same == 1


# Laws -------------------------------------------------------------------------------------------------------------

TABLES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(-1, 1), st.sampled_from(["x", "y"]), st.integers(1, 3)),
    min_size=1,
    max_size=25,
)


def turned(rows: list[tuple[int, int, str, int]], sign: int) -> dict[str, list[Any]]:
    return {
        "query": [row[0] for row in rows],
        "vote": [sign * row[1] for row in rows],
        "segment": [row[2] for row in rows],
        "weight": [row[3] for row in rows],
    }


@settings(max_examples=50)
@given(TABLES, st.sampled_from(["tango", "agresti-min", "linearised"]))
def test_the_other_side_sees_the_opposite(rows: list[tuple[int, int, str, int]], method: str) -> None:
    one, other = gsb(turned(rows, 1), interval=method), gsb(turned(rows, -1), interval=method)
    assert one.value == approx(-other.value)
    assert (one.good, one.bad, one.p_value) == approx((other.bad, other.good, other.p_value))
    if one.interval is not None and other.interval is not None:
        assert one.interval.low == approx(-other.interval.high, abs=1e-6)
        assert -1 <= one.interval.low <= one.value + 1e-9 or method == "agresti-min"
    assert json.loads(one.to_json())["n"] == len(rows)


@settings(max_examples=50)
@given(TABLES)
def test_values_are_those_of_the_definition(rows: list[tuple[int, int, str, int]]) -> None:
    result = gsb(turned(rows, 1))
    total = sum(row[3] for row in rows)
    assert result.value == approx(sum(row[1] * row[3] for row in rows) / total)
    assert result.good + result.same + result.bad == len(rows)
    assert sum(segment.n for segment in result.segments) == len(rows)


def test_the_sample_votes(shop: Path) -> None:
    result = gsb(read_votes(shop / "votes.csv"))
    assert (result.queries, result.votes, result.raters) == (40, 120, 3)
    assert str(result).splitlines()[1].split() == ["GSB", "(G−B)/N", "0.2752", "[0.0694,", "0.4815]"]


def test_notes_on_one_vote_are_in_the_singular() -> None:
    known = gsb({"query": ["q", "r"], "rater": ["x", "x"], "vote": [1, 1], "expected": ["", "good"]})
    assert "1 vote on items with a known answer checks the raters, and does not count" in known.notes
    back = gsb({"query": ["q", "r", "q"], "document": ["d", "d", "e"], "vote": [1, 1, 0]})
    assert any(note.startswith("1 vote is not in the sequential test: its query came") for note in back.notes)
    waiting = gsb({"query": ["q", "q", "r"], "document": ["d", "e", "d"], "vote": [1, 1, 0]})
    assert any(note.startswith("1 of the votes waits to enter") for note in waiting.notes)
    split = gsb(
        {"query": ["q", "q", "r", "r"], "rater": ["x", "y"] * 2, "vote": [1, 0, 1, 1]}, fold="majority"
    )
    assert "1 of 2 items has no majority, and counts as same" in split.notes
