"""From a request to a page: who asks, whether they may, what a handler is given, the template that answers, and errors as pages."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.routing import Route

from idealist import __version__
from idealist.base.frozen import Frozen
from idealist.errors import IdealistError, InputError
from idealist.web.access.accounts import Person
from idealist.web.access.members import may_in, role_in
from idealist.web.access.page_words import head_words, label_words, legend_words, problem_words, result_html
from idealist.web.access.sessions import (
    SESSION_COOKIE,
    TooManyFailures,
    person_behind,
    sent_by_our_page,
    token_of_forms,
)
from idealist.web.base.database import StorageError, storage_error
from idealist.web.texts import LANGUAGES, preferred, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jinja2.runtime import Context
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from idealist.show.view import Block, View
    from idealist.web.workbench import Workbench

    Handler = Callable[["Visit"], Response]


LANGUAGE_COOKIE = "idealist_language"
LARGEST_NUMBER = 2**63 - 1  # that either database has
MOST_DIGITS = 15  # of a number behind the question mark
FOLDER = Path(__file__).parents[1]
# A template stands in the folder of its feature; no two have the same name.
TEMPLATES = sorted({path.parent for path in FOLDER.rglob("*.html")})
FORM_FIELD = Markup('<input type="hidden" name="form_token" value="{}">')


class PageNotFound(Exception):
    """There is nothing under this address, or nothing that this person may see."""


class Screen(Frozen):
    """A path, what answers it, and the role that it takes (None: nobody has to be logged in). A path of a project also takes a
    member of it, with the role `member` there or one above.

    `again` shows the page that a form came from: with `problem`, when what was sent is an InputError.
    """

    method: str
    path: str
    handler: Handler
    role: str | None = "analyst"
    again: Handler | None = None
    member: str = "analyst"


class Visit:
    """A request to a page: who asks, in which language, what they sent."""

    def __init__(
        self,
        request: Request,
        workbench: Workbench,
        person: Person | None,
        session: str,
        language: str,
        form: FormData | None = None,
    ) -> None:
        self.request = request
        self.workbench = workbench
        self.database = workbench.database
        self.session = session
        self.language = language
        self.problem: IdealistError | None = None
        self.member = ""  # what the person is in the project of the path
        self._person = person
        self._fields = form

    @property
    def known_person(self) -> Person | None:
        return self._person

    @property
    def person(self) -> Person:
        """Who asks; a screen with a role is shown to nobody else."""
        assert self._person is not None
        return self._person

    def number(self, name: str) -> int:
        """A number of the path."""
        number = int(self.request.path_params[name])
        if number > LARGEST_NUMBER:
            raise PageNotFound
        return number

    @property
    def is_part(self) -> bool:
        """Whether a script of a page asks, which puts the answer into that page."""
        return self.request.headers.get("sec-fetch-mode", "navigate") != "navigate"

    @property
    def here(self) -> str:
        """The address of the page, with what is behind the question mark; of a part, or a form that was sent, that of the
        page that it belongs to."""
        url, headers = urlsplit(str(self.request.url)), self.request.headers
        if self.request.method not in ("GET", "HEAD") or self.is_part:
            url = urlsplit(headers.get("referer", ""))
            if url.netloc != headers.get("host"):
                return "/"
        return f"{url.path}?{url.query}" if url.query else url.path

    def query(self, name: str, default: str = "") -> str:
        """A value of the address, behind the question mark."""
        return str(self.request.query_params.get(name, default))

    def query_number(self, name: str) -> int | None:
        """A value of the address that is a whole number; None where it is none."""
        text = self.query(name)
        return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None

    def query_all(self, name: str) -> list[str]:
        return list(self.request.query_params.getlist(name))

    def form(self, name: str, default: str = "") -> str:
        """A field of the form."""
        value = None if self._fields is None else self._fields.get(name)
        return value if isinstance(value, str) else default

    def form_all(self, name: str) -> list[str]:
        """All values of a field that may be there several times."""
        values = [] if self._fields is None else self._fields.getlist(name)
        return [value for value in values if isinstance(value, str)]

    def files(self, name: str) -> list[Any]:
        """The files of a field of the form."""
        values = [] if self._fields is None else self._fields.getlist(name)
        return [value for value in values if not isinstance(value, str) and value.filename]

    def text(self, key: str, **values: object) -> str:
        return text(self.language, key, **values)

    def show(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page, or with a template whose name begins with _ a part of one."""

        return render(self, template, status, **values)

    def go(self, path: str) -> Response:
        """To another page, after a form was sent."""
        return RedirectResponse(path, 303)


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
    if screen.role is not None and not visit.person.has_role(screen.role):
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
    token = visit.form("form_token")
    return sent_by_our_page(visit.workbench, visit.session, visit.request.headers, token)


def render(visit: Visit, template: str, status: int = 200, **values: Any) -> Response:
    token = token_of_forms(visit.workbench, visit.session)
    content = (
        environment()
        .get_template(template)
        .render(
            visit=visit,
            t=visit.text,
            person=visit.known_person,
            problem=visit.problem,
            form_field=lambda: FORM_FIELD.format(token),
            language=visit.language,
            languages=LANGUAGES,
            login=visit.workbench.settings.login,
            provider=visit.workbench.provider,
            path=visit.request.url.path,
            here=visit.here,
            **values,
        )
    )
    if visit.problem is not None and status == 200:
        status = 422
    return HTMLResponse(content, status)


@lru_cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,  # whatever is shown: names, ids and texts come from files
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["static"] = static
    made.filters |= {"number": number, "size": size, "date": date}
    made.filters |= {"result": result, "head": head, "label": label, "legend": legend}
    made.filters["problem_words"] = problem
    return made


def static(path: str) -> str:
    """The address of a file of ours, which changes with the version, so that browsers may keep it."""
    return f"/static/{path}?v={__version__}"


def number(value: float | None) -> str:
    """A count, or nothing.

    >>> number(12345), number(None)
    ('12,345', '–')
    """
    return "–" if value is None else f"{value:,}"


def size(value: int) -> str:
    """Bytes for people.

    >>> size(1_234_567), size(12)
    ('1.2 MB', '12 bytes')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= unit:
            return f"{value / unit:.1f} {name}"
    return f"{value} bytes"


def date(milliseconds: int) -> Markup:
    """A time: in UTC for who reads the page as it is, in local time where the script runs."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    written = f"{moment:%Y-%m-%d %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(timespec="seconds"), written)


@pass_context
def result(context: Context, shown: View | Block, *labels: int) -> Markup:
    """A result as `reporting` writes it in HTML, where all names are escaped; heads and the columns `labels` in the
    language of the page."""
    return Markup(result_html(context["language"], shown, labels))


@pass_context
def head(context: Context, title: str) -> str:
    """The head of a column where a sentence names it."""
    return head_words(context["language"], title)


@pass_context
def label(context: Context, word: str) -> str:
    return label_words(context["language"], word)


@pass_context
def legend(context: Context, shown: View | Block) -> list[str]:
    return legend_words(context["language"], shown)


@pass_context
def problem(context: Context, problem: IdealistError) -> str:
    return problem_words(context["visit"], problem)


def problem_of(error: IdealistError | OSError) -> IdealistError:
    """The error to show: what the operating system says is about the folder of files."""
    return storage_error(error) if isinstance(error, OSError) else error


def status_of(problem: IdealistError) -> int:
    """429 after too many failed logins, 503 where nothing can be stored now, otherwise 422."""
    if isinstance(problem, TooManyFailures):
        return 429
    return 503 if isinstance(problem, StorageError) else 422
