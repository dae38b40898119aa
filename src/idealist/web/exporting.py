"""What leaves a project: judgments and runs as files, values and answers as CSV, and a report as one HTML page."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.io.reading import read_judgments, read_run
from idealist.io.writing import write_judgments, write_run
from idealist.reporting.reporting import report
from idealist.reporting.table import Table
from idealist.web.measuring import (
    judged_queries,
    start_measuring,
    stored_judgments,
    summaries,
    values_by_query,
)
from idealist.web.store.events import standing_events
from idealist.web.store.sources import judgments_of, list_sources
from idealist.web.store.tables import assignments, items, tasks, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from sqlalchemy import Row

    from idealist.reporting.table import Cell
    from idealist.web.measuring import Question
    from idealist.web.store.sources import Source
    from idealist.web.workbench import Workbench

# The endings of each format, for judgments and for runs; `io` writes by them.
FORMATS = {"trec": (".qrels", ".run"), "csv": (".csv", ".csv"), "jsonl": (".jsonl", ".jsonl")}
MOST_REPORTED = 10  # runs of a report: each has figures of its own


class WrittenFile(Frozen):
    """A file that was written for one download, in a folder of its own, which goes with it."""

    path: Path
    filename: str
    media_type: str


def judgments_file(workbench: Workbench, project: int, format: str = "trec") -> WrittenFile:
    """The judgments of a project."""
    source = _judgments(workbench, project)
    judgments = read_judgments(workbench.files.path(source.stored))
    name = f"{source.name}{_ending(format, 0)}"
    return _written(workbench, name, lambda path: write_judgments(judgments, path))


def run_file(workbench: Workbench, project: int, name: str, format: str = "trec") -> WrittenFile:
    """A run of a project, by its name."""
    (source,) = _runs(workbench, project, [name])
    run = read_run(workbench.files.path(source.stored), name=source.name)
    return _written(workbench, f"{source.name}{_ending(format, 1)}", lambda path: write_run(run, path))


def values_file(
    workbench: Workbench, project: int, asked: Question, *, by_query: bool = False
) -> WrittenFile:
    """Every run by every measure as CSV: means with intervals, or a row for each query. Waits until all is measured."""
    runs = _runs(workbench, project, [])
    stored = [run.stored for run in runs]
    for future in start_measuring(workbench, asked, stored):
        future.result()
    if by_query:
        table = _query_table(workbench, asked, runs)
    else:
        known = summaries(workbench, asked, stored)
        fields = ("value", "low", "high", "n", "judged")
        rows: list[list[Cell]] = [
            [run.name, name, *(getattr(known[run.stored, name], field) for field in fields)]
            for run in runs
            for name in asked.names()
        ]
        table = Table(["run", "measure", *fields], rows)
    return _csv(workbench, table, "values-by-query.csv" if by_query else "values.csv")


def _query_table(workbench: Workbench, asked: Question, runs: Sequence[Source]) -> Table:
    queries = judged_queries(workbench, asked.judgments)
    rows: list[list[Cell]] = []
    for run in runs:
        columns = [values_by_query(workbench, asked, run.stored, measure) for measure in asked.measures]
        rows += [
            [run.name, query, *(None if value != value else value for value in values)]
            for query, *values in zip(queries, *columns, strict=True)
        ]
    return Table(["run", "query", *asked.names()], rows)


def answers_file(workbench: Workbench, project: int, task: int) -> WrittenFile:
    """The answers of raters that stand, a row each, as `idealist gsb` and `idealist agree` read them: votes from the
    side of the candidate, with the side on which it was shown, or grades."""
    wanted = select(tasks).where(tasks.c.id == task, tasks.c.project_id == project)
    with workbench.database.reading() as connection:
        known = connection.execute(wanted).first()
        if known is None:
            raise InputError(f"there is no task {task} in this project", hint="choose one of the list")
        shown = {row.id: row for row in connection.execute(select(items).where(items.c.task_id == task))}
        sides = {
            (row.user_id, row.item_id): row.side
            for row in connection.execute(select(assignments).where(assignments.c.task_id == task))
        }
        names = {row.id: row.name for row in connection.execute(select(users.c.id, users.c.name))}
    kind = "vote" if known.kind == "sides" else "grade"
    given = [
        event
        for event in standing_events(workbench.database, task)
        if event.kind == kind and shown[event.item_id].withdrawn is None
    ]
    if not given:
        raise InputError(f"nobody has judged {known.name!r} yet", hint="come back when raters have")
    rows: list[list[Cell]] = []
    for event in given:
        item, rater = shown[event.item_id], names.get(event.user_id, "")
        if kind == "grade":
            rows.append(
                [item.content.get("query"), item.content.get("document"), rater, event.content.get("grade")]
            )
        else:
            side = event.content.get("side") or sides.get((event.user_id, event.item_id))
            rows.append(
                [
                    item.content.get("query"),
                    str(item.id),
                    rater,
                    event.content.get("vote"),
                    side or _candidate_side(known, item),
                    event.made,
                ]
            )
    titles = ["query", "document", "rater", "grade"]
    if kind == "vote":
        titles = ["query", "item", "rater", "vote", "side", "time"]
    return _csv(workbench, Table(titles, rows), f"{known.name}.csv")


def _candidate_side(task: Row[Any], item: Row[Any]) -> str:
    """Where the candidate stands, the last of the systems, as the item is stored."""
    systems = task.settings.get("systems") or ["a", "b"]
    return "left" if item.hidden.get("left") == systems[-1] else "right"


def report_file(
    workbench: Workbench,
    project: int,
    asked: Question,
    runs: Sequence[str],
    *,
    title: str,
    margin: str = "",
) -> WrittenFile:
    """The report on runs as one HTML page, as `idealist report` writes it; the first run is the baseline."""
    chosen = _runs(workbench, project, runs)
    if len(chosen) > MOST_REPORTED:
        raise InputError(
            f"{len(chosen)} runs are too many for one report", hint=f"choose {MOST_REPORTED} at most"
        )
    page = report(
        {run.name: workbench.files.path(run.stored) for run in chosen},
        stored_judgments(workbench.files.path(asked.judgments)),
        asked.measures,
        conventions=asked.conventions,
        margin=margin.strip() or None,
        title=title,
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        inputs=(),  # stored files have names that say nothing to a reader
    )
    return _written(workbench, "report.html", page.write, "text/html; charset=utf-8")


def _judgments(workbench: Workbench, project: int) -> Source:
    source = judgments_of(workbench.database, project)
    if source is None:
        raise InputError("the project has no judgments", hint="add some")
    return source


def _runs(workbench: Workbench, project: int, names: Sequence[str]) -> list[Source]:
    """The runs of these names, in this order; without names, all of them."""
    known = {run.name: run for run in list_sources(workbench.database, project, "run")}
    for name in names:
        if name not in known:
            raise InputError(f"there is no run {name!r}", hint=f"the runs are {', '.join(known)}")
    if not known:
        raise InputError("the project has no runs", hint="add some")
    return [known[name] for name in dict.fromkeys(names)] if names else list(known.values())


def _ending(format: str, place: int) -> str:
    if format not in FORMATS:
        raise InputError(f"{format!r} is not a format of exports", hint=f"one of {', '.join(FORMATS)}")
    return FORMATS[format][place]


def _csv(workbench: Workbench, table: Table, name: str) -> WrittenFile:
    content = table.to_csv().encode("utf-8", "surrogateescape")
    return _written(workbench, name, lambda path: path.write_bytes(content), "text/csv; charset=utf-8")


def _written(
    workbench: Workbench,
    name: str,
    write: Callable[[Path], object],
    media_type: str = "application/octet-stream",
) -> WrittenFile:
    """A file written for a download, in a folder of its own, under a name that is nothing but a name; whole, or not there."""
    plain = "".join(letter if letter.isalnum() or letter in "-_.@+ " else "_" for letter in name).strip(". ")
    folder = Path(tempfile.mkdtemp(prefix="export-", dir=workbench.files.folder))
    path = folder / (plain or "export")
    try:
        write(path)
    except InputError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(error.message.replace(str(path), path.name), hint=error.hint) from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return WrittenFile(path, path.name, media_type)
