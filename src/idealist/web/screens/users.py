"""People: who there is, roles, invitations."""

from __future__ import annotations

from idealist.web.browsers import link_to
from idealist.web.people.passwords import reset_token
from idealist.web.people.roles import ROLES
from idealist.web.people.users import (
    disable,
    enable,
    invite,
    list_users,
    open_invitations,
    revoke_invitation,
    set_role,
)
from idealist.web.screens.visit import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.screens.visit import Visit


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
    token = invite(visit.database, visit.sent("role"), by=visit.person.id)
    return show_users(visit, link_to(visit.workbench, visit.request, f"/invitations/{token}"))


def make_password_link(visit: Visit) -> Response:
    token = reset_token(visit.workbench.secret, visit.database, visit.number("user"), by=visit.person.id)
    return show_users(visit, password_link=link_to(visit.workbench, visit.request, f"/passwords/{token}"))


def change_role(visit: Visit) -> Response:
    set_role(visit.database, visit.number("user"), visit.sent("role"), by=visit.person.id)
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
)
