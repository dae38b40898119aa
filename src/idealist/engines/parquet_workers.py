"""Parquet files that workers read by themselves: row groups, and ranges of queries where files are sorted by query."""

from __future__ import annotations

import os

from idealist.base.frozen import Frozen
from idealist.engines.kernel import Measured, measure, refuse_nulls
from idealist.engines.shuffle import measured_batches, unfolded
from idealist.engines.task import refuse_other_versions
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from idealist.engines.shuffle import Packing
    from idealist.engines.task import Task


class FileColumn(Frozen):
    """A column of the files, the name that the kernel has for it, and its type there, as Arrow."""

    source: str
    name: str
    kind: Any


class RowGroup(Frozen):
    """Some rows of a file of `size` bytes: how many documents they have, and the least and greatest query as its footer has
    them (None where it does not say)."""

    path: str
    size: int
    index: int
    rows: int
    least: Any = None
    greatest: Any = None


def read_footers(paths: Iterable[str], columns: Sequence[FileColumn]) -> tuple[RowGroup, ...] | None:
    """The row groups of all files; None where a file cannot be read, or has other columns or types than are expected. The
    engine then reads the files by itself, which knows more of types, and says what is wrong."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    groups: list[RowGroup] = []
    for path in paths:
        try:
            size = os.path.getsize(path)
            footer = pq.read_metadata(path)
            schema = footer.schema.to_arrow_schema()
        except (OSError, pa.ArrowException):
            return None
        if not all(_fits(schema, column) for column in columns):
            return None
        places = {footer.schema.column(at).path: at for at in range(footer.num_columns)}
        query = places[columns[0].source]
        # A list has as many cells as its values.
        document = next(at for path_, at in places.items() if path_.split(".")[0] == columns[1].source)
        for index in range(footer.num_row_groups):
            group = footer.row_group(index)
            ends = _ends(group.column(query).statistics)
            groups.append(RowGroup(path, size, index, group.column(document).num_values, *ends))
    return tuple(groups)


def read_groups(groups: Iterable[RowGroup], columns: Sequence[FileColumn]) -> Iterator[tuple[RowGroup, Any]]:
    """Every row group with its rows, as an Arrow table with the kernel's names."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path, file = None, None
    for group in groups:
        try:
            if group.path != path:
                if os.path.getsize(group.path) != group.size:
                    raise InputError(
                        "the file has changed since its DataFrame was made",
                        source=group.path,
                        hint="read the files again, with spark.read",
                    )
                path, file = group.path, pq.ParquetFile(group.path)
            assert file is not None
            table = file.read_row_group(
                group.index, columns=[column.source for column in columns], use_threads=False
            )
        except (OSError, pa.ArrowException) as error:
            raise InputError(
                f"cannot be read: {str(error).splitlines()[0]}",
                source=group.path,
                hint="write it again, or leave it out; every machine of the cluster must see it under this path",
            ) from None
        cells = [table.column(column.source).cast(column.kind, safe=False) for column in columns]
        yield group, pa.Table.from_arrays(cells, [column.name for column in columns])


def _ends(statistics: Any) -> tuple[Any, Any]:
    try:
        if statistics is not None and statistics.has_min_max:
            return statistics.min, statistics.max
    except UnicodeDecodeError:  # a text that was cut short within a character
        pass
    return None, None


def _fits(schema: Any, column: FileColumn) -> bool:
    """Whether files have the column once, in a type that may become the kernel's: the same, or a number for a float."""
    import pyarrow as pa

    if len(schema.get_all_field_indices(column.source)) != 1:
        return False
    found, expected = schema.field(column.source).type, column.kind
    if pa.types.is_list(expected):
        if not pa.types.is_list(found):
            return False
        found, expected = found.value_type, expected.value_type
    if expected == pa.float64():
        return bool(pa.types.is_signed_integer(found) or found in (pa.float32(), pa.float64()))
    return bool(found == expected)


