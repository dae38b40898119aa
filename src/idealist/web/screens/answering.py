"""From a request to a screen: who asks, whether they may, whether a form is ours, and errors as pages."""

from __future__ import annotations

from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse
from starlette.routing import Route

from idealist.errors import IdealistError, InputError
from idealist.web.browsers import SESSION_COOKIE, person_behind, sent_by_our_page
from idealist.web.problems import problem_of, status_of
from idealist.web.screens.visit import LANGUAGE_COOKIE, PageNotFound, Screen, Visit
from idealist.web.store.members import may_in, role_in
from idealist.web.texts.catalogue import LANGUAGES, preferred

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from idealist.web.people.roles import Person
    from idealist.web.workbench import Workbench

MOST_FILES, MOST_FIELDS = 200, 2_000


def _nowhere(visit: Visit) -> Response:
    raise PageNotFound


# What is asked for where there is nothing.
NOWHERE = Screen("GET", "/{path:path}", _nowhere, role=None)


def route_of(screen: Screen, workbench: Workbench) -> Route:
    async def answer(request: Request) -> Response:
        form = None
        if screen.method == "POST":
            form = await request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS)
        try:
            return await run_in_threadpool(_answer, screen, workbench, request, form)
        finally:
            if form is not None:
                await form.close()

    return Route(screen.path, answer, methods=[screen.method])


def _answer(screen: Screen, workbench: Workbench, request: Request, form: object) -> Response:
    session = request.cookies.get(SESSION_COOKIE, "")
    person = person_behind(workbench, session)
    language = language_of(request, person)
    visit = Visit(request, workbench, person, session if person else "", language, form)  # type: ignore[arg-type]
    if screen.role is not None and person is None:
        login = f"/login?next={quote(visit.here)}"
        if screen.method == "GET" and not visit.is_part:
            return RedirectResponse(login, 303)
        answer = visit.show("message.html", 401, heading="error.login", detail="error.login.detail")
        if screen.method == "GET":
            answer.headers["hx-redirect"] = login  # a login has no place within another page
        return answer
    if screen.role is not None and not visit.person.may(screen.role):
        return visit.show("message.html", 403, heading="error.forbidden", detail="error.forbidden.detail")
    if "project" in request.path_params:
        try:
            member = role_in(workbench.database, visit.number("project"), visit.person.id)
        except PageNotFound:
            member = None
        if member is None:
            return visit.show("message.html", 404, heading="error.missing", detail="error.missing.detail")
        visit.member = member
        if not may_in(member, screen.member):
            return visit.show("message.html", 403, heading="error.forbidden", detail="error.forbidden.detail")
    if screen.method == "POST" and not form_is_ours(visit):
        return visit.show("message.html", 403, heading="error.form", detail="error.form.detail")
    try:
        return _handled(screen, visit)
    except PageNotFound:
        return visit.show("message.html", 404, heading="error.missing", detail="error.missing.detail")
    except (IdealistError, OSError) as error:
        visit.problem = problem_of(error)
        return visit.show("problem.html", status_of(visit.problem))


def _handled(screen: Screen, visit: Visit) -> Response:
    """What the handler answers, or the page that the form came from, with what is wrong on it."""
    try:
        return screen.handler(visit)
    except InputError as error:
        if screen.again is None:
            raise
        visit.problem = error
        return screen.again(visit)


def language_of(request: Request, person: Person | None) -> str:
    """The language that was chosen, or the one that the browser asks for."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "") or (person.language if person else None)
    return chosen if chosen in LANGUAGES else preferred(request.headers.get("accept-language", ""))


def form_is_ours(visit: Visit) -> bool:
    """Whether a form comes from a page that was shown in this session."""
    token = visit.sent("form_token")
    return sent_by_our_page(visit.workbench, visit.session, visit.request.headers, token)
