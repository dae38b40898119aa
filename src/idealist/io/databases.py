"""Tables of SQLite and DuckDB databases, read without changing anything in them."""

from __future__ import annotations

from contextlib import closing, contextmanager

from idealist import kernels
from idealist.data.columns import Columns, find_roles
from idealist.data.numbers import as_id, as_number
from idealist.data.streaming import WINDOW_ROWS, match_windows
from idealist.errors import InputError, MissingDependency
from idealist.io.triples import as_float, refuse_twice, require_some, rows_of_triples, windows_of, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from idealist.data.frames import Frame
    from idealist.data.judgments import Judgments
    from idealist.data.streaming import Matched
    from idealist.io.opening import Opened
    from idealist.io.triples import Triple


def database_rows(
    opened: Opened,
    format: str,
    table: str | None,
    kind: str,
    *,
    columns: Mapping[str, str] | None,
    threads: int,
) -> kernels.Rows:
    """A run or judgments from a table or view that is named as FILE::TABLE."""
    with _opened_table(opened, format, table, kind, columns, threads) as found:
        if isinstance(found, Cells):
            return rows_of_triples(found(), kind, source=found.source, threads=threads, by_line=False)
        rows = found.rows(threads)
        require_some(len(rows), kind, found.source)
        return rows


def match_database(
    opened: Opened,
    format: str,
    table: str | None,
    judgments: Judgments,
    options: kernels.MatchOptions,
    *,
    columns: Mapping[str, str] | None,
    threads: int,
) -> Matched:
    """The rankings of a run in such a table, measured while it is read."""
    with _opened_table(opened, format, table, "run", columns, threads) as found:
        if isinstance(found, Cells):
            cells, source = found, found.source
            matched = match_windows(
                lambda: windows_of(cells(), "run", source=source, by_line=False),
                judgments,
                options,
                threads,
                refuse=lambda rows: refuse_twice(rows, source, by_line=False),
                source=source,
            )
        else:
            matched = found.match(judgments, options, threads)
        require_some(matched.rows, "run", found.source)
        return matched


@contextmanager
def _opened_table(
    opened: Opened,
    format: str,
    table: str | None,
    kind: str,
    columns: Mapping[str, str] | None,
    threads: int,
) -> Iterator[Cells | Frame]:
    require_plain(opened, format)
    path = opened.path
    if format == "sqlite":
        with _opened_sqlite(path, table) as (base, name):
            source = f"{path}::{name}"
            heads = base.execute(f"SELECT * FROM {quoted(name)} LIMIT 0").description
            roles = find_roles([head[0] for head in heads], kind, columns, source=source)
            shown = ", ".join(quoted(heads[at][0]) for at in roles.values())
            yield Cells(base, f"SELECT {shown} FROM {quoted(name)}", list(roles), source)
        return
    from idealist.data.frames import Frame

    with _opened_duckdb(path, table, threads=threads) as (base, name, where):
        source = f"{path}::{name}"
        names = base.sql(f"SELECT * FROM {where} LIMIT 0").columns
        roles = find_roles(names, kind, columns, source=source)
        shown = ", ".join(dict.fromkeys(quoted(names[at]) for at in roles.values()))
        yield Frame(Batches(base, f"SELECT {shown} FROM {where}"), kind, columns=columns, source=source)


def database_table(opened: Opened, format: str, table: str | None) -> Columns:
    """All columns of a table or view that is named as FILE::TABLE."""
    require_plain(opened, format)
    path = opened.path
    if format == "sqlite":
        with _opened_sqlite(path, table) as (base, name):
            found = base.execute(f"SELECT * FROM {quoted(name)}")
            names = [head[0] for head in found.description]
            cells = list(zip(*found.fetchall(), strict=True)) or [()] * len(names)
            return Columns(dict(zip(names, cells, strict=True)), source=f"{path}::{name}")
    with _opened_duckdb(path, table, threads=kernels.available_threads()) as (base, name, where):
        found = base.sql(f"SELECT * FROM {where}")
        cells = list(zip(*found.fetchall(), strict=True)) or [()] * len(found.columns)
        return Columns(dict(zip(found.columns, cells, strict=True)), source=f"{path}::{name}")


def require_plain(opened: Opened, format: str) -> None:
    """Raises where a database cannot be read in its place, and undoes what a writer left half done."""
    if opened.size is None or opened.path == "-":
        what = f"compressed by {opened.compression}" if opened.compression else "no plain file"
        raise InputError(
            f"this is a database, but {what}", source=opened.source, hint="save it as a plain file"
        )
    if format == "sqlite" and _undone(opened.path):
        opened.take_as_it_is()


