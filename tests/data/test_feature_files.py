"""Features from files, tables and frames."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idealist import read_judgments
from idealist.data import Features, read_features
from idealist.errors import InputError

LETOR = b"""2 qid:10 1:0.5 2:1e2 3:-3 #docid = GX1
# a remark
0 qid:10 1:.25 2:0 3:7 #docid = GX2 inc = 1

1 qid:9 1:1 2:2 3:3 #docid=GX1
"""
COLUMNS = {
    "query": ["10", "10", "9"],
    "document": ["GX1", "GX2", "GX1"],
    "grade": [2.0, 0.0, 1.0],
    "bm25": [0.5, 0.25, 1.0],
    "clicks": [100, 0, 2],
    "title": ["red", "blue", "green"],
}


def shown(features: Features) -> dict[str, Any]:
    return {
        "queries": features.queries,
        "sizes": features.sizes.tolist(),
        "documents": features.documents,
        "grades": None if features.grades is None else features.grades.tolist(),
        "names": features.names,
        "matrix": features.matrix.tolist(),
    }


TABLE = {
    "queries": ("10", "9"),
    "sizes": [2, 1],
    "documents": ("GX1", "GX2", "GX1"),
    "grades": [2.0, 0.0, 1.0],
    "names": ("bm25", "clicks"),
    "matrix": [[0.5, 100.0], [0.25, 0.0], [1.0, 2.0]],
}


@pytest.mark.parametrize("packed", [False, True])
def test_letor(tmp_path: Path, packed: bool) -> None:
    file = tmp_path / "rows.txt"
    file.write_bytes(gzip.compress(LETOR) if packed else LETOR)
    assert shown(read_features(file)) == {
        **TABLE,
        "names": ("1", "2", "3"),
        "matrix": [[0.5, 100.0, -3.0], [0.25, 0.0, 7.0], [1.0, 2.0, 3.0]],
    }


def test_grades_are_those_that_judgments_have(tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_bytes(LETOR)
    assert read_features(file).judgments().to_dict() == read_judgments(file).to_dict()


def test_what_a_sparse_row_does_not_write_is_zero(tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_text("1 qid:1 2:5 4:7\n0 qid:1\n2 qid:1 4:1 1:3\n")
    features = read_features(file)
    assert features.names == ("1", "2", "3", "4")
    assert features.matrix.tolist() == [[0, 5, 0, 7], [0, 0, 0, 0], [3, 0, 0, 1]]
    assert features.documents == ("1", "2", "3")
    # Of a sparse file, a feature that occurs nowhere is 0 as well.
    assert read_features(file, features=["4", "9"]).matrix.tolist() == [[7, 0], [0, 0], [1, 0]]


def test_a_feature_that_every_row_lacks_where_rows_are_alike(tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_bytes(LETOR)
    assert read_features(file, features=["3", "1"]).matrix[0].tolist() == [-3.0, 0.5]
    with pytest.raises(InputError, match="there is no feature '4'"):
        read_features(file, features=["1", "4"])


@pytest.mark.parametrize("twice", [["1", "1"], ["1", "01"]])
def test_a_feature_that_is_named_twice(tmp_path: Path, twice: list[str]) -> None:
    file = tmp_path / "rows.txt"
    file.write_text("1 qid:1 1:5\n0 qid:1 2:7\n")
    with pytest.raises(InputError, match="feature 1 is named twice"):
        read_features(file, features=twice)


@pytest.mark.parametrize("text", ["1 qid:1 1:5\n0 qid:1 2:7\n", "1 qid:1 1:5\n0 qid:1 1:7\n"])
def test_no_feature_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rows.txt"
    file.write_text(text)
    with pytest.raises(InputError, match="features is an empty list"):
        read_features(file, features=[])


@pytest.mark.parametrize("ending", [".query", ".group"])
def test_query_sizes_beside_the_file(tmp_path: Path, ending: str) -> None:
    (tmp_path / "rows.svm").write_text("1 1:1\n0 1:2\n2 0:1\n")
    (tmp_path / f"rows.svm{ending}").write_text("2\n1\n")
    features = read_features(tmp_path / "rows.svm")
    assert features.queries == ("1", "2")
    assert features.sizes.tolist() == [2, 1]
    assert features.names == ("0", "1")
    (tmp_path / "sizes").write_text("1\n1\n")
    with pytest.raises(InputError, match="add up to 2, but"):
        read_features(tmp_path / "rows.svm", query_sizes=tmp_path / "sizes")
    (tmp_path / f"rows.svm{ending}").write_text("1\n0\n2\n")
    with pytest.raises(InputError, match="line 2: a query has no document"):
        read_features(tmp_path / "rows.svm")


def test_rows_of_a_query_are_put_together(tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_text("1 qid:b 1:1\n2 qid:a 1:2\n3 qid:b 1:3\n")
    features = read_features(file)
    assert features.queries == ("b", "a")
    assert features.documents == ("1", "3", "2")
    assert features.matrix.tolist() == [[1], [3], [2]]
    assert features.grades is not None
    assert features.grades.tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("1 qid:1 1:2\nx qid:1 1:2\n", 2, "the grade is not a finite number: 'x'"),
        ("1 qid:1 1:2\ninf qid:1 1:2\n", 2, "the grade is not a finite number: 'inf'"),
        ("1 qid:1 1:2\n\n1 qid:1 1:2x\n", 3, "a feature is number:value, not '1:2x'"),
        ("1 qid:1 a:2\n", 1, "a feature is number:value, not 'a:2'"),
        ("1 qid:1 1:\n", 1, "a feature is number:value, not '1:'"),
        ("1 qid:1 99999999999:1\n", 1, "a feature is number:value"),
        ("1 qid:1 2:1 1:1 2:3\n", 1, "feature 2 appears twice"),
        ("1 qid:1 1:1\n1 1:1\n", 2, "some rows have qid: and some have not"),
        ("1 qid: 1:1\n", 1, "the query behind qid: is empty"),
        ("1 qid:1 1:1 #docid = a\n1 qid:1 1:1\n", 2, "some rows have a docid"),
        ("1 qid:1 1:1 #docid = a\n1 qid:1 1:2 #docid = a\n", 2, "document 'a' appears twice for query '1'"),
        ("1 qid:1 1:1\r1 qid:1 1:1\n", 1, "carriage return"),
        ("1 qid:1 1:1 2:NULL\n", 1, "feature '2' is missing"),
        ("1 qid:1 1:1\n1 qid:1 1:nan\n", 2, "feature '1' is missing"),
        ("1 qid:1 1:inf\n", 1, "feature '1' is infinite"),
    ],
)
def test_what_is_wrong_with_a_row(tmp_path: Path, text: str, line: int, message: str) -> None:
    file = tmp_path / "rows.txt"
    file.write_text(text, newline="")
    with pytest.raises(InputError) as error:
        read_features(file, format="letor")
    assert message in str(error.value)
    assert error.value.line == line
    assert error.value.source == str(file)


def test_an_index_that_would_fill_the_memory(tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_text("1 qid:1 4000000000:1\n")
    with pytest.raises(InputError, match="would be a matrix of 4,000,000,000 numbers"):
        read_features(file)
    assert read_features(file, features=["4000000000"]).matrix.tolist() == [[1]]


def test_missing_features_by_choice(tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_text("1 qid:1 1:NULL 2:3\n0 qid:1 1:2 2:nan\n")
    assert read_features(file, fill=-1).matrix.tolist() == [[-1, 3], [2, -1]]
    kept = read_features(file, fill="keep").matrix
    assert np.isnan(kept).tolist() == [[True, False], [False, True]]
    for fill in ("mean", float("inf"), -float("inf"), float("nan"), 10**400, True):
        with pytest.raises(InputError, match=f"fill must be a finite number or 'keep', not {fill!r}"):
            read_features(file, fill=fill)


def tables(tmp_path: Path) -> dict[str, Any]:
    """The same table in many forms."""
    frame = pl.DataFrame(COLUMNS)
    frame.write_csv(tmp_path / "rows.csv")
    frame.write_csv(tmp_path / "rows.tsv", separator="\t")
    frame.write_ndjson(tmp_path / "rows.jsonl")
    frame.write_parquet(tmp_path / "rows.parquet")
    frame.write_ipc(tmp_path / "rows.arrow")
    with sqlite3.connect(tmp_path / "rows.sqlite") as database:
        database.execute(
            "create table rows (query text, document text, grade real, bm25 real, clicks int, title text)"
        )
        database.executemany("insert into rows values (?, ?, ?, ?, ?, ?)", frame.rows())
    database.close()
    return {
        **{ending: tmp_path / f"rows.{ending}" for ending in ("csv", "tsv", "jsonl", "parquet", "arrow")},
        "sqlite": f"{tmp_path / 'rows.sqlite'}::rows",
        "polars": frame,
        "pandas": pd.DataFrame(COLUMNS),
        "pyarrow": pa.table(COLUMNS),
        "columns": COLUMNS,
        "records": frame.to_dicts(),
    }


@pytest.mark.parametrize(
    "form",
    [
        "csv",
        "tsv",
        "jsonl",
        "parquet",
        "arrow",
        "sqlite",
        "polars",
        "pandas",
        "pyarrow",
        "columns",
        "records",
    ],
)
def test_tables(tmp_path: Path, form: str) -> None:
    source = tables(tmp_path)[form]
    assert shown(read_features(source)) == TABLE
    chosen = read_features(source, features=["clicks"])
    assert (chosen.names, chosen.matrix.tolist()) == (("clicks",), [[100], [0], [2]])
    with pytest.raises(InputError, match="there is no feature 'price'"):
        read_features(source, features=["price"])


def test_columns_by_other_names() -> None:
    table = {"uid": [1, 1], "sku": ["a", "b"], "bought": [1, 0], "price": [3, 4]}
    features = read_features(table, columns={"query": "uid", "document": "sku", "grade": "bought"})
    assert features.names == ("price",)
    assert features.queries == ("1",)
    with pytest.raises(InputError, match="there is no column 'query'"):
        read_features({"who": [1], "price": [2]})
    with pytest.raises(InputError, match="there is no column 'x', which columns names as the query"):
        read_features(table, columns={"query": "x"})


def test_a_bad_cell_has_a_line(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("query,document,grade,bm25\n1,a,1,0.5\n1,b,0,much\n")
    with pytest.raises(InputError, match=r"rows\.csv, line 3: bm25 is 'much', not a number"):
        read_features(file)
    file.write_text("query,document,grade,bm25\n1,a,1,0.5\n1,b,0,\n")
    with pytest.raises(InputError, match=r"line 3: bm25 is empty"):
        read_features(file)
    assert read_features(file, fill=0).matrix.tolist() == [[0.5], [0.0]]


def test_nulls_of_frames() -> None:
    frame = pl.DataFrame({"query": ["1", "1"], "grade": [1, 0], "bm25": [0.5, None]})
    with pytest.raises(InputError, match="row 2: feature 'bm25' is missing"):
        read_features(frame)
    assert read_features(frame, fill=7).matrix.tolist() == [[0.5], [7.0]]
    with pytest.raises(InputError, match="row 2: grade is empty"):
        read_features(pl.DataFrame({"query": ["1", "1"], "grade": [1, None], "bm25": [0.5, 1.0]}))


def test_a_table_without_grades_or_features() -> None:
    assert read_features({"query": ["1"], "bm25": [2.0]}).grades is None
    with pytest.raises(InputError, match="there are no features"):
        read_features({"query": ["1"], "grade": [1]})


def test_an_array_is_no_table() -> None:
    with pytest.raises(InputError, match="which rows are of which query"):
        read_features(np.ones((2, 2)))


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.dictionaries(st.integers(1, 6), NUMBERS, min_size=1)),
    min_size=1,
    max_size=8,
)


@given(rows=ROWS, block=st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_numbers_are_read_to_the_last_bit_wherever_a_block_ends(
    rows: list[tuple[int, dict[int, float]]], block: int
) -> None:
    from idealist.kernels import FeatureText

    text = "".join(
        f"{grade} qid:q {' '.join(f'{n}:{v!r}' for n, v in cells.items())}\n" for grade, cells in rows
    )
    whole = text.encode()
    reader = FeatureText()
    for start in range(0, len(whole), block):
        reader.add(whole[start : start + block])
    reader.finish()
    assert reader.problem is None
    assert reader.grades.tolist() == [grade for grade, _ in rows]
    assert reader.values.tolist() == [value for _, cells in rows for value in cells.values()]
    if not reader.uniform:
        assert reader.numbers.tolist() == [number for _, cells in rows for number in cells]
