"""The browser that sends a request: who is behind it, and whether what it sends comes from a page of this server."""

from __future__ import annotations

from urllib.parse import urlsplit

from idealist.web.people.secrets import form_token, same
from idealist.web.people.sessions import person_of_session
from idealist.web.people.users import local_person

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.requests import Request

    from idealist.web.people.roles import Person
    from idealist.web.workbench import Workbench

LONGEST_ADDRESS = 80
SESSION_COOKIE = "idealist_session"
# In the place of a session where nobody is logged in.
WITHOUT_SESSION = "anonymous"


def person_behind(workbench: Workbench, session: str) -> Person | None:
    """Who a browser stands for: on loopback the local person, elsewhere whoever logged in."""
    if not workbench.settings.login:
        return local_person(workbench.database)
    return person_of_session(workbench.database, session) if session else None


def client_address(request: Request) -> str:
    """Where a request comes from, by which failed logins are counted."""
    return request.client.host[:LONGEST_ADDRESS] if request.client else "unknown"


def link_to(workbench: Workbench, request: Request, path: str) -> str:
    """The whole address of a page, for somebody else to open."""
    scheme = "https" if workbench.settings.secure else request.base_url.scheme
    return str(request.base_url.replace(scheme=scheme, path=path))


def token_of_forms(workbench: Workbench, session: str) -> str:
    """What every form of a page carries that is shown in this session."""
    return form_token(workbench.secret, session or WITHOUT_SESSION)


def sent_by_our_page(workbench: Workbench, session: str, headers: Headers, token: str) -> bool:
    """Whether a request comes from a page that was shown in this session, by the token that it carries."""
    return _from_here(headers) and same(token, token_of_forms(workbench, session))


def _from_here(headers: Headers) -> bool:
    """Whether a browser says that a request comes from a page of this server; other programs say nothing."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")