@contextmanager
def _opened_sqlite(path: str, table: str | None) -> Iterator[tuple[Any, str]]:
    """An SQLite database and the name of the table in it that was named."""
    import sqlite3

    try:
        with closing(_read_only(path)) as base:
            base.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
            listed = base.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
                "ESCAPE '\\' ORDER BY name"
            )
            yield base, _chosen(table, [row[0] for row in listed], path)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a message may hold what is damaged
        raise _broken("SQLite", error, path) from None


class Cells:
    """The rows of a table, for whoever calls it, and again."""

    def __init__(self, base: Any, query: str, roles: list[str], source: str) -> None:
        self.base = base
        self.query = query
        self.roles = roles
        self.source = source

    def __call__(self) -> Iterator[Triple]:
        return _cells(self.base.execute(self.query), self.roles, self.source)


def _cells(rows: Iterator[Sequence[Any]], roles: list[str], source: str) -> Iterator[Triple]:
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
            raise wrong(error.message, at, source, by_line=False, hint=error.hint) from None
        yield at, *ids, -value if number == "rank" else value


class Batches:
    """What a query gives, as an Arrow stream a batch at a time, for whoever asks, and again. A relation of DuckDB would
    make all of it first."""

    def __init__(self, base: Any, query: str) -> None:
        self.base = base
        self.query = query

    def __arrow_c_stream__(self, schema: object = None) -> object:
        found = self.base.sql(self.query)
        batches = getattr(found, "to_arrow_reader", None) or found.fetch_record_batch  # DuckDB 2, and before
        return batches(WINDOW_ROWS).__arrow_c_stream__(schema)


@contextmanager
def _opened_duckdb(path: str, table: str | None, **config: Any) -> Iterator[tuple[Any, str, str]]:
    """A DuckDB database, the name of the table in it that was named, and where that is, in SQL."""
    try:
        import duckdb
    except ImportError:
        raise MissingDependency(
            f"{path}: DuckDB databases need duckdb", hint="pip install 'idealist[tables]'"
        ) from None
    from idealist.io.arrow import require_arrow

    require_arrow(f"{path}: a DuckDB database")
    try:
        with _read_duckdb(path, **config) as base:
            base.execute("SET enable_progress_bar = false")
            listed = base.execute(
                "SELECT CASE schema_name WHEN 'main' THEN '' ELSE schema_name || '.' END || table_name, "
                "schema_name, table_name FROM "
                "(SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal UNION ALL "
                "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal) ORDER BY 1"
            ).fetchall()
            name = _chosen(table, [row[0] for row in listed], path)
            where = next(f"{quoted(schema)}.{quoted(own)}" for shown, schema, own in listed if shown == name)
            yield base, name, where
    except duckdb.Error as error:
        raise _broken("DuckDB", error, path) from None


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


def _read_duckdb(path: str, **config: Any) -> Any:
    """Without access to anything but this file: a view could read others, of this machine or of the network."""
    import duckdb

    return duckdb.connect(path, read_only=True, config={"enable_external_access": False, **config})


def column_names(path: str, format: str, table: str | None) -> list[str]:
    """What the columns of a table are called."""
    if format == "sqlite":
        _undone(path)
        with _opened_sqlite(path, table) as (base, name):
            heads = base.execute(f"SELECT * FROM {quoted(name)} LIMIT 0").description
            return [head[0] for head in heads]
    with _opened_duckdb(path, table) as (base, _, where):
        return list(base.sql(f"SELECT * FROM {where} LIMIT 0").columns)


def _chosen(table: str | None, tables: list[str], path: str) -> str:
    """The table that was named; its name in any case of letters."""
    if table in tables:
        return str(table)
    alike = [one for one in tables if table is not None and one.lower() == table.lower()]
    if len(alike) == 1:
        return alike[0]
    if not tables:
        raise InputError("there are no tables in this database", source=path)
    raise InputError(
        "this is a database: which table?" if not table else f"there is no table {table!r} in this database",
        source=path,
        hint=f"there are {', '.join(tables)}; name one as in {path}::{tables[0]}",
    )


def quoted(name: str) -> str:
    """A name that SQL takes for a name, whatever is in it.

    >>> print(quoted('a"; DROP TABLE b; --'))
    "a""; DROP TABLE b; --"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _broken(what: str, error: Exception, path: str) -> InputError:
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    outside = "disabled by configuration" in first
    return InputError(
        f"the {what} database cannot be read: {first}",
        source=path,
        hint="views that read other files are not followed: name those files, or save the view as a table"
        if outside
        else "it may be damaged, cut short, or in use by another program",
    )
