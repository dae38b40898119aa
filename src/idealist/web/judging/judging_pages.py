"""Tasks: judged by raters, made and watched by analysts, and sent as packets."""

from __future__ import annotations

import hashlib
from base64 import b64encode

from idealist.data.reading import read_judgments
from idealist.errors import InputError
from idealist.web.access.accounts import rater_without_login
from idealist.web.access.pages import PageNotFound, Screen
from idealist.web.access.sessions import token_of_forms
from idealist.web.judging.packets import import_ballot, packet_data, packet_script, packet_style
from idealist.web.judging.rater_queue import BOTH, HIGHEST_GRADE, STRONGEST
from idealist.web.judging.task_making import LABELS, UNITS, make_grade_task, make_side_task, possible_raters
from idealist.web.judging.task_raters import add_rater, remove_rater
from idealist.web.judging.tasks import (
    items_of_task,
    progress_of,
    set_open,
    task_of,
    task_of_rater,
    tasks_of_project,
    tasks_of_rater,
    withdraw_item,
)
from idealist.web.projects.importing import reworded, saved_upload
from idealist.web.projects.project_pages import this_project
from idealist.web.projects.project_sources import list_sources
from idealist.web.texts import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from starlette.responses import Response

    from idealist.web.access.accounts import Person
    from idealist.web.access.pages import Visit
    from idealist.web.judging.packets import ImportedBallot
    from idealist.web.judging.tasks import RaterProgress, Task

REASON_KEYS = "qwerty"  # one for each reason, as far as they go
SCRIPT_TEXTS = "judge.js."  # texts that the script says
PAGE = 50  # items that are listed at once
LAST_PLACE = 2**31 - 1
BASE = "/projects/{project:int}/tasks"


def show_tasks(visit: Visit) -> Response:
    return visit.show("tasks.html", tasks=tasks_of_rater(visit.database, visit.person.id))


def show_judging(visit: Visit) -> Response:
    person = visit.person
    task = task_of_rater(visit.database, visit.number("task"), person.id)
    if task is None:
        raise PageNotFound
    assigned = tasks_of_rater(visit.database, person.id)
    progress = next((known for known in assigned if known.id == task.id), None)
    script = {
        "task": task.id,
        "user": person.id,
        "done": progress.done if progress else 0,
        "all": progress.items if progress else 0,
        "token": token_of_forms(visit.workbench, visit.session),
        "texts": script_texts(visit.language),
    }
    return visit.show("judging.html", script=script, **form_values(task))


def form_values(task: Task) -> dict[str, Any]:
    """What the template of the answers needs."""
    reasons = task.settings.get("reasons", [])
    return {
        "task": task,
        "grades": range(task.settings.get("highest", HIGHEST_GRADE) + 1),
        "choices": list(enumerate(range(-STRONGEST, STRONGEST + 1), 1)),
        "both": BOTH,
        "reasons": [(reason, REASON_KEYS[at : at + 1]) for at, reason in enumerate(reasons)],
    }


def script_texts(language: str) -> dict[str, str]:
    """The texts that scripts say."""
    said = texts(language)
    return {key.removeprefix(SCRIPT_TEXTS): said[key] for key in said if key.startswith(SCRIPT_TEXTS)}


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
        form=visit.form,
        chosen_raters=visit.form_all("raters"),
        chosen_runs=visit.form_all("runs"),
        uses=LABELS,
        units=UNITS,
        highest=HIGHEST_GRADE,
    )


def add_new_task(visit: Visit) -> Response:
    project = this_project(visit)
    raters = [int(rater) for rater in visit.form_all("raters") if rater.isdecimal()]
    raters += [rater_without_login(visit.database, name).id for name in _listed(visit, "offline")]
    facts: dict[str, Any] = {
        "name": visit.form("name"),
        "raters": list(dict.fromkeys(raters)),
        "depth": _whole(visit, "depth"),
        "overlap": _whole(visit, "overlap"),
        "guidelines": visit.form("guidelines"),
        "user": visit.person.id,
    }
    if _kind(visit) == "sides":
        number = make_side_task(
            visit.workbench,
            project.id,
            baseline=visit.form("baseline"),
            candidate=visit.form("candidate"),
            unit=visit.form("unit", "lists"),
            queries=_whole(visit, "queries") if visit.form("queries").strip() else None,
            known=_whole(visit, "known"),
            reasons=_listed(visit, "reasons"),
            **facts,
        )
    else:
        number = make_grade_task(
            visit.workbench,
            project.id,
            runs=visit.form_all("runs"),
            highest=_whole(visit, "highest"),
            again=bool(visit.form("again")),
            labels=_labels(visit),
            show_labels=visit.form("show_labels", "hidden"),
            **facts,
        )
    return visit.go(f"/projects/{project.id}/tasks/{number}")


