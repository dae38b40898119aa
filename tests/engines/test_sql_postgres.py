"""SQL for PostgreSQL: the values of `evaluate`, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from psycopg.rows import dict_row
from support.postgres_server import postgres_server, why_not
from support.programs import program_absent
from support.sql_tables import (
    COMBINATIONS,
    Expected,
    Rows,
    conventions,
    queries_of,
    random_rows,
    refuse_difference,
    representative_for,
    tables,
)

from idealist import Conventions
from idealist.engines import sql

Connection = Any  # psycopg is not where types are checked


@pytest.fixture(scope="module")
def database() -> Iterator[Connection]:
    reason = why_not()
    if reason is not None:
        program_absent(reason)
    with (
        postgres_server() as url,
        psycopg.connect(url.format(name="postgres"), row_factory=dict_row, autocommit=True) as connection,
    ):
        for table, number in (("run", "score"), ("judgments", "grade")):
            connection.execute(
                f"CREATE TABLE {table} (query text, document text, {number} double precision, row_number int)"
            )
        yield connection


def fill(database: Connection, run: Rows, judgments: Rows) -> None:
    for table, rows in (("run", run), ("judgments", judgments)):
        database.execute(f"TRUNCATE {table}")
        with database.cursor().copy(f"COPY {table} FROM STDIN") as copy:
            for number, row in enumerate(rows):
                copy.write_row((*row, number))


def compare(database: Connection, run: Rows, judged: Rows, chosen: Conventions) -> None:
    measures = representative_for(chosen)
    expected = Expected(run, judged, measures, chosen)
    fill(database, run, judged)
    means, by_query = queries_of(measures, "postgres", chosen)
    (mean,) = database.execute(means).fetchall()
    refuse_difference(mean, expected.means, "means")
    values = {row.pop("query"): row for row in database.execute(by_query).fetchall()}
    assert list(values) == list(expected.by_query)  # in bytewise order too
    for query in values:
        refuse_difference(values[query], expected.by_query[query], query)


@settings(max_examples=15)
@given(tables(), conventions())
def test_values_are_those_of_evaluate(
    database: Connection, rows: tuple[Rows, Rows], chosen: Conventions
) -> None:
    compare(database, *rows, chosen)


@pytest.mark.parametrize("chosen", COMBINATIONS, ids=str)
def test_values_of_many_queries(database: Connection, chosen: Conventions) -> None:
    compare(database, *random_rows(1, 100), chosen)


def test_text_is_not_ordered_bytewise_there_by_itself(database: Connection) -> None:
    """So that the tests above would notice a query that does not ask for it."""
    database.execute("TRUNCATE run")
    assert database.execute("SELECT 'b' < 'B' AS first").fetchall() == [{"first": True}]


@pytest.mark.parametrize(
    ("run", "judged", "chosen", "message"),
    [
        (
            [("q", "a", None)],
            [("q", "a", 1.0)],
            "idealist",
            "the run has a row without a number or an id: query q",
        ),
        ([("q", "a", 1.0)] * 2, [("q", "a", 1.0)], "idealist", "document a of query q more than once"),
        ([("q", "a", 1.0)], [("q", "a", 0.0)], "empty=error", "query q has nothing relevant"),
        (
            [("q", "a", 1.0)],
            [("q", "a", 3.0)],
            "gain={1:1}",
            "query q has grade 3, which the gain table lacks",
        ),
        (
            [("x", "a", 1.0)],
            [("q", "a", 1.0)],
            "idealist",
            "the run has none of the judged queries, such as q",
        ),
    ],
)
def test_bad_tables_are_errors(
    database: Connection, run: Rows, judged: Rows, chosen: str, message: str
) -> None:
    fill(database, run, judged)
    with pytest.raises(psycopg.errors.InvalidTextRepresentation, match=message):
        database.execute(sql.query("nDCG@10", dialect="postgres", conventions=chosen))


def test_a_small_power_is_no_error(database: Connection) -> None:
    """0.5^(rank - 1) of 3,000 ranks: there, a number below 1e-308 would be one."""
    rows = [("q", f"d{number}", -float(number)) for number in range(3000)]
    fill(database, rows, [("q", "d0", 1.0), ("q", "d2999", 1.0)])
    (value,) = database.execute(sql.query("DCG(discount=rbp(0.5))", dialect="postgres")).fetchall()
    assert value == {"dcg_discount_rbp_0_5": 1.0}


def test_a_column_may_be_called_user(database: Connection) -> None:
    """Which, without quotes, is who asks: all rows would be of one query."""
    database.execute('CREATE TABLE shown ("user" int, "order" int)')
    database.execute("INSERT INTO shown VALUES (1, 9), (2, 9)")
    columns = {"query": "user", "document": "order", "score": "order", "grade": "order"}
    text = sql.query("NumQ", dialect="postgres", run="shown", judgments="shown", columns=columns)
    assert database.execute(text).fetchall() == [{"numq": 2.0}]
