"""Projects and their sources by the API."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, Form, HTTPException, UploadFile
from pydantic import BaseModel, Field

from idealist.web.access.api_access import LARGEST_NUMBER, PROBLEMS, Analyst, Bench, Owner, record_of
from idealist.web.access.members import role_in
from idealist.web.projects.importing import import_file, saved_upload
from idealist.web.projects.project_sources import list_sources, remove_source, source_of
from idealist.web.projects.projects import Project, change_project, create_project, list_projects, project_of
from idealist.web.projects.rechecking import check_after, start_checking
from idealist.web.projects.removing import remove_project, restore_project, restore_source
from idealist.web.workbench import Workbench

router = APIRouter(prefix="/api", responses=PROBLEMS)


def known_project(bench: Workbench, number: int) -> Project:
    """The project of this number; 404 where there is none."""
    project = project_of(bench.database, number)
    if project is None:
        raise HTTPException(404, f"there is no project {number}")
    return project


class NewProject(BaseModel):
    name: str = Field(description="1 to 120 characters; no other project has it")
    about: str = ""


class ProjectRecord(BaseModel):
    id: int
    name: str
    about: str
    created: int = Field(description="milliseconds since 1970, UTC")
    counts: dict[str, int] = Field(description="current sources by kind")


class SourceRecord(BaseModel):
    id: int
    kind: str = Field(description="judgments, run, documents or queries")
    name: str
    filename: str
    size: int
    rows: int
    queries: int | None
    content_sha256: str = Field(description="of the rows, whatever their order and format")
    findings: dict[str, Any] = Field(description="what `idealist check --format json` says")
    created: int


@router.get("/projects")
def get_projects(bench: Bench, person: Analyst) -> list[ProjectRecord]:
    """The projects that the caller works in, the newest first; of an admin, all."""
    mine = None if person.has_role("admin") else person.id
    return [record_of(ProjectRecord, project) for project in list_projects(bench.database, mine)]


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
    return [record_of(SourceRecord, source) for source in list_sources(bench.database, project)]


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
    return [record_of(SourceRecord, source) for source in sources if source is not None]


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
    record: SourceRecord = record_of(SourceRecord, restored)
    return record


def _project_record(bench: Workbench, number: int) -> ProjectRecord:
    record: ProjectRecord = record_of(ProjectRecord, known_project(bench, number))
    return record
