"""A PostgreSQL server of the tests' own: in a temporary folder, on a socket there, and gone at the end."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TOOLS = ("initdb", "pg_ctl")
LOCALE = ("--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US")


def tool(name: str) -> str | None:
    """Debian keeps the programs of the server off the path."""
    folders = [os.environ.get("PATH", ""), *map(str, Path("/usr/lib/postgresql").glob("*/bin"))]
    return shutil.which(name, path=os.pathsep.join(folders))


def why_not() -> str | None:
    """Why no server can be started here, or None."""
    missing = [name for name in TOOLS if tool(name) is None]
    if missing:
        return f"there is no {' and no '.join(missing)} on the path: install the package postgresql"
    return None


@contextmanager
def postgres_server() -> Iterator[str]:
    """The URL of a server whose order of text is not bytewise unless a query asks for that: url.format(name="postgres")."""
    # Not in pytest's folder, whose path may be too long for a socket. The server refuses to run as root, and root's folder
    # of temporary files may be closed to others.
    user = "nobody" if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="idealist-pg-", dir="/tmp" if user else None))
    if user:
        shutil.chown(folder, user)
    data, log = folder / "data", folder / "log"
    options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off -c jit=off -c max_connections=200"

    def call(name: str, *arguments: str) -> None:
        program = tool(name)
        assert program is not None
        done = subprocess.run(
            [program, *arguments], user=user, cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"

    try:
        call("initdb", "-D", str(data), "-U", "idealist", "-A", "trust", "--no-sync", *LOCALE)
        # Its output goes to a file: a pipe would stay open as long as the server runs.
        program = tool("pg_ctl")
        assert program is not None
        with open(os.devnull, "w") as nowhere:
            subprocess.run(
                [program, "-D", str(data), "-l", str(log), "-o", options, "-w", "start"],
                user=user,
                cwd=folder,
                stdout=nowhere,
                stderr=nowhere,
                check=True,
            )
        try:
            yield f"postgresql://idealist@/{{name}}?host={folder}"
        finally:
            call("pg_ctl", "-D", str(data), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
