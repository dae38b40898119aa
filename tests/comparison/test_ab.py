"""A/B tests: arithmetic, users as the unit, the sample ratio, guards, errors, false verdicts, the command."""

from __future__ import annotations

import json
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command
from pytest import approx
from scipy.stats import binomtest

import idealist as il
from idealist.errors import InputError
from idealist.statistics.intervals import MeanDifference
from idealist.statistics.inversion import BoundedMean

NEW = [1] * 30 + [0] * 70
OLD = [1] * 10 + [0] * 90


def log_of(new: list[Any], old: list[Any], **more: list[Any]) -> dict[str, list[Any]]:
    """A row for each user, those of the candidate first."""
    groups = ["new"] * len(new) + ["old"] * len(old)
    return {"user": list(range(len(groups))), "group": groups, "clicked": [*new, *old], **more}


def test_by_arithmetic() -> None:
    """30 of 100 clicked, and 10 of 100: Clopper and Pearson's intervals of both, put together."""
    found = il.comparison.ab(log_of(NEW, OLD), margin=0.01)
    clicked = found["clicked"]
    assert (clicked.value, clicked.baseline_value, clicked.difference) == approx((0.3, 0.1, 0.2))
    low = binomtest(30, 100).proportion_ci().low
    high = binomtest(10, 100).proportion_ci().high
    assert clicked.interval.low == approx(0.2 - hypot(0.3 - low, high - 0.1), abs=1e-4)
    assert clicked.p_value < 0.001
    assert found.verdict.outcome == "ship"
    assert found.verdict.reason == "better"
    assert found.ratio.p_value == 1.0


def test_exchanging_the_groups_mirrors_all() -> None:
    log = log_of(NEW, OLD)
    forth, back = (
        il.comparison.ab(log)["clicked"],
        il.comparison.ab(log, baseline="new", candidate="old")["clicked"],
    )
    assert back.difference == -forth.difference
    assert tuple(back.interval) == approx(tuple(-forth.interval))
    assert back.p_value == approx(forth.p_value)
    assert il.comparison.ab(log, baseline="new").verdict.outcome == "block"


def test_interval_and_p_value_agree() -> None:
    for clicks in range(10, 32):
        entry = il.comparison.ab(log_of([1] * clicks + [0] * (100 - clicks), OLD))["clicked"]
        assert (entry.p_value < 0.05) == (0 not in entry.interval)


def test_a_user_is_one_number() -> None:
    """The second of three users has two rows: (1 + 0)/2, or 1 + 0."""
    log = {"user": [1, 2, 2, 3], "group": ["new", "new", "new", "old"], "clicks": [1, 1, 0, 0]}
    assert il.comparison.ab(log)["clicks"].value == approx((1 + 0.5) / 2)
    assert il.comparison.ab(log, several_rows="sum")["clicks"].value == approx((1 + 1) / 2)
    assert il.comparison.ab(log).notes == ("1 user with several rows: their mean counts",)
    # Ten like rows of every user are worth as much as one.
    many = {name: [cell for cell in cells for _ in range(10)] for name, cells in log_of(NEW, OLD).items()}
    assert (
        il.comparison.ab(many)["clicked"].interval == il.comparison.ab(log_of(NEW, OLD))["clicked"].interval
    )


def test_users_in_both_groups_are_in_neither() -> None:
    log = log_of([*NEW, 1], [*OLD, 0])
    log["user"][-1] = log["user"][100]
    found = il.comparison.ab(log)
    assert found.in_both == 1
    assert (found.ratio.users, found.ratio.baseline_users) == (100, 100)
    assert [str(guard) for guard in found.verdict.guards][
        1
    ] == "passed  one group a user: 1 of 201 have rows in both"
    log["user"][-10:] = log["user"][:10]
    assert "one group a user failed" in il.comparison.ab(log).verdict.reason


def test_lost_users_are_no_effect() -> None:
    """Who does not click is lost in a third of the cases: 10 % more clicks, and nothing that may ship."""
    found = il.comparison.ab(log_of([1] * 500 + [0] * 300, [1] * 500 + [0] * 500))
    assert found.ratio.p_value == approx(binomtest(800, 1800).pvalue)
    assert found.verdict.outcome == "undecided"
    assert found.verdict.reason == "better, but sample ratio failed"
    planned = il.comparison.ab(
        log_of([1] * 500 + [0] * 300, [1] * 500 + [0] * 500), shares={"new": 4, "old": 5}
    )
    assert planned.verdict.outcome == "ship"


