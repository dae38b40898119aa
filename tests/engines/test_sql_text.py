"""The text of queries: what is asked for is there, once, and what cannot be written as SQL is refused."""

from __future__ import annotations

import re
from math import sqrt
from typing import Any

import pytest

from idealist import DCG, NDCG, Conventions, InputError, Measure, Rankings, kernels
from idealist.backends.sql.dialects import DIALECTS
from idealist.engines import sql
from idealist.engines.sql.sql_query import column, column_names, table
from idealist.kernels import Values
from idealist.measures import registry


def test_measures_share_what_they_have_in_common() -> None:
    text = sql.query(["DCG@10", "nDCG@10", "P@10", "R@10"], checks=False)
    assert text.count("AS hits_at_10") == 2  # the sum, and 0 of queries without any
    assert text.count("LN(2) / LN(rank + 1)") == text.count("AS ideal_dcg_at_10") == 1


def test_only_what_is_needed_is_there() -> None:
    text = sql.query("NumRel", checks=False)
    assert re.findall(r"(\w+) AS \(", text) == [
        "run_rows",
        "judged",
        "totals",
        "joined",
        "by_query",
    ]


def test_conventions_are_said() -> None:
    text = sql.query("nDCG@10", conventions="lightgbm", columns={"rank": "position"})
    assert "-- nDCG(gain=exp)@10, for DuckDB" in text
    assert "-- conventions: ties input-order · missing skip · empty one · negative error" in text
    assert "-- documents with equal scores: input-order (as they were given)" in text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_of_measures_are_names_in_every_dialect(dialect: str) -> None:
    """Of letters, digits and _, short enough, and different."""
    gains = [{0: 0, grade: gain} for grade in (1, 2) for gain in (0.123456789, 1e-300, 12345678.5)]
    measures = [NDCG(gain=gain, discount=[1, 0.5, 0.25], k=k) for gain in gains for k in (1, 2, 3)]
    names = list(column_names(measures).values())
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name) for name in names)
    assert len(set(names)) == len(measures)
    text = sql.query(measures, dialect=dialect, checks=False)
    assert [f" AS {name}" in text for name in names] == [True] * len(names)


def test_names_are_quoted_where_they_must_be() -> None:
    duckdb, spark = DIALECTS["duckdb"], DIALECTS["spark"]
    assert column('a"b', duckdb) == '"a""b"'
    assert column('"Order"', duckdb) == '"Order"'
    assert [column("User", DIALECTS[name]) for name in ("duckdb", "postgres", "snowflake", "bigquery")] == [
        '"User"',
        '"user"',
        '"USER"',
        "`User`",
    ]
    assert column("a`; DROP TABLE x", spark) == "`a``; DROP TABLE x`"
    assert table("a.`b.c`.d e", "run", spark) == "a.`b.c`.`d e`"
    assert table("'run.parquet'", "run", duckdb) == "'run.parquet'"


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (
            {"measures": "PNR"},
            "PNR cannot be written as SQL: it needs a sum over the documents above",
            "docs/sql.md lists what SQL can say",
        ),
        (
            {"measures": "nDCG", "dialect": "oracle"},
            "no dialect of SQL is called 'oracle'",
            "name one of: duckdb",
        ),
        ({"measures": "nDCG", "conventions": "ties=input-order"}, "rows of a table have no order", "rank"),
        (
            {"measures": "Bpref", "conventions": "ties=averaged"},
            "Bpref cannot be written as SQL: it has no closed form",
            "id-descending",
        ),
        (
            {"measures": "P@1", "conventions": "precision=single", "dialect": "snowflake"},
            "no 32-bit",
            "double",
        ),
        ({"measures": DCG(gain=lambda grade: sqrt(grade))}, "a function of Python", "idealist evaluate"),
        (
            {"measures": "DCG(discount=[1,0.5])"},
            "a discount that is no formula of the rank",
            "idealist evaluate",
        ),
        ({"measures": "DCG(discount=[1,0.5])@3"}, "ends at rank 2, but rank 3 occurs", "cut off at k=2"),
        (
            {"measures": "nDCG(gain={0:1,1:0})", "conventions": "ties=optimistic"},
            "needs a gain that rises",
            "averaged",
        ),
        ({"measures": DCG(discount=lambda rank: rank)}, "rank 2, 2, is above that of rank 1", "never rise"),
        ({"measures": "INST@2000"}, "also below the list, down to 2000", "idealist evaluate"),
        (
            {"measures": "Upper(of=nDCG)"},
            "an ideal list, with unjudged documents that have a grade",
            "evaluate",
        ),
        ({"measures": "KendallTau"}, "it needs a second run", "idealist evaluate"),
        ({"measures": "P@1", "run": ""}, "run must be the name of a table, not ''", "shop.table"),
        ({"measures": "P@1", "run": "Judged"}, "a table called 'Judged' would be hidden", "main.Judged"),
        ({"measures": "P@1", "columns": {"user": "uid"}}, "'user' is not a known column", "query, document"),
        ({"measures": "P@1", "columns": {"query": " "}}, "' ' is not the name of a column", "user_id"),
    ],
)
def test_what_sql_cannot_say_is_refused(arguments: dict[str, object], message: str, hint: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        sql.query(**arguments)  # type: ignore[arg-type]
    assert hint in caught.value.hint


def test_functions_of_python_are_followed() -> None:
    """Or, of ranks, written out down to the cut-off."""
    text = sql.query(
        DCG(discount=lambda rank: 1 / rank**2, gain=lambda grade: 3 if grade >= 2 else grade / 2),
        checks=False,
    )
    assert "CASE WHEN grade >= 2 THEN 3 ELSE grade / 2 END" in text
    assert "1 / POWER(rank, 2)" in text
    text = sql.query(DCG(discount=lambda rank: 1 / sqrt(rank**2), k=2), checks=False)
    assert "CASE rank WHEN 1 THEN 1 WHEN 2 THEN 0.5 ELSE 0 END" in text


def test_a_measure_of_ones_own() -> None:
    """In the operations of the algebra, or of the lists one by one."""

    class Last(Measure):
        def values(self, rankings: Rankings) -> Values:
            hit = kernels.grades(rankings.native) >= 1.0
            return (hit * kernels.ranks(rankings.native)).highest(0.0)

    class Length(Measure):
        def values(self, rankings: Rankings) -> Any:
            return [float(ranking.retrieved) for ranking in rankings]

    assert "MAX(CASE WHEN grade >= 1 THEN rank ELSE 0 END)" in sql.query(Last())
    with pytest.raises(InputError, match="Length cannot be written as SQL: it needs queries one by one"):
        sql.query(Length())


@pytest.mark.parametrize("measure", sorted(registry()))
def test_every_measure_is_said_or_refused(measure: str) -> None:
    """None is an error of another kind."""
    try:
        assert sql.query(registry()[measure](), conventions=Conventions()).endswith("\n")
    except InputError as error:
        assert "cannot be written as SQL" in error.message
