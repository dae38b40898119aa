"""Logging in by way of another server: there, and back."""

from __future__ import annotations

from idealist.web.browsers import link_to
from idealist.web.people.oidc import connect, person_known_as, sealed, unsealed
from idealist.web.people.sessions import start_session
from idealist.web.people.users import invitation_role
from idealist.web.screens.session import path_here, show_login, with_session
from idealist.web.screens.visit import PageNotFound, Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from idealist.web.people.oidc import Provider
    from idealist.web.screens.visit import Visit

COOKIE = "idealist_login"
BACK = "/login/provider/back"


def go_there(visit: Visit) -> Response:
    invitation = visit.asked("invitation")
    if invitation:
        invitation_role(visit.database, invitation)  # before somebody goes there for nothing
    return _sent(visit, next=path_here(visit.asked("next")), invitation=invitation)


def go_to_connect(visit: Visit) -> Response:
    return _sent(visit, next="/account", connect=visit.person.id)


def come_back(visit: Visit) -> Response:
    provider = _provider(visit)
    started = unsealed(visit.workbench.secret, visit.request.cookies.get(COOKIE, ""))
    identity = provider.finish(_address(visit), dict(visit.request.query_params), started)
    if started.connect:
        if visit.known_person is None or visit.known_person.id != started.connect:
            raise PageNotFound
        connect(visit.database, started.connect, identity)
        answer = visit.go("/account")
    else:
        person = person_known_as(visit.database, identity, started.invitation)
        token = start_session(visit.database, person.id)
        answer = with_session(visit, visit.go(path_here(started.next)), token)
    answer.delete_cookie(COOKIE, path="/login")
    return answer


def _sent(visit: Visit, **purpose: Any) -> Response:
    address, started = _provider(visit).start(_address(visit), **purpose)
    answer = visit.go(address)
    answer.set_cookie(
        COOKIE,
        sealed(visit.workbench.secret, started),
        max_age=600,
        path="/login",
        httponly=True,
        samesite="lax",
        secure=visit.workbench.settings.secure,
    )
    return answer


def _provider(visit: Visit) -> Provider:
    provider = visit.workbench.provider
    if provider is None:
        raise PageNotFound
    return provider


def _address(visit: Visit) -> str:
    return link_to(visit.workbench, visit.request, BACK)


SCREENS = (
    Screen("GET", "/login/provider", go_there, role=None, again=show_login),
    Screen("GET", BACK, come_back, role=None, again=show_login),
    Screen("GET", "/account/provider", go_to_connect, role="rater"),
)
