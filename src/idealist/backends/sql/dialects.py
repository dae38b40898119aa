"""Numbers and names as SQL writes them, and the few words in which databases differ here."""

from __future__ import annotations

import re

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.measures.gains import number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NoSqlForm(InputError):
    """An operation that SQL has no form for, in words."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"it needs {what}, which SQL has no form for",
            hint="measure it with idealist evaluate, or on an engine; docs/sql.md lists what SQL can say",
        )


def number(value: float) -> str:
    """A number, in brackets where a sign before it could be read as a minus.

    >>> number(2.0), number(-0.5)
    ('2', '(-0.5)')
    """
    return number_text(value) if value >= 0 else f"({number_text(value)})"


def name_part(text: str) -> str:
    """Text as a part of a name: letters, digits and _.

    >>> name_part("nDCG(gain=exp)@10")
    'ndcg_gain_exp_at_10'
    """
    return re.sub(r"[^a-z0-9]+", "_", text.lower().replace("@", "_at_").replace("-", "_minus_")).strip("_")


def by_level(name: str, level: float) -> str:
    """The name for level 1 as it is; those of other levels say theirs."""
    if level == float("-inf"):
        return f"{name}_from_any_grade"
    return name if level == 1 else f"{name}_from_{name_part(number_text(level))}"


def to_rank(name: str, k: float | None) -> str:
    return name if k is None else f"{name}_at_{name_part(number_text(k))}"


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
