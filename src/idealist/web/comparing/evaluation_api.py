"""The paths of the API for runs evaluated, explained and followed over time, and for notes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, Field

from idealist.conventions import parse_conventions
from idealist.evaluation.measuring import MEASURES
from idealist.show.explanation_tables import explanation_record
from idealist.web.access.api_access import PROBLEMS, Analyst, Bench, Conventions
from idealist.web.base.jobs import ended_within
from idealist.web.comparing.explaining import explain_query
from idealist.web.comparing.run_values import CONFIDENCE, question, start_measuring, summaries
from idealist.web.comparing.trends import (
    add_annotation,
    annotations_of,
    moments,
    remove_annotation,
    trend_record,
)
from idealist.web.projects.project_api import known_project
from idealist.web.projects.project_sources import (
    judgments_of,
    list_sources,
    required_judgments,
    required_runs,
)

router = APIRouter(prefix="/api", responses=PROBLEMS)


class ValueRecord(BaseModel):
    run: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    judged: float | None


class EvaluationRecord(BaseModel):
    conventions: dict[str, str]
    confidence: float
    values: list[ValueRecord]
    notes: dict[str, list[str]] = Field(description="by run")


class NewNote(BaseModel):
    text: str = Field(description="1 to 2,000 characters")
    subject: str = Field("", description="the name of a run; empty: the project")


class NoteRecord(BaseModel):
    id: int
    subject: str
    text: str
    created: int = Field(description="milliseconds since 1970, UTC")
    author: str | None


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


@router.get("/projects/{project}/trend")
def get_trend(
    bench: Bench,
    person: Analyst,
    project: int,
    measure: str = MEASURES[0],
    run: Annotated[str, Query(description="by default those that changed last")] = "",
    conventions: Conventions = "idealist",
) -> list[dict[str, Any]]:
    """Every run with the judgments of its time: its value, interval, hashes, and what is stale. Waits until all is
    measured."""
    known_project(bench, project)
    chosen = parse_conventions(conventions)
    measured, started = moments(bench, project, measure, chosen, run)
    if started:
        ended_within(started, None)
        measured, _ = moments(bench, project, measure, chosen, run)
    return trend_record(measured)


@router.get("/projects/{project}/notes")
def get_notes(bench: Bench, person: Analyst, project: int) -> list[NoteRecord]:
    """The notes of a project, the newest first."""
    known_project(bench, project)
    notes = annotations_of(bench.database, project)
    return [NoteRecord(**{field: getattr(note, field) for field in note.fields}) for note in notes]


@router.post("/projects/{project}/notes", status_code=201)
def post_note(bench: Bench, person: Analyst, project: int, new: NewNote) -> NoteRecord:
    """Adds a note on a run or on the project."""
    known_project(bench, project)
    number = add_annotation(bench.database, project, new.subject, new.text, user=person.id)
    return next(note for note in get_notes(bench, person, project) if note.id == number)


@router.delete("/projects/{project}/notes/{note}", status_code=204)
def delete_note(bench: Bench, person: Analyst, project: int, note: int) -> None:
    """Takes a note away; the history still tells what it said."""
    if not remove_annotation(bench.database, project, note, user=person.id):
        known_project(bench, project)
        raise HTTPException(404, f"project {project} has no note {note}")
