"""The verdict: one word from an interval and a margin, by the rules written out again."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist import InputError
from idealist.comparison.verdict import CANNOT_TELL, Guard, Verdict, decide, with_guards
from idealist.statistics.mean_estimates import Interval

NUMBER = st.floats(-1, 1)


def judged(low: float, high: float, margin: float = 0.02, **more: object) -> Verdict:
    return decide((low + high) / 2, Interval(low, high, 0.95), margin=margin, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("low", "high", "outcome", "reason"),
    [
        (0.001, 0.03, "ship", "better"),
        (-0.01, 0.03, "ship", "not worse by more than the margin you set, 0.0200"),
        (-0.015, -0.005, "ship", "worse, but not by more than the margin you set, 0.0200"),
        (-0.04, -0.005, "block", "worse"),
        (-0.04, 0.005, "undecided", "the interval includes both 0 and −0.0200"),
        (
            0.0,
            0.03,
            "ship",
            "not worse by more than the margin you set, 0.0200",
        ),  # L > 0 is strict, and 0 > −m
        (-0.02, 0.03, "undecided", "the interval includes both 0 and −0.0200"),  # L > −m is strict too
        (-0.04, 0.0, "undecided", "the interval includes both 0 and −0.0200"),  # and U < 0
    ],
)
def test_rules(low: float, high: float, outcome: str, reason: str) -> None:
    got = judged(low, high)
    assert (got.outcome, got.reason) == (outcome, reason)
    assert got.exit_code == {"ship": 0, "block": 1, "undecided": 3}[outcome]


def test_no_margin_is_a_plain_test() -> None:
    assert judged(-0.01, 0.01, margin=0).reason == "the interval includes 0"
    assert judged(0.01, 0.02, margin=0).outcome == "ship"
    assert judged(0.0, 0.0, margin=0).outcome == "undecided"


@given(NUMBER, NUMBER, st.floats(0, 1))
def test_better_intervals_never_get_worse_verdicts(one: float, other: float, margin: float) -> None:
    order = ["block", "undecided", "ship"]
    low, high = sorted((one, other))
    here, above = judged(low, high, margin), judged(low + 0.1, high + 0.1, margin)
    assert order.index(here.outcome) <= order.index(above.outcome)


@given(NUMBER, NUMBER, st.floats(0, 0.2), st.floats(0, 0.2))
def test_wider_margin_never_stops_what_ships(one: float, other: float, margin: float, more: float) -> None:
    low, high = sorted((one, other))
    if judged(low, high, margin).outcome == "ship":
        assert judged(low, high, margin + more).outcome == "ship"


def test_sign_needs_no_interval() -> None:
    assert decide(-1e-9, None, policy="sign").outcome == "block"
    assert decide(0.0, None, policy="sign").outcome == "ship"
    told = decide(
        -0.01, Interval(-0.5, 0.5, 0.95), policy="sign", remark="a neutral B is blocked half the time"
    )
    assert (told.outcome, told.needed) == ("block", None)
    assert str(told).splitlines() == [
        "BLOCK: below 0, by its sign alone (difference −0.0100, 95 % interval −0.5000 to 0.5000)",
        "  a neutral B is blocked half the time",
    ]


@pytest.mark.parametrize("policy", ["interval", "sign"])
def test_failed_guards_only_hold_back_what_would_ship(policy: str) -> None:
    guards = (
        Guard.of("agreement", True),
        Guard.of("side bias", False, "left wins 80 %"),
        Guard.of("P@5", False, "worse"),
    )
    held = judged(0.01, 0.03, guards=guards, policy=policy, needed=50)
    assert (held.outcome, held.needed) == ("undecided", None)  # more queries mend no guard
    assert held.reason.endswith(", but side bias and P@5 failed")
    assert held.guards == guards
    assert judged(-0.3, -0.1, guards=guards, policy=policy).outcome == "block"
    assert judged(0.01, 0.03, guards=guards[:1], policy=policy).outcome == "ship"


@pytest.mark.parametrize("policy", ["interval", "sign"])
def test_nothing_to_judge(policy: str) -> None:
    got = decide(math.nan, None, policy=policy)
    assert (got.outcome, got.reason) == ("undecided", "there is no difference to judge")
    assert got.to_dict()["value"] is None


def test_single_query_says_why() -> None:
    for interval in (None, Interval(math.nan, math.nan, 0.95)):
        got = decide(0.5, interval)
        assert got.outcome == "undecided"
        assert str(got) == "UNDECIDED: too few queries for an interval (difference 0.5000, no interval)"


def test_needed_is_told_only_when_undecided() -> None:
    assert judged(-0.04, 0.02, needed=1240).line.endswith(
        "; 1,240 more queries would decide with 80 % power, if they are like those seen"
    )
    assert judged(0.01, 0.02, needed=1240).needed is None
    assert "9 more judgments" in str(judged(-0.04, 0.02, needed=9, unit="judgments"))


def test_a_significant_loss_ships_by_a_stated_margin_only() -> None:
    loss = Interval(-0.0168, -0.0164, 0.95)  # nDCG 0.0429 → 0.0263, 39 % less
    assert decide(-0.0166, loss).line.startswith("BLOCK: worse (")
    stated = decide(-0.0166, loss, margin=0.02)
    assert stated.line.startswith("SHIP: worse, but not by more than the margin you set, 0.0200 (")
    assert (stated.margin_stated, decide(-0.0166, loss).margin_stated) == (True, False)


def test_a_loss_that_another_test_finds_does_not_ship_by_default() -> None:
    unsure = Interval(-0.012, 0.001, 0.95)
    found = decide(-0.006, unsure, loss="Student's test finds a loss, p 0.02")
    assert found.outcome == "undecided"
    assert found.reason == "not worse by more than 0.0200, but Student's test finds a loss, p 0.02"
    assert decide(-0.006, unsure, margin=0.02, loss="Student's test finds a loss").outcome == "ship"


def test_votes_are_told_beside_queries() -> None:
    got = judged(-0.04, 0.02, needed=425, needed_votes=1275)
    assert "; 425 more queries, 1,275 votes, would decide with 80 % power" in got.line


def test_further_guards_hold_back() -> None:
    ships = judged(0.01, 0.03, guards=[Guard.of("a", True)])
    held = with_guards(ships, [Guard.of("b", False)])
    assert (held.outcome, held.reason) == ("undecided", "better, but b failed")
    assert [guard.name for guard in held.guards] == ["a", "b"]
    assert with_guards(ships, [Guard.of("b", True)]).outcome == "ship"
    assert with_guards(judged(-0.3, -0.1), [Guard.of("b", False)]).outcome == "block"


def test_markdown_shows_names_from_files_as_they_stand() -> None:
    guards = (Guard.of("segment <b>_de_", False, "0.2 worse\n# shout"), Guard.of("judged", True))
    assert judged(0.01, 0.03, guards=guards, remark="note").to_markdown().splitlines() == [
        "### Verdict: undecided",
        "",
        "Better, but segment &lt;b&gt;\\_de\\_ failed (difference 0.0200, 95 % interval 0.0100 to 0.0300).",
        "",
        "Policy interval, margin 0.0200.",
        "",
        "- **failed**: segment &lt;b&gt;\\_de\\_: 0.2 worse # shout",
        "- passed: judged",
        "",
        "note",
    ]


def test_dict_is_json() -> None:
    got = json.loads(json.dumps(judged(-0.04, 0.02, needed=12, guards=[Guard.of("a", True)]).to_dict()))
    assert got["outcome"] == "undecided"
    assert got["exit_code"] == 3
    assert got["interval"] == {"low": -0.04, "high": 0.02, "confidence": 0.95}
    assert got["needed"] == 12
    assert got["guards"] == [{"name": "a", "answer": "passed", "passed": True, "message": "", "stops": False}]
    assert json.dumps(decide(0.1, Interval(-math.inf, 0.2, 0.95)).to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "wrong", [{"margin": -0.1}, {"margin": math.nan}, {"margin": "two"}, {"policy": "coin"}]
)
def test_bad_choices(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        decide(0.1, None, **wrong)  # type: ignore[arg-type]


def test_unchanged_passes_and_a_stated_floor_still_decides() -> None:
    same = decide(0.0, None, unchanged="all lists are identical")
    assert (same.outcome, same.exit_code, same.reason) == ("unchanged", 0, "all lists are identical")
    floor = Guard.of("enough judged", False)
    assert decide(0.0, None, unchanged="all lists are identical", guards=[floor]).outcome == "undecided"


def test_a_guard_that_cannot_tell_stops_only_where_it_says_so() -> None:
    better = Interval(0.01, 0.03, 0.95)
    nothing_known = Guard("segments", CANNOT_TELL, "no segment has two queries")
    large_loss = Guard("segments", CANNOT_TELL, "vip may lose all", stops=True)
    assert decide(0.02, better, guards=[nothing_known]).outcome == "ship"
    stopped = decide(0.02, better, guards=[large_loss])
    assert (stopped.outcome, stopped.reason) == ("undecided", "better, but segments cannot tell")
    assert str(nothing_known) == "cannot tell  segments: no segment has two queries"
