"""SQLite databases."""

from __future__ import annotations

from contextlib import closing, contextmanager

from idealist.base.values import as_id, as_number
from idealist.data.column_names import find_roles
from idealist.data.columns import Columns
from idealist.data.databases import (
    Database,
    broken_database,
    chosen_table,
    quoted,
    require_plain,
    table_exists,
)
from idealist.data.streaming import match_windows
from idealist.data.triples import as_float, refuse_twice, require_some, rows_of_triples, windows_of, wrong
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from typing import Any

    from idealist import kernels
    from idealist.data import Judgments
    from idealist.data.collection import Collection
    from idealist.data.formats.format import Head
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest
    from idealist.data.streaming import Matched
    from idealist.data.triples import Triple
    from idealist.data.writing import Destination


class Sqlite(Database):
    name = "sqlite"
    label = "SQLite"
    about = "a table or view of an SQLite database: `shop.db::qrels`"
    endings = (".sqlite", ".sqlite3", ".db")
    written = "a table: `shop.db::judgments`"
    journal = "-journal"

    def recognises(self, head: Head) -> bool:
        return head.start.startswith(b"SQLite format 3\0")

    def column_names(self, opened: Opened, part: str | None) -> list[str] | None:
        with _opened_table(opened, part) as (base, name):
            return _names(base, name)

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        with _cells(opened, request) as cells:
            return rows_of_triples(
                cells(),
                request.kind,
                source=cells.source,
                threads=threads,
                by_line=False,
                duplicates=request.allow_duplicates,
            )

    def match(
        self,
        opened: Opened,
        request: ReadRequest,
        judgments: Judgments,
        options: kernels.MatchOptions,
        threads: int,
    ) -> Matched:
        with _cells(opened, request) as cells:
            source = cells.source
            matched = match_windows(
                lambda: windows_of(cells(), "run", source=source, by_line=False),
                judgments,
                options,
                threads,
                refuse=lambda rows: refuse_twice(rows, source, by_line=False),
                source=source,
            )
            require_some(matched.rows, "run", source)
            return matched

    def table(self, opened: Opened, request: ReadRequest) -> Columns:
        with _opened_table(opened, request.part) as (base, name):
            cursor = base.execute(f"SELECT * FROM {quoted(name)}")
            names = [head[0] for head in cursor.description]
            cells = list(zip(*cursor.fetchall(), strict=True)) or [()] * len(names)
            return Columns(dict(zip(names, cells, strict=True)), source=f"{opened.path}::{name}")

    def write_table(self, collection: Collection, path: str, destination: Destination, force: bool) -> None:
        import sqlite3

        try:
            with closing(sqlite3.connect(path, isolation_level=None)) as database:
                _fill(database, collection, destination, force)
        except UnicodeEncodeError:
            raise InputError(
                f"{destination.target}: SQLite carries text only, and some id is not UTF-8",
                hint="TREC text carries any bytes",
            ) from None
        except sqlite3.Error as error:
            _roll_back(path)
            raise InputError(f"{destination.target}: cannot be written: {error}") from None


FORMAT = Sqlite()


@contextmanager
def _cells(opened: Opened, request: ReadRequest) -> Iterator[Cells]:
    """The cells of a run or of judgments."""
    with _opened_table(opened, request.part) as (base, name):
        source = f"{opened.path}::{name}"
        names = _names(base, name)
        roles = find_roles(names, request.kind, request.columns, source=source)
        selected = ", ".join(quoted(names[at]) for at in roles.values())
        yield Cells(base, f"SELECT {selected} FROM {quoted(name)}", list(roles), source)


def _names(base: Any, table: str) -> list[str]:
    return [head[0] for head in base.execute(f"SELECT * FROM {quoted(table)} LIMIT 0").description]


@contextmanager
def _opened_table(opened: Opened, table: str | None) -> Iterator[tuple[Any, str]]:
    """The database, and the name of the table in it that was named."""
    import sqlite3

    require_plain(opened)
    path = opened.path
    if _undone(path):
        opened.take_as_it_is()
    try:
        with closing(_read_only(path)) as base:
            base.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
            listed = base.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
                "ESCAPE '\\' ORDER BY name"
            )
            yield base, chosen_table(table, [row[0] for row in listed], path)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a message may hold what is damaged
        raise broken_database("SQLite", error, path) from None


class Cells:
    """The rows of a table, for whoever calls it, and again."""

    def __init__(self, base: Any, query: str, roles: list[str], source: str) -> None:
        self.base = base
        self.query = query
        self.roles = roles
        self.source = source

    def __call__(self) -> Iterator[Triple]:
        return _triples(self.base.execute(self.query), self.roles, self.source)


def _triples(rows: Iterator[Sequence[Any]], roles: list[str], source: str) -> Iterator[Triple]:
    number = roles[2]
    for at, (query, document, value) in enumerate(rows, 1):
        for role, cell in zip(roles, (query, document, value), strict=True):
            if cell is None:
                raise wrong(
                    f"the {role} is NULL", at, source, by_line=False, hint="fill it in, or leave the row out"
                )
        try:
            ids = as_id(query, "the query"), as_id(document, "the document")
            if isinstance(value, str):
                value = as_float(value, number, at, source, by_line=False)
            else:
                value = as_number(value, f"the {number}", finite=False)
        except InputError as error:
            if error.source is not None:
                raise
            raise wrong(error.message, at, source, by_line=False, hint=error.hint, code=error.code) from None
        yield at, *ids, -value if number == "rank" else value


def _read_only(path: str, mode: str = "ro") -> Any:
    import os
    import sqlite3
    from urllib.request import pathname2url

    return sqlite3.connect(f"file:{pathname2url(os.path.abspath(path))}?mode={mode}", uri=True)


def _undone(path: str) -> bool:
    """Whether a writer was killed, and what it had begun is now undone, as any program does that opens the file: it
    cannot be read until then."""
    import os
    import sqlite3

    if not os.path.exists(f"{path}-journal"):
        return False
    try:
        with closing(_read_only(path)) as base:
            base.execute("SELECT 1 FROM sqlite_master").fetchone()
        return False
    except sqlite3.OperationalError as error:
        if "readonly" not in str(error):
            raise
    try:
        with closing(_read_only(path, "rw")) as base:
            base.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        raise InputError(
            "a program was stopped while it wrote this database, and what it left cannot be undone here",
            source=path,
            hint=f"open it where it and {os.path.basename(path)}-journal may be written",
        ) from None
    return True


def _roll_back(path: str) -> None:
    """Where the disk was full, SQLite leaves it to the next who opens the file to undo what was begun."""
    import sqlite3
    from contextlib import suppress

    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as database:
        database.execute("SELECT 1 FROM sqlite_master").fetchone()


def _fill(
    database: sqlite3.Connection, collection: Collection, destination: Destination, force: bool
) -> None:
    table = quoted(destination.part or "")
    rows = (
        (query, document, number)
        for query, documents in collection.items()
        for document, number in documents.items()
    )
    database.execute("BEGIN IMMEDIATE")
    existing = database.execute(
        "SELECT type FROM sqlite_master WHERE name = ?", (destination.part,)
    ).fetchone()
    if existing and not force:
        raise table_exists(destination)
    if existing:
        database.execute(f"DROP {existing[0]} {table}")
    database.execute(
        f"CREATE TABLE {table} (query TEXT NOT NULL, document TEXT NOT NULL, {collection.number} REAL NOT NULL)"
    )
    database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)
    from idealist.data.targets import uninterrupted

    with uninterrupted():
        database.execute("COMMIT")
