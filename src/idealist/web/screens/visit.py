"""One request to a page, and what a screen may do with it."""

from __future__ import annotations

from urllib.parse import urlsplit

from idealist.errors import IdealistError
from idealist.frozen import Frozen
from idealist.web.people.roles import Person
from idealist.web.texts.catalogue import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from idealist.web.workbench import Workbench

    Handler = Callable[["Visit"], Response]

LANGUAGE_COOKIE = "idealist_language"
LARGEST_NUMBER = 2**63 - 1  # that either database has
MOST_DIGITS = 15  # of a number behind the question mark


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
        self._form = form

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

    def asked(self, name: str, default: str = "") -> str:
        """A value of the address, behind the question mark."""
        return str(self.request.query_params.get(name, default))

    def asked_number(self, name: str) -> int | None:
        """A value of the address that is a whole number; None where it is none."""
        text = self.asked(name)
        return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None

    def asked_all(self, name: str) -> list[str]:
        return list(self.request.query_params.getlist(name))

    def sent(self, name: str, default: str = "") -> str:
        """A field of the form."""
        value = None if self._form is None else self._form.get(name)
        return value if isinstance(value, str) else default

    def sent_all(self, name: str) -> list[str]:
        """All values of a field that may be there several times."""
        values = [] if self._form is None else self._form.getlist(name)
        return [value for value in values if isinstance(value, str)]

    def files(self, name: str) -> list[Any]:
        """The files of a field of the form."""
        values = [] if self._form is None else self._form.getlist(name)
        return [value for value in values if not isinstance(value, str) and value.filename]

    def text(self, key: str, **values: object) -> str:
        return text(self.language, key, **values)

    def show(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page, or with a template whose name begins with _ a part of one."""
        from idealist.web.screens.rendering import render

        return render(self, template, status, **values)

    def go(self, path: str) -> Response:
        """To another page, after a form was sent."""
        from starlette.responses import RedirectResponse

        return RedirectResponse(path, 303)
