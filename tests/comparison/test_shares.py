"""Segments with known shares of the traffic: one estimate, one interval and one p-value, and what they save."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command
from pytest import approx

import idealist as il
from idealist.comparison.segmentation import Saved
from idealist.errors import InputError

N = 200
QUERIES = [f"q{at:03}" for at in range(N)]
KIND = {query: "head" if at < 50 else "tail" for at, query in enumerate(QUERIES)}
OLD = np.random.default_rng(1).uniform(0.3, 0.6, N)
NOISE = np.random.default_rng(2).normal(0, 0.05, N)
GAINS = np.where(np.arange(N) < 50, 0.2, -0.05) + NOISE  # the head gains, the tail loses
SHARES = {"head": 0.25, "tail": 0.75}


def numbers(gains: Any = GAINS, column: str = "accuracy") -> dict[str, list[object]]:
    both = [*OLD.tolist(), *(OLD + gains).tolist()]
    return {"query": QUERIES * 2, "system": ["old"] * N + ["new"] * N, column: both}


def compared(gains: Any = GAINS, **settings: Any) -> Any:
    return il.compare(numbers=numbers(gains), segments=KIND, **settings)["new", "accuracy"]


def test_means_give_every_segment_its_share() -> None:
    contrast = compared(shares={"head": 60, "tail": 40})  # their sum is no matter
    head, tail = GAINS[:50].mean(), GAINS[50:].mean()
    assert contrast.difference == approx(0.6 * head + 0.4 * tail)
    assert contrast.baseline_value == approx(0.6 * OLD[:50].mean() + 0.4 * OLD[50:].mean())
    comparison = il.compare(numbers=numbers(), segments=KIND, shares={"head": 0.6, "tail": 0.4})
    assert comparison.evaluation.mean("accuracy", "old") == approx(contrast.baseline_value)


def test_the_spread_between_segments_does_not_count() -> None:
    """Drawn as the shares are: the same difference, a narrower interval, worth so many more queries."""
    plain, shared = compared(), compared(shares=SHARES)
    assert shared.difference == approx(plain.difference)
    widths = [interval.high - interval.low for interval in (plain.interval, shared.interval)]
    assert widths[1] < 0.6 * widths[0]
    assert shared.saved.width == approx(widths[0] - widths[1])
    assert shared.saved.queries == round(N * ((widths[0] / widths[1]) ** 2 - 1))
    assert plain.saved is None


@pytest.mark.parametrize("interval", ["best-third", "cautious", "student"])
@pytest.mark.parametrize("gains", [GAINS, GAINS - 0.0125, GAINS - 0.02, NOISE])
def test_interval_and_p_value_agree(interval: str, gains: Any) -> None:
    """At the confidence 1 − p, an end of the interval is 0."""
    p = compared(gains, shares=SHARES, interval=interval).p_value
    found = compared(gains, shares=SHARES, interval=interval, confidence=1 - p).interval
    assert min(abs(found.low), abs(found.high)) == approx(0, abs=2e-4)


def test_students_error_is_that_of_the_strata() -> None:
    contrast = compared(shares=SHARES, interval="student")
    parts = [(0.25, GAINS[:50]), (0.75, GAINS[50:])]
    error = sum(share**2 * gains.var(ddof=1) / len(gains) for share, gains in parts) ** 0.5
    assert contrast.estimate.error == approx(error, rel=0.01)
    assert contrast.dz == approx(contrast.difference / GAINS.std(ddof=1), rel=0.01)  # of all differences


def test_where_segments_are_alike_nothing_is_saved() -> None:
    plain, shared = compared(NOISE), compared(NOISE, shares=SHARES)
    assert abs(shared.saved.width) < 0.03 * (plain.interval.high - plain.interval.low)
    assert abs(shared.saved.queries) < 0.06 * N


def test_failures_that_few_queries_of_a_segment_would_show_are_allowed_for() -> None:
    """5 of 200 queries stand for half of the traffic: the interval leaves room for a failure in that half."""
    rare = {query: "rare" if at < 5 else "usual" for at, query in enumerate(QUERIES)}
    flat = numbers(np.full(N, 0.1) + NOISE / 10)
    plain = il.compare(numbers=flat)["new", "accuracy"].interval
    shared = il.compare(numbers=flat, segments=rare, shares={"rare": 0.5, "usual": 0.5})["new", "accuracy"]
    assert plain is not None
    assert plain.low > 0.08
    assert shared.interval is not None
    assert shared.interval.low < 0
    assert shared.unseen is not None
    assert shared.unseen.share == approx(
        1 - 0.025 ** (0.5 / (5 + 5**0.5))
    )  # as of 14 queries of that half's weight


def test_weights_count_within_segments() -> None:
    weights = {query: 1.0 + at % 2 for at, query in enumerate(QUERIES)}
    contrast = il.compare(numbers=numbers(), segments=KIND, shares=SHARES, weights=weights)["new", "accuracy"]
    own = np.array(list(weights.values()))
    head, tail = (np.average(GAINS[part], weights=own[part]) for part in (slice(50), slice(50, N)))
    assert contrast.difference == approx(0.25 * head + 0.75 * tail)


def test_segments_by_themselves_are_as_without_shares() -> None:
    by_kind = [
        il.compare(numbers=numbers(), segments=KIND, shares=shares).segments() for shares in (None, SHARES)
    ]
    for name in ("head", "tail"):
        (plain,), (shared,) = (segments[name] for segments in by_kind)
        assert shared.interval == plain.interval
        assert shared.paired == plain.paired


def test_the_verdict_goes_by_them() -> None:
    """Three quarters head: better. As drawn, three quarters tail: the gain of the head does not show."""
    outcomes = [
        il.compare(numbers=numbers(GAINS - 0.02), segments=KIND, shares=shares)
        .verdict(margin=0.01, guards=())
        .outcome
        for shares in (None, {"head": 0.75, "tail": 0.25})
    ]
    assert outcomes == ["undecided", "ship"]


def test_shares_are_in_notes_and_in_json() -> None:
    comparison = il.compare(numbers=numbers(), segments=KIND, shares=SHARES)
    record = comparison.to_dict()
    assert record["settings"]["shares"] == SHARES
    saved = record["contrasts"][0]["saved"]
    assert comparison["new", "accuracy"].saved == Saved(**saved)
    assert f"{saved['width']:.4f} narrower, as by {saved['queries']} more queries" in comparison.notes[-1]
    assert "weighted by shares of segments: head 25 %, tail 75 %" in comparison.evaluation.notes[-1]


def test_queries_without_a_value_leave_shares_unknown() -> None:
    """Of the queries that have one, the share of a segment is an estimate: its spread counts."""
    table = numbers()
    table["accuracy"][7] = table["accuracy"][N + 7] = None
    table["tokens"] = [1.0] * (2 * N)
    measures = ["accuracy", "tokens(better=lower)"]
    comparison = il.compare(numbers=table, measures=measures, segments=KIND, shares=SHARES)
    assert comparison["new", "accuracy"].saved is None
    assert "new by accuracy nothing, as not every query has a value" in comparison.notes[-1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"segments": None}, "shares are of segments, and there are none"),
        ({"shares": {"head": 1.0}}, "segment 'tail' has no share"),
        ({"shares": {**SHARES, "torso": 0.2}}, "segment 'torso' has a share of the traffic, but no query"),
        ({"shares": {"head": 0, "tail": 1}}, "the share of 'head' must be above 0"),
        ({"shares": "head=0.5"}, "shares must be a mapping"),
        ({"order": QUERIES}, "a confidence sequence does not take shares"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        il.compare(numbers=numbers(), **{"segments": KIND, "shares": SHARES, **settings})


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = zip(*numbers().values(), strict=True)
    lines = ["query,system,accuracy", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "numbers.csv").write_text("\n".join(lines))
    (tmp_path / "kinds.csv").write_text("query,kind\n" + "".join(f"{q},{kind}\n" for q, kind in KIND.items()))
    return tmp_path


def test_the_command_the_gate_and_python_agree(files: Path, idealist: Command) -> None:
    expected = compared(shares=SHARES)
    parts = ("--segments", str(files / "kinds.csv"), "--segment-by", "kind")
    given = ("--numbers", str(files / "numbers.csv"), "--baseline", "old", *parts)
    shares = ("--share", "head=0.25", "--share", "tail=0.75")
    done = idealist("compare", *given, *shares, "--format", "json")
    (contrast,) = json.loads(done.stdout)["contrasts"]
    assert contrast["interval"]["low"] == approx(expected.interval.low)
    assert contrast["saved"]["queries"] == expected.saved.queries
    assert "narrower, as by" in idealist("compare", *given, *shares).stdout
    (files / "gate.toml").write_text(
        'numbers = "numbers.csv"\nbaseline = "old"\ncandidate = "new"\nmeasure = "accuracy"\n'
        'shares = {head = 0.25, tail = 0.75}\nsegments = "kinds.csv"\nsegment_by = "kind"\n'
    )
    record = json.loads(idealist("gate", str(files / "gate.toml"), "--format", "json").stdout)
    assert record["parts"][0]["interval"] == approx(list(expected.interval))
    assert any("narrower, as by" in note for note in record["notes"])


def test_a_gate_with_shares_names_segments(files: Path, idealist: Command) -> None:
    (files / "gate.toml").write_text(
        'numbers = "numbers.csv"\nbaseline = "old"\ncandidate = "new"\nmeasure = "accuracy"\n'
        "shares = {head = 0.25, tail = 0.75}\n"
    )
    done = idealist("gate", str(files / "gate.toml"))
    assert "shares are of segments, and no table of them is named" in done.stderr


def test_a_report_has_them() -> None:
    pytest.importorskip("matplotlib")
    page = il.report(numbers=numbers(), segments=KIND, shares=SHARES)
    assert page.comparison is not None
    assert page.comparison["new", "accuracy"].interval == compared(shares=SHARES).interval
    assert "narrower, as by" in page.html
    assert page.evaluation.weighted
