"""idealist serve: the workbench in the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from idealist.cli.messages import say
from idealist.cli.options import write_lines
from idealist.errors import InputError
from idealist.web.base.server_settings import (
    HOST,
    LARGEST_UPLOAD,
    PORT,
    Settings,
    checked_proxies,
    files_folder,
    reason_for_login,
)
from idealist.web.serving import (
    address_of,
    checked_issuer,
    default_database,
    free_socket,
    open_workbench,
    require_admin,
    require_libraries,
    serve,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.web.workbench import Workbench

SUMMARY = "open the workbench: evaluate and explain in the browser"
EPILOG = """examples:
  idealist serve
  idealist serve --demo
  idealist serve --db shop.db --port 8080
  idealist serve --db shop.db --add-admin ann
  idealist serve --db postgresql://ann@db/shop --host 0.0.0.0 --name bench.example.org
  idealist serve --db shop.db --backup shop.zip
  idealist serve --db postgresql://ann@db/shop --restore shop.zip

On this machine alone no login is needed. With --login, and always with another address, --name, --https or
--trusted-proxy, people log in, and there must be an admin (--add-admin). The password is read from the terminal, or
from IDEALIST_PASSWORD."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--db",
        metavar="DB",
        help="a SQLite file, made if it is not there, or postgresql://… (default: a file in your data folder)",
    )
    parser.add_argument(
        "--files",
        metavar="DIR",
        help="where runs and judgments are stored (default: DB.files, beside a SQLite file)",
    )
    parser.add_argument("--demo", action="store_true", help="open a sample project, in a temporary database")
    group = parser.add_argument_group("the server")
    group.add_argument(
        "--host", default=HOST, metavar="ADDRESS", help=f"address to listen on (default: {HOST})"
    )
    group.add_argument(
        "--port",
        type=int,
        default=PORT,
        metavar="N",
        help=f"port to listen on (default: {PORT}; 0 takes any that is free)",
    )
    group.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="a host name by which browsers reach the server; requests for others are refused; may be repeated",
    )
    group.add_argument(
        "--https",
        action="store_true",
        help="the server is reached by HTTPS only, through a proxy: cookies are marked secure",
    )
    group.add_argument(
        "--login",
        action="store_true",
        help="people must log in (always so with --name, --https, --trusted-proxy or an address of others)",
    )
    group.add_argument(
        "--trusted-proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="a proxy, or network such as 172.30.0.0/16, whose X-Forwarded-For and -Proto are believed, besides this machine; may be repeated",
    )
    group.add_argument(
        "--oidc-issuer",
        default="",
        metavar="URL",
        help="people may also log in by this provider of OpenID Connect (its secret: IDEALIST_OIDC_SECRET)",
    )
    group.add_argument(
        "--oidc-client", default="", metavar="ID", help="what the provider calls this workbench"
    )
    group.add_argument(
        "--largest-upload",
        type=int,
        default=LARGEST_UPLOAD // 10**6,
        metavar="MB",
        help=f"largest file that may be uploaded (default: {LARGEST_UPLOAD // 10**6})",
    )
    group = parser.add_argument_group("instead of serving")
    group.add_argument("--add-admin", metavar="NAME", help="add a person who may do everything")
    group.add_argument("--backup", metavar="FILE", help="write everything to a zip file")
    group.add_argument("--restore", metavar="FILE", help="fill an empty database from a backup")
    group.add_argument("--force", action="store_true", help="replace a backup that exists already")


def run(arguments: argparse.Namespace) -> int:
    require_libraries()
    if arguments.demo:
        return _demo(arguments)
    workbench = open_workbench(_settings(arguments, arguments.db or default_database()))
    try:
        if arguments.add_admin or arguments.backup or arguments.restore:
            _maintain(arguments, workbench)
            return 0
        require_admin(workbench)
        _serve(workbench)
    finally:
        workbench.close()
    return 0


def _settings(arguments: argparse.Namespace, database: str) -> Settings:
    if arguments.largest_upload < 1:
        raise InputError(f"--largest-upload must be 1 or more, not {arguments.largest_upload}")
    if not 0 <= arguments.port < 65536:
        raise InputError(f"--port must be 0 to 65535, not {arguments.port}")
    names, proxies = tuple(arguments.name), checked_proxies(arguments.trusted_proxy)
    issuer = checked_issuer(arguments.oidc_issuer, arguments.oidc_client)
    reason = reason_for_login(arguments.host, names, arguments.https, proxies)
    return Settings(
        database=database,
        folder=Path(arguments.files) if arguments.files else files_folder(database),
        host=arguments.host,
        port=arguments.port,
        names=names,
        login=bool(arguments.login or reason or issuer),
        secure=arguments.https,
        proxies=proxies,
        oidc_issuer=issuer,
        oidc_client=arguments.oidc_client,
        largest_upload=arguments.largest_upload * 10**6,
    )


def _demo(arguments: argparse.Namespace) -> int:
    from tempfile import TemporaryDirectory

    from idealist.web.demo import add_demo

    if arguments.db or arguments.add_admin or arguments.backup or arguments.restore:
        raise InputError("--demo has a database of its own", hint="leave --demo or the other option out")
    with TemporaryDirectory(prefix="idealist-demo-") as folder:
        settings = _settings(arguments, str(Path(folder) / "demo.db"))
        if settings.login:
            raise InputError(
                "--demo is for this machine alone, where nobody logs in",
                hint="leave --host, --name, --https, --login and --trusted-proxy out",
            )
        workbench = open_workbench(settings)
        try:
            add_demo(workbench)
            _serve(workbench)
        finally:
            workbench.close()
    return 0


def _serve(workbench: Workbench) -> None:
    settings = workbench.settings
    opened = free_socket(settings.host, settings.port)
    print(f"Idealist workbench: {address_of(settings, opened)}", flush=True)
    say(f"data: {workbench.database.name}; stop with Ctrl-C")
    serve(workbench, opened)


def _maintain(arguments: argparse.Namespace, workbench: Workbench) -> None:
    from idealist.web.access.accounts import add_user
    from idealist.web.base.backup import back_up, restore

    if arguments.restore:
        restore(workbench.database, workbench.files, Path(arguments.restore))
        write_lines(f"{arguments.restore}: restored to {workbench.database.name}")
    if arguments.add_admin:
        add_user(workbench.database, arguments.add_admin, _password(), "admin")
        write_lines(f"{arguments.add_admin} may log in as admin")
    if arguments.backup:
        back_up(workbench.database, workbench.files, Path(arguments.backup), force=arguments.force)
        write_lines(f"{arguments.backup}: backup of {workbench.database.name}")


def _password() -> str:
    if (given := os.environ.get("IDEALIST_PASSWORD")) is not None:
        return given
    if not sys.stdin.isatty():
        raise InputError("there is no terminal to type a password", hint="set IDEALIST_PASSWORD")
    from getpass import getpass

    password = getpass("Password: ")
    if getpass("Password again: ") != password:
        raise InputError("the two passwords differ", hint="type the same twice")
    return password
