"""Several systems in one table: a column `system` says whose rows they are."""

from __future__ import annotations

import os

from idealist import kernels
from idealist.data.columns import find_roles, find_system, is_frame
from idealist.data.frame_runs import FrameRun
from idealist.data.frame_systems import chosen_system, refuse_several
from idealist.data.run import Run, UnreadRun
from idealist.data.streaming import Matched
from idealist.errors import InputError
from idealist.io.opening import Opened
from idealist.io.reading import RunFile, read_run, told_format
from idealist.io.triples import rows_of_triples, rows_with_duplicates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data import Judgments
    from idealist.data.columns import Columns
    from idealist.io.reading import Wanted

# Those in which tables are read whole, which this takes.
FORMATS = ("csv", "tsv", "json", "jsonl", "parquet", "arrow", "sqlite", "duckdb", "xlsx")


class SystemRun(UnreadRun):
    """The run of one system of several in a file. It is in memory, and goes wherever a file goes."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.name, self.source = run.name, run.source

    def read(self) -> Run:
        return self.run

    def rankings(self, judgments: Judgments, options: kernels.MatchOptions, threads: int) -> Matched:
        rows = self.run.rows
        native = kernels.match(rows, judgments.rows, options, threads)
        return Matched(native, rows.query_count(), len(rows))


def runs_by_system(opened: Opened, format: str, wanted: Wanted) -> dict[str, Run] | None:
    """The run of each system in an open source; None if it has no column that names systems."""
    found = _table_in(opened, format, wanted)
    if found is None:
        return None
    table, column = found
    return {
        system: Run.from_rows(
            rows_of_triples(
                _triples(table, wanted, rows),
                "run",
                source=table.source,
                threads=kernels.available_threads(),
                by_line=table.first_line is not None,
            ),
            name=system,
            source=wanted.source,
        )
        for system, rows in _rows_of(table, column).items()
    }


def rows_by_system(wanted: Wanted, threads: int) -> dict[str, kernels.Rows] | None:
    """The rows of each system in a file, in which documents may be there twice, for whoever looks for that; None if
    no column names systems."""
    with Opened(wanted.path, wanted.encoding) as opened:
        found = _table_in(opened, told_format(opened, wanted)[0], wanted)
    if found is None:
        return None
    table, column = found
    return {
        system: rows_with_duplicates(
            _triples(table, wanted, rows),
            "run",
            source=table.source,
            threads=threads,
            by_line=table.first_line is not None,
        )
        for system, rows in _rows_of(table, column).items()
    }


def _table_in(opened: Opened, format: str, wanted: Wanted) -> tuple[Columns, str] | None:
    """The table in an open source, and its column of systems; None if there is none."""
    if format not in FORMATS:
        return None
    from idealist.io.kinds import names_in

    names = names_in(format, opened, wanted.path, wanted.part)
    column = None if names is None else find_system(names, wanted.columns)
    if column is None:
        return None
    if not os.path.isfile(wanted.path):
        raise InputError(
            f"the column {column!r} names systems, and the runs of several are read from files only",
            source=opened.source,
            hint="save it to a file",
        )
    from idealist.io.tables import read_table

    return read_table(wanted.source, encoding=wanted.encoding, decimal=wanted.decimal), column


def read_runs(source: Any, **how: Any) -> dict[str, Run]:
    """The runs in a table or frame of several systems, by what its column `system` says (or the column that `columns`
    names as such); one run, by the name of its file, where there is none. The other arguments are those of read_run."""
    given: UnreadRun | None = None
    if is_frame(source):
        given = FrameRun(source, columns=how.get("columns"))
    elif isinstance(source, (str, os.PathLike)):
        given = RunFile(source, **how)
    runs = None if given is None else given.by_system()
    if runs is not None:
        return {name: one.read() for name, one in runs.items()}
    run = read_run(source, **how)
    return {run.name: run}


def rows_of_system(name: str, opened: Opened, wanted: Wanted) -> kernels.Rows | None:
    """The rows of the system that is wanted, of a table that names systems; where none is, there must be one."""
    if wanted.kind != "run" or wanted.duplicates:
        return None
    runs = runs_by_system(opened, name, wanted)
    if runs is None:
        wanted.refuse_system(opened.source)
        return None
    return one_run(runs, wanted.system, opened.source).rows


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
        raise table.wrong("there are no rows in it")
    return rows


def _triples(table: Columns, wanted: Wanted, rows: list[int]) -> Iterator[tuple[int, str, str, float]]:
    roles = find_roles(table.names, "run", wanted.columns, source=table.source)
    query, document, number = (table.names[at] for at in roles.values())
    ranked = "rank" in roles
    first = table.first_line or 1
    for row in rows:
        value = table.number(number, row, exact=True, finite=ranked)
        yield first + row, table.id(query, row), table.id(document, row), -value if ranked else value