# About what a worker measures at once: two million rows of whole numbers take it 190 MB.
RANGE_ROWS = 2 << 20
# Row groups at the ends of ranges are read more than once; in a file that is not sorted, all of them would be.
MOST_READ = 2.0


class QueryRange(Frozen):
    """The queries from `least` on, below `end` (None: without a limit), and the row groups of every side that may have them."""

    least: Any
    end: Any
    sides: tuple[tuple[RowGroup, ...], ...]

    def holds(self, group: RowGroup) -> bool:
        """Whether all queries of a row group are in the range."""
        return (self.least is None or group.least >= self.least) and (
            self.end is None or group.greatest < self.end
        )


def query_ranges(sides: Sequence[Sequence[RowGroup]], cores: int) -> list[QueryRange] | None:
    """Ranges of queries with about as many rows each, from the least and greatest query of each row group; None where
    those are not known, or where the files are not sorted by query well enough.

    >>> from idealist.engines.parquet_workers import RowGroup
    >>> run = [RowGroup("run", 9000, 0, 500, 1, 5), RowGroup("run", 9000, 1, 500, 5, 9)]
    >>> judgments = [RowGroup("judgments", 800, 0, 90, 1, 9)]
    >>> [(each.least, each.end, len(each.sides[1])) for each in query_ranges([judgments, run], cores=1)]
    [(None, 5, 1), (5, None, 2)]
    """
    groups = [(group, side) for side, each in enumerate(sides) for group in each if group.rows]
    if not groups or any(group.least is None for group, _ in groups):
        return None
    if len({isinstance(group.least, str) for group, _ in groups}) > 1:
        return None  # text and numbers are in different orders
    groups.sort(key=lambda pair: pair[0].least)
    total = sum(group.rows for group, _ in groups)
    ranges = _filled(groups, _cuts(groups, min(RANGE_ROWS, total // (2 * cores))), len(sides))
    sizes = [sum(group.rows for side in each.sides for group in side) for each in ranges]
    too_few = len(ranges) < min(cores, total // RANGE_ROWS)
    if too_few or sum(sizes) > MOST_READ * total or max(sizes) > 4 * RANGE_ROWS:
        return None
    return ranges


def row_shares(groups: Sequence[RowGroup], cores: int) -> list[list[RowGroup]]:
    """Row groups in shares of about as many rows each, in their order: what one task reads.

    >>> from idealist.engines.parquet_workers import RowGroup
    >>> groups = [RowGroup("run", 9000, index, 500) for index in range(5)]
    >>> [len(share) for share in row_shares(groups, cores=1)]
    [3, 2]
    """
    enough = min(RANGE_ROWS, sum(group.rows for group in groups) // (2 * cores))
    shares: list[list[RowGroup]] = [[]]
    rows = 0
    for group in groups:
        if rows >= enough and shares[-1]:
            shares.append([])
            rows = 0
        shares[-1].append(group)
        rows += group.rows
    return shares


def _cuts(groups: Sequence[tuple[RowGroup, int]], enough: int) -> list[Any]:
    """Where ranges end: at the least query of a row group, when those before it have `enough` rows."""
    cuts: list[Any] = []
    rows, before = 0, groups[0][0].least
    for group, _ in groups:
        if rows >= enough and group.least > before:
            cuts.append(group.least)
            rows, before = 0, group.least
        rows += group.rows
    return cuts


def _filled(groups: Sequence[tuple[RowGroup, int]], cuts: Sequence[Any], sides: int) -> list[QueryRange]:
    ranges: list[QueryRange] = []
    reaching: list[tuple[RowGroup, int]] = []  # row groups with queries that are not below the range
    following = iter([*groups, None])
    upcoming = next(following)
    for least, end in zip([None, *cuts], [*cuts, None], strict=True):
        reaching = [pair for pair in reaching if pair[0].greatest >= least]
        while upcoming is not None and (end is None or upcoming[0].least < end):
            reaching.append(upcoming)
            upcoming = next(following)
        parts = tuple(tuple(group for group, at in reaching if at == side) for side in range(sides))
        ranges.append(QueryRange(least, end, parts))
    return ranges


class PackingFiles:
    """Row groups of Parquet files in the place of rows: batches have the numbers of `shares`, which are some groups each."""

    def __init__(
        self, packing: Packing, shares: Sequence[Sequence[RowGroup]], columns: Sequence[FileColumn]
    ) -> None:
        self.packing = packing
        self.shares = shares
        self.columns = columns

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        return self.packing(self._rows(batches))

    def _rows(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for _, table in read_groups(self.shares[number], self.columns):
                    yield from table.to_batches()


class FileSide(Frozen):
    """A run or judgments in Parquet files, as far as a worker must know it."""

    kind: str
    columns: tuple[FileColumn, ...]
    lists: bool
    numbers: bool

    def rows(self, queries: QueryRange, groups: Sequence[RowGroup]) -> Any:
        """One row per document of the queries that are in the range, from the row groups that may have them."""
        import pyarrow as pa

        tables = []
        for group, table in read_groups(groups, self.columns):
            if (query := table.column("query")).null_count:
                refuse_nulls(self._unfolded(table), self.kind)
                table = table.filter(query.is_valid())  # a row of an empty array is as if it were not there
            if len(inside := _within(table, group, queries)):
                tables.append(self._unfolded(inside))
        if not tables:
            return self._no_rows()
        rows = pa.concat_tables(tables)
        refuse_nulls(rows, self.kind)
        return rows

    def _unfolded(self, table: Any) -> Any:
        return unfolded(table, self.kind, lists=self.lists, numbers=self.numbers).table

    def _no_rows(self) -> Any:
        import pyarrow as pa

        kinds = {
            column.name: column.kind.value_type if self.lists and column.name == "document" else column.kind
            for column in self.columns
        }
        number = "score" if self.kind == "run" else "grade"
        first = [("query", kinds["query"]), ("document", kinds["document"]), (number, pa.float64())]
        segments = [
            (name, kind) for name, kind in kinds.items() if name not in ("query", "document", "number")
        ]
        return pa.schema([*first, *segments]).empty_table()


class MeasuringFiles:
    """Ranges of queries in Parquet files to values, and one cell of totals behind them; batches have the numbers of ranges."""

    def __init__(
        self,
        task: Task,
        schema: Any,
        sides: Sequence[FileSide],
        ranges: Sequence[QueryRange],
        *,
        values: bool,
    ) -> None:
        self.task = task
        self.schema = schema  # of the values, as Arrow
        self.sides = sides
        self.ranges = ranges
        self.values = values

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        refuse_other_versions(self.task.python, self.task.idealist)
        ranges = (self.ranges[number] for batch in batches for number in batch.column(0).to_pylist())
        return measured_batches(self.task, map(self._measure, ranges), self.schema, values=self.values)

    def _measure(self, queries: QueryRange) -> Measured:
        judgments, *runs = (
            side.rows(queries, groups) for side, groups in zip(self.sides, queries.sides, strict=True)
        )
        return measure(self.task, judgments, runs)


def _within(table: Any, group: RowGroup, queries: QueryRange) -> Any:
    """The rows of a row group whose queries are in the range."""
    import pyarrow as pa
    import pyarrow.compute as pc

    query = table.column("query")
    ends = pc.min_max(query)
    if len(table) and not group.least <= ends["min"].as_py() <= ends["max"].as_py() <= group.greatest:
        raise InputError(
            f"its footer says that queries of row group {group.index} are from {group.least!r} to {group.greatest!r}, but "
            f"they are from {ends['min'].as_py()!r} to {ends['max'].as_py()!r}",
            source=group.path,
            hint="write the file again",
        )
    if queries.holds(group):
        return table
    inside = pa.scalar(True)
    if queries.least is not None:
        inside = pc.greater_equal(query, queries.least)
    if queries.end is not None:
        inside = pc.and_(inside, pc.less(query, queries.end))
    return table.filter(inside)
