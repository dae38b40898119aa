"""Logging in and out, by password or by another server; invitations; one's own account."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.web.access.accounts import accept, invitation_role, login_ways
from idealist.web.access.oidc import connect, person_known_as, sealed, unsealed
from idealist.web.access.pages import LANGUAGE_COOKIE, PageNotFound, Screen
from idealist.web.access.sessions import (
    SESSION_COOKIE,
    SESSION_FOR,
    add_token,
    change_password,
    client_address,
    end_session,
    link_to,
    list_tokens,
    log_in,
    reset_password,
    reset_person,
    revoke_token,
    start_session,
)
from idealist.web.texts import LANGUAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from idealist.web.access.oidc import Provider
    from idealist.web.access.pages import Visit


YEAR = 365 * 24 * 3600
COOKIE = "idealist_login"
BACK = "/login/provider/back"
LIFETIMES = ("30", "90", "365", "")  # days of a token; it may have no end


def home(visit: Visit) -> Response:
    return visit.go("/projects" if visit.person.has_role("analyst") else "/tasks")


def show_login(visit: Visit) -> Response:
    return visit.show(
        "login.html", next=path_here(visit.query("next") or visit.form("next")), name=visit.form("name")
    )


def send_login(visit: Visit) -> Response:
    name, password = visit.form("name"), visit.form("password")
    token = log_in(visit.database, name, password, client_address(visit.request))
    return with_session(visit, visit.go(path_here(visit.form("next"))), token)


def log_out(visit: Visit) -> Response:
    end_session(visit.database, visit.session)
    answer = visit.go("/login")
    answer.delete_cookie(SESSION_COOKIE)
    return answer


def repeated_password(visit: Visit) -> str:
    """The new password of a form, which asks for it twice."""
    if visit.form("password") != visit.form("repeated"):
        raise InputError("the two passwords differ", hint="type the same twice", code="passwords-differ")
    return visit.form("password")


def show_invitation(visit: Visit) -> Response:
    token = visit.request.path_params["token"]
    return visit.show(
        "invitation.html", role=invitation_role(visit.database, token), name=visit.form("name"), token=token
    )


def accept_invitation(visit: Visit) -> Response:
    token = visit.request.path_params["token"]
    person = accept(visit.database, token, visit.form("name"), repeated_password(visit))
    return with_session(visit, visit.go("/"), start_session(visit.database, person.id))


def show_new_password(visit: Visit) -> Response:
    token = visit.request.path_params["token"]
    person = reset_person(visit.workbench.secret, visit.database, token)
    return visit.show("new_password.html", name=person.name)


def send_new_password(visit: Visit) -> Response:
    token = visit.request.path_params["token"]
    person = reset_password(visit.workbench.secret, visit.database, token, repeated_password(visit))
    return with_session(visit, visit.go("/"), start_session(visit.database, person.id))


def choose_language(visit: Visit) -> Response:
    if visit.form("language") not in LANGUAGES:
        raise InputError(f"there are no texts in {visit.form('language')!r}", hint=", ".join(LANGUAGES))
    answer = visit.go(path_here(visit.form("next")))
    answer.set_cookie(LANGUAGE_COOKIE, visit.form("language"), max_age=YEAR, samesite="lax")
    return answer


def with_session(visit: Visit, answer: Response, token: str) -> Response:
    answer.set_cookie(
        SESSION_COOKIE,
        token,
        max_age=SESSION_FOR // 1000,
        httponly=True,
        samesite="lax",
        secure=visit.workbench.settings.secure,
    )
    return answer


def path_here(path: str) -> str:
    """A path of this server: a link to a login may not lead elsewhere.

    >>> path_here("/projects/1"), path_here("//evil.example"), path_here("https://evil.example")
    ('/projects/1', '/', '/')
    """
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


def go_there(visit: Visit) -> Response:
    invitation = visit.query("invitation")
    if invitation:
        invitation_role(visit.database, invitation)  # before somebody goes there for nothing
    return _sent(visit, next=path_here(visit.query("next")), invitation=invitation)


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


def show_account(visit: Visit, new_token: str | None = None, *, changed: bool = False) -> Response:
    tokens = list_tokens(visit.database, visit.person.id)
    has_password, connected = login_ways(visit.database, visit.person.id)
    return visit.show(
        "account.html",
        tokens=tokens,
        new_token=new_token,
        changed=changed,
        lifetimes=LIFETIMES,
        has_password=has_password,
        connected=connected,
    )


def make_token(visit: Visit) -> Response:
    days = visit.form("days")
    if days not in LIFETIMES:
        raise InputError(f"{days!r} is not a number of days of the list", hint="choose one of the list")
    token = add_token(visit.database, visit.person.id, visit.form("name"), int(days) if days else None)
    return show_account(visit, token)


def send_password(visit: Visit) -> Response:
    change_password(
        visit.database,
        visit.person,
        visit.form("current"),
        repeated_password(visit),
        address=client_address(visit.request),
        session=visit.session,
    )
    return show_account(visit, changed=True)


def withdraw_token(visit: Visit) -> Response:
    revoke_token(visit.database, visit.person.id, visit.number("token"))
    return visit.go("/account")


SCREENS = (
    Screen("GET", "/", home, role="rater"),
    Screen("GET", "/login", show_login, role=None),
    Screen("POST", "/login", send_login, role=None, again=show_login),
    Screen("POST", "/logout", log_out, role="rater"),
    Screen("GET", "/invitations/{token}", show_invitation, role=None),
    Screen("POST", "/invitations/{token}", accept_invitation, role=None, again=show_invitation),
    Screen("GET", "/passwords/{token}", show_new_password, role=None),
    Screen("POST", "/passwords/{token}", send_new_password, role=None, again=show_new_password),
    Screen("POST", "/language", choose_language, role=None),
    Screen("GET", "/login/provider", go_there, role=None, again=show_login),
    Screen("GET", BACK, come_back, role=None, again=show_login),
    Screen("GET", "/account/provider", go_to_connect, role="rater"),
    Screen("GET", "/account", show_account, role="rater"),
    Screen("POST", "/account/password", send_password, role="rater", again=show_account),
    Screen("POST", "/account/tokens", make_token, role="rater", again=show_account),
    Screen("POST", "/account/tokens/{token:int}/revoke", withdraw_token, role="rater", again=show_account),
)
