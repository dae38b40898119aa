"""From the version of a database to that of this program: up, never down; what is unknown is refused."""

from __future__ import annotations

from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import inspect

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Connection, Engine

FOLDER = Path(__file__).parent / "migrations"


def scripts() -> ScriptDirectory:
    return ScriptDirectory(str(FOLDER))


def newest() -> str:
    """The version that this program writes."""
    return str(scripts().get_current_head())


def migrate(engine: Engine, name: str) -> None:
    """Brings a database to the newest version, in one transaction; an empty one gets its tables."""
    with engine.connect() as connection:
        current = _version(connection, name)
    if current == newest():
        return
    with engine.connect() as connection:
        connection = connection.execution_options(idealist_writing=True)
        with connection.begin():
            if engine.dialect.name == "postgresql":
                connection.exec_driver_sql(
                    "SELECT pg_advisory_xact_lock(7325)"
                )  # two servers may start at once
            if _version(connection, name) != newest():
                _run(connection)


def _version(connection: Connection, name: str) -> str | None:
    current: str | None = MigrationContext.configure(connection).get_current_revision()
    if current is None:
        tables = set(inspect(connection).get_table_names()) - {"alembic_version"}
        if tables:
            raise InputError(
                f"{name}: this database is not a workbench: it has the table {min(tables)!r}",
                hint="name another file with --db; one that does not exist is made",
            )
        return None
    if current not in {script.revision for script in scripts().walk_revisions()}:
        raise InputError(
            f"{name}: the database has version {current}, and this Idealist knows versions up to {newest()}",
            hint="it was written by a newer Idealist: update this one; nothing was changed",
        )
    return current


def _run(connection: Connection) -> None:
    directory = scripts()

    def steps(revision: Any, context: Any) -> Any:
        return directory._upgrade_revs("head", revision)

    context = MigrationContext.configure(connection, opts={"fn": steps, "transactional_ddl": True})
    with Operations.context(context):
        context.run_migrations()
