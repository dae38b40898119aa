"""Which system users prefer: arithmetic, users as the unit, verdicts, offline beside, plans, commands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from pytest import approx

import idealist as il
from idealist.errors import InputError
from idealist.interleaving import analyse_interleaving, interleave, simulate_interleaving
from idealist.interleaving.outcomes import credit_table, preferences
from idealist.plan import needed_impressions, pilot_impressions, simulate_needed_impressions
from idealist.statistics import EProcess


def log_of(winners: str, users: list[str] | None = None) -> dict[str, list[object]]:
    """Lists of a document of x and one of y; a click for the winner, two for a tie (t), none for nothing (n)."""
    clicks = {"x": (1, 0), "y": (0, 1), "t": (1, 1), "n": (0, 0)}
    table: dict[str, list[object]] = {
        "impression": [at for at in range(len(winners)) for _ in (1, 2)],
        "query": list("q" * 2 * len(winners)),
        "document": ["a", "b"] * len(winners),
        "position": [1, 2] * len(winners),
        "system": ["x", "y"] * len(winners),
        "click": [click for winner in winners for click in clicks[winner]],
    }
    if users is not None:
        table["user"] = [user for user in users for _ in (1, 2)]
    return table


def test_by_arithmetic() -> None:
    found = analyse_interleaving(log_of("yyyxtn"))
    entry = found["y"]
    assert (entry.wins, entry.ties, entry.losses) == (3, 2, 1)
    assert entry.value == approx((3 - 1) / 6)
    assert entry.credit == approx((3 - 1) / 6)
    assert entry.baseline == "x"
    assert found.clicked == 5
    assert found.unit == "impressions"
    assert analyse_interleaving(log_of("yyyxtn"), baseline="y")["x"].value == approx(-2 / 6)


def test_it_is_gsb_of_the_impressions() -> None:
    """Interval, test, evidence and verdict of the same votes."""
    winners = "yyxtyynyyx" * 8
    entry = analyse_interleaving(log_of(winners), margin=0.05)["y"]
    votes = il.gsb([{"y": 1, "x": -1}.get(winner, 0) for winner in winners], margin=0.05, guards=())
    assert entry.interval == votes.interval
    assert entry.p_value == votes.p_value
    assert entry.always_valid_p == votes.always_valid_p
    assert entry.verdict.outcome == votes.verdict.outcome


def test_users_are_the_unit() -> None:
    """Ten users with ten like impressions each are ten votes, not a hundred."""
    winners = "".join(letter * 10 for letter in "yyyyyyyxxx")
    users = [f"u{at}" for at in range(10) for _ in range(10)]
    alone = analyse_interleaving(log_of(winners))["y"]
    together = analyse_interleaving(log_of(winners, users))
    entry = together["y"]
    assert together.unit == "users"
    assert together.units == 10
    assert alone.interval is not None
    assert entry.interval is not None
    assert entry.interval.low < 0 < alone.interval.low
    assert entry.p_value > 0.1 > alone.p_value
    assert "users" in entry.verdict.line
    assert "queries" not in entry.verdict.line


def test_looking_while_the_log_grows() -> None:
    users = [f"u{at % 40}" for at in range(200)]
    found = analyse_interleaving(log_of("yyyxt" * 40, users), sequential=True, per_user=2)
    entry = found["y"]
    assert entry.interval is not None
    assert entry.interval.method == "confidence sequence"
    assert entry.votes.sequential is not None
    assert entry.votes.sequential.votes == 80
    assert any("beyond the first 2 of a user" in note for note in found.notes)


def test_times_say_the_order() -> None:
    table = log_of("yyyyxxxx")
    table["time"] = [f"2026-05-0{8 - at // 2}T12:00:00" for at in range(16)]
    late = analyse_interleaving(table)["y"].votes.sequential
    early = analyse_interleaving(log_of("xxxxyyyy"))["y"].votes.sequential
    assert late is not None
    assert early is not None
    assert late.largest == approx(early.largest)


def test_offline_beside(shop: Path) -> None:
    runs = [shop / "a.run", shop / "b.run"]
    log = simulate_interleaving(runs, shop / "shop.qrels", "navigational", impressions=800, k=5)
    comparison = il.compare(runs, shop / "shop.qrels", ["nDCG@10"], baseline="a")
    found = analyse_interleaving(log, offline=comparison, rounds=100)
    (beside,) = found.offline
    contrast = comparison["b", "nDCG@10"]
    assert beside.difference == contrast.difference
    assert beside.agree
    # (z₀.₉₇₅ + z₀.₈)²/dz², rounded up.
    assert contrast.dz is not None
    assert beside.queries_needed == int(np.ceil(7.8489 / contrast.dz**2))
    entry = found["b"]
    variance = (entry.wins + entry.losses) / 800 - entry.value**2
    assert beside.impressions_needed == int(np.ceil(7.8489 * variance / entry.value**2))
    with pytest.raises(InputError, match="the comparison's baseline is 'a'"):
        analyse_interleaving(log, baseline="b", offline=comparison)


def test_plans() -> None:
    assert needed_impressions(0.05, 0.7).impressions == 940  # Connor's, as of votes
    assert needed_impressions(0.05, 0.7, per_user=10, icc=0.1).impressions == 1786
    (plan,) = pilot_impressions(log_of("yyxt" * 50))
    assert (plan.preference, plan.ties) == approx((0.25, 0.25))
    assert plan.impressions == il.plan.needed_judgments(0.25, 0.25)
    (stated,) = pilot_impressions(log_of("yyxt" * 50), preference=0.02)
    assert stated.impressions == il.plan.needed_judgments(0.02, 0.25)
    with pytest.raises(InputError, match="win alike"):
        pilot_impressions(log_of("yx"))
    with pytest.raises(InputError, match="the share of ties"):
        needed_impressions(0.05, 1.0)


@pytest.mark.slow
def test_a_plan_has_the_power_it_says() -> None:
    """As many impressions as the plan of simulated users says: 80 % of the logs show the preference."""
    runs = {"x": {"q": list("abcdef")}, "y": {"q": list("bacdef")}}
    grades = {"q": {"b": 3, "a": 1}}
    (plan,) = simulate_needed_impressions(runs, grades, "informational", impressions=20_000, k=4)
    shown = 0
    for seed in range(200):
        log = simulate_interleaving(
            runs, grades, "informational", impressions=plan.impressions, k=4, seed=seed + 1
        )
        entry = analyse_interleaving(log, rounds=100)["y"]
        shown += entry.p_value < 0.05 and entry.value > 0
    assert shown / 200 == approx(0.8, abs=0.09)


@pytest.mark.slow
def test_looks_do_not_raise_false_alarms() -> None:
    """Identical systems, looked at after every impression: 1/α is reached in 5 % of logs at most."""
    runs = {"x": {"q": list("abcdef")}, "y": {"q": list("abcdef")}}
    alarms = 0
    for seed in range(200):
        log = simulate_interleaving(
            runs, {"q": {"a": 2, "c": 1}}, "informational", impressions=400, k=5, seed=seed
        )
        alarms += EProcess(preferences(credit_table(log), "y", "x")).largest >= 20
    assert alarms / 200 <= 0.05


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"system": None}, "the log does not say whose documents they are"),
        ({"system": ["x", "x"] * 2}, "the log names 'x' alone"),
        ({"position": None}, "the log has no column 'position'"),
        ({"rank:x": [1] * 4, "rank:y": [1] * 4, "rank:z": [1] * 4}, "ranks of 3 systems"),
    ],
)
def test_bad_logs(changes: dict[str, list[object] | None], message: str) -> None:
    table = {name: cells for name, cells in {**log_of("xy"), **changes}.items() if cells is not None}
    with pytest.raises(InputError, match=message):
        analyse_interleaving(table)


def test_bad_settings() -> None:
    with pytest.raises(InputError, match="the baseline 'z' is not in the log"):
        analyse_interleaving(log_of("xy"), baseline="z")
    with pytest.raises(InputError, match="margin"):
        analyse_interleaving(log_of("xy"), margin=2)


def test_forms_of_the_results() -> None:
    found = analyse_interleaving(log_of("yyyxtn" * 5))
    assert str(found).startswith("system")
    assert repr(found) == "<InterleavingResult: y 0.3333 beside x; 30 impressions>"
    assert "<table" in found._repr_html_()
    assert found.plot().axes
    assert found.to_frame("polars")["wins"].to_list() == [15]
    assert found.verdict is found["y"].verdict
    lists = interleave({"x": {"q": ["a", "b"]}, "y": {"q": ["b", "a"]}}, k=2)
    assert str(lists).startswith("list")
    assert lists.to_frame("polars")["position"].to_list() == [1, 2]
    plan = needed_impressions(0.05, 0.7)
    assert str(plan).startswith("940 impressions")
    assert "940" in repr(plan)


def test_the_commands(idealist: Command, shop: Path, tmp_path: Path) -> None:
    a, b, qrels = shop / "a.run", shop / "b.run", shop / "shop.qrels"
    lists, log = tmp_path / "lists.csv", tmp_path / "log.csv"
    assert idealist("interleave", "lists", a, b, "-k", 3, "-o", lists).returncode == 0
    assert lists.read_text(encoding="utf-8").startswith("list,query,position,document,credit:a,credit:b\n")
    assert "rank:a" in idealist("interleave", "lists", a, b, "--method", "balanced").stdout
    made = idealist("interleave", "simulate", qrels, a, b, "-n", 500, "-k", 5, "-o", log)
    assert made.returncode == 0, made.stderr
    done = idealist("interleave", "analyse", log, "--margin", 0.02, "--offline", qrels, a, b)
    assert done.returncode == 0, done.stderr
    assert "nDCG@10" in done.stdout
    assert "sequential test of b" in done.stdout
    # The format is that of the log: runs and judgments are recognised.
    stated = idealist("interleave", "analyse", log, "--input-format", "csv", "--offline", qrels, a, b)
    assert stated.returncode == 0, stated.stderr
    gate = idealist("interleave", "analyse", log, "--gate", "--format", "json")
    assert gate.returncode in (0, 3)
    assert '"preferences"' in gate.stdout
    plan = idealist("interleave", "plan", "--preference", 0.05, "--ties", 0.7)
    assert plan.stdout.startswith("940 impressions")
    assert "impressions show" in idealist("interleave", "plan", "--pilot", log, "--format", "table").stdout
    for wrong in (
        ("interleave", "lists", a),
        ("interleave", "plan", "--ties", 0.5),
        ("interleave", "analyse", qrels),
        ("interleave", "analyse", log, "-m", "AP"),
    ):
        refused = idealist(*wrong)
        assert refused.returncode == 2
        assert "hint:" in refused.stderr
