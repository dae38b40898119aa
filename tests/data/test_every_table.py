"""Every table reads through the same formats, with the same options and the same hints."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest

from idealist.data import (
    read_clicks,
    read_groups,
    read_items,
    read_judgments,
    read_objectives,
    read_preferences,
    read_profiles,
    read_run,
    read_strata,
    read_table,
)
from idealist.data.weight_reading import read_weights
from idealist.errors import InputError
from idealist.votes.vote_table import read_votes

Records = list[dict[str, Any]]


def _votes(source: Any, **how: Any) -> Any:
    votes = read_votes(source, **how)
    return votes.queries, votes.values, votes.raters


# What a reader is given, and what it makes of it, in a form that can be compared.
TABLES: dict[str, tuple[Records, Callable[..., Any]]] = {
    "run": (
        [{"query": "q1", "document": "a", "score": 2.5}, {"query": "q1", "document": "b", "score": 1.5}],
        lambda source, **how: read_run(source, **how).to_dict(),
    ),
    "judgments": (
        [{"query": "q1", "document": "a", "grade": 1}, {"query": "q2", "document": "b", "grade": 0}],
        lambda source, **how: read_judgments(source, **how).to_dict(),
    ),
    "votes": (
        [
            {"query": "q1", "vote": "good", "rater": "ann"},
            {"query": "q2", "vote": "bad", "rater": "ben"},
        ],
        _votes,
    ),
    "items": (
        [{"item": "a", "popularity": 3}, {"item": "b", "popularity": 1}],
        lambda source, **how: (
            str(read_items(source, **how)),
            read_table(source, **how).numbers("popularity"),
        ),
    ),
    "profiles": (
        [{"query": "q1", "segment": "head"}, {"query": "q2", "segment": "tail"}],
        lambda source, **how: read_profiles(source, **how).column("segment"),
    ),
    "clicks": (
        [
            {"query": "q1", "document": "a", "position": 1, "clicks": 2},
            {"query": "q1", "document": "b", "position": 2, "clicks": 0},
        ],
        lambda source, **how: (str(read_clicks(source, **how)), read_table(source, **how).numbers("clicks")),
    ),
    "weights": (
        [{"query": "q1", "weight": 2}, {"query": "q2", "weight": 1}],
        lambda source, **how: read_weights(source, **how).weights,
    ),
    "objectives": (
        [{"query": "q1", "document": "a", "price": 1, "taste": 0}],
        lambda source, **how: read_objectives(source, **how).content(),
    ),
    "groups": (
        [
            {"query": "q1", "group": "1", "document": "a", "grade": 1},
            {"query": "q1", "group": "2", "document": "a", "grade": 0},
        ],
        lambda source, **how: read_groups(source, **how).content(),
    ),
    "preferences": (
        [
            {"query": "q1", "group": "1", "subgroup": "x", "document": "a", "level": 2},
            {"query": "q1", "group": "1", "subgroup": "x", "document": "b", "level": 1},
        ],
        lambda source, **how: read_preferences(source, **how).content(),
    ),
    "strata": (
        [
            {"query": "q1", "document": "a", "stratum": "top", "grade": 1},
            {"query": "q1", "document": "b", "stratum": "rest", "grade": -1},
        ],
        lambda source, **how: read_strata(source, **how).content(),
    ),
}


def _delimited(records: Records, sign: str) -> str:
    lines = [list(records[0]), *(list(record.values()) for record in records)]
    return "".join(sign.join(map(str, line)) + "\n" for line in lines)


def _text(sign: str) -> Callable[[Records, Path], str]:
    def write(records: Records, path: Path) -> str:
        path.write_text(_delimited(records, sign))
        return str(path)

    return write


def _json(records: Records, path: Path) -> str:
    path.write_text(json.dumps(records, indent=1))
    return str(path)


def _jsonl(records: Records, path: Path) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def _gzip(records: Records, path: Path) -> str:
    path.write_bytes(gzip.compress(_delimited(records, ",").encode()))
    return str(path)


def _utf16(records: Records, path: Path) -> str:
    path.write_bytes(_delimited(records, ";").encode("utf-16"))
    return str(path)


def _parquet(records: Records, path: Path) -> str:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), path)
    return str(path)


def _arrow(records: Records, path: Path) -> str:
    pyarrow.feather.write_feather(pyarrow.Table.from_pylist(records), path)
    return str(path)


def _workbook(records: Records, path: Path) -> str:
    book = openpyxl.Workbook()
    book.active.append(["something", "else"])  # which is not meant
    sheet = book.create_sheet("mine")
    for row in [list(records[0]), *(list(record.values()) for record in records)]:
        sheet.append(row)
    book.save(path)
    return f"{path}::mine"


def _sqlite(records: Records, path: Path) -> str:
    names = list(records[0])
    with sqlite3.connect(path) as base:
        base.execute(f"CREATE TABLE t ({', '.join(map(repr, names))})")
        marks = ", ".join("?" * len(names))
        base.executemany(f"INSERT INTO t VALUES ({marks})", [tuple(one.values()) for one in records])
    base.close()
    return f"{path}::t"


def _duckdb(records: Records, path: Path) -> str:
    import duckdb

    with duckdb.connect(path) as base:
        base.register("given", pyarrow.Table.from_pylist(records))
        base.execute("CREATE TABLE t AS SELECT * FROM given")
    return f"{path}::t"


WRITERS = {
    "csv": _text(","),
    "semicolons": _text(";"),
    "bars": _text("|"),
    "tsv": _text("\t"),
    "json": _json,
    "jsonl": _jsonl,
    "gzip": _gzip,
    "utf-16": _utf16,
    "parquet": _parquet,
    "arrow": _arrow,
    "xlsx": _workbook,
    "sqlite": _sqlite,
    "duckdb": _duckdb,
}


@pytest.mark.parametrize("dress", WRITERS)
@pytest.mark.parametrize("table", TABLES)
def test_every_table_in_every_format(table: str, dress: str, tmp_path: Path) -> None:
    records, read = TABLES[table]
    plain = WRITERS["jsonl"](records, tmp_path / "plain")
    # A file's name does not count: what is in it is detected from the content.
    assert read(WRITERS[dress](records, tmp_path / "x")) == read(plain)


@pytest.mark.parametrize("table", TABLES)
def test_every_table_takes_columns_format_and_encoding(table: str, tmp_path: Path) -> None:
    records, read = TABLES[table]
    first = next(iter(records[0]))
    renamed = [
        {("schlüssel" if name == first else name): cell for name, cell in one.items()} for one in records
    ]
    path = tmp_path / "x.txt"
    path.write_bytes(_delimited(renamed, "|").encode("cp1252"))
    how: dict[str, Any] = {"columns": {first: "schlüssel"}, "encoding": "cp1252", "format": "csv"}
    if table == "items":  # whose test reads the column by its name
        assert len(read_items(path, **how)) == 2
        return
    assert read(path, **how) == read(WRITERS["jsonl"](records, tmp_path / "plain"))


@pytest.mark.parametrize("table", sorted(TABLES.keys() - {"run", "judgments"}))
def test_a_missing_column_is_suggested_among_those_not_yet_used(table: str, tmp_path: Path) -> None:
    records, read = TABLES[table]
    first = next(iter(records[0]))
    renamed = [{("x" if name == first else name): cell for name, cell in one.items()} for one in records]
    ours = {"items": "document"}.get(table, "query")
    with pytest.raises(InputError) as caught:
        read(WRITERS["jsonl"](renamed, tmp_path / "t"))
    assert f"there is no column {ours!r}" in str(caught.value)
    theirs = "NAME" if table == "votes" else "x"  # which column holds votes is never guessed
    assert f"{ours}={theirs}, or columns={{{ours!r}: {theirs!r}}} in Python" in str(caught.value)


def test_an_option_that_a_format_does_not_have(tmp_path: Path) -> None:
    records, _ = TABLES["items"]
    path = WRITERS["csv"](records, tmp_path / "x.csv")
    with pytest.raises(InputError, match="there is no part 'sheet': this is CSV"):
        read_items(f"{path}::sheet")
    with pytest.raises(InputError, match="this is LETOR: a run or judgments, not a table"):
        read_items(path, format="letor")
