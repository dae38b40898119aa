"""Workbenches of tests: on SQLite and on PostgreSQL, with the shop in them or empty."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.postgres_server import postgres_server, why_not
from support.programs import program_absent

from idealist.web.base.server_settings import Settings

if TYPE_CHECKING:
    from idealist.web.workbench import Workbench

_numbers = count()


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes that take no time: what makes a real one slow is argon2's own affair."""
    from argon2 import PasswordHasher

    from idealist.web.access import secrets

    monkeypatch.setattr(secrets, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a running server, with {name} in the place of the database's name."""
    reason = why_not()
    if reason is not None or find_spec("psycopg") is None:
        program_absent(reason or "psycopg is not installed")
    with postgres_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, on each of the two."""
    if request.param == "sqlite":
        return str(tmp_path / "workbench.db")
    return new_database(request.getfixturevalue("postgres"))


def new_database(server: str) -> str:
    """A schema of its own: making it takes a fraction of the time of a database."""
    import psycopg

    name, url = f"workbench_{next(_numbers)}", server.format(name="postgres")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{url}&options=-csearch_path%3D{name}"


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """An empty workbench and that of the demo, made once: tests work on copies."""
    from idealist.web.demo import add_demo
    from idealist.web.workbench import Workbench

    made = {name: tmp_path_factory.mktemp(name) for name in ("empty", "demo")}
    for name, folder in made.items():
        workbench = Workbench(Settings(str(folder / "bench.db"), folder / "files"))
        if name == "demo":
            assert add_demo(workbench) == 1
        workbench.close()
    return made


def copied(template: Path, folder: Path) -> Iterator[Workbench]:
    from idealist.web.workbench import Workbench

    shutil.copytree(template, folder, dirs_exist_ok=True)
    workbench = Workbench(Settings(str(folder / "bench.db"), folder / "files"))
    yield workbench
    workbench.close()


@pytest.fixture
def bench(templates: dict[str, Path], tmp_path: Path) -> Iterator[Workbench]:
    """An empty workbench on loopback: nobody logs in."""
    yield from copied(templates["empty"], tmp_path / "bench")


@pytest.fixture
def public_bench(database_url: str, tmp_path: Path) -> Iterator[Workbench]:
    """A workbench that others reach, on each of the two databases: people log in."""
    from idealist.web.workbench import Workbench

    workbench = Workbench(Settings(database_url, tmp_path / "files", host="0.0.0.0", login=True))
    yield workbench
    workbench.close()


@pytest.fixture
def shop_bench(templates: dict[str, Path], tmp_path: Path) -> Iterator[Workbench]:
    """A workbench with the project of the demo, which has number 1."""
    yield from copied(templates["demo"], tmp_path / "bench")
