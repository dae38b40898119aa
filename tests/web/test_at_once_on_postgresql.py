"""A request while another transaction is under way on PostgreSQL, where writers do not wait for each other by themselves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, delete, insert, select, text, update

from idealist import InputError
from idealist.conventions import DEFAULT
from idealist.web.access.accounts import LOCAL, accept, add_user, has_admin, invite, local_person, set_role
from idealist.web.base.database import now
from idealist.web.base.schema import documents, evaluations, invitations, users
from idealist.web.base.server_settings import Settings
from idealist.web.comparing.run_values import measure_run, question
from idealist.web.projects.importing import Upload, import_file
from idealist.web.projects.project_sources import add_source, judgments_of, list_sources, replace_contents
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench

from .conftest import new_database

PASSWORD = "correct horse battery"
WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


@pytest.fixture
def bench(postgres: str, tmp_path: Path) -> Iterator[Workbench]:
    workbench = Workbench(Settings(new_database(postgres), tmp_path / "files", host="0.0.0.0", login=True))
    yield workbench
    workbench.close()


@contextmanager
def meanwhile(
    bench: Workbench, work: Callable[[], object]
) -> Iterator[tuple[Connection, list[Exception | None]]]:
    """A transaction that is committed while `work` is under way; afterwards, what went wrong with the work."""
    problems: list[Exception | None] = []

    def run() -> None:
        try:
            work()
        except Exception as error:
            problems.append(error)
        else:
            problems.append(None)

    thread = threading.Thread(target=run)
    with bench.database.writing() as connection:
        yield connection, problems
        thread.start()
        while thread.is_alive() and not _somebody_waits(bench):
            thread.join(0.02)
    thread.join()


def _somebody_waits(bench: Workbench) -> bool:
    with bench.database.reading() as connection:
        return bool(connection.execute(WAITING).scalar_one())


def test_of_files_of_one_name_one_is_current(bench: Workbench, tmp_path: Path) -> None:
    project = create_project(bench.database, "shop")
    (tmp_path / "a.run").write_text("q Q0 d 1 1 s\n", encoding="utf-8")
    facts: dict[str, Any] = {
        "kind": "run",
        "name": "a",
        "filename": "a.run",
        "size": 1,
        "rows": 1,
        "queries": 1,
    }
    facts |= {"content_sha256": "0" * 64, "stored_sha256": "0" * 64, "findings": {}}
    upload = Upload(tmp_path / "a.run", "a.run")
    with meanwhile(bench, lambda: import_file(bench, project, upload)) as (connection, problems):
        add_source(connection, project, **facts)
    assert problems == [None]
    (current,) = list_sources(bench.database, project)
    assert current.content_sha256 != "0" * 64


def test_texts_of_documents_are_those_of_one_file(bench: Workbench, tmp_path: Path) -> None:
    project = create_project(bench.database, "shop")
    (tmp_path / "d.csv").write_text("document,title\nd,second\n", encoding="utf-8")
    facts: dict[str, Any] = {
        "kind": "documents",
        "name": "d",
        "filename": "d.csv",
        "size": 1,
        "rows": 1,
        "queries": None,
    }
    facts |= {"content_sha256": "0" * 64, "stored_sha256": None, "findings": {}}
    upload = Upload(tmp_path / "d.csv", "d.csv")
    with meanwhile(bench, lambda: import_file(bench, project, upload)) as (connection, problems):
        add_source(connection, project, **facts)
        rows = [{"document": "d", "title": "first", "text": "", "url": "", "image": ""}]
        replace_contents(connection, documents, project, rows)
    assert problems == [None]
    with bench.database.reading() as connection:
        assert connection.execute(select(documents.c.title)).scalars().all() == ["second"]


def test_a_measure_that_two_jobs_measure_is_stored_once(bench: Workbench, shop: Path) -> None:
    project = create_project(bench.database, "shop")
    for name in ("shop.qrels", "a.run"):
        import_file(bench, project, Upload(shop / name, name))
    judgments = judgments_of(bench.database, project)
    (run,) = list_sources(bench.database, project, "run")
    assert judgments is not None
    asked = question(judgments.stored, ["AP", "RR"], DEFAULT)
    measure_run(bench, asked, run.stored)
    with bench.database.writing() as connection:
        measured = [dict(row) for row in connection.execute(select(evaluations)).mappings()]
        connection.execute(delete(evaluations))
    with meanwhile(bench, lambda: measure_run(bench, asked, run.stored)) as (connection, problems):
        connection.execute(insert(evaluations), measured[:1])
    assert problems == [None]
    with bench.database.reading() as connection:
        assert set(connection.execute(select(evaluations.c.measure)).scalars()) == {"AP", "RR"}


def test_an_invitation_makes_one_person(bench: Workbench) -> None:
    admin = add_user(bench.database, "ann", PASSWORD, "admin")
    token = invite(bench.database, "rater", by=admin.id)
    with meanwhile(bench, lambda: accept(bench.database, token, "ben", PASSWORD)) as (connection, problems):
        connection.execute(update(invitations).values(used=now(), used_by=admin.id))
    (problem,) = problems
    assert isinstance(problem, InputError)
    assert "this invitation is not valid" in problem.message


def test_two_admins_do_not_take_away_each_others_role(bench: Workbench) -> None:
    ann, ben = (add_user(bench.database, name, PASSWORD, "admin").id for name in ("ann", "ben"))
    with meanwhile(bench, lambda: set_role(bench.database, ann, "rater", by=ben)) as (connection, problems):
        connection.execute(update(users).where(users.c.id == ben).values(role="rater"))
    assert isinstance(problems[0], InputError)
    assert has_admin(bench.database)


def test_the_person_at_this_machine_is_one(bench: Workbench) -> None:
    with meanwhile(bench, lambda: local_person(bench.database)) as (connection, problems):
        connection.execute(insert(users).values(name=LOCAL, role="admin", created=now()))
    assert problems == [None]
