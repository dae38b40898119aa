"""Tables of items: one row per document, with what is known about it."""

from __future__ import annotations

from idealist.data.items import Items
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.types import GivenTable


def read_items(
    source: Items | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Items:
    """The items of a table: a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns, a list of records.
    Items are given back as they are. `encoding`, `decimal` and `columns` are those of read_table.

    >>> read_items([{"item": "a", "popularity": 3}, {"item": "b", "popularity": 1}])
    <Items: 2 items; item, popularity>
    """
    if isinstance(source, Items):
        return source
    return Items(
        read_table(source, columns=columns, format=format, encoding=encoding, decimal=decimal).of("items")
    )
