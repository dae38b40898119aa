"""Dialects of SQL: the few words in which databases differ here."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Dialect(Frozen):
    """What a database calls its types, how it quotes names and how a query of it can fail on purpose.

    `stop` is an expression that raises an error with the text of the column {}; where there is no function for that, the
    text is cast to a number, which fails and quotes it.
    """

    name: str
    database: str
    text: str
    double: str
    single: str = ""
    quote: str = '"'
    bytewise: str = ""
    nan: str = "isnan({})"
    stop: str = "CAST({} AS INTEGER)"
    # How names that are not quoted are stored: in upper or lower case, or as they are.
    folds: str = ""
    # Where a power too small for a number is an error, and not 0.
    underflows: bool = False
    tested: str = "equality with `evaluate` is tested on this database"


_PARSED = "tested by a parser of this dialect alone, not on the database"

DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("duckdb", "DuckDB", "VARCHAR", "DOUBLE", "FLOAT", stop="CAST(error({}) AS VARCHAR)"),
        Dialect(
            "spark",
            "Spark SQL",
            "STRING",
            "DOUBLE",
            "FLOAT",
            quote="`",
            stop="CAST(raise_error({}) AS STRING)",
        ),
        Dialect(
            "postgres",
            "PostgreSQL",
            "TEXT",
            "DOUBLE PRECISION",
            "REAL",
            bytewise=' COLLATE "C"',
            nan="{} = CAST('NaN' AS DOUBLE PRECISION)",
            folds="lower",
            underflows=True,
        ),
        # Neither has 32-bit numbers.
        Dialect(
            "bigquery",
            "BigQuery",
            "STRING",
            "FLOAT64",
            quote="`",
            nan="IS_NAN({})",
            stop="ERROR({})",
            tested=_PARSED,
        ),
        Dialect(
            "snowflake",
            "Snowflake",
            "VARCHAR",
            "DOUBLE",
            nan="{} = CAST('NaN' AS DOUBLE)",
            folds="upper",
            tested=_PARSED,
        ),
    )
}


def as_dialect(name: Any) -> Dialect:
    """A dialect by its name.

    >>> as_dialect("postgres").double
    'DOUBLE PRECISION'
    """
    if isinstance(name, str) and name in DIALECTS:
        return DIALECTS[name]
    raise InputError(f"no dialect of SQL is called {name!r}", hint=f"name one of: {', '.join(DIALECTS)}")
