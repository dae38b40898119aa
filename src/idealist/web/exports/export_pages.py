"""Exports: what a project holds and what was measured, as files."""

from __future__ import annotations

from idealist.conventions import PRESETS
from idealist.evaluation.measuring import MEASURES
from idealist.web.access.pages import PageNotFound, Screen
from idealist.web.comparing.evaluate_pages import conventions_asked, measure_names
from idealist.web.comparing.pairing import comparable_runs
from idealist.web.comparing.run_values import question
from idealist.web.exports.exporting import (
    FORMATS,
    MOST_REPORTED,
    answers_file,
    download,
    judgments_file,
    report_file,
    run_file,
    values_file,
)
from idealist.web.judging.tasks import tasks_of_project
from idealist.web.projects.project_pages import this_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.access.pages import Visit
    from idealist.web.comparing.run_values import Question


def show_exports(visit: Visit) -> Response:
    project = this_project(visit)
    judgments, runs = comparable_runs(visit.workbench, project.id)
    return visit.show(
        "exports.html",
        project=project,
        tab="exports",
        judgments=judgments,
        runs=runs,
        tasks=tasks_of_project(visit.database, project.id),
        formats=FORMATS,
        presets=PRESETS,
        measures=", ".join(MEASURES),
        most=MOST_REPORTED,
    )


def _question(visit: Visit) -> Question:
    judgments, runs = comparable_runs(visit.workbench, visit.number("project"))
    if judgments is None or not runs:
        raise PageNotFound
    names = measure_names(visit.query("measures", ", ".join(MEASURES)))
    return question(judgments.stored, names, conventions_asked(visit))


def give_judgments(visit: Visit) -> Response:
    project = this_project(visit)
    return download(judgments_file(visit.workbench, project.id, visit.query("format", "trec")))


def give_run(visit: Visit) -> Response:
    project = this_project(visit)
    return download(run_file(visit.workbench, project.id, visit.query("run"), visit.query("format", "trec")))


def give_values(visit: Visit) -> Response:
    project = this_project(visit)
    by_query = bool(visit.query("by_query"))
    return download(values_file(visit.workbench, project.id, _question(visit), by_query=by_query))


def give_answers(visit: Visit) -> Response:
    project = this_project(visit)
    task = visit.query_number("task")
    if task is None:
        raise PageNotFound
    return download(answers_file(visit.workbench, project.id, task))


def give_report(visit: Visit) -> Response:
    project = this_project(visit)
    first, others = visit.query("baseline"), visit.query_all("run")
    runs = [first, *(name for name in others if name != first)] if first else others
    asked = _question(visit)
    margin = visit.query("margin")
    return download(report_file(visit.workbench, project.id, asked, runs, title=project.name, margin=margin))


SCREENS = (
    Screen("GET", "/projects/{project:int}/exports", show_exports),
    Screen("GET", "/projects/{project:int}/exports/judgments", give_judgments),
    Screen("GET", "/projects/{project:int}/exports/run", give_run),
    Screen("GET", "/projects/{project:int}/exports/values", give_values),
    Screen("GET", "/projects/{project:int}/exports/answers", give_answers),
    Screen("GET", "/projects/{project:int}/exports/report", give_report),
)
