"""A task of grades: its raters, the decisions on what they disagree about, and its grades among the judgments."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.web.access.page_words import coefficient_text
from idealist.web.access.pages import PageNotFound, Screen
from idealist.web.judging.judging_pages import show_task, this_task
from idealist.web.judging.rater_queue import HIGHEST_GRADE
from idealist.web.projects.project_pages import this_project
from idealist.web.projects.project_sources import documents_of
from idealist.web.studies.graded_tasks import (
    add_to_judgments,
    adjudicate_grade,
    grade_disagreements,
    withdraw_grade_decision,
)
from idealist.web.studies.study_pages import raters_shown
from idealist.web.studies.task_reports import Wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from idealist.web.access.pages import Visit
    from idealist.web.judging.tasks import Task
    from idealist.web.studies.graded_tasks import GradeAgreement


def show_raters(visit: Visit) -> Response:
    return _show(visit, "task_raters.html")


def show_raters_part(visit: Visit) -> Response:
    """The raters alone, which the page asks for while their grades are counted."""
    return _show(visit, "_raters.html")


def _show(visit: Visit, template: str) -> Response:
    project, task = this_project(visit), _grade_task(visit)
    shown: dict[str, Any] = {"project": project, "tab": "tasks", "task": task, "answers": "grades"}
    shown |= {"base": f"/projects/{project.id}/tasks/{task.id}", "empty": False}
    report, of_raters = raters_shown(visit, Wanted(task, "grades"), grade_disagreements)
    shown |= of_raters
    if report is not None and report.content is None:
        return visit.show("task_raters.html", **shown | {"empty": True})
    agreement = None if report is None else report.content.agreement
    highest = task.settings.get("highest", HIGHEST_GRADE)
    return visit.show(
        template,
        **shown,
        agreement=None if agreement is None else _agreement_line(visit, agreement),
        said=lambda entry, answer: visit.text("adjudicate.said.grade", grade=answer.grade),
        documents=documents_of(
            visit.database, project.id, list({entry.item.document for entry in shown["listed"] or ()})
        ),
        choices=[(grade, visit.text("adjudicate.choose.grade", grade=grade)) for grade in range(highest + 1)],
    )


def _agreement_line(visit: Visit, agreement: GradeAgreement) -> str:
    key = "raters.grades.line"
    raw, alpha = coefficient_text(agreement.raw), coefficient_text(agreement.alpha)
    return visit.text(key, raw=raw, alpha=alpha, items=f"{agreement.items:,}")


def send_decision(visit: Visit) -> Response:
    task, sent = _grade_task(visit), visit.form("decision")
    if not sent.isdecimal():
        raise InputError(f"{sent!r} is not a grade", hint="choose one of the buttons")
    adjudicate_grade(
        visit.database,
        task,
        visit.number("item"),
        id=visit.form("id"),
        grade=int(sent),
        user=visit.person.id,
    )
    return visit.go(f"/projects/{task.project_id}/tasks/{task.id}/raters#adjudicate")


def take_back(visit: Visit) -> Response:
    task = _grade_task(visit)
    withdraw_grade_decision(
        visit.database, task, visit.number("item"), id=visit.form("id"), user=visit.person.id
    )
    return visit.go(f"/projects/{task.project_id}/tasks/{task.id}/raters#adjudicate")


def use_grades(visit: Visit) -> Response:
    project, task = this_project(visit), this_task(visit)
    source = add_to_judgments(visit.workbench, task, user=visit.person.id)
    return visit.go(f"/projects/{project.id}/sources/{source}")


def _grade_task(visit: Visit) -> Task:
    task = this_task(visit)
    if task.kind != "grades":
        raise PageNotFound
    return task


TASK = "/projects/{project:int}/tasks/{task:int}"
SCREENS = (
    Screen("POST", f"{TASK}/grades", use_grades, again=show_task),
    Screen("GET", f"{TASK}/raters", show_raters),
    Screen("GET", f"{TASK}/raters/part", show_raters_part),
    Screen("POST", f"{TASK}/items/{{item:int}}/adjudicate", send_decision, again=show_raters),
    Screen("POST", f"{TASK}/items/{{item:int}}/undo", take_back, again=show_raters),
)
