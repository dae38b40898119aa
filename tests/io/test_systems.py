"""Several systems in one table, by its column `system`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from conftest import Command

from idealist import InputError, compare, evaluate, read_run, read_runs
from idealist.io import RunFile

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
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(dict(zip(TABLE, row, strict=True))) + "\n" for row in rows))
    else:
        comma = "\t" if name.endswith(".tsv") else ";" if name.startswith("sep") else ","
        start = f"sep={comma}\n" if name.startswith("sep") else ""
        path.write_text(start + "".join(comma.join(map(str, row)) + "\n" for row in [tuple(TABLE), *rows]))
    return path


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "sep.csv"])
def test_files(name: str, tmp_path: Path) -> None:
    """a stands second of two for the old system, and first for the new one."""
    path = write(tmp_path, name)
    assert {system: run.to_dict() for system, run in read_runs(path).items()} == EXPECTED
    result = evaluate(RunFile(path), JUDGED, "RR")
    assert {system: result.mean("RR", system) for system in result.systems} == {"old": 0.5, "new": 1.0}
    with pytest.raises(InputError, match="2 systems are in it: old, new"):
        read_run(path)
    with pytest.raises(InputError, match="2 systems are in it: old, new"):
        RunFile(path).read()


def test_frames() -> None:
    frames: list[Any] = [polars.DataFrame(TABLE), pandas.DataFrame(TABLE), pyarrow.table(TABLE)]
    for frame in frames:
        assert evaluate(frame, JUDGED, "RR").systems == ("old", "new")
        assert compare(frame, JUDGED, ["RR"], baseline="old")["new", "RR"].difference == 0.5


def test_names_stay_apart(tmp_path: Path) -> None:
    frame = polars.DataFrame(TABLE)
    runs: dict[str, Any] = {"new": {"q": {"a": 1.0}}, "file": frame}
    result = evaluate(runs, JUDGED, "RR")
    assert result.systems == ("new", "old", "file:new")


def test_one_system_and_a_column_by_another_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("model,query,document,score\nm,q,a,1\nm,q,b,2\n")
    columns = {"system": "model"}
    assert list(read_runs(path, columns=columns)) == ["m"]
    assert read_run(path, columns=columns).to_dict() == {"q": {"a": 1.0, "b": 2.0}}
    assert list(read_runs(path)) == ["a"]  # nobody said what a model is
    path.write_text("system,query,document,score\nm,q,a,1\nn,q,a,2\nm,q,a,3\n")
    with pytest.raises(InputError, match="line 4: document 'a' is there twice for query 'q'"):
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
