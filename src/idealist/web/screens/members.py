"""The members of a project: who is in it, and as what."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.web.people.users import active_users
from idealist.web.screens.projects import this_project
from idealist.web.screens.visit import Screen
from idealist.web.store.members import MEMBER_ROLES, list_members, may_in, remove_member, set_member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.screens.visit import Visit


def show_members(visit: Visit) -> Response:
    project = this_project(visit)
    listed = list_members(visit.database, project.id)
    inside = {member.id for member in listed}
    is_owner = may_in(visit.member, "owner")
    return visit.show(
        "members.html",
        project=project,
        tab="members",
        members=listed,
        roles=MEMBER_ROLES,
        is_owner=is_owner,
        others=[user for user in active_users(visit.database) if user.id not in inside] if is_owner else [],
    )


def send_member(visit: Visit) -> Response:
    project, user = this_project(visit), visit.sent("user")
    if not user.isdecimal() or len(user) > 15:
        raise InputError("nobody was chosen", hint="choose a person of the list")
    set_member(visit.database, project.id, int(user), visit.sent("role"), by=visit.person.id)
    return visit.go(f"/projects/{project.id}/members")


def take_out(visit: Visit) -> Response:
    project = this_project(visit)
    remove_member(visit.database, project.id, visit.number("user"), by=visit.person.id)
    return visit.go(f"/projects/{project.id}/members")


MEMBERS = "/projects/{project:int}/members"
SCREENS = (
    Screen("GET", MEMBERS, show_members),
    Screen("POST", MEMBERS, send_member, again=show_members, member="owner"),
    Screen("POST", f"{MEMBERS}/{{user:int}}/remove", take_out, again=show_members, member="owner"),
)
