"""Several systems in one table: a column `system` says whose rows they are."""

from __future__ import annotations

import os

from idealist import kernels
from idealist.data.columns import find_roles, find_system
from idealist.data.run import Run, UnreadRun
from idealist.data.streaming import Matched
from idealist.errors import InputError
from idealist.io.reading import RunFile, read_run
from idealist.io.triples import rows_of_triples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data import Judgments
    from idealist.data.columns import Columns
    from idealist.io.opening import Opened
    from idealist.io.reading import Path, Wanted

# Those in which tables are read whole, which this takes.
FORMATS = ("csv", "tsv", "jsonl", "parquet", "xlsx")


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

    table = read_table(wanted.source, encoding=wanted.encoding, decimal=wanted.decimal)
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


def read_runs(source: Path, **how: Any) -> dict[str, Run]:
    """The runs in a table of several systems, by what its column `system` says (or the column that `columns` names
    as such); one run, by the name of its file, where there is none. The other arguments are those of read_run."""
    runs = RunFile(source, **how).by_system()
    if runs is not None:
        return {name: one.read() for name, one in runs.items()}
    run = read_run(source, **how)
    return {run.name: run}


def only_run(runs: dict[str, Run], source: str) -> Run:
    """The one run, where one is meant."""
    if len(runs) > 1:
        raise InputError(
            f"{len(runs)} systems are in it: {', '.join(list(runs)[:5])}{', …' * (len(runs) > 5)}",
            source=source,
            hint="`idealist evaluate` and `compare` take them all; read_runs gives each in Python",
        )
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
    sign = -1.0 if "rank" in roles else 1.0
    first = table.first_line or 1
    for row in rows:
        yield (
            first + row,
            table.id(query, row),
            table.id(document, row),
            sign * table.number(number, row, exact=True),
        )
