"""Starting the workbench: the address, who may reach it, and the server."""

from __future__ import annotations

import socket

from idealist.base.system import free_port_at_once, make_private_folder
from idealist.errors import InputError, MissingDependency
from idealist.web.base.server_settings import LOOPBACK, data_folder, reason_for_login

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send
    from uvicorn import Config

    from idealist.web.base.jobs import Jobs
    from idealist.web.base.server_settings import Settings
    from idealist.web.workbench import Workbench


# By the names that pip has for them, the modules that are imported.
NEEDED = {
    "alembic": "alembic",
    "argon2-cffi": "argon2",
    "fastapi": "fastapi",
    "jinja2": "jinja2",
    "python-multipart": "python_multipart",
    "sqlalchemy": "sqlalchemy",
    "uvicorn": "uvicorn",
}


def require_libraries() -> None:
    """Raises if the extra `web` is not installed."""
    from importlib.util import find_spec

    missing = [name for name, module in NEEDED.items() if find_spec(module) is None]
    if missing:
        raise MissingDependency(
            f"the workbench needs {', '.join(missing)}", hint="pip install 'idealist[web]'"
        )


def checked_issuer(issuer: str, client: str) -> str:
    """The address of a provider of OpenID Connect, whose libraries must be there."""
    from importlib.util import find_spec

    from idealist.remote.transport import checked_address, is_local

    if not issuer and not client:
        return ""
    if not issuer or not client:
        raise InputError(
            "OpenID Connect takes both --oidc-issuer and --oidc-client",
            hint="the secret, if there is one, is read from IDEALIST_OIDC_SECRET",
        )
    address = checked_address(issuer, "issuer", "https://login.example.org")
    if not address.startswith("https:") and not is_local(address):
        raise InputError(f"{address}: a provider that is not on this machine must be https")
    missing = [name for name in ("authlib", "requests") if find_spec(name) is None]
    if missing:
        raise MissingDependency(
            f"OpenID Connect needs {' and '.join(missing)}", hint="pip install 'idealist[oidc]'"
        )
    return address


def default_database() -> str:
    """The SQLite file of this user."""
    make_private_folder(data_folder())
    return str(data_folder() / "workbench.db")


def open_workbench(settings: Settings) -> Workbench:
    require_libraries()
    from idealist.web.workbench import Workbench

    return Workbench(settings)


def require_admin(workbench: Workbench) -> None:
    """Who can be reached by others must know who they are."""
    from idealist.web.access.accounts import has_admin

    known = workbench.settings
    if known.login and not has_admin(workbench.database):
        reason = reason_for_login(known.host, known.names, known.secure, known.proxies)
        raise InputError(
            f"people must log in{f', as {reason}' if reason else ''}, and this workbench has no admin who could",
            hint="make one with `idealist serve --add-admin NAME`; on 127.0.0.1 alone, without --login, --name, --https and --trusted-proxy, nobody logs in",
        )


def free_socket(host: str, port: int) -> socket.socket:
    """A socket that listens there; with port 0, at any that is free."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        opened = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InputError(f"{host}: this is not an address of this machine: {error}") from None
    free_port_at_once(opened)
    try:
        opened.bind(address)
        opened.listen(128)
    except OSError as error:
        opened.close()
        raise InputError(
            f"{host}, port {port}: cannot listen there: {error.strerror}",
            hint="--port 0 takes any that is free",
        ) from None
    return opened


def address_of(settings: Settings, opened: socket.socket) -> str:
    """The address to type into a browser."""
    port = opened.getsockname()[1]
    name = settings.names[0] if settings.names else settings.host
    if settings.secure and settings.names:
        return f"https://{name}/"  # of the proxy, which has a port of its own
    if name in ("0.0.0.0", "::"):
        name = socket.gethostname()
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def serve(workbench: Workbench, opened: socket.socket) -> None:
    """Answers until it is stopped by Ctrl-C or SIGTERM."""
    import uvicorn

    uvicorn.Server(server_config(workbench)).run(sockets=[opened])


def server_config(workbench: Workbench) -> Config:
    """How the server runs. Where nobody logs in, there is no proxy whose word could be taken."""
    from uvicorn import Config

    from idealist.web.app import application

    return Config(
        Prefetch(application(workbench), workbench.jobs),
        log_level="warning",
        server_header=False,
        proxy_headers=workbench.settings.login,
        forwarded_allow_ips=[*LOOPBACK, *workbench.settings.proxies],
        timeout_graceful_shutdown=5,
    )


class Prefetch:
    """An application that imports in the background what the first page of numbers would wait for, once the first request is
    answered: neither the start nor that page waits."""

    def __init__(self, app: ASGIApp, jobs: Jobs) -> None:
        self._app = app
        self._jobs = jobs
        self._begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
        if scope["type"] == "http" and not self._begun:
            self._begun = True
            self._jobs.start("prefetch", prefetch)


def prefetch() -> None:
    """Imports what other modules import within functions, so that commands which do not need it start fast."""
    import scipy.optimize
    import scipy.special
    import scipy.stats  # noqa: F401

    from idealist.measures import registry

    registry()  # imports all families of measures
