"""The database: SQLite or PostgreSQL, opened, brought up to date, and used in short transactions."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, event, inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, OperationalError

from idealist.base.system import close_to_others, make_private_file
from idealist.errors import IdealistError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TypeVar

    from sqlalchemy import Connection, Engine, Table

    Id = TypeVar("Id", int, str)


WAIT = 10_000  # milliseconds that a transaction waits for another to end
WRITING = "idealist_writing"
TOGETHER = 500  # ids of one statement
FOLDER = Path(__file__).parent / "migrations"
SECOND = 1000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE


class StorageError(IdealistError):
    """The database or its folder cannot be used now: a full disk, a lock, a lost connection."""


class Database:
    """Transactions on a database whose tables are those of `schema`.

    `reading()` and `writing()` give a connection within a transaction, which ends with the block: committed, or undone by an
    error. A write of SQLite takes its lock at the beginning, so that two never wait for each other half way.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = _engine(url)
        try:
            with _explained(self.name):
                migrate(self.engine, self.name)
            self._close_to_others()
        except BaseException:
            self.close()
            raise

    def _close_to_others(self) -> None:
        """Other users of this machine may not read the file, nor what SQLite keeps beside it, whoever made them."""
        for path in _files(self.url):
            try:
                close_to_others(path)
            except FileNotFoundError:
                continue
            except PermissionError:
                raise InputError(
                    f"{path}: other users of this machine can read it, and this user may not change that",
                    hint=f"as its owner: chmod 600 {path}",
                ) from None

    @property
    def name(self) -> str:
        """The database as messages name it: without a password."""
        url = make_url(self.url)
        if is_sqlite(self.url):
            return url.database or ""
        return url.set(query={}).render_as_string(hide_password=True)  # where a password may stand, too

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with _explained(self.name), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with _explained(self.name), self.engine.connect() as connection:
            connection = connection.execution_options(**{WRITING: True})
            with connection.begin():
                yield connection

    def close(self) -> None:
        self.engine.dispose()


def insert_new(connection: Connection, table: Table, row: dict[str, Any]) -> bool:
    """Adds a row; False where one with its key is there already, or is added by another transaction at the same time."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return bool(connection.execute(dialect.insert(table).values(row).on_conflict_do_nothing()).rowcount)


def in_parts(ids: Sequence[Id]) -> Iterator[Sequence[Id]]:
    """As many ids as one statement takes, and then the next ones.

    >>> [len(part) for part in in_parts(range(1_200))]
    [500, 500, 200]
    """
    for start in range(0, len(ids), TOGETHER):
        yield ids[start : start + TOGETHER]


def is_sqlite(url: str) -> bool:
    return url.startswith("sqlite")


def url_of(text: str) -> str:
    """The address of a database: a PostgreSQL URL as it is written, or the path of a SQLite file.

    >>> url_of("/data/shop.db"), url_of("postgresql://ann@db/shop")
    ('sqlite:////data/shop.db', 'postgresql+psycopg://ann@db/shop')
    """
    scheme, mark, rest = text.partition("://")
    if not mark:
        return f"sqlite:///{Path(text).absolute()}"
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return f"postgresql+psycopg://{rest}"
    if scheme == "sqlite":
        return text
    raise InputError(
        f"{scheme}:// is not a database that the workbench can use",
        hint="give a file, such as shop.db, or postgresql://user@host/name",
    )


def _engine(url: str) -> Engine:
    try:
        if not is_sqlite(url):
            return create_engine(url, pool_pre_ping=True, pool_size=10, max_overflow=20)
        for path in _files(url)[:1]:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private_file(path)
        engine = create_engine(url, connect_args={"timeout": WAIT / 1000}, pool_size=10, max_overflow=20)
    except ModuleNotFoundError as error:
        raise InputError(
            f"{error.name} is not installed, which this database needs", hint="pip install 'idealist[web]'"
        ) from None
    except (ArgumentError, ValueError):  # their texts quote what may be a password
        raise InputError(
            "this is not the URL of a database",
            hint="such as postgresql://user@host:5432/name, with the password in PGPASSWORD",
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be made: {error.strerror}") from None
    event.listen(engine, "connect", _connected)
    event.listen(engine, "begin", _begun)
    return engine


def _files(url: str) -> list[Path]:
    """The file of a SQLite database, and those that may be beside it; none of another database."""
    file = make_url(url).database if is_sqlite(url) else None
    return [Path(f"{file}{ending}") for ending in ("", "-wal", "-shm")] if file else []


def _connected(connection: Any, record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so, with DDL in them
    cursor = connection.cursor()
    for setting in (
        f"busy_timeout={WAIT}",
        "journal_mode=WAL",
        "synchronous=FULL",  # what was acknowledged survives a power cut
        "foreign_keys=ON",
    ):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _begun(connection: Connection) -> None:
    writing = connection.get_execution_options().get(WRITING, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """What the driver says as a sentence, where the database itself is the trouble, or what it is to store."""
    try:
        yield
    except OverflowError:
        raise InputError("a number is too large to be stored", hint="reload the page") from None
    except DataError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise InputError(
            f"this cannot be stored: {reason}", hint="shorten it, or write it as plain text"
        ) from None
    except OperationalError as error:
        reason = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "it did not answer"
        raise StorageError(f"{name}: the database cannot be used: {reason}", hint=_hint(reason)) from error
    except DBAPIError as error:
        if "not a database" in str(error.orig):
            raise StorageError(
                f"{name}: this is not a database", hint="name another file with --db"
            ) from None
        if "connection option" in str(error.orig):
            raise InputError(
                f"{name}: the URL states what no connection has", hint="check what follows its question mark"
            ) from None
        raise


def storage_error(error: OSError) -> StorageError:
    """What is wrong with the folder of files, as a sentence."""
    reason = (error.strerror or str(error)).lower()
    return StorageError(f"what was sent cannot be stored: {reason}", hint=_hint(reason))


def _hint(reason: str) -> str:
    if "full" in reason or "no space" in reason:
        return "the disk is full: make room; nothing that was acknowledged is lost"
    if "disk I/O" in reason:  # so SQLite says of a journal that it cannot make, too
        return "is the disk full? make room; nothing that was acknowledged is lost"
    if "locked" in reason:
        return "another process writes to it for long; try again"
    if "readonly" in reason:
        return "the file or its folder may not be written to"
    return "check the path or URL, and that the server runs"


def scripts() -> ScriptDirectory:
    return ScriptDirectory(str(FOLDER), version_locations=[str(FOLDER)])


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


def now() -> int:
    """Milliseconds since 1970, in UTC."""
    return time.time_ns() // 1_000_000
