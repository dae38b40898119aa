"""A workbench as one file, and back: the tables as JSON lines and the stored files, in a zip archive.

It is the same for both databases, so that a backup of SQLite can be restored to PostgreSQL.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import LargeBinary, func, insert, select, text

from idealist import __version__
from idealist.base.system import sync_to_disk
from idealist.errors import InputError
from idealist.web.base.database import newest
from idealist.web.base.schema import metadata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from sqlalchemy import Connection, Table

    from idealist.web.base.database import Database
    from idealist.web.base.stored_files import StoredFiles

FORMAT = "idealist workbench"
BATCH = 500
# Who was logged in, and who failed to, is over once a workbench is restored.
LEFT_OUT = ("sessions", "login_failures")


def back_up(database: Database, files: StoredFiles, target: Path, *, force: bool = False) -> None:
    """Writes everything to `target`, whole or not at all, as of one moment, while the workbench may be in use."""
    if target.exists() and not force:
        raise InputError(f"{target}: there is a file of this name", hint="--force replaces it")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".backup-")
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}", hint="name another file") from None
    try:
        with (
            os.fdopen(handle, "wb") as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
            database.reading() as connection,
        ):
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            about = {"format": FORMAT, "version": newest(), "idealist": __version__}
            archive.writestr("workbench.json", json.dumps(about))
            for table in metadata.sorted_tables:
                if table.name not in LEFT_OUT:
                    _write_table(connection, table, archive)
            for path in sorted(files.folder.glob("??/*")):
                archive.write(path, f"files/{path.parent.name}/{path.name}")
        sync_to_disk(name)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def restore(database: Database, files: StoredFiles, source: Path) -> None:
    """Fills an empty workbench from a backup, in one transaction."""
    try:
        archive = zipfile.ZipFile(source)
        about = json.loads(archive.read("workbench.json"))
    except FileNotFoundError:
        raise InputError(f"{source}: no such file") from None
    except (zipfile.BadZipFile, KeyError, ValueError):
        raise InputError(
            f"{source}: this is not a backup of a workbench", hint="`idealist serve --backup FILE` writes one"
        ) from None
    if about.get("version") != newest():
        raise InputError(
            f"{source}: the backup has version {about.get('version')}, and this Idealist reads {newest()}",
            hint="restore it with the Idealist that wrote it, and open that database with this one",
        )
    with archive, _explaining_damage(source), database.writing() as connection:
        _require_empty(connection, database.name)
        for name in archive.namelist():
            if name.startswith("files/"):
                _restore_file(archive, name, files)
        for table in metadata.sorted_tables:
            if table.name not in LEFT_OUT:
                connection.execute(table.delete())
                _read_table(connection, table, archive)
        if connection.dialect.name == "postgresql":
            _set_next_numbers(connection)


@contextmanager
def _explaining_damage(source: Path) -> Iterator[None]:
    """A backup that is cut short or was written over is an error of the person's file, whatever is found wrong first."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{source}: this backup is damaged: {error}", hint="use another backup") from None


def _write_table(connection: Connection, table: Table, archive: zipfile.ZipFile) -> None:
    binary = [column.name for column in table.columns if isinstance(column.type, LargeBinary)]
    rows = connection.execution_options(yield_per=BATCH).execute(
        select(table).order_by(*table.primary_key.columns)
    )
    with archive.open(f"tables/{table.name}.jsonl", "w", force_zip64=True) as out:
        for row in rows.mappings():
            record = dict(row)
            for name in binary:
                record[name] = base64.b64encode(record[name]).decode()
            out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def _read_table(connection: Connection, table: Table, archive: zipfile.ZipFile) -> None:
    binary = [column.name for column in table.columns if isinstance(column.type, LargeBinary)]
    batch: list[dict[str, Any]] = []
    with archive.open(f"tables/{table.name}.jsonl") as lines:
        for line in lines:
            record = json.loads(line)
            for name in binary:
                record[name] = base64.b64decode(record[name])
            batch.append(record)
            if len(batch) == BATCH:
                connection.execute(insert(table), batch)
                batch = []
    if batch:
        connection.execute(insert(table), batch)


def _restore_file(archive: zipfile.ZipFile, name: str, files: StoredFiles) -> None:
    with tempfile.TemporaryDirectory(dir=files.folder, prefix="writing-") as folder:
        written = Path(folder) / "content"
        with archive.open(name) as source, open(written, "wb") as out:
            while block := source.read(1 << 20):
                out.write(block)
        if files.keep(written) != Path(name).stem:  # by its content, whatever the archive calls it
            raise InputError(f"{name}: this file of the backup is damaged", hint="use another backup")


def _require_empty(connection: Connection, name: str) -> None:
    for table in ("users", "projects"):
        if connection.execute(select(func.count()).select_from(metadata.tables[table])).scalar_one():
            raise InputError(
                f"{name}: this workbench is in use", hint="restore to a database that does not exist yet"
            )


def _set_next_numbers(connection: Connection) -> None:
    """PostgreSQL goes on counting where it stopped, not behind the rows that were put in."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            if column.identity is not None:
                sequence = f"pg_get_serial_sequence('{table.name}', '{column.name}')"
                largest = f"COALESCE((SELECT MAX({column.name}) FROM {table.name}), 0) + 1"
                connection.execute(text(f"SELECT setval({sequence}, {largest}, false)"))
