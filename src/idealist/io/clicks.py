"""Click logs: tables with the columns query, document, position and, if known, clicks and propensity."""

from __future__ import annotations

from idealist.data.clicks import ClickLog
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.types import GivenTable


def read_clicks(
    source: ClickLog | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> ClickLog:
    """A click log from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a list of records.
    `encoding`, `decimal` and `columns` are those of read_table."""
    if isinstance(source, ClickLog):
        return source
    return ClickLog(
        read_table(source, columns=columns, format=format, encoding=encoding, decimal=decimal).of("clicks")
    )
