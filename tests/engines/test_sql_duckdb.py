"""SQL for DuckDB: the values of `evaluate`, whatever the conventions, and the errors of bad tables."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sql_tables import (
    COMBINATIONS,
    FILLED,
    ORDERED,
    REFUSED,
    Expected,
    Rows,
    conventions,
    measures_for,
    queries_of,
    random_rows,
    refuse_difference,
    tables,
)

from idealist import Conventions
from idealist.backends.sql.column_sheet import why_not
from idealist.data import needs
from idealist.engines import sql
from idealist.measures import parse, parse_all
from idealist.measures.naming import registry

Connection = duckdb.DuckDBPyConnection


@pytest.fixture(scope="module")
def database() -> Iterator[Connection]:
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        yield connection


def arrow(rows: Rows, number: str) -> pa.Table:
    queries, documents, numbers = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table(
        {
            "query": pa.array(queries, pa.string()),
            "document": pa.array(documents, pa.string()),
            number: pa.array(numbers, pa.float64()),
            "row_number": range(len(rows)),
        }
    )


def result(database: Connection, query: str, run: pa.Table, judgments: pa.Table) -> list[dict[str, Any]]:
    database.register("run", run)
    database.register("judgments", judgments)
    rows: list[dict[str, Any]] = database.sql(query).to_arrow_table().to_pylist()
    return rows


def compare(database: Connection, rows: tuple[Rows, Rows], measures: list[str], chosen: Conventions) -> None:
    run, judged = rows
    expected = Expected(run, judged, measures, chosen)
    tables = arrow(run, "score"), arrow(judged, "grade")
    means, by_query = queries_of(measures, "duckdb", chosen)
    (mean,) = result(database, means, *tables)
    refuse_difference(mean, expected.means, "means")
    values = {row.pop("query"): row for row in result(database, by_query, *tables)}
    assert list(values) == list(expected.by_query)  # in bytewise order too
    for query in values:
        refuse_difference(values[query], expected.by_query[query], query)


@settings(max_examples=30)
@given(tables(), conventions(), st.data())
def test_values_are_those_of_evaluate(
    database: Connection, rows: tuple[Rows, Rows], chosen: Conventions, data: st.DataObject
) -> None:
    measures = st.lists(st.sampled_from(measures_for(chosen)), unique=True, min_size=1, max_size=6)
    compare(database, rows, data.draw(measures), chosen)


@pytest.mark.parametrize("chosen", COMBINATIONS, ids=str)
def test_all_measures_in_one_query(database: Connection, chosen: Conventions) -> None:
    compare(database, random_rows(3, 40), measures_for(chosen), chosen)


@pytest.mark.slow
@given(tables(), conventions())
def test_all_measures_of_any_tables(
    database: Connection, rows: tuple[Rows, Rows], chosen: Conventions
) -> None:
    compare(database, rows, measures_for(chosen), chosen)


def test_every_measure_of_grades_is_written_or_refused() -> None:
    of_grades = {
        cls.name
        for cls in registry().values()
        if cls.needs in (needs.GRADES, needs.QUERIES)
        and not cls.given
        and cls.__module__.startswith("idealist.")
    }
    written = {measure.name for measure in parse_all(measures_for(Conventions()))}
    assert len(written) == 72
    assert written | {parse(text).name for text in REFUSED} == of_grades


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused_says_what_sql_lacks(text: str) -> None:
    reason = why_not(parse(text))
    assert reason is not None
    assert REFUSED[text] in reason


def test_every_measure_has_a_form_under_every_convention() -> None:
    """Or there is none for averaged ties in any backend."""
    for chosen in COMBINATIONS:
        assert [
            why_not(measure, chosen)
            for measure in parse_all(measures_for(chosen))
            if why_not(measure, chosen)
        ] == []
    refused = "it has no closed form for averaged ties"
    for measure in parse_all([*ORDERED, *FILLED]):
        assert refused in (why_not(measure, Conventions(ties="averaged")) or ""), measure


def test_a_value_by_hand(database: Connection) -> None:
    """Ranks 1 and 2 share a score: half of 1/log2(2) + 1/log2(3), of an ideal 1."""
    run = arrow([("q", "a", 0.5), ("q", "b", 0.5)], "score")
    text = sql.query("nDCG@10", conventions="ties=averaged")
    assert result(database, text, run, arrow([("q", "b", 1)], "grade")) == [
        {"ndcg_at_10": pytest.approx((1 + 1 / log2(3)) / 2, rel=1e-15)}
    ]


def test_large_ties_are_means_too(database: Connection) -> None:
    """The first of 3 relevant among 500 tied documents: products of 100 chances, as sums of logarithms."""
    documents = [f"d{number}" for number in range(500)]
    run = [("q", document, 1.0) for document in documents]
    chosen = Conventions(ties="averaged")
    compare(database, (run, [("q", d, 1) for d in documents[:3]]), ["RR", "Success@100", "AP"], chosen)


def test_ids_may_be_numbers(database: Connection) -> None:
    """As text: the tied document 9 comes before 10, the greater id first."""
    database.execute("CREATE TEMP TABLE hits AS SELECT 1 AS u, d, 0.5 AS s FROM (VALUES (9), (10)) AS t(d)")
    database.execute("CREATE TEMP TABLE stars AS SELECT 1 AS u, 10 AS d, 5::TINYINT AS g")
    columns = {"query": "u", "document": "d", "score": "s", "grade": "g"}
    text = sql.query("RR", run="hits", judgments="stars", columns=columns)
    assert database.sql(text).fetchall() == [(0.5,)]


def test_a_column_may_be_called_user(database: Connection) -> None:
    """Which, without quotes, is who asks: all rows would be of one query."""
    database.execute('CREATE TEMP TABLE shown AS SELECT * FROM (VALUES (1, 9), (2, 9)) AS t("user", "order")')
    columns = {"query": "user", "document": "order", "score": "order", "grade": "order"}
    text = sql.query("NumQ", run="shown", judgments="shown", columns=columns)
    assert database.sql(text).fetchall() == [(2.0,)]


@pytest.mark.parametrize(
    ("run", "judged", "chosen", "message"),
    [
        (
            [("q", "a", None)],
            [("q", "a", 1)],
            "idealist",
            "the run has a row without a number or an id: query q",
        ),
        (
            [("q", "a", float("nan"))],
            [("q", "a", 1)],
            "idealist",
            "the run has a row without a number or an id",
        ),
        ([(None, "a", 1)], [("q", "a", 1)], "idealist", "query NULL, document a"),
        (
            [("q", "a", 1)],
            [("q", "a", None)],
            "negative=unjudged",
            "the table of judgments has a row without",
        ),
        ([("q", "a", 1)], [("q", "a", float("inf"))], "idealist", "the table of judgments has a row without"),
        (
            [("q", "a", 1)] * 2,
            [("q", "a", 1)],
            "idealist",
            "the run has document a of query q more than once",
        ),
        (
            [("q", "a", 1)],
            [("q", "a", 1)] * 2,
            "idealist",
            "judgments has document a of query q more than once",
        ),
        ([("q", "a", 1)], [("q", "a", 1), ("r", "a", 1)], "missing=error", "query r is judged but missing"),
        ([("q", "a", 1)], [("q", "a", 0)], "empty=error", "query q has nothing relevant"),
        ([("q", "a", 1)], [("q", "a", 0.5)], "empty=error,gain=binary", "Rprec is undefined for query q"),
        ([("q", "a", 1)], [("q", "a", -1)], "negative=error", "query q has a negative grade"),
        ([("q", "a", 1)], [("q", "a", 3)], "gain={1:1}", "query q has grade 3.0, which the gain table lacks"),
        ([("q", "a", 1)], [("q", "a", 2000)], "gain=exp", "query q has grade 2000.0, above 1023"),
        ([("x", "a", 1)], [("q", "a", 1)], "idealist", "the run has none of the judged queries, such as q"),
    ],
)
def test_bad_tables_are_errors(
    database: Connection, run: Rows, judged: Rows, chosen: str, message: str
) -> None:
    """Wherever `evaluate` refuses, in its words or near to them."""
    text = sql.query(["nDCG@10", "Rprec"], conventions=chosen)
    with pytest.raises(duckdb.Error, match=message):
        result(database, text, arrow(run, "score"), arrow(judged, "grade"))


def test_errors_of_queries_that_are_left_out(database: Connection) -> None:
    """With missing=skip nothing is wrong with a query that the run does not have."""
    run, judged = arrow([("q", "a", 1)], "score"), arrow([("q", "a", 1), ("r", "a", -1)], "grade")
    text = sql.query("nDCG@10", conventions="missing=skip,empty=error,negative=error")
    assert result(database, text, run, judged) == [{"ndcg_at_10": 1.0}]


def test_without_checks_the_first_of_two_counts(database: Connection) -> None:
    """The query then reads each table for its values alone."""
    text = sql.query("RR", checks=False)
    assert "problems" not in text
    assert result(database, text, arrow([("q", "a", 1)], "score"), arrow([("q", "a", 1)], "grade")) == [
        {"rr": 1.0}
    ]
