"""The history of a project: values over time, notes, and recorded decisions."""

from __future__ import annotations

from idealist.comparison.decision_records import LARGEST, DecisionRecord
from idealist.conventions import PRESETS
from idealist.errors import InputError
from idealist.measures import registry
from idealist.show.cells import cell_text
from idealist.web.access.page_words import action_words
from idealist.web.access.pages import PageNotFound, Screen
from idealist.web.base.jobs import ended_within
from idealist.web.base.result_cache import PATIENCE
from idealist.web.comparing.evaluate_pages import conventions_asked, measure_names
from idealist.web.comparing.run_values import CONFIDENCE
from idealist.web.comparing.trends import (
    MOST_RUNS,
    Moment,
    add_annotation,
    annotations_of,
    decisions_of,
    history_of,
    keep_decision,
    moments,
    remove_annotation,
    versions_of,
)
from idealist.web.projects.project_pages import this_project
from idealist.web.projects.project_sources import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.access.pages import Visit
    from idealist.web.comparing.trends import Annotation


def show_history(visit: Visit) -> Response:
    return _show(visit, "history.html")


def show_trend(visit: Visit) -> Response:
    """The trend alone, which the page asks for while runs are measured."""
    return _show(visit, "_trend.html")


def _show(visit: Visit, template: str) -> Response:
    project = this_project(visit)
    asked = {
        "measure": visit.query("measure", "nDCG@10"),
        "run": visit.query("run"),
        "preset": visit.query("preset", "idealist"),
    }
    measured: list[Moment] = []
    names = list(dict.fromkeys(v.name for v in versions_of(visit.database, project.id, "run")))
    problem = visit.problem
    try:
        if asked["run"] and asked["run"] not in names:
            raise InputError(f"there is no run {asked['run']!r}", hint="choose one of the list")
        (measure,) = measure_names(asked["measure"])[:1]
        conventions = conventions_asked(visit)
        trend = (visit.workbench, project.id, measure, conventions, asked["run"])
        measured, started = moments(*trend)
        if started:
            ended_within(started, PATIENCE)
            measured, _ = moments(*trend)
    except InputError as error:
        problem = visit.problem = error
    notes = annotations_of(visit.database, project.id)
    return visit.show(
        template,
        project=project,
        tab="history",
        asked=asked,
        names=names,
        presets=PRESETS,
        known_measures=sorted(registry(), key=str.lower),
        moments=measured,
        pending=problem is None and any(moment.summary is None for moment in measured),
        few=MOST_RUNS if len(names) > MOST_RUNS and not asked["run"] else None,
        chart=chart_rows(measured),
        marks=mark_rows(notes, asked["run"]),
        notes=notes,
        decisions=decisions_of(visit.database, project.id),
        lines=history_of(visit.database, project.id),
        actions=action_words(visit),
        kinds=KINDS,
        written=visit.form("text"),
        cell_text=cell_text,
        confidence=f"{100 * CONFIDENCE:g}",
        address=visit.request.url.query,
    )


def chart_rows(measured: list[Moment]) -> list[dict[str, object]]:
    """The points of the chart, without those that are not measured yet or have no value."""
    return [
        {
            "at": moment.at,
            "run": moment.run.name,
            "value": moment.summary.value,
            "low": moment.summary.low,
            "high": moment.summary.high,
            "stale": bool(moment.stale),
        }
        for moment in measured
        if moment.summary is not None and moment.summary.value is not None
    ]


def mark_rows(notes: list[Annotation], run: str) -> list[dict[str, object]]:
    """The notes on the chart: those on the project, and on the runs that it shows."""
    return [
        {"at": note.created, "text": note.text, "subject": note.subject}
        for note in notes
        if not run or note.subject in ("", run)
    ]


def add_note(visit: Visit) -> Response:
    project = this_project(visit)
    add_annotation(
        visit.database, project.id, visit.form("subject"), visit.form("text"), user=visit.person.id
    )
    return visit.go(f"/projects/{project.id}/history#notes")


def remove_note(visit: Visit) -> Response:
    project = this_project(visit)
    if not remove_annotation(visit.database, project.id, visit.number("note"), user=visit.person.id):
        raise PageNotFound
    return visit.go(f"/projects/{project.id}/history#notes")


def keep(visit: Visit) -> Response:
    project = this_project(visit)
    files = visit.files("decision")
    if not files:
        raise InputError(
            "no file was chosen", hint="choose what idealist gate --record wrote", code="no-file"
        )
    for file in files:
        content = file.file.read(LARGEST + 1)
        record = DecisionRecord.from_text(content.decode("utf-8", "replace"), file.filename)
        keep_decision(visit.database, project.id, record, user=visit.person.id)
    return visit.go(f"/projects/{project.id}/history#decisions")


SCREENS = (
    Screen("GET", "/projects/{project:int}/history", show_history),
    Screen("GET", "/projects/{project:int}/history/trend", show_trend),
    Screen("POST", "/projects/{project:int}/notes", add_note, again=show_history),
    Screen("POST", "/projects/{project:int}/notes/{note:int}/remove", remove_note),
    Screen("POST", "/projects/{project:int}/decisions", keep, again=show_history),
)
