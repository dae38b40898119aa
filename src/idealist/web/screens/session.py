"""Logging in and out, invitations, and the language of pages."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.web.browsers import SESSION_COOKIE, client_address
from idealist.web.people.passwords import reset_password, reset_person
from idealist.web.people.sessions import SESSION_FOR, end_session, log_in, start_session
from idealist.web.people.users import accept, invitation_role
from idealist.web.screens.visit import LANGUAGE_COOKIE, Screen
from idealist.web.texts.catalogue import LANGUAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.responses import Response

    from idealist.web.screens.visit import Visit

YEAR = 365 * 24 * 3600


def home(visit: Visit) -> Response:
    return visit.go("/projects" if visit.person.may("analyst") else "/tasks")


def show_login(visit: Visit) -> Response:
    return visit.show(
        "login.html", next=path_here(visit.asked("next") or visit.sent("next")), name=visit.sent("name")
    )


def send_login(visit: Visit) -> Response:
    name, password = visit.sent("name"), visit.sent("password")
    token = log_in(visit.database, name, password, client_address(visit.request))
    return with_session(visit, visit.go(path_here(visit.sent("next"))), token)


def log_out(visit: Visit) -> Response:
    end_session(visit.database, visit.session)
    answer = visit.go("/login")
    answer.delete_cookie(SESSION_COOKIE)
    return answer


def repeated_password(visit: Visit) -> str:
    """The new password of a form, which asks for it twice."""
    if visit.sent("password") != visit.sent("repeated"):
        raise InputError("the two passwords differ", hint="type the same twice", code="passwords-differ")
    return visit.sent("password")


def show_invitation(visit: Visit) -> Response:
    token = visit.request.path_params["token"]
    return visit.show(
        "invitation.html", role=invitation_role(visit.database, token), name=visit.sent("name"), token=token
    )


def accept_invitation(visit: Visit) -> Response:
    token = visit.request.path_params["token"]
    person = accept(visit.database, token, visit.sent("name"), repeated_password(visit))
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
    if visit.sent("language") not in LANGUAGES:
        raise InputError(f"there are no texts in {visit.sent('language')!r}", hint=", ".join(LANGUAGES))
    answer = visit.go(path_here(visit.sent("next")))
    answer.set_cookie(LANGUAGE_COOKIE, visit.sent("language"), max_age=YEAR, samesite="lax")
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
)
