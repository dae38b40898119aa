"""A PostgreSQL server for tests: in a temporary folder, on a socket there, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


def _binaries() -> str | None:
    """The folder of initdb, from the path or where Debian has it."""
    found = shutil.which("initdb")
    if found is not None:
        return str(Path(found).parent)
    return next((str(folder) for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"))), None)


def _other_user() -> dict[str, Any]:
    """PostgreSQL does not run as root; the user that its package made does not mind."""
    if os.geteuid() != 0:
        return {}
    try:
        entry = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a server, whose order of text is not bytewise unless a query asks for that."""
    folder = _binaries()
    if folder is None:
        pytest.skip("PostgreSQL is not installed (initdb and pg_ctl)")
    user = _other_user()
    # Not within pytest's folders, which other users may not enter.
    place = Path(tempfile.mkdtemp(prefix="idealist-postgres-"))
    try:
        if user:
            os.chown(place, user["user"], user["group"])

        def call(*command: str) -> None:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                cwd=place,
                **user,
                env={"PATH": os.environ["PATH"]},
            )
            assert done.returncode == 0, done.stdout + done.stderr

        data = str(place / "data")
        locale = ("--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US")
        call(f"{folder}/initdb", "-D", data, "-U", "tester", "-A", "trust", "--no-sync", *locale)
        options = f"-k {place} -c listen_addresses='' -c fsync=off -c jit=off"
        call(f"{folder}/pg_ctl", "-D", data, "-o", options, "-l", str(place / "log"), "-w", "start")
        try:
            yield f"host={place} user=tester dbname=postgres"
        finally:
            call(f"{folder}/pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)
