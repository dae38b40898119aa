"""The tasks of a project: made, watched, closed; items withdrawn."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.io.reading import read_judgments
from idealist.web.judging import HIGHEST_GRADE
from idealist.web.people.users import rater_without_login
from idealist.web.problems import reworded
from idealist.web.screens.projects import this_project
from idealist.web.screens.visit import PageNotFound, Screen
from idealist.web.store.sources import list_sources
from idealist.web.store.tasks import (
    items_of_task,
    progress_of,
    set_open,
    task_of,
    tasks_of_project,
    withdraw_item,
)
from idealist.web.task_grades import add_to_judgments
from idealist.web.task_making import LABELS, UNITS, make_grade_task, make_side_task, possible_raters
from idealist.web.uploads import saved_upload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from starlette.responses import Response

    from idealist.web.packets import ImportedBallot
    from idealist.web.people.roles import Person
    from idealist.web.screens.visit import Visit
    from idealist.web.store.tasks import RaterProgress, Task

PAGE = 50  # items that are listed at once
LAST_PLACE = 2**31 - 1


def show_project_tasks(visit: Visit) -> Response:
    project = this_project(visit)
    listed = tasks_of_project(visit.database, project.id)
    progress = {task.id: progress_of(visit.database, task.id) for task in listed}
    sums = {
        number: (sum(rater.done for rater in raters), sum(rater.items for rater in raters), len(raters))
        for number, raters in progress.items()
    }
    runs = list_sources(visit.database, project.id, "run")
    return visit.show("project_tasks.html", project=project, tab="tasks", tasks=listed, sums=sums, runs=runs)


def show_new_task(visit: Visit) -> Response:
    project = this_project(visit)
    kind = _kind(visit)
    return visit.show(
        "new_task.html",
        project=project,
        tab="tasks",
        kind=kind,
        runs=list_sources(visit.database, project.id, "run"),
        raters=possible_raters(visit.workbench),
        sent=visit.sent,
        chosen_raters=visit.sent_all("raters"),
        chosen_runs=visit.sent_all("runs"),
        uses=LABELS,
        units=UNITS,
        highest=HIGHEST_GRADE,
    )


def add_new_task(visit: Visit) -> Response:
    project = this_project(visit)
    raters = [int(rater) for rater in visit.sent_all("raters") if rater.isdecimal()]
    raters += [rater_without_login(visit.database, name).id for name in _listed(visit, "offline")]
    facts: dict[str, Any] = {
        "name": visit.sent("name"),
        "raters": list(dict.fromkeys(raters)),
        "depth": _whole(visit, "depth"),
        "overlap": _whole(visit, "overlap"),
        "guidelines": visit.sent("guidelines"),
        "user": visit.person.id,
    }
    if _kind(visit) == "sides":
        number = make_side_task(
            visit.workbench,
            project.id,
            baseline=visit.sent("baseline"),
            candidate=visit.sent("candidate"),
            unit=visit.sent("unit", "lists"),
            queries=_whole(visit, "queries") if visit.sent("queries").strip() else None,
            known=_whole(visit, "known"),
            reasons=_listed(visit, "reasons"),
            **facts,
        )
    else:
        number = make_grade_task(
            visit.workbench,
            project.id,
            runs=visit.sent_all("runs"),
            highest=_whole(visit, "highest"),
            again=bool(visit.sent("again")),
            labels=_labels(visit),
            show_labels=visit.sent("show_labels", "hidden"),
            **facts,
        )
    return visit.go(f"/projects/{project.id}/tasks/{number}")


def show_task(visit: Visit, imported: Sequence[ImportedBallot] = ()) -> Response:
    project, task = this_project(visit), this_task(visit)
    after = visit.asked_number("after")
    start = -1 if after is None else min(after, LAST_PLACE)
    listed = items_of_task(visit.database, task.id, after=start, count=PAGE + 1)
    raters = progress_of(visit.database, task.id)
    return visit.show(
        "project_task.html",
        project=project,
        tab="tasks",
        task=task,
        raters=raters,
        mine=visit.person.id,
        after=start,
        imported=imported,
        others=_others(visit, raters),
        items=listed[:PAGE],
        more=listed[PAGE - 1].place if len(listed) > PAGE else None,
    )


def _others(visit: Visit, raters: Sequence[RaterProgress]) -> list[Person]:
    """Who could be added."""
    known = {rater.id for rater in raters}
    return [person for person in possible_raters(visit.workbench) if person.id not in known]


def change_open(visit: Visit) -> Response:
    project, task = this_project(visit), this_task(visit)
    set_open(visit.database, task.id, visit.sent("open") == "yes", user=visit.person.id)
    return visit.go(f"/projects/{project.id}/tasks/{task.id}")


def withdraw(visit: Visit) -> Response:
    project, task = this_project(visit), this_task(visit)
    withdraw_item(visit.database, task.id, visit.number("item"), user=visit.person.id)
    after = visit.sent("after")
    return visit.go(
        f"/projects/{project.id}/tasks/{task.id}" + (f"?after={after}" if after.isdecimal() else "")
    )


def use_grades(visit: Visit) -> Response:
    project, task = this_project(visit), this_task(visit)
    source = add_to_judgments(visit.workbench, task, user=visit.person.id)
    return visit.go(f"/projects/{project.id}/sources/{source}")


def _labels(visit: Visit) -> dict[str, dict[str, float]] | None:
    """The grades of a language model in the file that was sent with the form."""
    files = visit.files("labels")
    if not files:
        return None
    with saved_upload(visit.workbench, files[0]) as saved:
        try:
            return read_judgments(saved.path).to_dict()
        except InputError as error:
            raise reworded(error, lambda text: text.replace(str(saved.path), saved.filename)) from None


def _listed(visit: Visit, name: str) -> list[str]:
    """The parts of a field between commas, English or Chinese."""
    return [part.strip() for part in visit.sent(name).replace("，", ",").split(",") if part.strip()]


def _kind(visit: Visit) -> str:
    kind = str(visit.request.path_params["kind"])
    if kind not in ("grades", "sides"):
        raise PageNotFound
    return kind


def _whole(visit: Visit, name: str) -> int:
    text = visit.sent(name).strip()
    try:
        return int(text)
    except ValueError:
        raise InputError(
            f"{name}: {text!r} is not a whole number", hint="write it in digits", code="not-a-number"
        ) from None


def this_task(visit: Visit) -> Task:
    """The task of the path, which must be of its project."""
    task = task_of(visit.database, visit.number("task"))
    if task is None or task.project_id != visit.number("project"):
        raise PageNotFound
    return task


BASE = "/projects/{project:int}/tasks"
SCREENS = (
    Screen("GET", BASE, show_project_tasks),
    Screen("GET", BASE + "/new/{kind}", show_new_task),
    Screen("POST", BASE + "/new/{kind}", add_new_task, again=show_new_task),
    Screen("GET", BASE + "/{task:int}", show_task),
    Screen("POST", BASE + "/{task:int}/grades", use_grades, again=show_task),
    Screen("POST", BASE + "/{task:int}/open", change_open, again=show_task),
    Screen("POST", BASE + "/{task:int}/items/{item:int}/withdraw", withdraw, again=show_task),
)
