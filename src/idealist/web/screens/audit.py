"""Who did what, for admins: in all projects and beside them."""

from __future__ import annotations

from urllib.parse import urlencode

from idealist.web.people.roles import ROLES
from idealist.web.screens.actions import action_words
from idealist.web.screens.visit import Screen
from idealist.web.store.audit import PAGE, audit_lines, who_acted
from idealist.web.store.members import MEMBER_ROLES
from idealist.web.store.projects import list_projects
from idealist.web.store.sources import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.screens.visit import Visit


def show_audit(visit: Visit) -> Response:
    asked = {name: visit.asked_number(name) for name in ("person", "project", "before")}
    lines = audit_lines(visit.database, **asked, count=PAGE + 1)
    older = {name: value for name, value in asked.items() if value is not None}
    older["before"] = lines[PAGE - 1].id if len(lines) > PAGE else 0
    return visit.show(
        "audit.html",
        lines=lines[:PAGE],
        asked=asked,
        people=who_acted(visit.database),
        projects=list_projects(visit.database),
        actions=action_words(visit),
        kinds=KINDS,
        known_roles={*ROLES, *MEMBER_ROLES},
        older=f"/audit?{urlencode(older)}" if older["before"] else None,
    )


SCREENS = (Screen("GET", "/audit", show_audit, role="admin"),)
