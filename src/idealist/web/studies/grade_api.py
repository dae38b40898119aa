"""The paths of the API for tasks of grades: their raters, decisions, and grades among the judgments."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field

from idealist.show.plan_tables import plain_record
from idealist.web.access.api_access import PROBLEMS, Analyst, Bench
from idealist.web.judging.judging_api import EventAnswer, known_task
from idealist.web.judging.tasks import Task
from idealist.web.studies.graded_tasks import (
    GradeAgreement,
    add_to_judgments,
    adjudicate_grade,
    grade_disagreements,
    task_grades,
    withdraw_grade_decision,
)
from idealist.web.studies.study_api import TakenBack
from idealist.web.studies.task_answers import grade_data
from idealist.web.studies.task_reports import Wanted, new_report
from idealist.web.workbench import Workbench

router = APIRouter(prefix="/api/projects/{project}/tasks/{task}", responses=PROBLEMS)


class AddedGrades(BaseModel):
    source: int = Field(description="the judgments that now hold them")


class NewGradeDecision(BaseModel):
    """The grade of a document, decided; sent again under the same id it changes nothing."""

    id: str = Field(description="a UUID made by the sender")
    grade: int = Field(ge=0)


@router.get("/grades")
def get_grades(bench: Bench, person: Analyst, project: int, task: int) -> dict[str, dict[str, float]]:
    """The grade of every document that was judged, by query: the adjudication, or the median of its raters."""
    return task_grades(bench.database, known_task(bench, project, task))


@router.post("/grades", status_code=201)
def post_grades(bench: Bench, person: Analyst, project: int, task: int) -> AddedGrades:
    """Puts the grades among the judgments of the project."""
    return AddedGrades(source=add_to_judgments(bench, known_task(bench, project, task), user=person.id))


@router.get("/raters")
def get_raters(bench: Bench, person: Analyst, project: int, task: int) -> dict[str, Any]:
    """The raters of a task of grades, their agreement, and the documents that they differ on."""
    known = known_task(bench, project, task)
    report = new_report(bench, Wanted(known, "grades")).content if known.kind == "grades" else None
    if report is None:
        raise HTTPException(404, f"task {task} has no grades")
    agreement = report.agreement
    return {
        "raters": [plain_record(row) for row in report.raters],
        "agreement": None if agreement is None else _coefficients(agreement),
        "pairs": [] if agreement is None else [plain_record(pair) for pair in agreement.pairs],
        "disagreements": [
            {
                "item": entry.item.id,
                "query": entry.item.query,
                "document": entry.item.document,
                "settled": entry.settled,
                "grades": {answer.rater: answer.grade for answer in entry.answers},
                "decision": None if entry.adjudication is None else entry.adjudication.grade,
            }
            for entry in grade_disagreements(grade_data(bench.database, task))
        ],
    }


@router.post("/items/{item}/adjudication")
def post_decision(
    bench: Bench, person: Analyst, project: int, task: int, item: int, new: NewGradeDecision
) -> EventAnswer:
    """Decides the grade of a document, in the place of what its raters said."""
    known = _grade_task(bench, project, task)
    added = adjudicate_grade(bench.database, known, item, id=new.id, grade=new.grade, user=person.id)
    return EventAnswer(added=added)


@router.post("/items/{item}/adjudication/undo")
def post_undo(
    bench: Bench, person: Analyst, project: int, task: int, item: int, new: TakenBack
) -> EventAnswer:
    """Takes back one's own decision on a document."""
    known = _grade_task(bench, project, task)
    return EventAnswer(added=withdraw_grade_decision(bench.database, known, item, id=new.id, user=person.id))


def _coefficients(agreement: GradeAgreement) -> dict[str, Any]:
    return {name: value for name, value in plain_record(agreement).items() if name != "pairs"}


def _grade_task(bench: Workbench, project: int, number: int) -> Task:
    task = known_task(bench, project, number)
    if task.kind != "grades":
        raise HTTPException(
            404, f"task {number} is one of votes: its decisions are those of the study {number}"
        )
    return task
