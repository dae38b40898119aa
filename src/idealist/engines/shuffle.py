"""Engines of many machines: rows packed by the partition of their query, moved once, and measured by the kernel."""

from __future__ import annotations

from zlib import crc32

from idealist.engines.kernel import (
    Measured,
    measure,
    measure_grouped,
    refuse_nulls,
    refuse_nulls_of_sides,
    total_values,
)
from idealist.engines.task import own_versions, refuse_other_versions
from idealist.engines.totals import Totals
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from numpy import ndarray

    from idealist.engines.engine_request import Request, Side
    from idealist.engines.task import Task


# A task holds so many rows for each partition before it sends them off: cells of half a megabyte, for Java's collector
# treats larger ones apart. It holds no more than about 40 MB.
CELL_ROWS = 1 << 15
MOST_ROWS = 1 << 20
MOST_PARTITIONS = 1 << 16  # their numbers are sorted as ones of 16 bits
GOLDEN = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: multiples of it spread neighbours (Knuth, 1973)


def as_partitions(given: Any) -> int:
    """How many partitions were asked for."""
    if isinstance(given, bool) or not isinstance(given, int) or not 0 < given <= MOST_PARTITIONS:
        raise InputError(
            f"partitions must be a whole number from 1 to {MOST_PARTITIONS}, not {given!r}",
            hint="leave it out to go by the size of the input",
        )
    return given


class Packing:
    """Rows of one side, in batches, to one binary cell for each partition, as an Arrow stream. So an engine moves few
    large cells in the place of many small rows, and sorts nothing.

    `whole` says that queries are whole numbers on every side; else they are hashed as text, for 7 and "7" are one query.
    """

    def __init__(
        self, kind: str, side: int, partitions: int, *, whole: bool, lists: bool, numbers: bool
    ) -> None:
        self.kind = kind
        self.side = side
        self.partitions = partitions
        self.whole = whole
        self.lists = lists
        self.numbers = numbers
        self.versions = own_versions()

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        refuse_other_versions(*self.versions)

        pending: list[Any] = []
        size, most = 0, min(CELL_ROWS * self.partitions, MOST_ROWS)
        for batch in batches:
            if not len(batch):
                continue
            pending.append(batch)
            # Of arrays, the cells; a batch of other rows has no other buffers worth counting.
            size += _cells(batch) if self.lists else len(batch)
            if size >= most:
                yield self._cut(pa.Table.from_batches(pending).combine_chunks())
                pending, size = [], 0
        if pending:
            yield self._cut(pa.Table.from_batches(pending).combine_chunks())

    def _cut(self, table: Any) -> Any:
        import numpy as np
        import pyarrow as pa

        parts = partition_of(table.column("query"), self.partitions, whole=self.whole)
        rows = unfolded(table, self.kind, lists=self.lists, numbers=self.numbers)
        if self.lists:
            parts = np.repeat(parts, rows.lengths)
        refuse_nulls(rows.table, self.kind)
        # 16 bits are sorted by radix, in linear time.
        order = np.argsort(parts.astype(np.uint16), kind="stable")
        ends = np.cumsum(np.bincount(parts, minlength=self.partitions))
        sorted_rows = narrowed(rows.table).take(order)
        present = np.flatnonzero(np.diff(ends, prepend=0))
        cells = [
            arrow_bytes(
                sorted_rows.slice(ends[part - 1] if part else 0, ends[part] - (ends[part - 1] if part else 0))
            )
            for part in present.tolist()
        ]
        return pa.RecordBatch.from_arrays(
            [
                pa.array(present, pa.int32()),
                pa.array(np.full(len(present), self.side), pa.int32()),
                pa.array(cells, pa.binary()),
            ],
            ["part", "side", "rows"],
        )


def partition_of(queries: Any, partitions: int, *, whole: bool = False) -> ndarray:
    """The partition of each query, by a hash that is the same on every machine: of its number where `whole`, else of its
    text; some partition for a null.

    >>> import pyarrow as pa
    >>> partition_of(pa.chunked_array([["a", "b", "a"]]), 1000).tolist()
    [907, 681, 907]
    >>> partition_of(pa.chunked_array([[7, 8, 7]]), 1000, whole=True).tolist()
    [202, 971, 202]
    """
    import numpy as np
    import pyarrow as pa

    if whole:
        numbers = queries.fill_null(0).to_numpy().astype(np.int64).view(np.uint64)
        hashes: ndarray = numbers * np.uint64(GOLDEN) >> np.uint64(32)
        return (hashes % np.uint64(partitions)).astype(np.int64)
    encoded = queries.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    names = encoded.dictionary.cast(pa.string()).to_pylist()
    of_name = np.array([*(crc32(name.encode()) % partitions for name in names), 0])
    of_row: ndarray = of_name[encoded.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)]
    return of_row


