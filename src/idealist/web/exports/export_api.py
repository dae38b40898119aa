"""Files of a project by the API: for people, and as sources of commands (`idealist evaluate http://…/projects/1::judgments …`)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse, Response

from idealist.conventions import parse_conventions
from idealist.data.workbench_files import votes_text
from idealist.evaluation.measuring import MEASURES
from idealist.web.access.api_access import PROBLEMS, Analyst, Bench, Conventions
from idealist.web.comparing.run_values import Question, question
from idealist.web.exports.exporting import (
    answers_file,
    download,
    judgments_file,
    report_file,
    run_file,
    values_file,
)
from idealist.web.projects.project_api import known_project
from idealist.web.projects.project_sources import judgments_of, list_sources, required_judgments
from idealist.web.studies.task_answers import list_studies, study_data
from idealist.web.workbench import Workbench

router = APIRouter(prefix="/api", responses=PROBLEMS)
Names = Annotated[list[str], Query(description="may be repeated")]
Format = Annotated[str, Query(description="trec, csv or jsonl")]


@router.get("/projects/{project}/exports/judgments", response_class=FileResponse)
def get_judgments(bench: Bench, person: Analyst, project: int, format: Format = "trec") -> FileResponse:
    """The judgments as a file."""
    known_project(bench, project)
    return download(judgments_file(bench, project, format))


@router.get("/projects/{project}/exports/run", response_class=FileResponse)
def get_run(bench: Bench, person: Analyst, project: int, run: str, format: Format = "trec") -> FileResponse:
    """A run as a file."""
    known_project(bench, project)
    return download(run_file(bench, project, run, format))


@router.get("/projects/{project}/exports/values", response_class=FileResponse)
def get_values(
    bench: Bench,
    person: Analyst,
    project: int,
    measure: Names = list(MEASURES),  # noqa: B006
    conventions: Conventions = "idealist",
    by_query: bool = False,
) -> FileResponse:
    """Every run by every measure as CSV, over all queries or query by query."""
    asked = _question(bench, project, measure, conventions)
    return download(values_file(bench, project, asked, by_query=by_query))


@router.get("/projects/{project}/exports/answers", response_class=FileResponse)
def get_answers(bench: Bench, person: Analyst, project: int, task: int) -> FileResponse:
    """The votes or grades of a task that stand, as CSV."""
    known_project(bench, project)
    return download(answers_file(bench, project, task))


@router.get("/projects/{project}/exports/report", response_class=FileResponse)
def get_report(
    bench: Bench,
    person: Analyst,
    project: int,
    run: Annotated[list[str], Query(description="may be repeated; the first is the baseline")],
    measure: Names = list(MEASURES),  # noqa: B006
    conventions: Conventions = "idealist",
    margin: str = "",
) -> FileResponse:
    """The report as one HTML page, as `idealist report` writes it."""
    title = known_project(bench, project).name
    asked = _question(bench, project, measure, conventions)
    return download(report_file(bench, project, asked, run, title=title, margin=margin))


def _question(bench: Workbench, project: int, measures: list[str], conventions: str) -> Question:
    known_project(bench, project)
    judgments = required_judgments(bench.database, project)
    return question(judgments.stored, measures, parse_conventions(conventions))


TSV, CSV = "text/tab-separated-values", "text/csv"


@router.get("/projects/{project}/data/judgments", response_class=FileResponse)
def get_stored_judgments(bench: Bench, person: Analyst, project: int) -> FileResponse:
    """The judgments: tab-separated query, document and grade."""
    known_project(bench, project)
    source = judgments_of(bench.database, project)
    if source is None:
        raise HTTPException(404, "the project has no judgments")
    return FileResponse(bench.files.path(source.stored), media_type=TSV)


@router.get("/projects/{project}/data/runs/{name:path}", response_class=FileResponse)
def get_stored_run(bench: Bench, person: Analyst, project: int, name: str) -> FileResponse:
    """A run by its name: tab-separated query, document and score."""
    known_project(bench, project)
    runs = list_sources(bench.database, project, "run")
    source = next((run for run in runs if run.name == name), None)
    if source is None:
        listed = ", ".join(run.name for run in runs) or "none"
        raise HTTPException(404, f"the project has no run {name!r}; its runs are: {listed}")
    return FileResponse(bench.files.path(source.stored), media_type=TSV)


@router.get("/projects/{project}/data/votes", response_class=Response)
def get_votes(bench: Bench, person: Analyst, project: int) -> Response:
    """The votes of the project's only study, as CSV: `vote` is what counts, `given` what the rater said."""
    return _votes(bench, project, "")


@router.get("/projects/{project}/data/votes/{name:path}", response_class=Response)
def get_votes_of(bench: Bench, person: Analyst, project: int, name: str) -> Response:
    """The votes of the study of this name."""
    return _votes(bench, project, name)


def _votes(bench: Workbench, project: int, name: str) -> Response:
    known_project(bench, project)
    studies = list_studies(bench.database, project)
    chosen = [study for study in studies if not name or study.name == name]
    if len(chosen) != 1:
        listed = ", ".join(study.name for study in studies) or "none"
        raise HTTPException(
            404, f"name one study as votes/STUDY, of {len(chosen)} such; the studies are: {listed}"
        )
    data = study_data(bench.database, chosen[0])
    if not data.answers:
        raise HTTPException(404, f"the study {chosen[0].name!r} has no votes yet")
    return Response(votes_text(data), media_type=CSV)
