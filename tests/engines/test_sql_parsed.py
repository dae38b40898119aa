"""SQL for databases that are not here, read by sqlglot's parser of their dialect; and for those that are."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot.errors import ErrorLevel
from support.sql_tables import COMBINATIONS, measures_for

from idealist import Conventions
from idealist.backends.sql.dialects import DIALECTS
from idealist.engines import sql


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "chosen", [*COMBINATIONS, Conventions(missing="error", empty="error", negative="error")], ids=str
)
def test_every_query_is_of_its_dialect(dialect: str, chosen: Conventions) -> None:
    if not DIALECTS[dialect].single:
        chosen = chosen.replace(precision="double")
    for by_query in (False, True):
        text = sql.query(
            measures_for(chosen),
            dialect=dialect,
            conventions=chosen,
            run="shop.my runs",
            columns={"rank": "position", "query": "user id"},
            by_query=by_query,
        )
        (parsed,) = sqlglot.parse(text, read=dialect, error_level=ErrorLevel.RAISE)
        assert isinstance(parsed, sqlglot.exp.Select)
        tables = {table.sql(dialect) for table in parsed.find_all(sqlglot.exp.Table) if table.db}
        quote = DIALECTS[dialect].quote
        assert tables == {f"shop.{quote}my runs{quote}"}
        # What it does not know it keeps as a command, or as a function without a class of its own.
        assert not list(parsed.find_all(sqlglot.exp.Command))
        unknown = {call.name.lower() for call in parsed.find_all(sqlglot.exp.Anonymous)}
        assert unknown <= {"error", "raise_error"}, unknown


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake"])
def test_types_and_functions_of_databases_that_are_not_here(dialect: str) -> None:
    text = sql.query(["nDCG(gain=exp)@10", "AP"], dialect=dialect)
    expected = {
        "bigquery": ("AS FLOAT64)", "AS STRING)", "IS_NAN(score)", "MAX(ERROR(problem))"),
        "snowflake": ("AS DOUBLE)", "AS VARCHAR)", "CAST('NaN' AS DOUBLE)", "MAX(CAST(problem AS INTEGER))"),
    }[dialect]
    assert [part for part in expected if part not in text] == []
