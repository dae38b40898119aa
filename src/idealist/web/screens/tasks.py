"""The tasks of a rater: those assigned, and no others."""

from __future__ import annotations

from idealist.web.screens.visit import Screen
from idealist.web.store.tasks import tasks_of_rater

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.screens.visit import Visit


def show_tasks(visit: Visit) -> Response:
    return visit.show("tasks.html", tasks=tasks_of_rater(visit.database, visit.person.id))


SCREENS = (Screen("GET", "/tasks", show_tasks, role="rater"),)