def narrowed(table: Any) -> Any:
    """The table with numbers of 32 bits where that changes none of them: less to move.

    >>> import pyarrow as pa
    >>> narrowed(pa.table({"document": [1, 2], "score": [0.5, 0.1]})).schema.types
    [DataType(int32), DataType(double)]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for at, (name, kind) in enumerate(zip(table.column_names, table.schema.types, strict=True)):
        column = table.column(at)
        if name == "id" or kind not in (pa.int64(), pa.float64()):
            continue
        if kind == pa.int64():
            ends = pc.min_max(column)
            if not -(1 << 31) <= (ends["min"].as_py() or 0) <= (ends["max"].as_py() or 0) < 1 << 31:
                continue
            column = column.cast(pa.int32())
        else:
            single = column.cast(pa.float32(), safe=False)
            if not pc.all(pc.equal(single.cast(pa.float64()), column)).as_py():
                continue
            column = single
        table = table.set_column(at, name, column)
    return table


class Unfolded:
    """Rows of query, document and number, and how many each row of arrays gave."""

    def __init__(self, table: Any, lengths: Any) -> None:
        self.table = table
        self.lengths = lengths


def unfolded(table: Any, kind: str, *, lists: bool, numbers: bool) -> Unfolded:
    """One row per document. Without numbers, documents of a run stand in their order, and judged ones have grade 1."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    number = "score" if kind == "run" else "grade"
    names = [number if name == "number" else name for name in table.column_names]
    if not lists:
        return Unfolded(table.rename_columns(names), None)
    for role in ("document", "number") if numbers else ("document",):
        column = table.column(role)
        if column.null_count:
            row = pc.index(column.is_null(), True).as_py()
            query = table.column("query")[row].as_py()
            raise InputError(
                f"{kind}, query {query!r}: the array of {role if role == 'document' else number}s is null",
                hint="give an empty array, or leave the row out",
            )
    lengths = table.column("document").combine_chunks()
    lengths = pc.list_value_length(lengths).to_numpy(zero_copy_only=False).astype(np.int64)
    if numbers:
        others = pc.list_value_length(table.column("number").combine_chunks()).to_numpy(zero_copy_only=False)
        if (wrong := np.flatnonzero(others != lengths)).size:
            row = int(wrong[0])
            raise InputError(
                f"{kind}, query {table.column('query')[row].as_py()!r}: {lengths[row]} documents, but "
                f"{others[row]} {number}s",
                hint="give arrays of one length",
            )
        cells = pc.list_flatten(table.column("number").combine_chunks())
    elif kind == "run":
        begins = np.cumsum(lengths) - lengths
        cells = pa.array(-(np.arange(lengths.sum()) - np.repeat(begins, lengths) + 1.0))
    else:
        cells = pa.array(np.ones(int(lengths.sum())))
    index = pa.array(np.repeat(np.arange(len(table)), lengths))
    columns = {
        name: table.column(name).take(index)
        for name in table.column_names
        if name not in ("document", "number")
    }
    documents = pc.list_flatten(table.column("document").combine_chunks())
    ordered = {"query": columns.pop("query"), "document": documents, number: cells} | columns
    return Unfolded(pa.table(ordered), lengths)


def arrow_bytes(table: Any) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _cells(batch: Any) -> int:
    documents = batch.column(batch.schema.get_field_index("document"))
    return len(documents.flatten()) + len(batch)


TOTALS = "_totals"


class Measuring:
    """All rows of some queries to values, and one cell of totals behind them. Batches have packed cells or, where
    `grouped`, the rows themselves, those of a query together."""

    def __init__(self, task: Task, schema: Any, *, grouped: bool, values: bool, judgments: Any) -> None:
        self.task = task
        self.schema = schema  # of the values, as Arrow
        self.judgments = judgments  # the schema of judgments, for partitions that have none
        self.grouped = grouped
        self.values = values

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        refuse_other_versions(self.task.python, self.task.idealist)
        return measured_batches(self.task, self._parts(batches), self.schema, values=self.values)

    def _parts(self, batches: Iterator[Any]) -> Iterator[Measured]:
        if self.grouped:
            return measure_grouped(self.task, _checked(batches))
        return self._whole(batches)

    def _whole(self, batches: Iterator[Any]) -> Iterator[Measured]:
        import pyarrow as pa

        sides: dict[int, list[Any]] = {}
        for batch in batches:
            for side, rows in zip(batch.column("side").to_pylist(), batch.column("rows"), strict=True):
                sides.setdefault(side, []).append(pa.ipc.open_stream(rows.as_buffer()).read_all())
        if not sides:
            return
        judgments = _together(sides[0]) if 0 in sides else self.judgments.empty_table()
        runs = [
            _together(sides[at]) if at in sides else _no_run() for at in range(1, len(self.task.systems) + 1)
        ]
        del sides
        yield measure(self.task, judgments, runs)


