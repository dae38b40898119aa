"""Intervals against scipy, segments and fronts against loops."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from idealist import InputError, evaluate
from idealist.comparison import best_system, hypervolume, pareto_front, segments, worst_segment
from idealist.conventions import DEFAULT
from idealist.measures import parse
from idealist.statistics import mean_interval

NUMBERS = st.lists(st.floats(0, 1), min_size=2, max_size=30)


@given(NUMBERS, st.sampled_from([0.8, 0.95, 0.99]))
def test_interval_is_scipys(values: list[float], confidence: float) -> None:
    got = mean_interval(values, confidence=confidence)
    error = scipy.stats.sem(values)
    if error <= 1e-12 * sum(values) / len(values):
        assert got is None  # all alike: no spread to go by
        return
    assert got is not None
    low, high = scipy.stats.t.interval(
        confidence, len(values) - 1, loc=sum(values) / len(values), scale=error
    )
    assert (got.low, got.high) == pytest.approx((low, high), abs=1e-9)


def test_weighted_interval_covers_what_it_should() -> None:
    rng = random.Random(5)
    inside = 0
    for _ in range(2000):
        weights = [rng.choice([1, 2, 5]) for _ in range(40)]
        values = [rng.gauss(0.3, 1) for _ in weights]
        interval = mean_interval(values, weights)
        assert interval is not None
        inside += interval.low <= 0.3 <= interval.high
    assert 0.93 <= inside / 2000 <= 0.97


def test_too_few_to_tell() -> None:
    assert mean_interval([0.5]) is None
    assert mean_interval([]) is None
    assert mean_interval([0.5, 0.7], [1.0, 0.0]) is None
    with pytest.raises(InputError, match="confidence must lie between 0 and 1, not 95"):
        mean_interval([0.1, 0.2], confidence=95)


def test_segments_by_hand() -> None:
    run = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(4)}
    judged = {"q0": {"a": 1}, "q1": {"b": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    weights = {"q0": 1, "q1": 3, "q2": 1, "q3": 0}
    result = evaluate(judged, run, ["RR", "NumRet"], weights=weights)
    by = {"q0": "new", "q1": "new", "q2": "old", "q3": "none"}
    found = segments(result, "RR", by)
    assert [(one.name, one.n) for one in found] == [("new", 2), ("none", 1), ("old", 1)]
    assert [one.effective_n for one in found] == pytest.approx([16 / 10, 0.0, 1.0])
    assert found[0].value == (1 * 1 + 3 * 0.5) / 4
    assert math.isnan(found[1].value)
    assert found[2].interval is None
    worst = worst_segment(found)
    assert worst is not None
    assert worst.name == "new"
    with pytest.raises(InputError, match="query 'q3' has no segment"):
        segments(result, "RR", dict.fromkeys(("q0", "q1", "q2"), "x"))
    with pytest.raises(InputError, match="NumRet has no mean"):
        segments(result, "NumRet", by)
    with pytest.raises(InputError, match="country: there is no such file"):
        segments(result, "RR", "country")


class Fake:
    """An evaluation with given means."""

    conventions = DEFAULT
    measure_of = staticmethod(parse)

    def __init__(self, points: dict[str, list[float]], measures: tuple[Any, ...]) -> None:
        self.points, self.measures, self.systems = points, measures, tuple(points)

    def aggregate(self, measure: Any, system: str) -> float:
        return self.points[system][self.measures.index(measure)]


POINTS = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])] * d), min_size=1, max_size=5)
)


@given(POINTS)
def test_front_and_volume_by_brute_force(points: list[tuple[float, ...]]) -> None:
    measures = tuple(parse(name) for name in ("RR", "AP", "P@1")[: len(points[0])])
    named = {f"s{i}": list(point) for i, point in enumerate(points)}
    evaluation: Any = Fake(named, measures)
    front = [
        name
        for name, one in named.items()
        if not any(
            all(a >= b for a, b in zip(other, one, strict=True)) and other != one for other in named.values()
        )
    ]
    assert pareto_front(evaluation) == tuple(front)
    # On a grid of quarters the volume is the number of covered cells.
    cells = itertools.product([0.0, 0.25, 0.5, 0.75], repeat=len(points[0]))
    covered = sum(any(all(x > c for x, c in zip(p, cell, strict=True)) for p in points) for cell in cells)
    assert hypervolume(evaluation) == pytest.approx(covered / 4 ** len(points[0]))


def test_lower_may_be_better() -> None:
    measures = (parse("nDCG@10"), parse("Unjudged@10"))
    evaluation: Any = Fake({"a": [0.5, 0.1], "b": [0.6, 0.4], "c": [0.5, 0.4]}, measures)
    assert pareto_front(evaluation) == ("a", "b")
    assert best_system(evaluation, "Unjudged@10") == "a"
    assert best_system(evaluation, "nDCG@10", at_most={"Unjudged@10": 0.2}) == "a"
    # Up from 0 and down from 0.5: a covers 0.5 · 0.4, b adds 0.1 · 0.1.
    assert hypervolume(evaluation, reference={"nDCG@10": 0, "Unjudged@10": 0.5}) == pytest.approx(0.21)
    with pytest.raises(InputError, match="a lower Unjudged@10 is better"):
        hypervolume(evaluation)
    counts: Any = Fake({"a": [1.0]}, (parse("NumRet"),))
    with pytest.raises(InputError, match="no value of NumRet is better"):
        pareto_front(counts)
    undefined: Any = Fake({"a": [math.nan], "b": [0.5]}, (parse("RR"),))
    with pytest.raises(InputError, match="RR of a is undefined"):
        best_system(undefined, "RR")


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_weights_of_any_size(scale: float) -> None:
    run = {"q": {"a": 1.0}, "p": {"b": 1.0}, "r": {"a": 1.0}}
    judged = {query: {"a": 1} for query in run}
    weights = {"q": 3 * scale, "p": scale, "r": scale}
    result = evaluate(judged, run, "RR", weights=weights)
    assert result.effective_n("RR") == pytest.approx(25 / 11)
    (one,) = segments(result, "RR", dict.fromkeys(run, "all"))
    assert one.effective_n == pytest.approx(25 / 11)
    assert one.value == pytest.approx(0.8)
    plain = mean_interval([1.0, 0.0, 1.0], [3, 1, 1], bounds=(0, 1))
    assert plain is not None
    assert one.interval is not None
    assert one.interval.low == pytest.approx(plain.low)


def test_bad_weights_of_an_interval() -> None:
    with pytest.raises(InputError, match="a weight must be 0 or more, not -5"):
        mean_interval([1, 2, 3], [1, 2, -5])
    with pytest.raises(InputError, match="3 values, but 2 weights"):
        mean_interval([1, 2, 3], [1, 2])
    with pytest.raises(InputError, match="confidence must be a number, not 'a'"):
        mean_interval([1, 2], confidence="a")  # type: ignore[arg-type]


def test_best_under_thresholds() -> None:
    runs = {
        "short": {"q": {"a": 2.0}},
        "long": {"q": {"z": 9.0, "a": 2.0, "b": 1.0}},
    }
    result = evaluate({"q": {"a": 1, "b": 1}}, runs, ["RR", "R"])
    assert best_system(result, "RR", at_least={}) == "short"
    assert best_system(result, "RR", at_least={"R": 1}) == "long"
    assert best_system(result, "RR", at_least={"R": 1, "RR": 0.6}) is None
    assert hypervolume(result, reference={"RR": 0.5, "R": 0.25}) == (1 - 0.5) * (0.5 - 0.25)
    with pytest.raises(InputError, match="the reference has no value for R"):
        hypervolume(result, reference={"RR": 0.5})
    with pytest.raises(InputError, match="P was not evaluated"):
        best_system(result, "P", at_least={})
