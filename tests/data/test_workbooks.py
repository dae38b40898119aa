"""Excel workbooks, as runs, judgments and tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from idealist import InputError, MissingDependency, evaluate, read_judgments, read_run, read_votes
from idealist.data import RunFile, read_table
from idealist.data.detection import kind_of_source

ROWS: dict[str, list[list[Any]]] = {
    "run": [["query", "document", "score"], [1001, "a", 0.5], [1001.0, " b ", 2], [None, None, None], [None]],
    "judgments": [[], ["query", "document", "grade"], [1001, "a", 1], [1001, "b", 0]],
}


def write(path: Path, **sheets: list[list[Any]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for at, row in enumerate(rows, 1):
            for column, cell in enumerate(row, 1):
                sheet.cell(at, column, cell)
    book.save(path)
    return path


def test_runs_and_judgments(tmp_path: Path) -> None:
    """Whole numbers are ids without a point, and empty rows nothing."""
    run = write(tmp_path / "a.xlsx", run=ROWS["run"], empty=[])
    judged = write(tmp_path / "q.xlsx", judgments=ROWS["judgments"])
    assert read_run(run).to_dict() == {"1001": {"a": 0.5, "b": 2.0}}
    assert read_judgments(judged).to_dict() == {"1001": {"a": 1.0, "b": 0.0}}
    assert evaluate(read_judgments(judged), RunFile(run), "RR").mean("RR") == 1 / 2
    assert (kind_of_source(str(run)), kind_of_source(str(judged))) == ("run", "judgments")
    renamed = run.rename(tmp_path / "whatever")
    assert read_run(renamed).to_dict() == {"1001": {"a": 0.5, "b": 2.0}}


def test_several_sheets(tmp_path: Path) -> None:
    path = write(tmp_path / "shop.xlsx", **ROWS)
    with pytest.raises(InputError, match="several sheets have content: run, judgments") as caught:
        read_run(path)
    assert caught.value.hint == f"name one, as in {path}::run"
    assert read_run(f"{path}::run").name == "run"
    assert len(read_table(f"{path}::judgments")) == 2
    with pytest.raises(InputError, match="there is no sheet 'x'"):
        read_run(f"{path}::x")


def test_what_is_wrong_is_told_by_its_row(tmp_path: Path) -> None:
    head = ["query", "document", "score"]
    cases: list[tuple[list[list[Any]], str]] = [
        ([head, ["q", "a", 1], ["q", "a", 2]], "line 3: document 'a' appears twice"),
        ([head, ["q", None, 1]], "line 2: document is empty"),
        ([head, ["q", "a", "high"]], "line 2: score is 'high', not a number"),
        ([head, ["q", "a", 1, "stray"]], "line 2: 'stray' stands in a column without a name"),
        ([["query", "query", "score"]], "line 1: two columns are called 'query'"),
        ([["who", "document", "score"], ["q", "a", 1]], "there is no column 'query'"),
        ([], "this sheet is empty"),
    ]
    for rows, message in cases:
        with pytest.raises(InputError, match=message):
            read_run(write(tmp_path / "a.xlsx", sheet=rows))


def test_votes(tmp_path: Path) -> None:
    path = write(tmp_path / "v.xlsx", votes=[["query", "vote"], ["q1", "good"], ["q2", "bad"]])
    assert read_votes(path).queries == ["q1", "q2"]


def test_damaged_and_other_archives(tmp_path: Path) -> None:
    whole = write(tmp_path / "a.xlsx", **ROWS).read_bytes()
    cut = tmp_path / "cut.xlsx"
    cut.write_bytes(whole[: len(whole) // 2])
    for read in (read_run, read_table):
        with pytest.raises(InputError, match="the Excel workbook cannot be read"):
            read(cut)
    cut.write_bytes(b"PK\x03\x04 anything else, and longer than the names of its parts")
    with pytest.raises(InputError, match="this is zip data, which cannot be read"):
        read_run(cut)


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.xlsx", run=ROWS["run"])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    for read in (read_run, read_table):
        with pytest.raises(MissingDependency, match="this is an Excel workbook, which needs openpyxl"):
            read(path)


def test_zeros_that_a_format_shows_are_in_ids(tmp_path: Path) -> None:
    """The sheet shows 0007, which is what the cell means: 7 with the format 0000."""
    openpyxl = pytest.importorskip("openpyxl")
    path = write(tmp_path / "a.xlsx", run=[["query", "document", "score"], [7, 12, 2], [8, 12345, 0.5]])
    book = openpyxl.load_workbook(path)
    for row in book["run"].iter_rows(min_row=2, max_col=2):
        for cell in row:
            cell.number_format = "0000"
    book.save(path)
    assert read_run(path).to_dict() == {"0007": {"0012": 2.0}, "0008": {"12345": 0.5}}
