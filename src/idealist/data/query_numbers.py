"""Numbers per query and system that were measured elsewhere: latencies, ratings of answers, clicks, costs."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist.base.frozen import Frozen
from idealist.base.wording import count_queries
from idealist.data.column_names import QUERY, QUERY_NAMES, SYSTEM, plain_name
from idealist.data.columns import Columns, is_blank, is_frame
from idealist.data.frames import listed_systems
from idealist.data.provenance import Provenance
from idealist.data.source_names import parse_source
from idealist.data.tables import read_table
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from idealist.types import GivenTable


KIND = "numbers"
FLAGS = {"true": 1.0, "false": 0.0}


class NumberColumn(Frozen):
    """The numbers of one column, by system and query; whether all of them were true or false."""

    values: Mapping[str, Mapping[str, float]]
    flags: bool

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the highest number; nan where there is none."""
        numbers = [number for by_query in self.values.values() for number in by_query.values()]
        return min(numbers, default=float("nan")), max(numbers, default=float("nan"))


class QueryNumbers:
    """A table, or one for each system, with a row per query and system, and columns of numbers.

    A table without a column `system` is of the system whose name it was given under. A cell that is empty or nan is
    a value that is not defined. A column without any number is left out, and named in `notes`.

    >>> from idealist.data.columns import Columns
    >>> QueryNumbers({"": Columns({"query": ["q", "q"], "system": ["old", "new"], "latency_ms": [80, 65]})})
    <QueryNumbers: latency_ms; old, new; 1 query>
    """

    def __init__(self, tables: Mapping[str, Columns]) -> None:
        self._parts = [_Part(name, table) for name, table in tables.items()]
        self.rows: dict[str, dict[str, tuple[_Part, int]]] = {}
        for part in self._parts:
            self._add(part)
        if not self.rows:
            raise self._parts[0].table.wrong("the table has no rows")
        self.systems = tuple(self.rows)
        self.notes: tuple[str, ...] = ()
        self.columns: tuple[str, ...] = ()
        self._choose_columns()
        self._read: dict[str, NumberColumn] = {}

    @property
    def source(self) -> str | None:
        """The files, in words; None where none is known."""
        return (
            ", ".join(dict.fromkeys(part.table.source for part in self._parts if part.table.source)) or None
        )

    @property
    def queries(self) -> set[str]:
        return {query for rows in self.rows.values() for query in rows}

    @property
    def whole_ids(self) -> bool:
        """Whether all queries were given as whole numbers, not as text."""
        return all(part.whole_ids for part in self._parts)

    def column(self, name: str) -> NumberColumn:
        """The numbers of a column; whatever is no number there is an error."""
        if name not in self._read:
            values: dict[str, dict[str, float]] = {}
            flags = True
            for system, rows in self.rows.items():
                values[system] = numbers = {}
                for query, (part, row) in rows.items():
                    cell = part.table.columns[name][row] if name in part.table else None
                    if not _is_undefined(cell):
                        numbers[query] = part.number(name, row, system, query)
                        flags = flags and _is_flag(cell)
            self._read[name] = NumberColumn(values, flags and any(values.values()))
        return self._read[name]

    def of(self, systems: Sequence[str]) -> QueryNumbers:
        """The numbers of these systems alone."""
        for system in systems:
            if system not in self.rows:
                raise unknown_system(system, self.systems, self.source)
        return self._with({system: self.rows[system] for system in systems})

    def renamed(self, names: Mapping[str, str]) -> QueryNumbers:
        """Renames systems."""
        return self._with({names[system]: rows for system, rows in self.rows.items()})

    def _with(self, rows: dict[str, dict[str, tuple[_Part, int]]]) -> QueryNumbers:
        other = QueryNumbers.__new__(QueryNumbers)
        other.__dict__.update(self.__dict__, rows=rows, systems=tuple(rows), _read={})
        return other

    def wrong(self, system: str, query: str, message: str, *, hint: str = "") -> InputError:
        """An error about a row."""
        part, row = self.rows[system][query]
        return part.table.wrong(message, row, hint=hint)

    def provenance(self) -> Provenance:
        """Where the numbers came from; the digest is of the numbers, whatever the order of rows and columns."""

        def digest() -> str:
            import json
            from hashlib import sha256

            content = {name: dict(self.column(name).values) for name in self.columns}
            return sha256(f"{KIND}\n{json.dumps(content, sort_keys=True)}".encode()).hexdigest()

        rows = sum(map(len, self.rows.values()))
        return Provenance(KIND, KIND, self.source, rows, len(self.queries), digest)

    def __repr__(self) -> str:
        columns, systems = ", ".join(self.columns), ", ".join(self.systems)
        return f"<QueryNumbers: {columns}; {systems}; {count_queries(len(self.queries))}>"

    def _add(self, part: _Part) -> None:
        for row, (system, query) in enumerate(zip(part.systems, part.queries, strict=True)):
            rows = self.rows.setdefault(system, {})
            if query in rows:
                before, first = rows[query]
                elsewhere = "" if before is part else f" of {before.table.source or 'another table'}"
                raise part.table.wrong(
                    f"query {query!r} of {system!r} appears twice, first {before.table.where(first)}{elsewhere}",
                    row,
                    hint="keep one row per query and system; the mean of several is one number",
                )
            rows[query] = part, row

    def _choose_columns(self) -> None:
        """The columns of numbers that every system has; the others are noted."""
        notes = []
        names = dict.fromkeys(name for part in self._parts for name in part.free)
        for name in names:
            lacking = [part for part in self._parts if name not in part.table]
            if lacking:
                notes.append(f"{name} is not in {lacking[0].described}: it is left out")
                continue
            if (text := self._only_text(name)) is not None:
                notes.append(f"{name} holds no number, but text such as {text[:40]!r}: it is left out")
                continue
            self.columns += (name,)
        self.notes = tuple(notes)
        if not self.columns:
            table = self._parts[0].table
            raise table.wrong(
                "there is no column of numbers",
                hint=f"there are {', '.join(table.names)}; a table of numbers has the columns query, system and one "
                "or more of numbers",
            )

    def _only_text(self, name: str) -> str | None:
        """A text of the column, if it holds text and no number."""
        first = None
        for part in self._parts:
            for cell in part.table.columns[name]:
                if _is_undefined(cell):
                    continue
                if not isinstance(cell, str) or _is_flag(cell) or _is_numeric(cell, part.table.decimal):
                    return None
                first = first or cell
        return first


