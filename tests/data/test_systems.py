"""Several systems in one table, by its column `system`."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest
from conftest import Command

from idealist import InputError, Run, check, compare, evaluate, explain, fuse, read_run
from idealist.data import RunFile, read_runs

TABLE: dict[str, list[Any]] = {
    "system": ["old", "old", "new", "new", "new"],
    "query": ["q", "q", "q", "q", "r"],
    "document": ["a", "b", "a", "b", "a"],
    "score": [1.0, 2.0, 2.0, 1.0, 1.0],
}
EXPECTED = {"old": {"q": {"a": 1.0, "b": 2.0}}, "new": {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}}
JUDGED = {"q": {"a": 1, "b": 0}}


def write(folder: Path, name: str) -> Path:
    path = folder / name
    rows = list(zip(*TABLE.values(), strict=True))
    if name.endswith(".parquet"):
        polars.DataFrame(TABLE).write_parquet(path)
    elif name.endswith(".arrow"):
        frame = polars.DataFrame(TABLE)
        frame.write_ipc_stream(path) if name.startswith("stream") else frame.write_ipc(path)
    elif name.endswith(".sqlite"):
        with closing(sqlite3.connect(path)) as base:
            base.execute("CREATE TABLE runs (system, query, document, score)")
            base.executemany("INSERT INTO runs VALUES (?, ?, ?, ?)", rows)
            base.commit()
    elif name.endswith(".duckdb"):
        with duckdb.connect(path) as base:
            base.execute("CREATE SCHEMA own")
            base.execute("CREATE TABLE own.runs (system TEXT, query TEXT, document TEXT, score DOUBLE)")
            base.executemany("INSERT INTO own.runs VALUES (?, ?, ?, ?)", rows)
    elif name.endswith(".json"):
        path.write_text(json.dumps([dict(zip(TABLE, row, strict=True)) for row in rows], indent=1))
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(dict(zip(TABLE, row, strict=True))) + "\n" for row in rows))
    else:
        comma = (
            "|"
            if name.startswith("bar")
            else "\t"
            if name.endswith(".tsv")
            else ";"
            if name.startswith("sep")
            else ","
        )
        start = f"sep={comma}\n" if name.startswith("sep") else ""
        path.write_text(start + "".join(comma.join(map(str, row)) + "\n" for row in [tuple(TABLE), *rows]))
    return path


@pytest.mark.parametrize(
    ("name", "part"),
    [
        *((name, "") for name in ("a.csv", "a.tsv", "bar.csv", "sep.csv", "a.json", "a.jsonl", "a.parquet")),
        *((name, "") for name in ("a.arrow", "stream.arrow")),
        ("a.sqlite", "::runs"),
        ("a.duckdb", "::own.runs"),
    ],
)
def test_files(name: str, part: str, tmp_path: Path) -> None:
    """a stands second of two for the old system, and first for the new one."""
    path = f"{write(tmp_path, name)}{part}"
    assert {system: run.to_dict() for system, run in read_runs(path).items()} == EXPECTED
    result = evaluate(JUDGED, RunFile(path), "RR")
    assert {system: result.mean("RR", system) for system in result.systems} == {"old": 0.5, "new": 1.0}
    with pytest.raises(InputError, match="2 systems: old, new"):
        read_run(path)
    with pytest.raises(InputError, match="2 systems: old, new"):
        RunFile(path).read()
    one = read_run(path, system="new")
    assert (one.name, one.to_dict()) == ("new", EXPECTED["new"])
    with pytest.raises(InputError, match="no system is called 'newer'\nhint: name one of: old, new"):
        read_run(path, system="newer")


def test_compressed_files(tmp_path: Path) -> None:
    for name in ("a.csv", "a.parquet", "a.arrow"):
        path = write(tmp_path, name)
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        assert list(read_runs(packed)) == ["old", "new"]


def test_a_system_of_what_names_none(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q Q0 a 1 1 x\n")
    (tmp_path / "a.csv").write_text("query,document,score\nq,a,1\n")
    for name in ("a.run", "a.csv"):
        with pytest.raises(InputError, match="the system 'x' was requested, but no column names systems"):
            read_run(tmp_path / name, system="x")
        with pytest.raises(InputError, match="the system 'x' was requested, but no column names systems"):
            evaluate(JUDGED, RunFile(tmp_path / name, system="x"), "RR")


def test_frames() -> None:
    frames: list[Any] = [polars.DataFrame(TABLE), pandas.DataFrame(TABLE), pyarrow.table(TABLE)]
    for frame in frames:
        assert evaluate(JUDGED, frame, "RR").systems == ("old", "new")
        assert compare(JUDGED, frame, ["RR"], baseline="old")["new", "RR"].difference == 0.5


def test_one_run_of_a_frame() -> None:
    """The documents of the two systems differ, so that nothing but the column tells them apart."""
    apart = {**TABLE, "document": ["a", "b", "c", "d", "c"]}
    frames: list[Any] = [polars.DataFrame(apart), pandas.DataFrame(apart), pyarrow.table(apart)]
    frames += [pyarrow.table(apart).to_reader()]  # which can be read once
    for frame in frames:
        with pytest.raises(InputError, match="run: this holds 2 systems: old, new"):
            Run(frame)
    for frame in frames[:3]:
        with pytest.raises(InputError, match="run: this holds 2 systems: old, new"):
            read_run(frame)
        assert explain(JUDGED, frame, query="q").system == "new"  # beside the old
        assert read_run(frame, system="old").to_dict() == EXPECTED["old"]
        assert list(read_runs(frame)) == ["old", "new"]
        assert fuse(frame).ranking("q") == fuse(list(read_runs(frame).values())).ranking("q")
    assert Run(polars.DataFrame(apart).filter(polars.col("system") == "old")).to_dict() == EXPECTED["old"]
    assert Run(pyarrow.table(apart).slice(0, 2).to_reader()).to_dict() == EXPECTED["old"]


def test_names_stay_apart(tmp_path: Path) -> None:
    frame = polars.DataFrame(TABLE)
    runs: dict[str, Any] = {"new": {"q": {"a": 1.0}}, "file": frame}
    result = evaluate(JUDGED, runs, "RR")
    assert result.systems == ("new", "old", "file:new")


def test_one_system_and_a_column_by_another_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("model,query,document,score\nm,q,a,1\nm,q,b,2\n")
    columns = {"system": "model"}
    assert list(read_runs(path, columns=columns)) == ["m"]
    assert read_run(path, columns=columns).to_dict() == {"q": {"a": 1.0, "b": 2.0}}
    assert list(read_runs(path)) == ["a"]  # nobody said what a model is
    assert list(read_runs(write(tmp_path, "b.csv"), columns=columns)) == ["old", "new"]  # which has no model
    path.write_text("system,query,document,score\nm,q,a,1\nn,q,a,2\nm,q,a,3\n")
    with pytest.raises(InputError, match="line 4: document 'a' appears twice for query 'q'"):
        read_runs(path)


def test_commands(idealist: Command, tmp_path: Path) -> None:
    judged = tmp_path / "q.csv"
    judged.write_text("query,document,grade\nq,a,1\nq,b,0\n")
    path = write(tmp_path, "a.csv")
    done = idealist("evaluate", judged, path, "-m", "RR")
    assert [line.split() for line in done.stdout.splitlines()[:2]] == [
        ["measure", "old", "new", "n"],
        ["RR", "0.5000", "1.0000", "1"],
    ], done.stderr
    done = idealist("compare", judged, path, "-m", "RR", "--baseline", "old")
    assert "+0.5000" in done.stdout, done.stderr


def judged_file(folder: Path) -> Path:
    path = folder / "q.csv"
    path.write_text("query,document,grade\nq,a,1\nq,b,0\nr,a,1\n")
    return path


def test_commands_that_take_one_run(idealist: Command, tmp_path: Path) -> None:
    """b, the other document, has rank 1 in old: there a is worth 1/log2(3) = 0.6309 of the ideal 1."""
    judged, path = judged_file(tmp_path), write(tmp_path, "a.csv")
    for command in (["explain", judged, path, "--query", "q"], ["why", judged, path, "--observed", "0.6309"]):
        done = idealist(*command)
        assert done.returncode == 2
        assert "2 systems: old, new" in done.stderr
        assert "--system NAME" in done.stderr
    done = idealist("explain", judged, path, "--query", "q", "--system", "old")
    assert "nDCG@10 of query q = DCG / IDCG = 0.6309 / 1.0000 = 0.6309" in done.stdout, done.stderr
    done = idealist("why", judged, path, "-m", "RR", "--system", "new", "--observed", "1.0")
    assert done.stdout.splitlines()[1].split() == ["1.0000", "none"], done.stderr
    done = idealist("explain", "--grades", "1,2", "--system", "old")
    assert done.returncode == 2


def test_agree(idealist: Command, tmp_path: Path) -> None:
    """In q, the two documents stand the other way round: tau is -1. r is in new alone."""
    path = write(tmp_path, "a.csv")
    for files in ([path], [path, path]):
        done = idealist("agree", *files, "--system", "old", "-m", "KendallTau", "--format", "csv")
        shown = {row.split(",")[0]: row.split(",")[2] for row in done.stdout.splitlines()[1:]}
        assert float(shown["new"]) == -1.0, done.stderr
        assert ("old" in shown) == (len(files) == 2)
    done = idealist("agree", path)
    assert "there is no run to compare with the first" in done.stderr


def test_commands_that_take_several_runs(idealist: Command, tmp_path: Path) -> None:
    judged, path = judged_file(tmp_path), write(tmp_path, "a.csv")
    done = idealist("fuse", path)
    # Each is first once and second once: 1/61 + 1/62.
    assert [float(line.split()[4]) for line in done.stdout.splitlines()[:2]] == pytest.approx(
        [1 / 61 + 1 / 62] * 2
    ), done.stderr
    done = idealist("fuse", judged_file(tmp_path).with_name("none.csv"))
    assert done.returncode == 2
    page = tmp_path / "r.html"
    done = idealist("report", judged, path, "-o", page, "-m", "RR", "--baseline", "new")
    assert done.returncode == 0, done.stderr
    assert "old compared with new by RR" in page.read_text()
    done = idealist("report", judged, path, "-o", page, "--force", "--baseline", "neither")
    assert "old, new" in done.stderr
    done = idealist("gsb", "--judgments", judged, path, "-m", "RR", "--format", "json")
    assert json.loads(done.stdout)["good"] == 2, done.stderr
    # Differences of RR: 1/2 for q, and 1 for r, which old lacks: an sd of 0.5/sqrt(2).
    done = idealist(
        "plan", "queries", "--effect", "0.1", "--pilot", judged, path, "-m", "RR", "--format", "json"
    )
    assert json.loads(done.stdout)["sd"] == pytest.approx(0.5 / 2**0.5), done.stderr
    done = idealist("plan", "queries", "--effect", "0.1", "--pilot", judged)
    assert "--pilot names 0 runs, not two" in done.stderr


def test_gate(idealist: Command, tmp_path: Path) -> None:
    judged_file(tmp_path)
    write(tmp_path, "a.csv")
    gate = tmp_path / "gate.toml"
    rules = 'judgments = "q.csv"\nbaseline = "a.csv"\ncandidate = "a.csv"\nmeasure = "RR"\n'
    gate.write_text(rules)
    done = idealist("gate", gate)
    assert done.returncode == 2
    assert "baseline: 2 systems are in" in done.stderr
    assert 'baseline_system = "old"' in done.stderr
    gate.write_text(rules + 'baseline_system = "old"\ncandidate_system = "new"\n')
    done = idealist("gate", gate, "--format", "json")
    facts = json.loads(done.stdout)["parts"][0]
    assert (facts["baseline"], facts["baseline_value"]) == ("old", 0.25), done.stderr
    assert (facts["candidate"], facts["value"]) == ("new", 1.0)


def test_check_looks_at_each_system(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv")
    codes = {(one.source, one.rows) for one in check(runs=path).files}
    assert codes == {(f"{path} (old)", 2), (f"{path} (new)", 3)}
    assert not any(finding.code == "duplicate" for finding in check(runs=path))
    path.write_text("system,query,document,score\nm,q,a,1\nn,q,a,inf\nm,q,a,3\n")
    found = [one for one in check(runs=path) if one.code == "duplicate"]
    assert [(one.source, one.count) for one in found] == [(f"{path} (m)", 1)]
    path.write_text("system,query,document,score\nm,q,a,1\nn,q,a,x\n")
    assert [one.code for one in check(runs=path)] == ["unreadable"]


def test_convert(idealist: Command, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv")
    done = idealist("convert", path, tmp_path / "x.run")
    assert "the column system, which names systems, would be lost" in done.stderr
    assert "--system NAME" in done.stderr
    done = idealist("convert", path, tmp_path / "x.run", "--system", "new")
    assert (tmp_path / "x.run").read_text().splitlines()[0] == "q Q0 a 1 2 new", done.stderr
    done = idealist("convert", path, tmp_path / "{system}.csv")
    assert done.returncode == 0, done.stderr
    assert {name: read_run(tmp_path / f"{name}.csv").to_dict() for name in EXPECTED} == EXPECTED
    done = idealist("convert", path, tmp_path / "{system}.csv")
    assert "the file exists already" in done.stderr
    path.write_text("system,query,document,score\n../m,q,a,1\n")
    done = idealist("convert", path, tmp_path / "{system}.csv")
    assert "the system '../m' cannot stand in the name of a file" in done.stderr
