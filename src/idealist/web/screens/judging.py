"""The page on which a rater judges: grades, or side by side."""

from __future__ import annotations

from idealist.web.browsers import token_of_forms
from idealist.web.judging import BOTH, HIGHEST_GRADE, STRONGEST
from idealist.web.screens.visit import PageNotFound, Screen
from idealist.web.store.tasks import task_of_rater, tasks_of_rater
from idealist.web.texts.catalogue import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from idealist.web.screens.visit import Visit
    from idealist.web.store.tasks import Task

REASON_KEYS = "qwerty"  # one for each reason, as far as they go
SCRIPT_TEXTS = "judge.js."  # texts that the script says


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


SCREENS = (Screen("GET", "/tasks/{task:int}", show_judging, role="rater"),)
