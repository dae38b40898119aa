"""What a project holds, as files for commands: `idealist evaluate http://…/projects/1::judgments …`."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException
from fastapi.responses import FileResponse, Response

from idealist.io.studies import votes_text
from idealist.web.api.access import Analyst, Bench
from idealist.web.api.models import PROBLEMS
from idealist.web.api.projects import known_project
from idealist.web.store.sources import judgments_of, list_sources
from idealist.web.store.studies import list_studies, study_data
from idealist.web.workbench import Workbench

router = APIRouter(
    prefix="/api/projects/{project}/data",
    responses=PROBLEMS,
)
TSV, CSV = "text/tab-separated-values", "text/csv"


@router.get("/judgments", response_class=FileResponse)
def get_judgments(bench: Bench, person: Analyst, project: int) -> FileResponse:
    """The judgments: tab-separated query, document and grade."""
    known_project(bench, project)
    source = judgments_of(bench.database, project)
    if source is None:
        raise HTTPException(404, "the project has no judgments")
    return FileResponse(bench.files.path(source.stored), media_type=TSV)


@router.get("/runs/{name:path}", response_class=FileResponse)
def get_run(bench: Bench, person: Analyst, project: int, name: str) -> FileResponse:
    """A run by its name: tab-separated query, document and score."""
    known_project(bench, project)
    runs = list_sources(bench.database, project, "run")
    source = next((run for run in runs if run.name == name), None)
    if source is None:
        listed = ", ".join(run.name for run in runs) or "none"
        raise HTTPException(404, f"the project has no run {name!r}; its runs are: {listed}")
    return FileResponse(bench.files.path(source.stored), media_type=TSV)


@router.get("/votes", response_class=Response)
def get_votes(bench: Bench, person: Analyst, project: int) -> Response:
    """The votes of the project's only study, as CSV: `vote` is what counts, `given` what the rater said."""
    return _votes(bench, project, "")


@router.get("/votes/{name:path}", response_class=Response)
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
