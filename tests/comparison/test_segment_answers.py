"""Segments have three answers, and noise in them stops few verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from idealist import compare
from idealist.comparison.guard_rules import SegmentGains, chances_of_loss, judge_segments, segment_guard
from idealist.comparison.verdict import Guard
from idealist.statistics.inversion import bounded_mean

BASELINE = 0.5


def measured(name: str, gains: Any, weights: Any = None) -> SegmentGains:
    """A segment as a comparison judges it: its interval and p-value by test inversion, a tenth of the baseline large."""
    mean = bounded_mean(gains, weights, -1.0, 1.0)
    w = np.ones(len(gains)) if weights is None else np.asarray(weights)
    sums = (w * np.asarray(gains)).tolist()
    p = mean.p_value()
    return SegmentGains(name, mean.value, sums, w.tolist(), mean.interval(0.95), p, 0.1 * BASELINE)


def answers(*parts: SegmentGains) -> dict[str, tuple[str, bool]]:
    return {guard.name: (guard.answer, guard.stops) for guard in judge_segments(parts, 0.05)}


def test_a_segment_that_lost_everything_stops_a_verdict() -> None:
    judged = {f"q{at:03d}": {"a": 1, "b": 0} for at in range(300)}
    segment = {query: "vip" if at < 3 else "rest" for at, query in enumerate(judged)}
    old = {query: {"a": 1.0} if segment[query] == "vip" else {"b": 2.0, "a": 1.0} for query in judged}
    new = {query: {"b": 1.0} if segment[query] == "vip" else {"a": 1.0} for query in judged}
    found = compare(judged, {"old": old, "new": new}, "RR", segments=segment)
    assert [part[0].difference for part in found.segments().values()] == [0.5, -1.0]  # rest, vip
    verdict = found.verdict()
    (guard,) = (guard for guard in verdict.guards if guard.name == "segments")
    assert (guard.answer, guard.stops) == ("cannot tell", True)
    assert guard.message.startswith("vip lost in each of its 3 queries, −1.0000, interval −1.0000 to ")
    assert guard.message.endswith("; passed: rest")
    assert verdict.outcome == "undecided"
    assert verdict.reason == "better, but segments cannot tell"
    assert found.verdict(guards=[]).outcome == "ship"


def test_a_significant_loss_failed() -> None:
    # 20 queries that lose 0.25 to 0.35 each beside 180 that win.
    harmed = measured("new", np.linspace(-0.35, -0.25, 20))
    rest = measured("rest", np.linspace(0.05, 0.15, 180))
    assert answers(harmed, rest) == {"new": ("failed", True), "rest": ("passed", False)}


def test_the_level_of_failures_is_divided_among_segments() -> None:
    # Chances of loss play no part: the loss of 0.01 is not large.
    loss = SegmentGains("one", -0.01, [-0.02, 0.0], [1.0, 1.0], None, 0.03, 0.05)
    others = [SegmentGains(f"s{at}", 0.0, [0.0, 0.0], [1.0, 1.0], None, None, 0.05) for at in range(2)]
    assert answers(loss)["one"] == ("failed", True)  # 0.03 < 0.05
    assert answers(loss, others[0])["one"] == ("cannot tell", False)  # 2 · 0.03 > 0.05


def test_a_loss_that_chance_explains_stops_nothing() -> None:
    # −1 and +1 alternate: two of two that lose are a quarter of all draws.
    rest = measured("rest", [1.0, -1.0] * 20)
    assert answers(measured("pair", [-1.0, -1.0]), rest)["pair"] == ("cannot tell", False)
    # Ten of ten are not: 22 of 40 … lose, (30/50)¹⁰ = 0.6 %.
    assert answers(measured("ten", [-1.0] * 10), rest)["ten"][1]


def test_chances_are_those_of_draws_from_all() -> None:
    # 3 of 30 lost all: three drawn are such with probability (3/30)³.
    parts = [measured("vip", [-1.0] * 3), measured("rest", [0.0] * 27)]
    assert chances_of_loss(parts)[0] == pytest.approx(0.1**3, rel=1e-6)
    # With the same weight for all nothing changes.
    heavy = [measured("vip", [-1.0] * 3, [2.0] * 3), measured("rest", [0.0] * 27, [2.0] * 27)]
    assert chances_of_loss(heavy) == pytest.approx(chances_of_loss(parts), rel=1e-6)


@pytest.mark.parametrize("gains", [[-0.3] * 30, [0.0] * 4, [-0.1]])
def test_one_segment_that_is_all_queries_says_nothing_more(gains: list[float]) -> None:
    """A column that says nothing stops nothing that the comparison itself would not stop."""
    part = measured("all", gains)
    significant = part.gain < 0 and part.p_value is not None and part.p_value < 0.05
    assert answers(part)["all"][1] == significant


def test_those_that_stop_come_first() -> None:
    guards = [
        Guard("a", "passed"),
        Guard("b", "cannot tell"),
        Guard("c", "cannot tell", "c lost in each of its 3 queries", True),
        Guard("d", "failed", "d is significantly worse", True),
    ]
    (guard,) = segment_guard(guards)
    assert str(guard) == (
        "FAILED  segments: d is significantly worse; c lost in each of its 3 queries; "
        "too few queries to exclude a large loss: b; passed: a"
    )
    assert segment_guard([]) == []


SHAPES: dict[str, Callable[[np.random.Generator, tuple[int, int]], Any]] = {
    "normal": lambda rng, size: rng.normal(0, 0.15, size),
    "70 % zeros": lambda rng, size: rng.normal(0, 0.3, size) * (rng.random(size) < 0.3),
    "4 % lose 0.9": lambda rng, size: np.where(rng.random(size) < 0.04, -0.9, 0.0375),
    "skewed to losses": lambda rng, size: 0.15 * (1 - rng.exponential(1, size)),
    "one answer or none": lambda rng, size: rng.choice([-1.0, 0.0, 1.0], size, p=[0.15, 0.7, 0.15]),
    "long tails": lambda rng, size: rng.laplace(0, 0.1, size),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("count", "size"), [(20, 10), (20, 3), (3, 60)])
def test_noise_stops_few_verdicts(shape: str, count: int, size: int) -> None:
    """Segments that do not differ, and no difference in any: at most 10 % of verdicts are stopped, and two standard errors."""
    rng, samples = np.random.default_rng(11), 300
    stopped = 0
    for _ in range(samples):
        gains = np.clip(SHAPES[shape](rng, (count, size)), -1, 1)
        parts = []
        for at, values in enumerate(gains.tolist()):
            value, spread = float(np.mean(values)), float(np.std(values, ddof=1))
            p = None
            if value < 0 and spread > 1e-9:  # Student's, which finds more than the interval's own test
                from scipy.stats import t

                p = float(2 * t.sf(-value / (spread / size**0.5), size - 1))
            parts.append(SegmentGains(str(at), value, values, [1.0] * size, None, p, 0.1 * BASELINE))
        stopped += any(guard.stops for guard in judge_segments(parts, 0.05))
    assert stopped / samples <= 0.1 + 2 * (0.1 * 0.9 / samples) ** 0.5
