"""What stands before every page: the Host that is asked for, bounds on what is sent, and headers that browsers obey."""

from __future__ import annotations

import ipaddress
import logging
import re

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse

from idealist.web.access.members import may_in, role_in
from idealist.web.access.sessions import SESSION_COOKIE, person_behind, person_of_token
from idealist.web.base.server_settings import SMALL_REQUEST, is_loopback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from idealist.web.workbench import Workbench

# Scripts and styles come from our own files alone. Images of documents lie on other hosts.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: https: http:",
        "connect-src 'self'",
        "font-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
OF_PROJECT = re.compile(r"/projects/([0-9]{1,15})/")
UPLOADS = "/sources"  # the end of the paths that large files are sent to
# Where nobody logs in, one of these says that somebody on another machine may be asking.
FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
NO_PROXY = "Nobody logs in to this workbench, so that it answers this machine alone, and this request came through a proxy.\nhint: idealist serve --login"
NO_UPLOAD = "Large files are taken from analysts of the project who are logged in.\nhint: log in, or send a token: Authorization: Bearer idl_…"


class Protection:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, workbench: Workbench) -> None:
        self.app = app
        self.workbench = workbench
        self.settings = workbench.settings
        self.told_of_proxy = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not allowed_host(headers.get("host", ""), self.settings.names, login=self.settings.login):
            answer = PlainTextResponse(
                "This server does not answer to this name.\nhint: idealist serve --name NAME", 421
            )
            await answer(scope, receive, send)
            return
        if not self.settings.login and any(name in headers for name in FORWARDED):
            await PlainTextResponse(NO_PROXY, 403)(scope, receive, send)
            return
        self._tell_of_proxy(scope, headers)
        upload = scope["path"].endswith(UPLOADS)
        limit = self.settings.largest_upload if upload else SMALL_REQUEST
        size = headers.get("content-length", "0")
        too_large = _too_large(limit)
        if not (size.isascii() and size.isdigit()) or int(size) > limit:
            await PlainTextResponse(too_large, 413)(scope, receive, send)
            return
        large = upload and (int(size) > SMALL_REQUEST or "transfer-encoding" in headers)
        if large and self.settings.login and not await run_in_threadpool(self._may_upload, scope):
            await PlainTextResponse(NO_UPLOAD, 401)(scope, receive, send)
            return
        received = 0

        async def bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:  # of a request that did not say its size
                raise HTTPException(413, too_large)
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    answered.setdefault(name, value)
                if not scope["path"].startswith("/static/"):
                    answered.setdefault("cache-control", "no-store")
                elif not scope["query_string"]:
                    # A module that others import, whose address has no version.
                    answered.setdefault("cache-control", "no-cache")
            await send(message)

        await self.app(scope, bounded, with_headers)

    def _tell_of_proxy(self, scope: Scope, headers: Headers) -> None:
        """Says once that a proxy is not trusted: all who come through it are counted as one."""
        client = scope["client"][0] if scope.get("client") else ""
        if self.told_of_proxy or not self.settings.login or client in headers.get("x-forwarded-for", client):
            return
        self.told_of_proxy = True
        logging.getLogger("uvicorn.error").warning(
            "requests come through %s, which is not a trusted proxy; if it is yours: --trusted-proxy %s",
            client,
            client,
        )

    def _may_upload(self, scope: Scope) -> bool:
        """Whether an analyst of the project sends a large file. It is asked before anything is received: others could fill the
        disk."""
        asking = HTTPConnection(scope)
        scheme, _, token = asking.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            person = person_of_token(self.workbench.database, token.strip())
        else:
            person = person_behind(self.workbench, asking.cookies.get(SESSION_COOKIE, ""))
        project = OF_PROJECT.search(scope["path"])
        if person is None or not person.has_role("analyst") or project is None:
            return False
        member = role_in(self.workbench.database, int(project[1]), person.id)
        return member is not None and may_in(member, "analyst")


def allowed_host(host: str, names: tuple[str, ...], *, login: bool = True) -> bool:
    """Whether a Host header is one of ours. A page of another site can make a browser come here under its own name,
    but not under an address. Where nobody logs in, only those of this machine are.

    >>> allowed_host("127.0.0.1:8765", ()), allowed_host("evil.example", ()), allowed_host("[::1]:80", ())
    (True, False, True)
    >>> allowed_host("10.0.0.5", ()), allowed_host("10.0.0.5", (), login=False)
    (True, False)
    >>> allowed_host("bench.example:443", ("bench.example",))
    True
    """
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if name.lower() in ("localhost", *(known.lower() for known in names)):
        return True
    if not login:
        return is_loopback(name)
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _too_large(limit: int) -> str:
    message = f"This is too large: at most {limit / 1e6:,.0f} MB are taken."
    return message if limit == SMALL_REQUEST else f"{message}\nhint: idealist serve --largest-upload MB"
