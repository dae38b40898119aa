"""Margins as people state them, and what guards make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from idealist import InputError, compare
from idealist.comparison import Comparison
from idealist.comparison.verdict import Margin, read_margin


def test_numbers_and_shares() -> None:
    assert read_margin(0.02, baseline=0.5) == read_margin("0.02", baseline=0.5) == Margin(0.02)
    assert read_margin("2%", baseline=0.5) == read_margin(" 2 %", baseline=0.5) == Margin(0.01, 0.02)
    assert read_margin(None, baseline=0.5) == Margin(0.01, 0.02, stated=False)
    assert read_margin("2%") == Margin(0.02)  # votes have no baseline
    assert read_margin(Margin(0.1)) == Margin(0.1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (-0.1, "must be 0 or more"),
        ("-1%", "must be 0 or more"),
        ("two", "the margin must be a number, not 'two'"),
        ("%", "the margin must be a number, not ''"),
        (float("nan"), "the margin must be a number, not nan"),
        ("nan", "the margin must be a number, not 'nan'"),
        (1.0, "must be below 1"),
        ("100%", "the margin must be below 100%, not 100%: everything would ship"),
    ],
)
def test_what_is_no_margin(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_margin(given, baseline=0.5, limit=1.0)


def ranked(ranks: Any) -> dict[str, dict[str, float]]:
    """The relevant document x at the given rank of every query."""
    return {
        f"q{at:03d}": {"x" if place == rank else f"d{place}": 100.0 - place for place in range(1, 21)}
        for at, rank in enumerate(ranks)
    }


def compared(old: Any, new: Any, measures: Any = "RR", **more: Any) -> Comparison:
    runs = {"old": ranked(old), "new": ranked(new)}
    judged = {query: {"x": 1} | {f"d{place}": 0 for place in range(1, 21)} for query in runs["old"]}
    return compare(judged, runs, measures, **more)


def test_a_loss_of_39_percent_never_ships_by_default() -> None:
    # RR from 1/10 to 1/16 in most queries: a tiny loss beside 0.02, a large one beside the baseline.
    rng = np.random.default_rng(0)
    old = rng.choice([10, 11], 300)
    found = compared(old, old + 6)
    by_default = found.verdict()
    assert by_default.outcome == "block"
    assert by_default.margin == pytest.approx(0.02 * found["new", "RR"].baseline_value)
    stated = found.verdict(margin=0.05)
    assert stated.outcome == "ship"
    assert stated.reason == "worse, but not by more than the margin you set, 0.0500"
    assert "the margin 0.0500 is 53 % of the baseline's mean" in stated.remark
    assert found.verdict(margin="60%").reason.endswith(", 60 % of the baseline")


def test_a_guard_gets_no_weaker_when_there_are_more() -> None:
    # P@1 is better in 12 queries; RR@20 is worse, 12 times +1/2 and 35 times 1/9 − 1/2. Five more measures must not
    # let it pass.
    old = [2] * 60
    new = [1] * 12 + [9] * 35 + [2] * 13
    few = compared(old, new, ["P@1", "RR@20"])
    many = compared(old, new, ["P@1", "RR@20", "P@5", "P@20", "R@20", "Success@20", "Hits@20"])
    assert few["new", "RR@20"].harmed
    assert many["new", "RR@20"].p_adjusted > few["new", "RR@20"].p_adjusted  # type: ignore[operator]
    for comparison in (few, many):
        guards = {guard.name: guard for guard in comparison.verdict("P@1", margin=0.05).guards}
        assert not guards["other measures"].passed
        assert "RR@20 is significantly worse" in guards["other measures"].message


def test_a_guard_with_a_margin_asks_for_proof() -> None:
    rng = np.random.default_rng(3)
    old = rng.choice([1, 2, 3], 400)
    new = np.where(rng.random(400) < 0.06, 1, old)  # never worse
    found = compared(old, new, ["RR", "P@1"])
    assert all(guard.passed for guard in found.verdict().guards)
    loose = found.verdict(guard_margins={"P@1": 0.05})
    assert {guard.name: guard.passed for guard in loose.guards}["other measures"]
    # A few queries cannot show that P@1 loses less than a thousandth.
    first = np.where(np.arange(20) == int(np.argmax(old[:20] > 1)), 1, old[:20])  # one query is better
    few = compared(old[:20], first, ["RR", "P@1"])
    strict = few.verdict(guard_margins={"P@1": "0.1%"})
    (guard,) = [guard for guard in strict.guards if guard.name == "other measures"]
    assert not guard.passed
    assert "P@1 may be worse by more than" in guard.message
    assert few.verdict(guard_margins={"measures": "0.1%"}).guards == strict.guards


def test_a_guard_of_a_segment() -> None:
    old = [2] * 60
    new = [1] * 30 + [4] * 30
    by = {f"q{at:03d}": "head" if at < 30 else "tail" for at in range(60)}
    found = compared(old, new, "RR", segments=by)
    (guard,) = [guard for guard in found.verdict().guards if guard.name == "segments"]
    assert not guard.passed
    assert "tail is significantly worse" in guard.message
    assert found.verdict(guard_margins={"tail": 0.9}).guards[0].passed
    with pytest.raises(InputError, match="no measure or segment 'body' was compared"):
        found.verdict(guard_margins={"body": 0.1})


def test_judged_shares_have_enough_digits_to_see_why() -> None:
    judged = {f"q{at:03d}": {"x": 1, **{f"d{place}": 0 for place in range(1, 21)}} for at in range(100)}
    old = ranked([1] * 100)
    # 20 or 21 of 1,000 documents unjudged: 0.020 apart passes, 0.021 does not.
    for many, passes in ((20, True), (21, False)):
        new = {query: dict(documents) for query, documents in old.items()}
        for at in range(many):
            new[f"q{at:03d}"]["unjudged"] = 97.5
        found = compare(judged, {"old": old, "new": new}, "nDCG@10").verdict()
        (guard,) = [guard for guard in found.guards if guard.name == "equally judged"]
        assert guard.passed is passes
        assert ("0.02 apart" if passes else "0.021 apart") in guard.message


def test_queries_that_all_lose_the_same_block() -> None:
    # No spread, so Student's test has no p-value; the interval has one, and an end below 0.
    found = compared([1] * 60, [2] * 60)
    assert found["new", "RR"].significance("t").p_value is None
    p = found["new", "RR"].p_value
    assert p is not None
    assert p < 1e-9
    assert found.verdict().outcome == "block"
    assert found.verdict(margin=0.9).outcome == "ship"
