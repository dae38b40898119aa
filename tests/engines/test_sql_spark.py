"""SQL for Spark: the values of `evaluate`, on a cluster of two executors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.sql_tables import (
    COMBINATIONS,
    Expected,
    Rows,
    queries_of,
    random_rows,
    refuse_difference,
    representative_for,
)

from idealist import Conventions
from idealist.engines import sql


@pytest.fixture(scope="module")
def session(spark: Any) -> Iterator[Any]:
    """Without code made for each query: to compile that of fifty measures takes minutes, to run them a second."""
    session = spark.newSession()
    session.conf.set("spark.sql.shuffle.partitions", "2")
    session.conf.set("spark.sql.codegen.wholeStage", "false")
    session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    yield session
    session.catalog.dropTempView("run")
    session.catalog.dropTempView("judgments")


def fill(session: Any, run: Rows, judgments: Rows) -> None:
    for table, number, rows in (("run", "score", run), ("judgments", "grade", judgments)):
        numbered = [
            (query, document, None if value is None else float(value), place)
            for place, (query, document, value) in enumerate(rows)
        ]
        columns = f"query string, document string, {number} double, row_number int"
        session.createDataFrame(numbered, columns).createOrReplaceTempView(table)


def rows_of(session: Any, query: str) -> list[dict[str, Any]]:
    return [row.asDict() for row in session.sql(query).collect()]


@pytest.mark.parametrize("chosen", COMBINATIONS, ids=str)
def test_values_are_those_of_evaluate(session: Any, chosen: Conventions) -> None:
    run, judged = random_rows(2, 100)
    measures = representative_for(chosen)
    expected = Expected(run, judged, measures, chosen)
    fill(session, run, judged)
    _, by_query = queries_of(measures, "spark", chosen, checks=False)
    values = {row.pop("query"): row for row in rows_of(session, by_query)}
    assert list(values) == list(expected.by_query)  # in bytewise order too
    for query in values:
        refuse_difference(values[query], expected.by_query[query], query)


@pytest.mark.parametrize("chosen", [COMBINATIONS[0], COMBINATIONS[4]], ids=str)
def test_means_are_those_of_evaluate(session: Any, chosen: Conventions) -> None:
    run, judged = random_rows(2, 100)
    measures = representative_for(chosen)
    fill(session, run, judged)
    (mean,) = rows_of(session, queries_of(measures, "spark", chosen)[0])
    refuse_difference(mean, Expected(run, judged, measures, chosen).means, "means")


def test_with_code_made_for_the_query(session: Any) -> None:
    """As a session has it by default."""
    run, judged = random_rows(3, 50)
    fill(session, run, judged)
    measures, chosen = ["nDCG@10", "AP", "RR@3"], Conventions(ties="averaged")
    session.conf.set("spark.sql.codegen.wholeStage", "true")
    session.conf.set("spark.sql.codegen.factoryMode", "FALLBACK")
    try:
        (mean,) = rows_of(session, queries_of(measures, "spark", chosen)[0])
    finally:
        session.conf.set("spark.sql.codegen.wholeStage", "false")
        session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    refuse_difference(mean, Expected(run, judged, measures, chosen).means, "means")


def test_bad_tables_are_errors(session: Any) -> None:
    fill(session, [("q", "a", 1.0)] * 2, [("q", "a", 1.0)])
    with pytest.raises(Exception, match="the run has document a of query q more than once"):
        rows_of(session, sql.query("nDCG@10", dialect="spark"))
