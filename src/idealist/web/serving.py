"""Starting the workbench: the address, who may reach it, and the server."""

from __future__ import annotations

import socket

from idealist.errors import InputError, MissingDependency
from idealist.system import free_port_at_once
from idealist.web.settings import data_folder, is_loopback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.web.settings import Settings
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


def default_database() -> str:
    """The SQLite file of this user."""
    return str(data_folder() / "workbench.db")


def open_workbench(settings: Settings) -> Workbench:
    require_libraries()
    from idealist.web.workbench import Workbench

    return Workbench(settings)


def require_admin(workbench: Workbench) -> None:
    """Who can be reached by others must know who they are."""
    from idealist.web.people.users import has_admin

    if workbench.settings.login and not has_admin(workbench.database):
        raise InputError(
            f"{workbench.settings.host} can be reached by others, and this workbench has no admin who could log in",
            hint="make one with `idealist serve --add-admin NAME`, or leave --host out",
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
    if name in ("0.0.0.0", "::"):
        name = socket.gethostname()
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def serve(workbench: Workbench, opened: socket.socket) -> None:
    """Answers until it is stopped by Ctrl-C or SIGTERM."""
    import uvicorn

    from idealist.web.app import application
    from idealist.web.warming import WarmingUp

    config = uvicorn.Config(
        WarmingUp(application(workbench), workbench.jobs),
        log_level="warning",
        server_header=False,
        proxy_headers=not is_loopback(workbench.settings.host),
        timeout_graceful_shutdown=5,
    )
    server = uvicorn.Server(config)
    server.run(sockets=[opened])
