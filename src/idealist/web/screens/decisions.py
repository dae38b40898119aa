"""Recorded decisions brought in: the files that `idealist gate --record` writes."""

from __future__ import annotations

from idealist.decision.records import LARGEST, DecisionRecord
from idealist.errors import InputError
from idealist.web.screens.history import show_history
from idealist.web.screens.projects import this_project
from idealist.web.screens.visit import Screen
from idealist.web.store.decisions import keep_decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.screens.visit import Visit


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


SCREENS = (Screen("POST", "/projects/{project:int}/decisions", keep, again=show_history),)
