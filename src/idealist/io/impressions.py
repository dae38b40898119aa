"""Logs of impressions: tables with a row for every document shown, and whether it was clicked."""

from __future__ import annotations

from idealist.data.impressions import Impressions
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.types import GivenTable


def read_impressions(
    source: Impressions | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
) -> Impressions:
    """A log of impressions from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a list of records.
    Impressions says what its columns are, `columns` how they are called here.

    >>> rows = [{"impression": 1, "query": "q", "document": d, "position": p, "click": p == 2} for p, d in [(1, "a"), (2, "b")]]
    >>> read_impressions(rows)
    <Impressions: 1 impression of 1 query, 1 click>
    """
    if isinstance(source, Impressions):
        return source
    return Impressions(read_table(source, format=format, encoding=encoding).of("clicks"), columns=columns)
