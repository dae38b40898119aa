"""Runs and judgments as tables with types: Parquet, Arrow IPC, SQLite and DuckDB."""

from __future__ import annotations

import os
import sys

from idealist.errors import InputError, MissingDependency
from idealist.io.destinations import STDOUT
from idealist.io.targets import Target, refuse_existing, uninterrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from typing import Any

    from idealist.data.collection import Collection
    from idealist.io.destinations import Destination

ROW_GROUP = 1 << 20
LONGEST_NAME = 255  # bytes of a file's name
JOURNALS = {"sqlite": "-journal", "duckdb": ".wal"}  # what databases put beside their file, by how it ends
TABLES = "pip install 'idealist[tables]'"


def arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependency("Parquet and Arrow files need pyarrow", hint=TABLES) from None
    return pyarrow


def write_batches(
    tables: Iterable[Any], place: Destination, kind: str, *, name: str, force: bool = False
) -> None:
    """Tables of the columns query, document and score or grade, one behind the other, as one file."""
    pyarrow = arrow()
    number = "score" if kind == "run" else "grade"
    types = {"query": pyarrow.string(), "document": pyarrow.string(), number: pyarrow.float64()}
    schema = pyarrow.schema(
        [pyarrow.field(column, type, nullable=False) for column, type in types.items()],
        metadata={"idealist.kind": kind, "idealist.name": name.encode("utf-8", "replace")},
    )
    if place.path == STDOUT:
        sys.stdout.flush()
        _write(tables, pyarrow.PythonFile(sys.stdout.buffer, "w"), place, schema)
        sys.stdout.flush()
        return
    with Target(place.path, force=force) as path, pyarrow.OSFile(path, "wb") as sink:
        _write(tables, sink, place, schema)


def _write(tables: Iterable[Any], sink: Any, place: Destination, schema: Any) -> None:
    if place.format.name == "parquet":
        import pyarrow.parquet

        # A document stands in many places only where queries share them: a dictionary would cost more than it
        # saves. A query stands in every row of its own.
        writer = pyarrow.parquet.ParquetWriter(sink, schema, compression="zstd", use_dictionary=["query"])
    else:
        import pyarrow.ipc

        options = pyarrow.ipc.IpcWriteOptions(compression="lz4")
        writer = pyarrow.ipc.new_file(sink, schema, options=options)
    with writer:
        for table in tables:
            _require_text(table, place)
            named = table.replace_schema_metadata(schema.metadata)
            if place.format.name == "parquet":
                writer.write_table(named, row_group_size=ROW_GROUP)
            else:
                writer.write_table(named)


def _require_text(table: Any, place: Destination) -> None:
    """Bytes that are no UTF-8 go through TREC text, but no table has them."""
    try:
        table.validate(full=True)
    except arrow().ArrowInvalid:
        raise InputError(
            f"{place.target}: {place.format.name} carries text only, and some id is not UTF-8",
            hint="TREC text carries any bytes",
        ) from None


def write_to_database(collection: Collection, place: Destination, *, force: bool = False) -> None:
    """One table, in one transaction. A database that is not there yet is made beside, and renamed."""
    write = _to_sqlite if place.format.name == "sqlite" else _to_duckdb
    cramped = _leaves_no_room(place.path, JOURNALS[place.format.name])
    if cramped and place.format.name == "duckdb":
        raise InputError(
            f"{place.path}: the name is too long for DuckDB, which could not open the file",
            hint=f"a name of at most {LONGEST_NAME - len(JOURNALS['duckdb'])} bytes leaves room for its log",
        )
    if os.path.lexists(place.path):
        if not os.path.isfile(place.path):
            raise InputError(f"{place.path}: this is no file", hint="name a database")
        if cramped:
            from shutil import copyfile

            with Target(place.path, force=True) as path:
                copyfile(place.path, path)
                write(collection, path, place, force)
            return
        write(collection, place.path, place, force)
        return
    refuse_existing(place.path, force)
    with Target(place.path) as path:
        write(collection, path, place, force)