class Totalling:
    """Totals of values that were measured before, for comparisons; the rows of a query are in one partition."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        refuse_other_versions(self.task.python, self.task.idealist)
        pending = [batch for batch in batches if len(batch)]
        totals = (
            total_values(self.task, pa.Table.from_batches(pending)) if pending else Totals(self.task.systems)
        )
        yield totals_row(totals, None)


def merge_totals(batches: Iterator[Any]) -> Iterator[Any]:
    """Totals of several partitions as one."""
    merged: Totals | None = None
    for batch in batches:
        for cell in batch.column(TOTALS).to_pylist():
            totals = Totals.from_bytes(cell)
            if merged is None:
                merged = totals
            else:
                merged.merge(totals)
    if merged is not None:
        yield totals_row(merged, None)


def measured_batches(task: Task, parts: Iterable[Measured], schema: Any, *, values: bool) -> Iterator[Any]:
    """What is measured, as batches of the schema where values are asked for, and a row of totals behind them."""
    totals = Totals(task.systems)
    for measured in parts:
        totals.merge(measured.totals)
        if values:
            yield from with_totals(measured.values, schema)
    yield totals_row(totals, schema if values else None)


def with_totals(values: Any, schema: Any) -> Iterator[Any]:
    """Values as batches of the schema, which has a column for totals behind them."""
    import pyarrow as pa

    empty = pa.nulls(len(values), pa.binary())
    yield from values.append_column(TOTALS, empty).cast(schema).to_batches()


def totals_row(totals: Totals, schema: Any) -> Any:
    """One row that has nothing but totals."""
    import pyarrow as pa

    cell = pa.array([totals.to_bytes()], pa.binary())
    if schema is None:
        return pa.RecordBatch.from_arrays([cell], [TOTALS])
    nulls = [pa.nulls(1, field.type) for field in schema if field.name != TOTALS]
    return pa.RecordBatch.from_arrays([*nulls, cell], schema=schema)


def _checked(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches of both sides without nulls, and without the column that Spark sorted them by."""
    import pyarrow as pa

    for batch in batches:
        refuse_nulls_of_sides(batch)
        yield from pa.Table.from_batches([batch]).drop_columns("place").to_batches()


def _together(tables: list[Any]) -> Any:
    """One table; its numbers are as wide as the widest need."""
    import pyarrow as pa

    return pa.concat_tables(tables, promote_options="permissive")


def _no_run() -> Any:
    import pyarrow as pa

    return pa.schema(
        [("query", pa.string()), ("document", pa.string()), ("score", pa.float64())]
    ).empty_table()


class Packer:
    """The first stage: rows of one side, as an Arrow table, to one binary cell for each partition."""

    def __init__(self, side: Side, number: int, partitions: int) -> None:
        self.side = side
        # Other engines have queries as text on every side.
        self.packing = Packing(side.kind, number, partitions, whole=False, lists=False, numbers=True)

    def __call__(self, table: Any) -> Any:
        """An Arrow table with the columns part, side and rows."""
        import pyarrow as pa

        if not len(table):
            return packed_schema().empty_table()
        rows = self.side.rows(table)
        return pa.Table.from_batches(self.packing(iter(rows.to_batches())), packed_schema())


class PartMeasurer:
    """The second stage: all cells of some partitions to values, and one row of totals behind them."""

    def __init__(self, request: Request) -> None:
        import pyarrow as pa

        schema = request.values_schema()
        self.schema = pa.schema([*schema, (TOTALS, pa.binary())])
        self.measuring = Measuring(
            request.task,
            self.schema,
            grouped=False,
            values=True,
            judgments=request.judged.judged_schema(),
        )

    def __call__(self, cells: Any) -> Any:
        """An Arrow table of the values, with a column of totals."""
        import pyarrow as pa

        return pa.Table.from_batches(self.measuring(iter(cells.to_batches())), self.schema)


def packed_schema() -> Any:
    import pyarrow as pa

    return pa.schema([("part", pa.int32()), ("side", pa.int32()), ("rows", pa.binary())])


def partition_count(given: int | None, usual: int) -> int:
    """As many partitions as were asked for, or as usual."""
    return min(max(usual, 1), MOST_PARTITIONS) if given is None else as_partitions(given)


def merged(cells: Iterable[bytes], request: Request) -> Totals:
    """The totals of all partitions as one."""
    totals = Totals(request.task.systems)
    for cell in cells:
        totals.merge(Totals.from_bytes(bytes(cell)))
    return totals
