"""A gate with a lock: a baseline that changed, is old or was never measured is an error, not a pass."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pytest import approx

from idealist import __version__, evaluate

RULES = """
judgments = "shop.qrels"
baseline = "a.run"
candidate = "b.run"
lock = "gate.lock"
lock_days = 30
[guards]
measures = ["RR"]
judged = false
"""


@pytest.fixture
def gate(shop: Path, tmp_path: Path) -> Path:
    """A folder of its own with the sample data and a gate."""
    for name in ("shop.qrels", "a.run", "b.run"):
        shutil.copy(shop / name, tmp_path / name)
    (tmp_path / "gate.toml").write_text(RULES)
    return tmp_path / "gate.toml"


@pytest.fixture
def locked(gate: Path, idealist: Any) -> Path:
    done = idealist("gate", gate, "--update-lock")
    assert done.returncode == 0, done.stderr
    return gate


def edit_lock(gate: Path, **parts: Any) -> None:
    path = gate.parent / "gate.lock"
    record = json.loads(path.read_text())
    for part, value in parts.items():
        record[part] = {**record[part], **value} if isinstance(value, dict) else value
    path.write_text(json.dumps(record))


def refused(idealist: Any, gate: Path, message: str) -> None:
    done = idealist("gate", gate)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    assert message in done.stderr
    assert "--update-lock" in done.stderr


def test_what_is_locked(locked: Path) -> None:
    record = json.loads((locked.parent / "gate.lock").read_text())
    values = evaluate(locked.parent / "shop.qrels", locked.parent / "a.run", ["nDCG@10", "RR"])
    assert record["baseline"]["name"] == "a"
    for measure in ("nDCG@10", "RR"):
        assert record["baseline"]["values"][measure] == {"mean": approx(values.mean(measure)), "n": 40}
    assert set(record["inputs"]) == {"judgments", "baseline"}
    assert record["inputs"]["baseline"]["bytes"] == (locked.parent / "a.run").stat().st_size
    assert record["versions"]["idealist"] == __version__
    assert record["conventions"]["ties"] == "id-descending"
    assert {"system", "machine"} <= set(record["platform"])
    assert str(locked.parent) not in (locked.parent / "gate.lock").read_text()


def test_the_lock_holds(idealist: Any, locked: Path) -> None:
    """The candidate may change: it is what is decided on."""
    assert idealist("gate", locked).returncode == 0
    shutil.copy(locked.parent / "a.run", locked.parent / "b.run")
    done = idealist("gate", locked)
    assert done.returncode != 2, done.stderr
    assert "locked" not in done.stderr


def test_the_candidate_need_not_be_there_yet(idealist: Any, gate: Path) -> None:
    (gate.parent / "b.run").unlink()
    done = idealist("gate", gate, "--update-lock")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("gate.lock: a is locked, nDCG@10 0.7391 on 40 queries")


def test_a_baseline_that_never_ran(idealist: Any, gate: Path) -> None:
    refused(idealist, gate, "gate.lock: there is no such lock: the baseline was never measured")


@pytest.mark.parametrize("name", ["a.run", "shop.qrels"])
def test_a_file_that_changed(idealist: Any, locked: Path, name: str) -> None:
    path = locked.parent / name
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    role = {"a.run": "baseline", "shop.qrels": "judgments"}[name]
    refused(idealist, locked, f"the file of {role} has changed (sha256 ")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lock_days = 30", "lock_days = 30\nmargin = 0.5", "margin is 0.5, and was null"),
        ("lock_days = 30", 'measure = "AP"', 'measure is "AP", and was "nDCG@10"'),
        ("lock_days = 30", 'conventions = "lightgbm"', 'conventions is "lightgbm", and was "idealist"'),
        ('["RR"]', '["RR", "AP"]', 'guards.measures is {"RR": null, "AP": null}, and was {"RR": null}'),
    ],
)
def test_rules_that_changed(idealist: Any, locked: Path, old: str, new: str, message: str) -> None:
    locked.write_text(RULES.replace(old, new))
    refused(idealist, locked, f"the baseline is not the one that was locked: {message}")


def test_a_lock_that_is_old(idealist: Any, locked: Path) -> None:
    edit_lock(locked, written=(datetime.now(UTC) - timedelta(days=31, hours=1)).isoformat())
    refused(idealist, locked, "the baseline is stale: it was locked 31 days ago, and lock_days is 30")
    locked.write_text(RULES.replace("lock_days = 30\n", ""))
    assert idealist("gate", locked).returncode == 0


def test_a_lock_from_the_future(idealist: Any, locked: Path) -> None:
    """It would never be too old. Clocks may differ by hours."""
    edit_lock(locked, written=(datetime.now(UTC) + timedelta(days=2)).isoformat())
    refused(idealist, locked, "the lock has no age: it was written at ")
    edit_lock(locked, written=(datetime.now(UTC) + timedelta(hours=20)).isoformat())
    assert idealist("gate", locked).returncode == 0


def test_a_name_that_is_no_measure_is_no_change(idealist: Any, locked: Path) -> None:
    locked.write_text(RULES.replace("lock_days = 30", 'measure = "nDGC@10"'))
    done = idealist("gate", locked)
    assert (done.returncode, "no measure is called 'nDGC'" in done.stderr) == (2, True)


def test_another_version(idealist: Any, locked: Path) -> None:
    edit_lock(locked, versions={"idealist": "0.0.1"})
    refused(idealist, locked, f'idealist is "{__version__}", and was "0.0.1"')


def test_other_libraries_and_platforms_are_noted(idealist: Any, locked: Path) -> None:
    edit_lock(locked, versions={"numpy": "1.0"}, platform={"machine": "abacus"})
    done = idealist("gate", locked)
    assert done.returncode == 0
    assert "note: the baseline was locked with numpy 1.0, and this is numpy " in done.stderr
    assert "note: the baseline was locked with machine abacus, and this is machine " in done.stderr


def test_another_value(idealist: Any, locked: Path) -> None:
    """As if the definition of a measure had changed."""
    record = json.loads((locked.parent / "gate.lock").read_text())
    values = record["baseline"]["values"]
    edit_lock(locked, baseline={"values": {**values, "nDCG@10": {"mean": 0.7, "n": 40}}})
    refused(idealist, locked, "nDCG@10 of a is 0.739")
    edit_lock(locked, baseline={"values": {**values, "RR": {**values["RR"], "n": 39}}})
    refused(idealist, locked, f"on 40 queries, and was {values['RR']['mean']:.6f} on 39")


def test_a_measure_that_is_not_locked(idealist: Any, locked: Path) -> None:
    path = locked.parent / "gate.lock"
    record = json.loads(path.read_text())
    del record["baseline"]["values"]["nDCG@10"]
    path.write_text(json.dumps(record))
    refused(idealist, locked, "nDCG@10 of a was not measured")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "nothing",
        '{"format": "idealist gate lock", "version": 1}',
        '{"format": "other", "version": 1}',
    ],
)
def test_what_is_no_lock(idealist: Any, locked: Path, text: str) -> None:
    (locked.parent / "gate.lock").write_text(text)
    refused(idealist, locked, "gate.lock: this is not a lock file of a gate")


def test_a_lock_that_is_damaged(idealist: Any, locked: Path) -> None:
    path = locked.parent / "gate.lock"
    whole = json.loads(path.read_text())
    damaged = [
        {name: value for name, value in whole.items() if name != part}
        for part in ("inputs", "baseline", "written")
    ]
    damaged += [{**whole, "inputs": {"baseline": 3}}, {**whole, "written": "today"}]
    damaged.append({**whole, "baseline": {"name": "a", "values": {"nDCG@10": {"mean": "high", "n": 40}}}})
    for record in damaged:
        path.write_text(json.dumps(record))
        refused(idealist, locked, "this is not a lock file of a gate")
    path.write_text(json.dumps({**whole, "version": 2}))
    refused(idealist, locked, "this lock file is of version 2, and version 1 is read here")
    path.unlink()
    path.mkdir()
    done = idealist("gate", locked)
    assert (done.returncode, "gate.lock: cannot be read: Is a directory" in done.stderr) == (2, True)


def test_locks_that_cannot_be_written(idealist: Any, gate: Path) -> None:
    gate.write_text(RULES.replace('"gate.lock"', '"a.run"'))
    before = (gate.parent / "a.run").read_bytes()
    done = idealist("gate", gate, "--update-lock")
    assert done.returncode == 2
    assert "this is one of the inputs" in done.stderr
    assert (gate.parent / "a.run").read_bytes() == before
    gate.write_text(RULES.replace('lock = "gate.lock"\nlock_days = 30\n', ""))
    done = idealist("gate", gate, "--update-lock")
    assert (done.returncode, "this gate names no lock file" in done.stderr) == (2, True)
    gate.write_text(RULES.replace('lock = "gate.lock"\n', ""))
    done = idealist("gate", gate)
    assert "gate.toml, line 5: lock_days needs a lock file, and none is named" in done.stderr
    gate.write_text(RULES)
    (gate.parent / "a.run").unlink()
    done = idealist("gate", gate, "--update-lock")
    assert "a.run: there is no such file" in done.stderr
    assert not (gate.parent / "gate.lock").exists()


def test_outputs_of_a_decision_that_is_not_made(idealist: Any, gate: Path) -> None:
    done = idealist("gate", gate, "--update-lock", "--junit", gate.parent / "gate.xml")
    assert done.returncode == 2
    assert "--junit changes nothing: --update-lock decides nothing" in done.stderr
    done = idealist("gate", gate, "--update-lock", "--format", "json")
    assert "--format changes nothing" in done.stderr
    assert not (gate.parent / "gate.lock").exists()


def test_every_file_but_the_candidate(idealist: Any, gate: Path, shop: Path) -> None:
    """Tables of queries and weights, and judgments in a database, whose whole file counts."""
    import duckdb

    with duckdb.connect(str(gate.parent / "data.duckdb")) as connection:
        connection.execute("CREATE TABLE qrels (query VARCHAR, document VARCHAR, grade INTEGER)")
        rows = [line.split() for line in (shop / "shop.qrels").read_text().splitlines()]
        connection.executemany("INSERT INTO qrels VALUES (?, ?, ?)", [(q, d, int(g)) for q, _, d, g in rows])
    queries = sorted({row[0] for row in rows})
    table = gate.parent / "queries.csv"
    table.write_text(
        "query,part,weight\n" + "".join(f"{query},x,{at + 1}\n" for at, query in enumerate(queries))
    )
    text = RULES.replace('"shop.qrels"', '"data.duckdb::qrels"').replace(
        "lock_days", 'weights = "queries.csv"\nsegments = "queries.csv"\nsegment_by = "part"\nlock_days'
    )
    gate.write_text(text)
    done = idealist("gate", gate, "--update-lock")
    assert done.returncode == 0, done.stderr
    record = json.loads((gate.parent / "gate.lock").read_text())
    assert set(record["inputs"]) == {"judgments", "baseline", "weights", "segments"}
    weights = {query: at + 1 for at, query in enumerate(queries)}
    weighted = evaluate(shop / "shop.qrels", gate.parent / "a.run", "nDCG@10", weights=weights)
    assert record["baseline"]["values"]["nDCG@10"]["mean"] == approx(weighted.mean("nDCG@10"))
    assert idealist("gate", gate).returncode != 2
    table.write_text(table.read_text().replace(",x,1\n", ",x,2\n"))
    refused(idealist, gate, "the file of weights has changed")
