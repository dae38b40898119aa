"""The paths of the API for deciding between two runs: the comparison, its queries, and two lists."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from idealist.comparison.comparing import MEASURES
from idealist.conventions import parse_conventions
from idealist.show.comparison_tables import comparison_view
from idealist.show.explanation_tables import explanation_record
from idealist.web.access.api_access import PROBLEMS, Analyst, Bench, Conventions, RunName
from idealist.web.comparing.explaining import two_lists
from idealist.web.comparing.pairing import (
    Pairing,
    compared_queries,
    comparison_of,
    contrast_of,
    pairing,
    verdict_of,
)
from idealist.web.comparing.run_values import question
from idealist.web.projects.project_api import known_project
from idealist.web.projects.project_sources import list_sources, required_judgments
from idealist.web.workbench import Workbench

router = APIRouter(prefix="/api", responses=PROBLEMS)
Names = Annotated[list[str], Query(description="may be repeated; the verdict goes by the first")]


class QueryRecord(BaseModel):
    place: int = Field(description="in the order of gains, the largest first")
    query: str
    baseline: float
    value: float
    difference: float


class ListsRecord(BaseModel):
    query: str
    baseline: dict[str, Any] = Field(description="what `idealist explain --format json` says")
    system: dict[str, Any]
    documents: list[dict[str, Any]] = Field(description="ranks in both; null where a list lacks it")
    agreement: dict[str, float] = Field(description="RBO, overlap at the cut-off, Kendall's tau; by measure")


@router.get("/projects/{project}/comparison")
def get_comparison(
    bench: Bench,
    person: Analyst,
    project: int,
    baseline: RunName,
    system: RunName,
    measure: Names = list(MEASURES),  # noqa: B006
    conventions: Conventions = "idealist",
    margin: Annotated[str, Query(description="2%, 0.01; by default 2 % of the baseline's mean")] = "",
    segments: Annotated[
        str, Query(description="column (of the queries), words or relevant; by default none")
    ] = "",
) -> dict[str, Any]:
    """Two runs compared: what `idealist compare --format json` says, with the verdict. Waits until it is computed."""
    pair = _pair(bench, project, measure, conventions, baseline, system, segments)
    comparison = comparison_of(bench, pair)
    verdict = verdict_of(comparison, margin)
    verdicts = {} if verdict is None else {system: verdict}
    record: dict[str, Any] = comparison_view(comparison, verdicts=verdicts).record()
    return record


@router.get("/projects/{project}/comparison/queries")
def get_compared_queries(
    bench: Bench,
    person: Analyst,
    project: int,
    baseline: RunName,
    system: RunName,
    measure: str = MEASURES[0],
    conventions: Conventions = "idealist",
) -> list[QueryRecord]:
    """Every query of both runs, the largest gain first."""
    pair = _pair(bench, project, [measure], conventions, baseline, system)
    contrast = contrast_of(comparison_of(bench, pair), measure)
    return [
        QueryRecord(**{field: getattr(query, field) for field in query.fields})
        for query in compared_queries(contrast)
    ]


@router.get("/projects/{project}/lists")
def get_lists(
    bench: Bench,
    person: Analyst,
    project: int,
    baseline: RunName,
    system: RunName,
    query: str,
    measure: str = MEASURES[0],
    conventions: Conventions = "idealist",
) -> ListsRecord:
    """One query in two runs: both explanations, the ranks of every document in both, and how far the lists agree."""
    lists = two_lists(bench, _pair(bench, project, [measure], conventions, baseline, system), query)
    first, second = (explanation_record(explained.explanation) for explained in lists.explained)
    return ListsRecord(
        query=query, baseline=first, system=second, documents=lists.moves, agreement=dict(lists.agreement)
    )


def _pair(
    bench: Workbench,
    project: int,
    measures: list[str],
    conventions: str,
    baseline: str,
    system: str,
    segments: str = "",
) -> Pairing:
    known_project(bench, project)
    judgments = required_judgments(bench.database, project)
    runs = list_sources(bench.database, project, "run")
    asked = question(judgments.stored, measures, parse_conventions(conventions))
    return pairing(bench, project, asked, runs, baseline, system, segments)
