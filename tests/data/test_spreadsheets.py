"""What spreadsheets write: decimal commas, a line that names the delimiter, empty rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command

from idealist import InputError, evaluate, read_judgments, read_run
from idealist.data import RunFile, read_table

COMMAS = "sep=;\r\nquery;document;score\r\nq;a;0,5\r\nq;b;1,25e1\r\nq;c;-3\r\n;;\r\n;;\r\n"


def test_decimal_commas_and_a_named_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for mark in ("", "\ufeff"):
        path.write_text(mark + COMMAS, encoding="utf-8", newline="")
        assert read_run(path, decimal=",").to_dict() == {"q": {"a": 0.5, "b": 12.5, "c": -3.0}}
        found = evaluate({"q": {"a": 1}}, RunFile(path, decimal=","), "RR")
        assert found.mean("RR") == 1 / 2
        table = read_table(path, decimal=",")
        assert table.numbers("score") == [0.5, 12.5, -3.0]
        assert table.first_line == 3


def test_the_other_sign_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(COMMAS)
    with pytest.raises(InputError, match=r"line 3: the score is not a number: '0,5'") as caught:
        read_run(path)
    assert "--decimal , (decimal=',' in Python)" in caught.value.hint
    with pytest.raises(InputError, match=r"line 3: score is '0,5', not a number") as caught:
        read_table(path).numbers("score")
    assert "--decimal ," in caught.value.hint
    path.write_text(COMMAS.replace("0,5", "0.5"))
    for wrong in (
        lambda: read_run(path, decimal=","),
        lambda: read_table(path, decimal=",").numbers("score"),
    ):
        with pytest.raises(InputError, match=r"'0\.5'") as caught:
            wrong()
        assert "decimal comma" in caught.value.hint
    with pytest.raises(InputError, match="must be a point or a comma, not ';'"):
        read_run(path, decimal=";")


def test_a_quoted_number_between_commas(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('query,document,grade\nq,a,"1,5"\nq,b,2\n')
    assert read_judgments(path, decimal=",").to_dict() == {"q": {"a": 1.5, "b": 2.0}}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_rows_of_delimiters_are_blank(delimiter: str, tmp_path: Path) -> None:
    """They are counted as lines, and a row that has anything in it is none of them."""
    path = tmp_path / "a.csv"
    rows = ["query,document,score", "q,a,1", ",,", " ,,", "q,b,2", ",,,,", ",,"]
    path.write_text("\r\n".join(rows).replace(",", delimiter))
    assert read_run(path).to_dict() == {"q": {"a": 1.0, "b": 2.0}}
    path.write_text("\n".join([*rows, ",,3"]).replace(",", delimiter))
    with pytest.raises(InputError, match="line 8: the query is empty"):
        read_run(path)


def test_the_option(idealist: Command, tmp_path: Path) -> None:
    judged, run = tmp_path / "q.csv", tmp_path / "a.csv"
    judged.write_text("query,document,grade\nq,a,1\nq,b,0.5\n")
    run.write_text(COMMAS, newline="")
    done = idealist("evaluate", judged, run, "-m", "RR", "--decimal", "run=,")
    assert done.stdout.splitlines()[1].split()[:2] == ["RR", "0.5000"], done.stderr
    assert "'0.5'" in idealist("evaluate", judged, run, "-m", "RR", "--decimal", ",").stderr
