"""Workers that read Parquet files by themselves: ranges of queries are measured, or row groups packed for a shuffle."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.engines.kernel import Measured, measure
from idealist.engines.packing import unfolded
from idealist.engines.parquet import read_groups
from idealist.engines.parts import refuse_nulls
from idealist.engines.versions import refuse_other_versions
from idealist.engines.workers import measured_batches
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from idealist.engines.packing import Packing
    from idealist.engines.parquet import FileColumn, RowGroup
    from idealist.engines.ranges import QueryRange
    from idealist.engines.task import Task


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
