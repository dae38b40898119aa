"""Tables of SQLite and DuckDB databases."""

from __future__ import annotations

import gzip
import sqlite3
import subprocess
import sys
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plain_trec import write

from idealist import InputError, Judgments, evaluate, kernels, read_judgments, read_run
from idealist.data import RunFile, match
from idealist.data.detection import names_of_source

ROWS = [("q1", "a", 2.0), ("q1", "b", 1.0), ("q2", "c", 0.5)]
RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 0.5}}
ODD = 'run "x"; DROP TABLE qrels; --'


def connect(path: Path) -> Any:
    if path.suffix == ".sqlite":
        return sqlite3.connect(path)
    return pytest.importorskip("duckdb").connect(str(path))


@pytest.fixture(params=["sqlite", "duckdb"])
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"shop.{request.param}"
    made = connect(path)
    odd = ODD.replace('"', '""')
    made.execute("CREATE TABLE qrels (query_id TEXT, doc_id TEXT, rel INTEGER)")
    made.execute("CREATE TABLE run_a (qid TEXT, docid TEXT, score DOUBLE)")
    made.execute("CREATE TABLE ranked (uid INTEGER, sku INTEGER, position INTEGER, note TEXT)")
    made.execute(f'CREATE TABLE "{odd}" (qid TEXT, docid TEXT, "the ""score""" DOUBLE)')
    made.execute("CREATE TABLE gaps (qid TEXT, docid TEXT, score DOUBLE)")
    made.execute("CREATE TABLE bare (qid TEXT, docid TEXT, score DOUBLE)")
    made.execute("CREATE VIEW best AS SELECT * FROM run_a WHERE score > 1")
    made.executemany("INSERT INTO qrels VALUES (?, ?, ?)", [("q1", "a", 0), ("q1", "b", 3)])
    made.executemany("INSERT INTO run_a VALUES (?, ?, ?)", ROWS)
    made.executemany("INSERT INTO ranked VALUES (?, ?, ?, ?)", [(1, 7, 2, ""), (1, 8, 1, "")])
    made.executemany(f'INSERT INTO "{odd}" VALUES (?, ?, ?)', ROWS)
    made.executemany("INSERT INTO gaps VALUES (?, ?, ?)", [("q", "a", 1.0), ("q", None, 1.0)])
    made.commit()
    if path.suffix == ".duckdb":
        made.execute("CHECKPOINT")  # closing may leave it for later
    made.close()
    return path


def test_tables_and_views(base: Path) -> None:
    assert read_judgments(f"{base}::qrels").to_dict() == {"q1": {"a": 0.0, "b": 3.0}}
    run = read_run(f"{base}::run_a")
    assert (run.name, run.to_dict()) == ("run_a", RUN)
    assert read_run(f"{base}::RUN_A") == run
    assert read_run(f"{base}::best").to_dict() == {"q1": {"a": 2.0}}
    judgments = read_judgments(f"{base}::qrels")
    assert match(judgments, RunFile(f"{base}::run_a")) == match(judgments, run)
    # b, the only relevant document, is second.
    assert evaluate(judgments, RunFile(f"{base}::run_a"), "RR").mean("RR") == 0.5


