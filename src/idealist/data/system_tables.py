"""Several systems in one table: a column `system` says whose rows they are."""

from __future__ import annotations

import os

from idealist import kernels
from idealist.data.column_names import find_roles, find_system
from idealist.data.detection import names_in
from idealist.data.frames import chosen_system, refuse_several
from idealist.data.run import Run, UnreadRun
from idealist.data.streaming import Matched, match_rows
from idealist.data.triples import rows_of_triples
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.data import Judgments
    from idealist.data.columns import Columns
    from idealist.data.formats.format import Format
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest


class SystemRun(UnreadRun):
    """The run of one system of several in a file. It is in memory, and goes wherever a file goes."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.name, self.source = run.name, run.source

    def read(self) -> Run:
        return self.run

    def rankings(self, judgments: Judgments, options: kernels.MatchOptions, threads: int) -> Matched:
        return match_rows(self.run.rows, judgments, options, threads)


def runs_by_system(opened: Opened, format: Format, request: ReadRequest) -> dict[str, Run] | None:
    """The run of each system in an open source; None if it has no column that names systems."""
    table_and_column = _table_in(opened, format, request)
    if table_and_column is None:
        return None
    table, column = table_and_column
    return {
        system: Run.from_rows(
            rows_of_triples(
                _triples(table, request, rows),
                "run",
                source=table.source,
                threads=kernels.available_threads(),
                by_line=table.first_line is not None,
            ),
            name=system,
            source=request.source,
        )
        for system, rows in _rows_of(table, column).items()
    }


def rows_by_system(
    opened: Opened, format: Format, request: ReadRequest, threads: int
) -> dict[str, kernels.Rows] | None:
    """The rows of each system, in which documents may be there twice, for whoever looks for that; None if no column
    names systems."""
    table_and_column = _table_in(opened, format, request)
    if table_and_column is None:
        return None
    table, column = table_and_column
    return {
        system: rows_of_triples(
            _triples(table, request, rows),
            "run",
            source=table.source,
            threads=threads,
            by_line=table.first_line is not None,
            duplicates=True,
        )
        for system, rows in _rows_of(table, column).items()
    }


def _table_in(opened: Opened, format: Format, request: ReadRequest) -> tuple[Columns, str] | None:
    """The table in an open source, and its column of systems; None if there is none."""
    if "table" not in format.carries:
        return None
    names = names_in(format, opened, request.part)
    column = None if names is None else find_system(names, request.columns)
    if column is None:
        return None
    if not os.path.isfile(request.path):
        raise InputError(
            f"the column {column!r} names systems, and the runs of several are read from files only",
            source=opened.source,
            hint="save it to a file",
        )
    return format.table(opened, request), column


def rows_of_system(opened: Opened, format: Format, request: ReadRequest) -> kernels.Rows | None:
    """The rows of the system that is asked for, of a table that names systems; where none is, there must be one."""
    if request.kind != "run" or request.allow_duplicates:
        return None
    runs = runs_by_system(opened, format, request)
    if runs is None:
        request.refuse_system(opened.source)
        return None
    return one_run(runs, request.system, opened.source).rows


def one_run(runs: dict[str, Run], system: str | None, source: str | None) -> Run:
    """The run of a system; where none is named, the only one."""
    if system is not None:
        return chosen_system(runs, system, source)  # type: ignore[no-any-return]
    refuse_several(runs, source)
    return next(iter(runs.values()))


def _rows_of(table: Columns, column: str) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, system in enumerate(table.ids(column)):
        rows.setdefault(system, []).append(row)
    if not rows:
        raise table.wrong("the table has no rows")
    return rows


def _triples(table: Columns, request: ReadRequest, rows: list[int]) -> Iterator[tuple[int, str, str, float]]:
    roles = find_roles(table.names, "run", request.columns, source=table.source)
    query, document, number = (table.names[at] for at in roles.values())
    ranked = "rank" in roles
    first = table.first_line or 1
    for row in rows:
        value = table.number(number, row, exact=True, finite=ranked)
        yield first + row, table.id(query, row), table.id(document, row), -value if ranked else value
