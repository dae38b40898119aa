"""DuckDB databases."""

from __future__ import annotations

from contextlib import contextmanager

from idealist import kernels
from idealist.data.arrow_tables import require_arrow
from idealist.data.column_names import find_roles
from idealist.data.columns import Columns
from idealist.data.databases import (
    LONGEST_NAME,
    Database,
    broken_database,
    chosen_table,
    quoted,
    require_plain,
    table_exists,
)
from idealist.data.streaming import WINDOW_ROWS
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.data import Judgments
    from idealist.data.collection import Collection
    from idealist.data.formats.format import Head
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest
    from idealist.data.streaming import Matched
    from idealist.data.writing import Destination


class DuckDb(Database):
    name = "duckdb"
    label = "DuckDB"
    about = "a table or view of a DuckDB database: `shop.duckdb::qrels`"
    endings = (".duckdb", ".ddb")
    written = "a table: `shop.duckdb::judgments`"
    journal = ".wal"

    def recognises(self, head: Head) -> bool:
        return head.start[8:12] == b"DUCK" and b"\0" in head.start

    def column_names(self, opened: Opened, part: str | None) -> list[str] | None:
        with _opened_table(opened, part) as (base, _, where):
            return list(base.sql(f"SELECT * FROM {where} LIMIT 0").columns)

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        from idealist.data.arrow_tables import rows_of_batches

        with _batches(opened, request, threads) as (batches, source):
            return rows_of_batches(batches, request, source, threads)

    def match(
        self,
        opened: Opened,
        request: ReadRequest,
        judgments: Judgments,
        options: kernels.MatchOptions,
        threads: int,
    ) -> Matched:
        from idealist.data.arrow_tables import match_batches

        with _batches(opened, request, threads) as (batches, source):
            return match_batches(batches, request, source, judgments, options, threads)

    def table(self, opened: Opened, request: ReadRequest) -> Columns:
        with _opened_table(opened, request.part, threads=kernels.available_threads()) as (base, name, where):
            relation = base.sql(f"SELECT * FROM {where}")
            cells = list(zip(*relation.fetchall(), strict=True)) or [()] * len(relation.columns)
            return Columns(dict(zip(relation.columns, cells, strict=True)), source=f"{opened.path}::{name}")

    def require_room(self, path: str, cramped: bool) -> None:
        if cramped:
            raise InputError(
                f"{path}: the name is too long for DuckDB, which could not open the file",
                hint=f"a name of at most {LONGEST_NAME - len(self.journal)} bytes leaves room for its log",
            )

    def write_table(self, collection: Collection, path: str, destination: Destination, force: bool) -> None:
        from idealist.data.arrow_tables import require_text
        from idealist.data.targets import uninterrupted

        try:
            import duckdb
        except ImportError:
            raise MissingDependency(
                "DuckDB files need duckdb", hint="pip install 'idealist[tables]'"
            ) from None
        rows = require_arrow("a DuckDB file").table(collection)
        require_text(rows, destination)
        table = quoted(destination.part or "")
        try:
            with duckdb.connect(path) as database:
                # Not within COMMIT, whose failure would then not say whether the table is there.
                database.execute("SET checkpoint_threshold = '1TB'")
                database.execute("BEGIN")
                existing = database.execute(
                    "SELECT table_type FROM information_schema.tables WHERE table_name = ?",
                    [destination.part],
                ).fetchone()
                if existing and not force:
                    raise table_exists(destination)
                if existing:
                    database.execute(f"DROP {'VIEW' if existing[0] == 'VIEW' else 'TABLE'} {table}")
                database.register("rows_to_write", rows)
                database.execute(f"CREATE TABLE {table} AS SELECT * FROM rows_to_write")
                with uninterrupted():
                    database.execute("COMMIT")
                    _checkpoint(database, needed=path != destination.path)
        except RuntimeError as error:
            if "interrupted" in str(error):  # what DuckDB makes of Ctrl-C
                raise KeyboardInterrupt from None
            raise
        except duckdb.Error as error:
            reason = str(error).replace(path, destination.path)  # a new one is written under another name
            raise InputError(f"{destination.target}: cannot be written: {reason}") from None


FORMAT = DuckDb()


@contextmanager
def _batches(opened: Opened, request: ReadRequest, threads: int) -> Iterator[tuple[Batches, str]]:
    """The columns of a run or of judgments, and what their table is called."""
    with _opened_table(opened, request.part, threads=threads) as (base, name, where):
        source = f"{opened.path}::{name}"
        names = base.sql(f"SELECT * FROM {where} LIMIT 0").columns
        roles = find_roles(names, request.kind, request.columns, source=source)
        selected = ", ".join(dict.fromkeys(quoted(names[at]) for at in roles.values()))
        yield Batches(base, f"SELECT {selected} FROM {where}"), source


class Batches:
    """The result of a query as an Arrow stream, a batch at a time, for whoever asks, and again. A relation of DuckDB would
    make all of it first."""

    def __init__(self, base: Any, query: str) -> None:
        self.base = base
        self.query = query

    def __arrow_c_stream__(self, schema: object = None) -> object:
        relation = self.base.sql(self.query)
        batches = (
            getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
        )  # DuckDB 2, and before
        return batches(WINDOW_ROWS).__arrow_c_stream__(schema)


@contextmanager
def _opened_table(opened: Opened, table: str | None, **config: Any) -> Iterator[tuple[Any, str, str]]:
    """The database, the name of the table in it that was named, and where that is, in SQL."""
    require_plain(opened)
    path = opened.path
    try:
        import duckdb
    except ImportError:
        raise MissingDependency(
            f"{path}: DuckDB databases need duckdb", hint="pip install 'idealist[tables]'"
        ) from None
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
            name = chosen_table(table, [row[0] for row in listed], path)
            where = next(
                f"{quoted(schema)}.{quoted(table_name)}"
                for title, schema, table_name in listed
                if title == name
            )
            yield base, name, where
    except duckdb.Error as error:
        raise broken_database("DuckDB", error, path) from None


def _read_duckdb(path: str, **config: Any) -> Any:
    """Without access to anything but this file: a view could read others, of this machine or of the network."""
    import duckdb

    return duckdb.connect(path, read_only=True, config={"enable_external_access": False, **config})


def _checkpoint(database: Any, *, needed: bool) -> None:
    """From the log beside the file into the file. Closing does not always do it, and the log of a new file would
    not be renamed with it. With a file that was there, the log is as good: the table is there, whatever happens."""
    import duckdb

    try:
        database.execute("CHECKPOINT")
    except duckdb.Error:
        if needed:
            raise
