"""Scores beyond what a float holds are infinite and tie, which is said wherever a run is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest

from idealist import check, evaluate, read_run
from idealist.data import streaming

LINES = ["1 Q0 a 1 1e400 t\n", "1 Q0 b 2 1e310 t\n", "1 Q0 c 3 2 t\n", "2 Q0 d 1 -1e999 t\n"]
JUDGMENTS = {"1": {"a": 1}, "2": {"d": 1}}
SAID = "3 infinite scores, as numbers beyond 1.8e308 are read: those of a query tie"


def notes(run: Any) -> list[str]:
    return [note for note in evaluate(JUDGMENTS, run, "RR").notes if "infinite" in note]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [0, 3, 1, 2]])
def test_text(tmp_path: Path, order: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.run"
    path.write_text("".join(LINES[at] for at in order))
    assert [note.endswith(SAID) for note in notes(path)] == [True]
    assert [note.endswith(SAID) for note in notes(read_run(path))] == [True]
    monkeypatch.setattr(streaming, "MOST_ROWS", 1)  # sorted out on disk
    assert [note.endswith(SAID) for note in notes(path)] == [True]


def test_frames_and_other_text(tmp_path: Path) -> None:
    frame = pandas.DataFrame([(1, "a", float("inf")), (1, "b", 2.0)], columns=["query", "document", "score"])
    csv = tmp_path / "a.csv"
    csv.write_text("query,document,score\n1,a,1e309\n1,b,2\n")
    for run in (frame, pyarrow.Table.from_pandas(frame), csv):
        assert [
            note.endswith(SAID.replace("3 infinite scores", "1 infinite score")) for note in notes(run)
        ] == [True]


def test_finite_scores_have_no_note() -> None:
    assert not notes({"1": {"a": 1e308, "b": -1e308}})


def test_check_says_what_becomes_infinite(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("".join(LINES))
    (finding,) = [
        finding
        for file in check(runs=[path]).files
        for finding in file.findings
        if finding.code == "score-infinite"
    ]
    assert finding.message == "3 scores infinite, as numbers beyond 1.8e308 become: those of a query tie"
    assert finding.examples[0].line == 1