def _leaves_no_room(path: str, journal: str) -> bool:
    """Whether a name is so long that the database's journal cannot stand beside it: then nobody can write the file in
    its place, so that nobody else does while a copy is written."""
    return len(os.fsencode(os.path.basename(os.path.realpath(path)) + journal)) > LONGEST_NAME


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_there(place: Destination) -> InputError:
    return InputError(
        f"{place.target}: there is such a table already",
        hint="--force (force=True) replaces it, or name another",
    )


def _to_sqlite(collection: Collection, path: str, place: Destination, force: bool) -> None:
    import sqlite3
    from contextlib import closing

    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            _fill_sqlite(database, collection, place, force)
    except UnicodeEncodeError:
        raise InputError(
            f"{place.target}: SQLite carries text only, and some id is not UTF-8",
            hint="TREC text carries any bytes",
        ) from None
    except sqlite3.Error as error:
        _roll_back(path)
        raise InputError(f"{place.target}: cannot be written: {error}") from None


def _roll_back(path: str) -> None:
    """Where the disk was full, SQLite leaves it to the next who opens the file to undo what was begun."""
    import sqlite3
    from contextlib import closing, suppress

    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as database:
        database.execute("SELECT 1 FROM sqlite_master").fetchone()


def _fill_sqlite(
    database: sqlite3.Connection, collection: Collection, place: Destination, force: bool
) -> None:
    table = _quoted(place.part or "")
    rows = (
        (query, document, number)
        for query, documents in collection.items()
        for document, number in documents.items()
    )
    database.execute("BEGIN IMMEDIATE")
    found = database.execute("SELECT type FROM sqlite_master WHERE name = ?", (place.part,)).fetchone()
    if found and not force:
        raise _is_there(place)
    if found:
        database.execute(f"DROP {found[0]} {table}")
    database.execute(
        f"CREATE TABLE {table} (query TEXT NOT NULL, document TEXT NOT NULL, {collection.number} REAL NOT NULL)"
    )
    database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)
    with uninterrupted():
        database.execute("COMMIT")


def _to_duckdb(collection: Collection, path: str, place: Destination, force: bool) -> None:
    try:
        import duckdb
    except ImportError:
        raise MissingDependency("DuckDB files need duckdb", hint=TABLES) from None
    rows = arrow().table(collection)
    _require_text(rows, place)
    table = _quoted(place.part or "")
    try:
        with duckdb.connect(path) as database:
            # Not within COMMIT, whose failure would then not say whether the table is there.
            database.execute("SET checkpoint_threshold = '1TB'")
            database.execute("BEGIN")
            found = database.execute(
                "SELECT table_type FROM information_schema.tables WHERE table_name = ?", [place.part]
            ).fetchone()
            if found and not force:
                raise _is_there(place)
            if found:
                database.execute(f"DROP {'VIEW' if found[0] == 'VIEW' else 'TABLE'} {table}")
            database.register("rows_to_write", rows)
            database.execute(f"CREATE TABLE {table} AS SELECT * FROM rows_to_write")
            with uninterrupted():
                database.execute("COMMIT")
                _checkpoint(database, needed=path != place.path)
    except RuntimeError as error:
        if "interrupted" in str(error):  # what DuckDB makes of Ctrl-C
            raise KeyboardInterrupt from None
        raise
    except duckdb.Error as error:
        reason = str(error).replace(path, place.path)  # a new one is written under another name
        raise InputError(f"{place.target}: cannot be written: {reason}") from None


def _checkpoint(database: Any, *, needed: bool) -> None:
    """From the log beside the file into the file. Closing does not always do it, and the log of a new file would
    not be renamed with it. With a file that was there, the log is as good: the table is there, whatever happens."""
    import duckdb

    try:
        database.execute("CHECKPOINT")
    except duckdb.Error:
        if needed:
            raise
