"""idealist sql, as it is used: its text goes into a database, and gives what `idealist evaluate` gives."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from conftest import Command

from idealist import evaluate, read_judgments, read_run


@pytest.fixture
def database(shop: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    run, judgments = read_run(shop / "a.run"), read_judgments(shop / "shop.qrels")
    for name, rows, number in (("hits", run, "score"), ("stars", judgments, "grade")):
        connection.execute(f"CREATE TABLE {name} (uid VARCHAR, sku VARCHAR, {number} DOUBLE)")
        connection.executemany(
            f"INSERT INTO {name} VALUES (?, ?, ?)",
            [(query, document, value) for query in rows for document, value in rows[query].items()],
        )
    return connection


def test_the_query_gives_what_evaluate_gives(
    idealist: Command, database: duckdb.DuckDBPyConnection, shop: Path
) -> None:
    options = ["--run", "hits", "--judgments", "stars", "--columns", "query=uid,document=sku"]
    done = idealist("sql", "nDCG@5", "AP", "RR", "--gain", "exp", "--ties", "averaged", *options)
    assert (done.returncode, done.stderr) == (0, "")
    expected = evaluate(
        shop / "shop.qrels", shop / "a.run", ["nDCG(gain=exp)@5", "AP", "RR"], conventions="ties=averaged"
    )
    found = database.sql(done.stdout).fetchall()
    assert found == [pytest.approx([expected.mean(measure) for measure in expected.measures], rel=1e-12)]
    by_query = idealist("sql", "AP", "--by-query", "--ties", "averaged", "--no-checks", *options)
    assert dict(database.sql(by_query.stdout).fetchall()) == pytest.approx(expected.by_query("AP"), rel=1e-12)


def test_errors_are_said_in_one_line_and_a_hint(idealist: Command) -> None:
    done = idealist("sql", "ILD", "--dialect", "spark")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("idealist: ILD@10 cannot be written as SQL")
    assert "docs/sql.md lists what SQL can say" in done.stderr
    wrong = idealist("sql", "P@3", "--columns", "run.user=uid")
    assert wrong.returncode == 2
    assert "'run.user' is not a column of runs" in wrong.stderr