@pytest.mark.parametrize("together", [True, False])
def test_runs_are_measured_while_they_are_read(
    base: Path, together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In windows of a hundred rows; only those whose queries lie apart are kept."""
    monkeypatch.setattr("idealist.data.triples.WINDOW", 100)
    monkeypatch.setattr("idealist.data.formats.duckdb.WINDOW_ROWS", 100)
    rows = [(f"q{q}", f"d{d}", float(d * 7 % 31)) for q in range(40) for d in range(30)]
    if not together:
        rows.sort(key=lambda row: row[1])
    made = connect(base)
    made.execute("CREATE TABLE long (qid TEXT, docid TEXT, score DOUBLE)")
    made.executemany("INSERT INTO long VALUES (?, ?, ?)", rows)
    made.commit()
    made.close()
    judgments = Judgments({f"q{q}": {f"d{d}": d % 3 for d in range(0, 30, 4)} for q in range(0, 45, 2)})
    expected = match(judgments, read_run(f"{base}::long"))
    gathered: list[int] = []
    monkeypatch.setattr(kernels, "Gathering", _counted(kernels.Gathering, gathered))
    assert match(judgments, RunFile(f"{base}::long")) == expected
    assert bool(gathered) != together


def _counted(made: Any, calls: list[int]) -> Any:
    def make(threads: int) -> Any:
        calls.append(threads)
        return made(threads)

    return make


def test_a_document_twice_is_named_by_its_row(base: Path) -> None:
    made = connect(base)
    made.executemany("INSERT INTO run_a VALUES (?, ?, ?)", [("q9", "z", 1.0), ("q1", "a", 0.0)])
    made.commit()
    made.close()
    judgments = read_judgments(f"{base}::qrels")
    for use in (lambda: read_run(f"{base}::run_a"), lambda: match(judgments, RunFile(f"{base}::run_a"))):
        with pytest.raises(InputError, match="row 5: document 'a' appears twice for query 'q1'"):
            use()


@pytest.mark.parametrize("kind", ["sqlite", "letor"])
def test_rows_are_not_kept_as_objects(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 60,000 rows, a thousand at a time: a window takes a third of a megabyte, and all would take ten or more."""
    monkeypatch.setattr("idealist.data.triples.WINDOW", 1000)
    if kind == "sqlite":
        made = connect(tmp_path / "x.sqlite")
        made.execute("CREATE TABLE qrels (qid TEXT, docid TEXT, grade DOUBLE)")
        cells = [(f"q{row // 100}", f"document{row}", 1.0) for row in range(60_000)]
        made.executemany("INSERT INTO qrels VALUES (?, ?, ?)", cells)
        made.commit()
        made.close()
        del cells
        source = f"{tmp_path}/x.sqlite::qrels"
    else:
        rows = (f"1 qid:{row // 100} 1:0.5 #docid = document{row}\n" for row in range(60_000))
        source = str(write(tmp_path / "x.txt", "".join(rows).encode()))
    read_judgments(source)
    tracemalloc.start()
    try:
        read = read_judgments(source)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(read) == 600
    assert peak < 6_000_000  # a block of a megabyte, and its lines, are among it


def test_whole_numbers_as_ids_and_ranks_as_scores(base: Path) -> None:
    run = read_run(f"{base}::ranked", columns={"query": "uid", "document": "sku"})
    assert run.to_dict() == {"1": {"7": -2.0, "8": -1.0}}
    assert run.ranking("1") == ["8", "7"]


def test_names_are_names_whatever_is_in_them(base: Path) -> None:
    run = read_run(f"{base}::{ODD}", columns={"score": 'the "score"'})
    assert run.to_dict() == RUN
    assert read_judgments(f"{base}::qrels").to_dict()["q1"]["b"] == 3.0
    for name in ('qrels"; DROP TABLE qrels; --', "qrels; DROP TABLE qrels", "' OR 1=1 --"):
        with pytest.raises(InputError, match=r"there is no table"):
            read_judgments(f"{base}::{name}")
    assert read_judgments(f"{base}::qrels").to_dict()["q1"]["b"] == 3.0


def test_tables_that_are_not_there(base: Path) -> None:
    with pytest.raises(
        InputError, match=r"no table 'run_b' in this database\nhint: its tables are .*qrels, .*run_a"
    ):
        read_run(f"{base}::run_b")
    with pytest.raises(
        InputError, match=r"this is a database, and no table was named\nhint: its tables are "
    ):
        read_run(base)
    with pytest.raises(InputError, match=r"there is no such file"):
        read_run(f"{base}x::run_a")


def test_columns_that_are_not_there(base: Path) -> None:
    with pytest.raises(
        InputError, match=r"::qrels: there is no column 'score' or 'rank'\nhint: there are query_id, "
    ):
        read_run(f"{base}::qrels")
    with pytest.raises(
        InputError, match=r"no column 'uid', which columns names as the query\nhint: there are qid, docid"
    ):
        read_run(f"{base}::run_a", columns={"query": "uid"})


def test_nulls_and_empty_tables(base: Path) -> None:
    with pytest.raises(InputError, match=r"::gaps: row 2: the document is (NULL|null)"):
        read_run(f"{base}::gaps")
    with pytest.raises(InputError, match=r"no rows|empty"):
        read_run(f"{base}::bare")


def test_the_database_stays_as_it_is(base: Path) -> None:
    before = {one.name: one.read_bytes() for one in base.parent.iterdir()}
    base.chmod(0o444)
    read_run(f"{base}::run_a")
    assert {one.name: one.read_bytes() for one in base.parent.iterdir()} == before


def test_damaged_databases(base: Path, tmp_path: Path) -> None:
    whole = base.read_bytes()
    cut = write(tmp_path / f"cut{base.suffix}", whole[: len(whole) // 3])
    with pytest.raises(InputError, match=r"(database|table) cannot be read"):
        read_run(f"{cut}::run_a")
    with pytest.raises(InputError, match=r"this is a database, but compressed by gzip"):
        read_run(f"{write(tmp_path / 'packed', gzip.compress(whole))}::run_a")


KILLED = """
import os, sqlite3, sys
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("PRAGMA cache_size = 1")
base.execute("BEGIN IMMEDIATE")
base.execute("CREATE TABLE more (x)")
base.executemany("INSERT INTO more VALUES (?)", (("x" * 1000,) for _ in range(3000)))
os._exit(9)
"""


def test_a_database_whose_writer_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE t (qid TEXT, docid TEXT, score REAL)")
        made.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
    made.close()
    before = path.read_bytes()
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert (tmp_path / "x.sqlite-journal").exists()
    assert path.read_bytes() != before
    assert read_run(f"{path}::t").to_dict() == RUN
    assert path.read_bytes() == before
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert names_of_source(f"{path}::t") == ["qid", "docid", "score"]


def test_views_of_other_files_are_not_followed(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    other = write(tmp_path / "other.csv", b"qid,docid,score\nq,secret,1\n")
    with duckdb.connect(str(tmp_path / "x.duckdb")) as made:
        made.execute(f"CREATE VIEW v AS SELECT * FROM read_csv('{other}')")
    with pytest.raises(InputError, match=r"cannot be read: .*\nhint: views that read other files"):
        read_run(f"{tmp_path / 'x.duckdb'}::v")


def test_text_where_a_number_should_be(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.db") as made:
        made.execute("CREATE TABLE t (qid, docid, score)")
        made.execute("INSERT INTO t VALUES ('q', 'a', '1.5'), ('q', 'b', 'high')")
    made.close()
    with pytest.raises(InputError, match=r"::t: row 2: the score is not a number: 'high'"):
        read_run(f"{tmp_path / 'x.db'}::t")
    with sqlite3.connect(tmp_path / "x.db") as made:
        made.execute("UPDATE t SET docid = 1.5, score = 1")
    made.close()
    with pytest.raises(InputError, match=r"::t: row 1: the document is 1.5, of type float"):
        read_run(f"{tmp_path / 'x.db'}::t")


IDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


@given(st.dictionaries(st.tuples(IDS, IDS), st.floats(allow_nan=False), min_size=1, max_size=20))
def test_any_ids_and_scores(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[tuple[str, str], float]
) -> None:
    path = tmp_path_factory.mktemp("sqlite") / "x.db"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE t (qid TEXT, docid TEXT, score REAL)")
        made.executemany("INSERT INTO t VALUES (?, ?, ?)", [(*ids, score) for ids, score in rows.items()])
    made.close()
    expected: dict[str, dict[str, float]] = {}
    for (query, document), score in rows.items():
        expected.setdefault(query, {})[document] = score
    assert read_run(f"{path}::t").to_dict() == expected


def test_a_damaged_schema_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE run (query TEXT, document TEXT, score REAL)")
        base.commit()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE TABL\xf2"))
    with pytest.raises(InputError, match=r"x\.sqlite"):
        read_run(f"{path}::run")
