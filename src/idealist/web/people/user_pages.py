"""Users for admins, the members of a project, and who did what."""

from __future__ import annotations

from urllib.parse import urlencode

from idealist.errors import InputError
from idealist.web.access.accounts import (
    ROLES,
    active_users,
    disable,
    enable,
    invite,
    list_users,
    open_invitations,
    revoke_invitation,
    set_role,
)
from idealist.web.access.members import MEMBER_ROLES, list_members, may_in, remove_member, set_member
from idealist.web.access.page_words import action_words
from idealist.web.access.pages import Screen
from idealist.web.access.sessions import link_to, reset_token
from idealist.web.base.audit import PAGE, audit_lines, who_acted
from idealist.web.projects.project_pages import this_project
from idealist.web.projects.project_sources import KINDS
from idealist.web.projects.projects import list_projects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.access.pages import Visit


def show_users(visit: Visit, link: str | None = None, password_link: str | None = None) -> Response:
    return visit.show(
        "users.html",
        users=list_users(visit.database),
        invitations=open_invitations(visit.database),
        roles=ROLES,
        link=link,
        password_link=password_link,
    )


def make_invitation(visit: Visit) -> Response:
    token = invite(visit.database, visit.form("role"), by=visit.person.id)
    return show_users(visit, link_to(visit.workbench, visit.request, f"/invitations/{token}"))


def make_password_link(visit: Visit) -> Response:
    token = reset_token(visit.workbench.secret, visit.database, visit.number("user"), by=visit.person.id)
    return show_users(visit, password_link=link_to(visit.workbench, visit.request, f"/passwords/{token}"))


def change_role(visit: Visit) -> Response:
    set_role(visit.database, visit.number("user"), visit.form("role"), by=visit.person.id)
    return visit.go("/users")


def disable_user(visit: Visit) -> Response:
    disable(visit.database, visit.number("user"), by=visit.person.id)
    return visit.go("/users")


def enable_user(visit: Visit) -> Response:
    enable(visit.database, visit.number("user"), by=visit.person.id)
    return visit.go("/users")


def withdraw_invitation(visit: Visit) -> Response:
    revoke_invitation(visit.database, visit.number("invitation"), by=visit.person.id)
    return visit.go("/users")


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
    project, user = this_project(visit), visit.form("user")
    if not user.isdecimal() or len(user) > 15:
        raise InputError("nobody was chosen", hint="choose a person of the list")
    set_member(visit.database, project.id, int(user), visit.form("role"), by=visit.person.id)
    return visit.go(f"/projects/{project.id}/members")


def take_out(visit: Visit) -> Response:
    project = this_project(visit)
    remove_member(visit.database, project.id, visit.number("user"), by=visit.person.id)
    return visit.go(f"/projects/{project.id}/members")


MEMBERS = "/projects/{project:int}/members"


def show_audit(visit: Visit) -> Response:
    asked = {name: visit.query_number(name) for name in ("person", "project", "before")}
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


SCREENS = (
    Screen("GET", "/users", show_users, role="admin"),
    Screen("POST", "/users/invitations", make_invitation, role="admin", again=show_users),
    Screen(
        "POST",
        "/users/invitations/{invitation:int}/revoke",
        withdraw_invitation,
        role="admin",
        again=show_users,
    ),
    Screen("POST", "/users/{user:int}/password-link", make_password_link, role="admin", again=show_users),
    Screen("POST", "/users/{user:int}/role", change_role, role="admin", again=show_users),
    Screen("POST", "/users/{user:int}/disable", disable_user, role="admin", again=show_users),
    Screen("POST", "/users/{user:int}/enable", enable_user, role="admin", again=show_users),
    Screen("GET", MEMBERS, show_members),
    Screen("POST", MEMBERS, send_member, again=show_members, member="owner"),
    Screen("POST", f"{MEMBERS}/{{user:int}}/remove", take_out, again=show_members, member="owner"),
    Screen("GET", "/audit", show_audit, role="admin"),
)
