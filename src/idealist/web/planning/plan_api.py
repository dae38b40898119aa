"""The plan of a project by the API: what `idealist plan … --format json` says."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query

from idealist.show.view import rows_view
from idealist.web.access.api_access import PROBLEMS, Analyst, Bench, RunName
from idealist.web.planning.project_plan import draw_queries, plan_next, plan_queries, plan_votes
from idealist.web.projects.project_api import known_project
from idealist.web.studies.task_answers import study_of

router = APIRouter(
    prefix="/api/projects/{project}/plan",
    responses=PROBLEMS,
)


@router.get("/queries")
def get_queries(
    bench: Bench,
    person: Analyst,
    project: int,
    first: RunName,
    second: RunName,
    effect: float,
    measure: str = "nDCG@10",
    power: float = 0.8,
) -> Any:
    """How many queries show a difference between two runs."""
    known_project(bench, project)
    view = plan_queries(bench, project, systems=(first, second), measure=measure, effect=effect, power=power)
    return view.record()


@router.get("/votes")
def get_votes(bench: Bench, person: Analyst, project: int, study: int, gsb: float, power: float = 0.8) -> Any:
    """How many judgments show a GSB, if votes are like those of a study."""
    known = study_of(bench.database, project, study)
    if known is None:
        known_project(bench, project)
        raise HTTPException(404, f"project {project} has no study {study}")
    return plan_votes(bench, known, gsb=gsb, power=power).record()


@router.get("/sample")
def get_sample(
    bench: Bench, person: Analyst, project: int, n: int, seed: int = 0, unjudged: bool = False
) -> Any:
    """A random sample of the queries of the runs, with weights."""
    known_project(bench, project)
    return rows_view(draw_queries(bench, project, n=n, seed=seed, unjudged=unjudged)).record()


@router.get("/next")
def get_next(
    bench: Bench,
    person: Analyst,
    project: int,
    run: Annotated[list[str], Query(description="two or more")],
    k: int = 10,
    n: int = 20,
) -> Any:
    """The documents to judge next."""
    known_project(bench, project)
    return plan_next(bench, project, systems=tuple(run), k=k, n=n).record()