class _Part:
    """One table, with the system and the query of each row."""

    def __init__(self, name: str, table: Columns) -> None:
        self.table = table.of(KIND)
        self.name = name
        query = self.table.find(*QUERY_NAMES) or self.table.named(*QUERY)
        system = self.table.find(*SYSTEM)
        if system is None and not name:
            self.table.named("system", "the system")  # raises: it says which columns there are
        self.queries = self.table.ids(query)
        self.systems = [name] * len(table) if system is None else self.table.ids(system)
        cells = self.table.columns[query]
        self.whole_ids = all(not isinstance(cell, str) for cell in cells)
        ids = {plain_name(role) for role in QUERY_NAMES}
        self.free = [
            column for column in self.table.names if column != system and plain_name(column) not in ids
        ]

    @property
    def described(self) -> str:
        return self.table.source or (f"the table of {self.name!r}" if self.name else "a table")

    def number(self, column: str, row: int, system: str, query: str) -> float:
        cell = self.table.columns[column][row]
        if isinstance(cell, str) and cell.strip().lower() in FLAGS:
            return FLAGS[cell.strip().lower()]
        try:
            return self.table.number(column, row)
        except InputError as error:
            raise self.table.wrong(
                f"{column} of query {query!r} of {system!r} is {_shown(cell)}, not a finite number",
                row,
                hint=error.hint or "leave the cell empty where there is no value",
                code=error.code,
            ) from None


def _shown(cell: Any) -> str:
    plain = isinstance(cell, (str, int, float)) and len(repr(cell)) < 80
    return repr(cell) if plain else f"a {type(cell).__name__}"


def tables_by_system(tables: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Tables by the names of their systems, no name twice."""
    named: dict[str, Any] = {}
    for name, table in tables:
        if name in named:
            raise InputError(
                f"two tables of numbers are called {name!r}",
                hint="give them as a mapping from systems to tables, or add a column `system`",
            )
        named[name] = table
    return named


def _is_undefined(cell: Any) -> bool:
    return is_blank(cell) or (isinstance(cell, str) and cell.strip().lower() == "nan")


def _is_flag(cell: Any) -> bool:
    if isinstance(cell, str):
        return cell.strip().lower() in FLAGS
    return type(cell).__name__ in ("bool", "bool_")


def _is_numeric(text: str, decimal: str) -> bool:
    from idealist.base.values import with_point

    try:
        float(with_point(text, decimal))
    except ValueError:
        return False
    return True


def unknown_system(system: str, known: Sequence[str], source: str | None) -> InputError:
    """The error for a system that has no numbers."""
    return InputError(
        f"there are no numbers of the system {system!r}",
        source=source,
        hint=f"there are those of {', '.join(known)}: give the runs these names, or the tables those of the runs",
    )


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
