"""What leaves a project: judgments and runs as files, values and answers as CSV, and a report as one HTML page."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from idealist.base.frozen import Frozen
from idealist.data.reading import read_judgments, read_run
from idealist.data.workbench_files import votes_text
from idealist.data.writing import write_judgments, write_run
from idealist.errors import InputError
from idealist.show.reporting import report
from idealist.show.table import Table
from idealist.web.base.jobs import ended_within
from idealist.web.base.stored_files import fitting_name
from idealist.web.comparing.run_values import (
    judged_queries,
    start_measuring,
    stored_judgments,
    summaries,
    values_by_query,
)
from idealist.web.judging.tasks import task_of
from idealist.web.projects.project_sources import required_judgments, required_runs
from idealist.web.studies.task_answers import grade_data, study_data, study_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from idealist.show.table import Cell
    from idealist.web.comparing.run_values import Question
    from idealist.web.judging.tasks import Task
    from idealist.web.projects.project_sources import Source
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
    source = required_judgments(workbench.database, project)
    judgments = read_judgments(workbench.files.path(source.stored))
    name = f"{source.name}{_ending(format, 0)}"
    return _written(workbench, name, lambda path: write_judgments(judgments, path))


def run_file(workbench: Workbench, project: int, name: str, format: str = "trec") -> WrittenFile:
    """A run of a project, by its name."""
    (source,) = required_runs(workbench.database, project, [name])
    run = read_run(workbench.files.path(source.stored), name=source.name)
    return _written(workbench, f"{source.name}{_ending(format, 1)}", lambda path: write_run(run, path))


def values_file(
    workbench: Workbench, project: int, asked: Question, *, by_query: bool = False
) -> WrittenFile:
    """Every run by every measure as CSV: means with intervals, or a row for each query. Waits until all is measured."""
    runs = required_runs(workbench.database, project)
    stored = [run.stored for run in runs]
    ended_within(start_measuring(workbench, asked, stored), None)
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
    return _csv(workbench, table.to_csv(), "values-by-query.csv" if by_query else "values.csv")


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
    """The answers of raters that stand, a row each, as `idealist gsb` and `idealist agree` read them: the votes of a
    study as its report counts them, or grades."""
    known = task_of(workbench.database, task)
    if known is None or known.project_id != project:
        raise InputError(f"there is no task {task} in this project", hint="choose one of the list")
    text = _votes_of(workbench, known) if known.kind == "sides" else _grades_of(workbench, known)
    if text is None:
        raise InputError(f"nobody has judged {known.name!r} yet", hint="come back when raters have")
    return _csv(workbench, text, f"{known.name}.csv")


def _votes_of(workbench: Workbench, task: Task) -> str | None:
    study = study_of(workbench.database, task.project_id, task.id)
    data = None if study is None else study_data(workbench.database, study)
    return votes_text(data) if data is not None and data.answers else None


def _grades_of(workbench: Workbench, task: Task) -> str | None:
    data = grade_data(workbench.database, task.id)
    items = {item.id: item for item in data.items}
    rows: list[list[Cell]] = [
        [items[answer.item].query, items[answer.item].document, answer.rater, answer.grade]
        for answer in data.answers
    ]
    return Table(["query", "document", "rater", "grade"], rows).to_csv() if rows else None


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
    chosen = required_runs(workbench.database, project, runs)
    if len(chosen) > MOST_REPORTED:
        raise InputError(
            f"{len(chosen)} runs are too many for one report", hint=f"choose {MOST_REPORTED} at most"
        )
    page = report(
        stored_judgments(workbench.files.path(asked.judgments)),
        {run.name: workbench.files.path(run.stored) for run in chosen},
        asked.measures,
        conventions=asked.conventions,
        margin=margin.strip() or None,
        title=title,
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        inputs=(),  # stored files have names that say nothing to a reader
    )
    return _written(workbench, "report.html", page.write, "text/html; charset=utf-8")


def _ending(format: str, place: int) -> str:
    if format not in FORMATS:
        raise InputError(f"{format!r} is not a format of exports", hint=f"name one of: {', '.join(FORMATS)}")
    return FORMATS[format][place]


def _csv(workbench: Workbench, text: str, name: str) -> WrittenFile:
    content = text.encode("utf-8", "surrogateescape")
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
    path = folder / (fitting_name(plain) or "export")
    try:
        write(path)
    except InputError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(error.message.replace(str(path), path.name), hint=error.hint) from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return WrittenFile(path, path.name, media_type)


def download(file: WrittenFile) -> FileResponse:
    """The file as a download, never shown as a page of this server; its folder is removed once it was sent."""
    return FileResponse(
        file.path,
        media_type=file.media_type,
        filename=file.filename,
        content_disposition_type="attachment",
        background=BackgroundTask(shutil.rmtree, file.path.parent, ignore_errors=True),
    )
