"""Projects and their sources by the API."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, File, Form, HTTPException, Query, Request, UploadFile
from fastapi.responses import JSONResponse

from idealist.conventions import parse_conventions
from idealist.errors import IdealistError
from idealist.evaluation.measuring import MEASURES
from idealist.reporting.explanations import explanation_record
from idealist.web.access.api_access import (
    LARGEST_NUMBER,
    PROBLEMS,
    Analyst,
    Bench,
    Conventions,
    EvaluationRecord,
    NewProject,
    Owner,
    ProjectRecord,
    Rater,
    SourceRecord,
    TaskRecord,
    ValueRecord,
)
from idealist.web.access.members import role_in
from idealist.web.access.pages import problem_of, status_of
from idealist.web.base.jobs import ended_within
from idealist.web.comparing.comparing_api import router as deciding
from idealist.web.comparing.explaining import explain_query
from idealist.web.comparing.run_values import CONFIDENCE, question, start_measuring, summaries
from idealist.web.exports.export_api import data_router as data
from idealist.web.exports.export_api import router as archive
from idealist.web.judging.judging_api import router as judging
from idealist.web.judging.tasks import tasks_of_rater
from idealist.web.people.people_api import router as people
from idealist.web.planning.plan_api import router as plan
from idealist.web.projects.importing import import_file, saved_upload
from idealist.web.projects.project_sources import (
    judgments_of,
    list_sources,
    remove_source,
    required_judgments,
    required_runs,
    source_of,
)
from idealist.web.projects.projects import Project, change_project, create_project, list_projects, project_of
from idealist.web.projects.rechecking import check_after, start_checking
from idealist.web.projects.removing import remove_project, restore_project, restore_source
from idealist.web.studies.study_api import router as studies
from idealist.web.workbench import Workbench


def known_project(bench: Workbench, number: int) -> Project:
    """The project of this number; 404 where there is none."""
    project = project_of(bench.database, number)
    if project is None:
        raise HTTPException(404, f"there is no project {number}")
    return project


router = APIRouter(
    prefix="/api",
    responses=PROBLEMS,
)


def add_api(app: FastAPI, workbench: Workbench) -> None:
    app.state.workbench = workbench
    app.include_router(router)
    for part in (judging, deciding, archive, studies, data, plan, people):
        app.include_router(part)
    app.add_exception_handler(IdealistError, _problem)
    app.add_exception_handler(OSError, _problem)


async def _problem(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, IdealistError | OSError)
    problem = problem_of(error)
    return JSONResponse({"detail": problem.message, "hint": problem.hint}, status_of(problem))


@router.get("/projects")
def get_projects(bench: Bench, person: Analyst) -> list[ProjectRecord]:
    """The projects that the caller works in, the newest first; of an admin, all."""
    mine = None if person.may("admin") else person.id
    return [_record(ProjectRecord, project) for project in list_projects(bench.database, mine)]


@router.post("/projects", status_code=201)
def post_project(bench: Bench, person: Analyst, new: NewProject) -> ProjectRecord:
    """Makes a project."""
    return _project_record(bench, create_project(bench.database, new.name, new.about, user=person.id))


@router.put("/projects/{project}")
def put_project(bench: Bench, person: Analyst, project: int, new: NewProject) -> ProjectRecord:
    """Gives a project another name and other words about it."""
    known_project(bench, project)
    change_project(bench.database, project, new.name, new.about, user=person.id)
    return _project_record(bench, project)


@router.delete("/projects/{project}", status_code=204)
def delete_project(bench: Bench, person: Owner, project: int) -> None:
    """Removes a project with all that is in it; for 30 days it can be brought back."""
    remove_project(bench.database, project, user=person.id)


@router.post("/projects/{removed}/restore")
def post_restored_project(bench: Bench, person: Analyst, removed: int) -> ProjectRecord:
    """Brings back a project that was removed within 30 days."""
    is_number = 0 <= removed <= LARGEST_NUMBER
    if not is_number or role_in(bench.database, removed, person.id, removed=True) != "owner":
        raise HTTPException(404, f"there is no project {removed}")
    restore_project(bench.database, removed, user=person.id)
    return _project_record(bench, removed)


@router.get("/projects/{project}/sources")
def get_sources(bench: Bench, person: Analyst, project: int) -> list[SourceRecord]:
    """The current sources of a project."""
    known_project(bench, project)
    return [_record(SourceRecord, source) for source in list_sources(bench.database, project)]


@router.post("/projects/{project}/sources", status_code=201)
def post_source(
    bench: Bench,
    person: Analyst,
    project: int,
    file: Annotated[UploadFile, File()],
    kind: Annotated[str, Form(description="by default what the content shows")] = "",
    name: Annotated[str, Form(description="by default the name of the file")] = "",
    columns: Annotated[str, Form(description="ours=theirs,…")] = "",
    part: Annotated[str, Form(description="the table of a database, or the sheet of a workbook")] = "",
    encoding: Annotated[str, Form(description="of text that is not UTF-8, such as gb18030")] = "",
) -> list[SourceRecord]:
    """Adds judgments, a run (or one for each system of a table), documents or queries."""
    known_project(bench, project)
    with saved_upload(
        bench,
        file,
        kind=kind or None,
        columns=columns,
        name=name or None,
        part=part or None,
        encoding=encoding or None,
    ) as saved:
        numbers = import_file(bench, project, saved, user=person.id)
    check_after(bench, project, numbers)
    sources = (source_of(bench.database, number) for number in numbers)
    return [_record(SourceRecord, source) for source in sources if source is not None]


@router.delete("/projects/{project}/sources/{source}", status_code=204)
def delete_source(bench: Bench, person: Analyst, project: int, source: int) -> None:
    """Takes a source out of a project; for 30 days it can be brought back."""
    known = source_of(bench.database, source)
    if known is None or known.project_id != project or not known.current:
        raise HTTPException(404, f"project {project} has no source {source}")
    remove_source(bench.database, source, user=person.id)
    if known.kind == "judgments":
        start_checking(bench, project)


@router.post("/projects/{project}/sources/{source}/restore")
def post_restored_source(bench: Bench, person: Analyst, project: int, source: int) -> SourceRecord:
    """Brings back a source that was removed within 30 days."""
    known_project(bench, project)
    restored = restore_source(bench.database, project, source, user=person.id)
    if restored.kind == "judgments":
        start_checking(bench, project)
    record: SourceRecord = _record(SourceRecord, restored)
    return record


@router.get("/projects/{project}/evaluation")
def get_evaluation(
    bench: Bench,
    person: Analyst,
    project: int,
    measure: Annotated[list[str], Query(description="may be repeated")] = list(MEASURES),  # noqa: B006
    conventions: Conventions = "idealist",
) -> EvaluationRecord:
    """Every run of the project by every measure, with intervals. Waits until all is measured."""
    known_project(bench, project)
    judgments = required_judgments(bench.database, project)
    runs = required_runs(bench.database, project)
    asked = question(judgments.stored, measure, parse_conventions(conventions))
    stored = [run.stored for run in runs]
    ended_within(start_measuring(bench, asked, stored), None)
    known = summaries(bench, asked, stored)
    values = []
    for run in runs:
        for name in asked.names():
            summary = known[run.stored, name]
            facts = {field: getattr(summary, field) for field in summary.fields if field != "notes"}
            values.append(ValueRecord(run=run.name, measure=name, **facts))
    notes = {run.name: list(known[run.stored, asked.names()[0]].notes) for run in runs}
    return EvaluationRecord(
        conventions=asked.conventions.to_dict(), confidence=CONFIDENCE, values=values, notes=notes
    )


@router.get("/projects/{project}/explanation")
def get_explanation(
    bench: Bench,
    person: Analyst,
    project: int,
    run: str,
    query: str,
    measure: str = "nDCG@10",
    conventions: Conventions = "idealist",
) -> dict[str, Any]:
    """One query of a run, rank by rank: what `idealist explain --format json` says."""
    known_project(bench, project)
    judgments = judgments_of(bench.database, project)
    source = next(
        (known for known in list_sources(bench.database, project, "run") if known.name == run), None
    )
    if judgments is None or source is None:
        raise HTTPException(404, f"project {project} has no run {run!r}, or no judgments")
    asked = question(judgments.stored, [measure], parse_conventions(conventions))
    return explanation_record(explain_query(bench, asked, source.stored, query).explanation)


@router.get("/tasks")
def get_tasks(bench: Bench, person: Rater) -> list[TaskRecord]:
    """The tasks that are assigned to the caller."""
    return [_record(TaskRecord, task) for task in tasks_of_rater(bench.database, person.id)]


def _project_record(bench: Workbench, number: int) -> ProjectRecord:
    record: ProjectRecord = _record(ProjectRecord, known_project(bench, number))
    return record


def _record(model: Any, result: Any) -> Any:
    """A result of the store as the API gives it: the fields that both have."""
    return model(**{name: getattr(result, name) for name in model.model_fields})
