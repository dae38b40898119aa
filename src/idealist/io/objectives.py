"""Judgments with several grades per document."""

from __future__ import annotations

from idealist.data.objectives import Objectives
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.types import GivenTable


def read_objectives(
    source: GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Objectives:
    """Judgments with several grades from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a
    list of records: the columns query, document and one per objective. `encoding`, `decimal` and `columns` are
    those of read_table."""
    if isinstance(source, Objectives):
        return source
    return Objectives(
        read_table(source, columns=columns, format=format, encoding=encoding, decimal=decimal).of("judgments")
    )
