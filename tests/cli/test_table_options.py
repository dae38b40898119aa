"""Tables besides runs and judgments: the options that say how they are read."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Command = Callable[..., CompletedProcess[str]]
VOTES = [("q1", "ann", "good"), ("q2", "ann", "good"), ("q3", "ann", "bad")]


def counts(done: CompletedProcess[str]) -> tuple[float, float, float]:
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    return record["good"], record["same"], record["bad"]


def bars(names: str = "query|rater|vote") -> str:
    return "\n".join((names, *("|".join(vote) for vote in VOTES))) + "\n"


def test_votes_from_bars_a_database_and_standard_input(idealist: Command, tmp_path: Path) -> None:
    (tmp_path / "votes.txt").write_text(bars())
    with sqlite3.connect(tmp_path / "votes.db") as base:
        base.execute("CREATE TABLE side_by_side (query, rater, vote)")
        base.executemany("INSERT INTO side_by_side VALUES (?, ?, ?)", VOTES)
    base.close()
    for source in (tmp_path / "votes.txt", f"{tmp_path}/votes.db::side_by_side"):
        assert counts(idealist("gsb", source, "--format", "json")) == (2, 0, 1)
    command = [sys.executable, "-m", "idealist", "gsb", "-", "--format", "json"]
    done = subprocess.run(command, input=bars(), capture_output=True, text=True, check=False)
    assert counts(done) == (2, 0, 1)


def test_options_name_the_table_they_are_of(idealist: Command, tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(bars("term|rater|vote"))
    # The bad vote counts as much as the two good ones together.
    (tmp_path / "weights.csv").write_bytes("schlüssel;weight\nq1;1,5\nq2;1,5\nq3;3\n".encode("cp1252"))
    how = ("--weights", tmp_path / "weights.csv", "--format", "json")
    columns = ("--columns", "query=term,weights.query=schlüssel")
    text = (
        "--encoding",
        "weights=cp1252",
        "--decimal",
        "weights=,",
        "--input-format",
        "votes=csv,weights=csv",
    )
    done = idealist("gsb", tmp_path / "votes.csv", *how, *columns, *text)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["value"] == 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--columns", "vote.query=x"), "--columns: 'vote' is none of run, judgments, votes, numbers, items"),
        (
            ("--input-format", "weight=csv"),
            "--input-format: 'weight' is none of run, judgments, votes, numbers, items",
        ),
        (
            ("--encoding", "weight=gbk"),
            "--encoding: 'weight' is none of run, judgments, votes, numbers, items",
        ),
    ],
)
def test_a_table_that_there_is_not(
    idealist: Command, tmp_path: Path, option: tuple[str, str], message: str
) -> None:
    (tmp_path / "votes.csv").write_text(bars())
    done = idealist("gsb", tmp_path / "votes.csv", "--weights", tmp_path / "votes.csv", *option)
    assert done.returncode == 2
    assert message in done.stderr


def test_judgments_by_group_from_a_table(idealist: Command, tmp_path: Path) -> None:
    (tmp_path / "groups.qrels").write_text("q 1 a 1\nq 2 b 1\n")
    (tmp_path / "groups.csv").write_text("query,aspect,document,grade\nq,1,a,1\nq,2,b,1\n")
    (tmp_path / "x.run").write_text("q Q0 a 1 2 t\nq Q0 c 2 1 t\n")
    # One of two subtopics is found at rank 1.
    shown = []
    for judgments, how in (("groups.qrels", ()), ("groups.csv", ("--columns", "judgments.group=aspect"))):
        done = idealist("evaluate", tmp_path / judgments, tmp_path / "x.run", "-m", "StRecall@1", *how)
        assert done.returncode == 0, done.stderr
        shown.append(done.stdout.splitlines()[1].split()[1])
    assert shown == ["0.5000", "0.5000"]
