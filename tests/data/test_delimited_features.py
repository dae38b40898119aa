"""Features of CSV and TSV: read natively where lines are as usual, and to the same numbers cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idealist.data import Features, read_features
from idealist.data import feature_tables as delimited_features
from idealist.errors import InputError
from idealist.kernels import DelimitedNumbers, FeatureText

NUMBERS = st.sampled_from(
    ["0", "-1.5", "1e300", " 2 ", "", "nan", "NULL", "x", "1_0", "inf", "٣", "+4", "0x1"]
)
IDS = st.sampled_from(["q1", "q 2", " q1", "", '"q,3"', '"q""4"', "é", "007"])
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", "\r"])


def outcome(path: Path, **how: Any) -> Any:
    """What is read, or the message."""
    try:
        features: Features = read_features(path, **how)
    except InputError as error:
        return str(error)
    cells = features.matrix.tobytes(), features.sizes.tolist(), np.asarray(features.grades).tolist()
    return (*cells, features.queries, features.documents, features.names)


def cell_by_cell(path: Path, **how: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited_features, "delimited_features", lambda *a, **k: None)
        return outcome(path, **how)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(IDS, NUMBERS, NUMBERS, st.integers(0, 3), ENDS), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from([None, 0.5, "keep"]),
    st.booleans(),
)
def test_the_same_rows_or_the_same_error(
    tmp_path_factory: pytest.TempPathFactory, rows: Any, sign: str, fill: Any, marked: bool
) -> None:
    lines = [
        sign.join((query, f"d{number}", str(grade), first, second)) + end
        for number, (query, first, second, grade, end) in enumerate(rows)
    ]
    path = tmp_path_factory.mktemp("table") / "rows.csv"
    text = sign.join(("query", "document", "grade", "a", "b")) + "\n" + "".join(lines)
    path.write_bytes((b"\xef\xbb\xbf" if marked else b"") + text.encode())
    assert outcome(path, fill=fill) == cell_by_cell(path, fill=fill)


def test_usual_files_are_read_natively(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('query,document,title,grade,a,b\n1,x,red,2,0.5,\n1,"y",blue,0,7,NaN\n2,x,red,1,-3,1e3\n')
    monkeypatch.setattr("idealist.data.feature_reading.features_of_columns", None)  # which reads cell by cell
    features = read_features(path, fill=9)
    assert features.matrix.tolist() == [[0.5, 9], [7, 9], [-3, 1000]]
    assert (features.queries, features.documents) == (("1", "2"), ("x", "y", "x"))
    path.write_text("query;grade;a\n1;2;0,5\n1;0;-1,25\n")
    assert read_features(path, decimal=",").matrix.tolist() == [[0.5], [-1.25]]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("red", r"rows\.csv, line 3: a is 'red', not a number"),
        ("nan", r"rows\.csv, line 3: a is nan, not a number\nhint: .*--fill 0"),
        ("", r"rows\.csv, line 3: a is empty\nhint: .*--fill 0"),
        ("1,2", r"rows\.csv, line 3: expected 4 columns, found 5"),
    ],
)
def test_what_is_wrong_has_its_line(tmp_path: Path, cell: str, message: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"query,document,grade,a\n1,x,2,0.5\n1,y,0,{cell}\n")
    with pytest.raises(InputError, match=message):
        read_features(path)


def test_a_grade_that_is_missing_cannot_be_filled(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("query,document,grade,a\n1,x,2,0.5\n1,y,,1\n")
    with pytest.raises(InputError, match="line 3: grade is empty\nhint: fill it in, or leave the row out"):
        read_features(path, fill=0)


def test_columns_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="a column number is out of bounds"):
        DelimitedNumbers(b"1,2\n", 0, ",", ".", 2, [2], [], False)


def test_a_long_line_in_many_blocks() -> None:
    """A line without an end, a megabyte in blocks of 16 bytes: each byte is looked at once, not once a block."""
    text = FeatureText()
    line = b"1 qid:1 1:0.5 #docid = " + b"d" * (1 << 20)
    for begin in range(0, len(line), 16):
        text.add(line[begin : begin + 16])
    text.add(b"\n0 qid:1 1:2 #docid = e")
    text.finish()
    assert text.values.tolist() == [0.5, 2.0]
    assert [len(document) for document in text.documents()] == [1 << 20, 1]
