"""Which system users prefer: arithmetic, users as the unit, verdicts, offline beside, plans, commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from pytest import approx

import idealist as il
from idealist.clicks import analyse_interleaving, interleave, simulate_interleaving
from idealist.clicks.interleaving import credit_table, preferences
from idealist.errors import InputError
from idealist.plan import needed_impressions, pilot_impressions, simulate_needed_impressions
from idealist.statistics import EProcess
from idealist.statistics.inversion import BoundedMean


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
    assert entry.baseline == "x"
    assert found.clicked == 5
    assert found.unit == "impressions"
    assert analyse_interleaving(log_of("yyyxtn"), baseline="y")["x"].value == approx(-2 / 6)


def test_interval_and_p_value_are_those_of_the_mean_credit() -> None:
    """Of two clicks both count: one on x and one on y prefer nobody."""
    winners = "yyxtyynyyx" * 8
    entry = analyse_interleaving(log_of(winners), margin=0.05)["y"]
    mean = BoundedMean([{"y": 1.0, "x": -1.0}.get(winner, 0.0) for winner in winners], -1.0, 1.0)
    assert entry.interval == mean.interval(0.95)
    assert entry.p_value == mean.p_value()
    assert entry.verdict.interval == entry.interval


def test_credit_is_that_of_a_click() -> None:
    """Three clicks with credits that differ by 0.5, 0.25 and 0: a quarter of a click more for y."""
    log = {
        "impression": [1, 1, 1],
        "query": ["q"] * 3,
        "document": list("abc"),
        "position": [1, 2, 3],
        "click": [1, 1, 1],
        "credit:x": [0.25, 0.25, 0.5],
        "credit:y": [0.75, 0.5, 0.5],
    }
    assert analyse_interleaving(log)["y"].value == approx((0.5 + 0.25 + 0) / 3)
    with pytest.raises(
        InputError, match=r"impression '1' credits 'y' and 'x' with clicks that differ by 4\.833"
    ):
        analyse_interleaving({**log, "credit:y": [5, 5, 5.5]})


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
    assert entry.p_value is not None
    assert alone.p_value is not None
    assert entry.p_value > 0.1 > alone.p_value
    assert "users" in entry.verdict.line
    assert "queries" not in entry.verdict.line


def test_looking_while_the_log_grows() -> None:
    users = [f"u{at % 40}" for at in range(200)]
    found = analyse_interleaving(log_of("yyyxt" * 40, users), sequential=True, per_user=2)
    entry = found["y"]
    assert entry.interval is not None
    assert entry.interval.method == "confidence sequence"
    assert entry.sequential is not None
    assert (entry.sequential.users, entry.sequential.impressions, entry.sequential.left_out) == (40, 80, 120)
    assert entry.p_value == entry.sequential.p_value
    assert any("beyond the first 2 of a user" in note for note in found.notes)


def test_times_say_the_order() -> None:
    table = log_of("yyyyxxxx")
    table["time"] = [f"2026-05-0{8 - at // 2}T12:00:00" for at in range(16)]
    late = analyse_interleaving(table)["y"].sequential
    early = analyse_interleaving(log_of("xxxxyyyy"))["y"].sequential
    assert late is not None
    assert early is not None
    assert late.p_value == approx(early.p_value) != 1


def test_offline_beside(shop: Path) -> None:
    runs = [shop / "a.run", shop / "b.run"]
    log = simulate_interleaving(shop / "shop.qrels", runs, "navigational", impressions=800, k=5)
    comparison = il.compare(shop / "shop.qrels", runs, ["nDCG@10"], baseline="a")
    found = analyse_interleaving(log, offline=comparison)
    (beside,) = found.offline
    contrast = comparison["b", "nDCG@10"]
    assert beside.difference == contrast.difference
    assert beside.agree
    # What `plan queries` says of such differences, for the interval that decides: more than Student's would need.
    assert contrast.estimate is not None
    assert contrast.bounded is not None
    sd = contrast.estimate.error * contrast.n**0.5
    planned = il.plan.needed_queries(sd, contrast.gain, failure=contrast.bounded.largest_loss)
    assert beside.queries_needed == approx(planned, abs=2)
    assert planned > 2 * il.plan.needed_queries(sd, contrast.gain, failure=None)
    assert beside.impressions_needed == pilot_impressions(log)[0].impressions
    with pytest.raises(InputError, match="the comparison's baseline is 'a'"):
        analyse_interleaving(log, baseline="b", offline=comparison)


def test_plans() -> None:
    assert needed_impressions(0.05, 0.7).impressions == 940  # Connor's, as of votes
    assert needed_impressions(0.05, 0.7, per_user=10, icc=0.1).impressions == 1786
    (plan,) = pilot_impressions(log_of("yyxt" * 50))
    assert (plan.preference, plan.ties) == approx((0.25, 0.25))
    # Of votes: 2 % more or less, as the interval differs from Tango's and the number is known to 1 %.
    assert plan.impressions == approx(il.plan.needed_judgments(0.25, 0.25), rel=0.03)
    (stated,) = pilot_impressions(log_of("yyxt" * 50), preference=0.02)
    assert stated.impressions == approx(il.plan.needed_judgments(0.02, 0.25), rel=0.03)
    (mirrored,) = pilot_impressions(log_of("yyxt" * 50), preference=-0.25)
    assert mirrored.impressions == plan.impressions
    users = [f"u{at // 4}" for at in range(200)]
    (alike,) = pilot_impressions(log_of("yyyyxxxxyyyytttt" * 12 + "yyyyyyyy", users))
    assert alike.per_user == 4
    assert alike.impressions > 3 * plan.impressions
    with pytest.raises(InputError, match="win alike"):
        pilot_impressions(log_of("yx"))
    ranks = {"rank:x": [1, 2] * 4, "rank:y": [2, 1] * 4}
    with pytest.raises(InputError, match="balanced interleaving has no verdict"):
        pilot_impressions({**log_of("yyxt"), **ranks})
    with pytest.raises(InputError, match="the share of ties"):
        needed_impressions(0.05, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["team-draft", "probabilistic", "optimised"])
def test_a_plan_has_the_power_it_says(method: str) -> None:
    """As many impressions as the plan of simulated users says: in 80 % of the logs the verdict is "better", and in more
    where they are few (39 by optimised interleaving)."""
    runs = {"x": {"q": list("abcdef")}, "y": {"q": list("bacdef")}}
    grades = {"q": {"b": 3, "a": 1}}
    (plan,) = simulate_needed_impressions(grades, runs, "informational", method, impressions=10_000, k=4)
    shown = 0
    for seed in range(200):
        log = simulate_interleaving(
            grades, runs, "informational", method, impressions=plan.impressions, k=4, seed=seed + 1
        )
        shown += analyse_interleaving(log).verdict.reason == "better"
    assert 0.71 <= shown / 200 <= 0.95


@pytest.mark.slow
def test_looks_do_not_raise_false_alarms() -> None:
    """Identical systems, looked at after every impression: 1/α is reached in 5 % of logs at most."""
    runs = {"x": {"q": list("abcdef")}, "y": {"q": list("abcdef")}}
    alarms = 0
    for seed in range(200):
        log = simulate_interleaving(
            {"q": {"a": 2, "c": 1}}, runs, "informational", impressions=400, k=5, seed=seed
        )
        alarms += EProcess(preferences(log, credit_table(log), "y", "x")).largest >= 20
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


@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_the_margin_is_in_proportion_to_what_a_click_decides(scale: float) -> None:
    """Half of 1,600 impressions are won by each: what ships does not depend on the unit of credit."""
    n = 1600
    wins = [at % 2 for at in range(n)]
    log = {
        "impression": list(range(n)),
        "query": ["q"] * n,
        "document": ["d"] * n,
        "position": [1] * n,
        "click": [1] * n,
        "credit:x": [scale * win for win in wins],
        "credit:y": [scale * (1 - win) for win in wins],
    }
    found = analyse_interleaving(log)
    assert found.verdict.margin == approx(0.02 * scale)
    assert found.verdict.outcome == "undecided"
    assert any("2 % of the credit that a click decides" in note for note in found.notes) == (scale < 1)
    assert analyse_interleaving(log, margin=0.02).verdict.outcome == ("undecided" if scale == 1 else "ship")


def test_clicks_on_documents_of_equal_credit_cannot_tell() -> None:
    log = {
        "impression": list(range(500)),
        "query": ["q"] * 500,
        "document": ["d"] * 500,
        "position": [1] * 500,
        "click": [1] * 500,
        "credit:x": [0.5] * 500,
        "credit:y": [0.5] * 500,
    }
    found = analyse_interleaving(log)
    assert (found.verdict.outcome, found["y"].value) == ("undecided", 0.0)
    assert "every document that was shown has the same credit for y and x: clicks cannot tell" in found.notes
