"""Databases are made, brought up to date, refused when unknown, and never left half changed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, select, text

from idealist.errors import InputError
from idealist.web.base.database import FOLDER, Database, StorageError, newest, url_of
from idealist.web.base.schema import metadata, projects


def test_migrations_make_the_tables_that_the_code_uses(database_url: str) -> None:
    database = Database(url_of(database_url))
    with database.reading() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    assert differences == []
    database.close()


def test_a_database_is_opened_again_as_it_was(database_url: str) -> None:
    first = Database(url_of(database_url))
    with first.writing() as connection:
        connection.execute(insert(projects).values(name="a", about="1", created=1))
    first.close()
    again = Database(url_of(database_url))
    with again.reading() as connection:
        assert connection.execute(select(projects.c.about)).scalars().all() == ["1"]
    again.close()


def test_a_transaction_that_fails_leaves_nothing(database_url: str) -> None:
    database = Database(url_of(database_url))
    with pytest.raises(ZeroDivisionError), database.writing() as connection:  # noqa: PT012
        connection.execute(insert(projects).values(name="a", about="1", created=1))
        _ = 1 / 0
    with database.reading() as connection:
        assert connection.execute(select(projects)).all() == []
    database.close()


def test_a_database_of_a_newer_version_is_refused_and_not_changed(database_url: str) -> None:
    database = Database(url_of(database_url))
    with database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InputError, match=r"has version 9999.*up to 0001") as refused:
        Database(url_of(database_url))
    assert "newer Idealist" in refused.value.hint
    with database.reading() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "9999"
    database.close()


def versions_in(folder: Path) -> Path:
    """A folder with copies of the migrations that there are."""
    folder.mkdir()
    for path in FOLDER.glob("v*.py"):
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def test_an_older_database_is_migrated_with_its_rows(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A further version, which adds a table; and another, which fails half way and leaves that one."""
    database = Database(url_of(database_url))
    with database.writing() as connection:
        connection.execute(insert(projects).values(name="a", about="1", created=1))
    database.close()

    folder, before = versions_in(tmp_path / "migrations"), newest()
    head = "from alembic import op\nimport sqlalchemy as sa\n"
    make = "def upgrade():\n    op.create_table('{}', sa.Column('n', sa.Integer))\n"
    (folder / "v8000.py").write_text(
        f"{head}revision = '8000'\ndown_revision = '{before}'\n{make.format('more')}", encoding="utf-8"
    )
    monkeypatch.setattr("idealist.web.base.database.FOLDER", folder)
    database = Database(url_of(database_url))
    with database.reading() as connection:
        assert connection.execute(select(projects.c.about)).scalars().all() == ["1"]
        assert connection.execute(text("SELECT count(*) FROM more")).scalar_one() == 0
    database.close()

    (folder / "v8001.py").write_text(
        f"{head}revision = '8001'\ndown_revision = '8000'\n{make.format('third')}    raise RuntimeError('half way')\n",
        encoding="utf-8",
    )
    with pytest.raises(RuntimeError, match="half way"):
        Database(url_of(database_url))
    (folder / "v8001.py").unlink()
    database = Database(url_of(database_url))
    with database.reading() as connection:
        assert not connection.dialect.has_table(connection, "third")
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "8000"
    database.close()


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE orders (n INTEGER)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"not a workbench: it has the table 'orders'"):
        Database(url_of(str(path)))
    with sqlite3.connect(path) as connection:
        assert [row[0] for row in connection.execute("SELECT name FROM sqlite_master")] == ["orders"]
    connection.close()
    assert len(before) == len(path.read_bytes())


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q Q0 d 1 1 a\n" * 100, encoding="utf-8")
    with pytest.raises(StorageError, match="not a database"):
        Database(url_of(str(path)))
    assert path.read_text(encoding="utf-8") == "q Q0 d 1 1 a\n" * 100


def test_other_databases_are_refused() -> None:
    with pytest.raises(InputError, match=r"mysql:// is not a database"):
        url_of("mysql://a@b/c")


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StorageError, match="cannot be used") as failed:
        Database(url_of("postgresql://ann:secret@127.0.0.1:1/shop"))
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:hunter2",
        "postgresql://ann:hunter2@127.0.0.1:x/shop",
        "postgresql://ann:hunter 2@[::1/shop",
        "postgresql://ann:hunter2@127.0.0.1:1/shop?password=hunter2",
        "postgresql://127.0.0.1:1/shop?user=ann&password=hunter2",
        "postgresql://127.0.0.1:1/shop?passwort=hunter2",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_what_may_be_a_password(url: str) -> None:
    with pytest.raises((InputError, StorageError)) as refused:
        Database(url_of(url))
    assert "hunter" not in str(refused.value) + repr(refused.value)