def show_task(visit: Visit, imported: Sequence[ImportedBallot] = ()) -> Response:
    project, task = this_project(visit), this_task(visit)
    after = visit.query_number("after")
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
    set_open(visit.database, task.id, visit.form("open") == "yes", user=visit.person.id)
    return visit.go(f"/projects/{project.id}/tasks/{task.id}")


def withdraw(visit: Visit) -> Response:
    project, task = this_project(visit), this_task(visit)
    withdraw_item(visit.database, task.id, visit.number("item"), user=visit.person.id)
    after = visit.form("after")
    return visit.go(
        f"/projects/{project.id}/tasks/{task.id}" + (f"?after={after}" if after.isdecimal() else "")
    )


def send_rater(visit: Visit) -> Response:
    """Adds a rater: one of the list, or by name one who judges in packets."""
    task, chosen, name = this_task(visit), visit.form("rater"), visit.form("offline").strip()
    if chosen.isdecimal() == bool(name):
        raise InputError("choose a rater, or name one without access", hint="one of the two")
    rater = rater_without_login(visit.database, name).id if name else int(chosen)
    add_rater(visit.workbench, task, rater, share=visit.form("share", "all"), user=visit.person.id)
    return visit.go(f"/projects/{task.project_id}/tasks/{task.id}")


def take_off(visit: Visit) -> Response:
    task = this_task(visit)
    remove_rater(visit.workbench, task, visit.number("rater"), user=visit.person.id)
    return visit.go(f"/projects/{task.project_id}/tasks/{task.id}")


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
    return [part.strip() for part in visit.form(name).replace("，", ",").split(",") if part.strip()]


def _kind(visit: Visit) -> str:
    kind = str(visit.request.path_params["kind"])
    if kind not in ("grades", "sides"):
        raise PageNotFound
    return kind


def _whole(visit: Visit, name: str) -> int:
    text = visit.form(name).strip()
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


def send_packet(visit: Visit) -> Response:
    """The packet as a file, in the language of the page."""
    task = this_task(visit)
    data = packet_data(visit.workbench, task, visit.number("rater"))
    source, style = packet_script(), packet_style()
    answer = visit.show(
        "packet.html",
        script={**data, "texts": script_texts(visit.language)},
        source=source,
        style=style,
        script_hash=_hash(source),
        style_hash=_hash(style),
        **form_values(task),
    )
    answer.headers["content-disposition"] = f'attachment; filename="packet-{data["packet"]}.html"'
    return answer


def take_ballots(visit: Visit) -> Response:
    task = this_task(visit)
    files = visit.files("ballot")
    if not files:
        raise InputError("no file was chosen", hint="choose the ballot that a packet saved", code="no-file")
    imported = []
    for file in files:
        try:
            imported.append(import_ballot(visit.workbench, task, file.file.read()))
        except InputError as error:  # those before it are imported, and the page says so
            visit.problem = reworded(error, str, before=f"{file.filename}: ")
            break
    return show_task(visit, imported)


def _hash(text: str) -> str:
    """Of an inline script or style, as a policy names it."""
    return b64encode(hashlib.sha256(text.encode()).digest()).decode()


SCREENS = (
    Screen("GET", "/tasks", show_tasks, role="rater"),
    Screen("GET", "/tasks/{task:int}", show_judging, role="rater"),
    Screen("GET", BASE, show_project_tasks),
    Screen("GET", BASE + "/new/{kind}", show_new_task),
    Screen("POST", BASE + "/new/{kind}", add_new_task, again=show_new_task),
    Screen("GET", BASE + "/{task:int}", show_task),
    Screen("POST", BASE + "/{task:int}/open", change_open, again=show_task),
    Screen("POST", BASE + "/{task:int}/items/{item:int}/withdraw", withdraw, again=show_task),
    Screen("POST", BASE + "/{task:int}/raters", send_rater, again=show_task),
    Screen("POST", BASE + "/{task:int}/raters/{rater:int}/remove", take_off, again=show_task),
    Screen("GET", BASE + "/{task:int}/packets/{rater:int}", send_packet, again=show_task),
    Screen("POST", BASE + "/{task:int}/ballots", take_ballots, again=show_task),
)
