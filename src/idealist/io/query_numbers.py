"""Numbers per query: tables with the columns query, system and one or more of numbers, or one table per system."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist.data.column_names import SYSTEM
from idealist.data.columns import Columns, is_frame
from idealist.data.frame_systems import listed_systems
from idealist.data.query_numbers import KIND, QueryNumbers, tables_by_system
from idealist.errors import InputError
from idealist.io.sources import parse_source
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.types import GivenTable

PATHS = (str, os.PathLike)


def read_numbers(
    source: QueryNumbers | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> QueryNumbers:
    """Numbers per query and system from a table (a file in any format of tables, a frame, a dict of columns, a list of
    records) with a column `system`, from a mapping of systems to such tables, each of one system, whatever it calls that, or
    from a list of files, each of the system it is named after. `encoding`, `decimal` and `columns` are those of read_table.

    >>> read_numbers({"old": {"query": ["a", "b"], "clicked": [1, 0]}, "new": {"query": ["a", "b"], "clicked": [1, 1]}})
    <QueryNumbers: clicked; old, new; 2 queries>
    """
    if isinstance(source, QueryNumbers):
        return source
    how: dict[str, Any] = {"columns": columns, "format": format, "encoding": encoding, "decimal": decimal}
    tables = {name: read_table(table, **how) for name, table in tables_by_system(_tables(source)).items()}
    if isinstance(source, Mapping) and "" not in tables:
        tables = {name: _of_system(name, table) for name, table in tables.items()}
    return QueryNumbers(tables)


def _of_system(name: str, table: Columns) -> Columns:
    """The table that was given for a system, without what it calls that system itself."""
    column = table.of(KIND).find(*SYSTEM)
    if column is None:
        return table
    systems = dict.fromkeys(table.ids(column))
    if len(systems) > 1:
        raise table.wrong(
            f"this table was given for {name!r} alone, and has {len(systems)} systems: {listed_systems(systems)}",
            hint="give each system a table of its own, or one table of all systems by itself",
        )
    cells = {title: values for title, values in table.columns.items() if title != column}
    return Columns(cells, source=table.source, first_line=table.first_line, decimal=table.decimal)


def _tables(source: Any) -> list[tuple[str, Any]]:
    """The tables, each with the name of the system that it is of if it does not say."""
    if isinstance(source, PATHS):
        return [(parse_source(os.fspath(source)).name, source)]
    if isinstance(source, Columns):
        return [("" if source.source is None else parse_source(source.source).name, source)]
    if is_frame(source):
        return [("", source)]
    if isinstance(source, Mapping):
        first = next(iter(source.values()), None)
        if isinstance(first, (*PATHS, Mapping, Columns)) or is_frame(first) or _is_records(first):
            return [(str(name), table) for name, table in source.items()]
        return [("", source)]
    if isinstance(source, (list, tuple)) and source:
        if isinstance(source[0], (*PATHS, Columns)):
            return [pair for table in source for pair in _tables(table)]
        if _is_records(source):
            return [("", source)]
    raise InputError(
        f"numbers must be a table, several by system, or their files, not {type(source).__name__}",
        hint='{"query": […], "system": […], "latency_ms": […]}, a frame, or the path of a table',
    )


def _is_records(source: Any) -> bool:
    return isinstance(source, (list, tuple)) and bool(source) and isinstance(source[0], Mapping)