def test_other_metrics_are_guards() -> None:
    slower = [110.0 + at % 7 for at in range(100)] + [100.0 + at % 7 for at in range(100)]
    log = log_of(NEW, OLD, latency_ms=slower)
    metrics = ["clicked", "latency_ms"]
    assert il.comparison.ab(log, metrics).verdict.reason == "better, but other metrics failed"
    assert il.comparison.ab(log, metrics, guard_margins={"latency_ms": "5%"}).verdict.outcome == "undecided"
    assert il.comparison.ab(log, metrics, guard_margins={"latency_ms": "20%"}).verdict.outcome == "ship"
    turned = il.comparison.ab(log, ["latency_ms", "clicked"])
    assert turned["latency_ms"].gain == approx(-10)
    assert turned.verdict.outcome == "block"


@pytest.mark.parametrize(
    ("changes", "settings", "message"),
    [
        ({"group": ["new"] * 200}, {}, "all users are in the group 'new'"),
        ({"group": ["x"] * 100 + ["y"] * 100}, {}, "which of the groups x and y has the system of today"),
        ({}, {"baseline": "z"}, "no user is in a group 'z'"),
        ({"latency_ms": [1.0] * 200}, {}, "which metric decides"),
        ({"size": [1.0] * 200}, {"metrics": "size"}, "no value of size is better than another by its name"),
        ({}, {"metrics": "spent"}, "the log has no column 'spent'"),
        ({"clicked": [2] * 200}, {"metrics": "clicked"}, "clicked is between 2 and 2"),
        ({"clicked": [None, *[1] * 199]}, {"metrics": "clicked"}, "clicked is empty"),
        ({}, {"shares": {"new": 1}}, "the group 'old' has no share"),
        ({}, {"guard_margins": {"clicked": 0.1}}, "no metric 'clicked' is a guard"),
        ({"group": ["new"] * 80 + ["third"] * 20 + ["old"] * 100}, {}, "which of the groups new and third"),
    ],
)
def test_what_is_wrong_is_said(changes: dict[str, list[Any]], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        il.comparison.ab({**log_of(NEW, OLD), **changes}, **settings)


def test_its_power_is_nearly_that_of_welch() -> None:
    """Of many users the interval is hardly wider than ± 1.96 standard errors."""
    random = np.random.default_rng(1)
    values, baseline_values = ((random.random(5000) < share).astype(float) for share in (0.3, 0.28))
    found = MeanDifference(values, baseline_values, 0.0, 1.0)
    low, high = found.interval(0.95)
    assert high - low == approx(2 * 1.96 * found.error, rel=0.03)
    assert found.error == approx(
        hypot(*(BoundedMean(v, 0, 1).above.error for v in (values, baseline_values)))
    )


def test_forms_of_the_result() -> None:
    found = il.comparison.ab(log_of(NEW, OLD))
    assert repr(found).startswith("<ABTest: new beside old; clicked: 0.2000 (")
    assert str(found).startswith("metric      old     new  difference")
    assert found.to_frame("polars")["difference"].to_list() == [approx(0.2)]
    assert "<table" in found._repr_html_()


def test_the_command(idealist: Command, shop: Path, tmp_path: Path) -> None:
    log = shop / "experiment.csv"
    done = idealist("ab", log, "-m", "clicked", "-m", "latency_ms", "--guard", "latency_ms=5%", "--gate")
    assert done.returncode == 0, done.stderr
    assert "SHIP: better" in done.stdout
    record = json.loads(idealist("ab", log, "-m", "clicked", "--format", "json").stdout)
    assert record["verdict"]["outcome"] == "ship"
    assert record["sample_ratio"]["baseline_users"] == 724
    other = tmp_path / "other.csv"
    other.write_text(
        log.read_text(encoding="utf-8").replace("user,group", "visitor_no,arm"), encoding="utf-8"
    )
    named = idealist("ab", other, "-m", "clicked", "--columns", "user=visitor_no,group=arm", "--gate")
    assert named.returncode == 0, named.stderr
    unlike = idealist("ab", log, "-m", "clicked", "--share", "a=0.9", "--share", "b=0.1", "--gate")
    assert unlike.returncode == 3
    assert "FAILED  sample ratio" in unlike.stdout
    wrong = idealist("ab", log)
    assert wrong.returncode == 2
    assert "which metric decides?" in wrong.stderr
