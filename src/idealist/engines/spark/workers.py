"""What runs on the executors: rows cut by the partition of their query, and partitions measured by the kernel."""

from __future__ import annotations

import platform

from idealist import __version__
from idealist.engines.kernel import Measured, measure, measure_grouped, total_values
from idealist.engines.parts import refuse_nulls
from idealist.engines.totals import Totals
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist.engines.task import Task

# A task of the first stage holds so many rows before it sends them off: about 40 MB.
BUFFERED_ROWS = 1 << 20
TOTALS = "_totals"


class Packing:
    """The first stage of a shuffle: rows of one side to one binary cell for each partition, as an Arrow stream. So Spark
    moves few large cells in the place of many small rows, and sorts nothing."""

    def __init__(self, kind: str, side: int, *, lists: bool, numbers: bool) -> None:
        self.kind = kind
        self.side = side
        self.lists = lists
        self.numbers = numbers

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        pending: list[Any] = []
        size = 0
        for batch in batches:
            if not len(batch):
                continue
            pending.append(batch)
            # Of arrays, the cells; a batch of other rows has no other buffers worth counting.
            size += _cells(batch) if self.lists else len(batch)
            if size >= BUFFERED_ROWS:
                yield from self._cut(pa.Table.from_batches(pending))
                pending, size = [], 0
        if pending:
            yield from self._cut(pa.Table.from_batches(pending))

    def _cut(self, table: Any) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        parts = table.column("part").to_numpy()
        rows = unfolded(table.drop_columns("part"), self.kind, lists=self.lists, numbers=self.numbers)
        if self.lists:
            parts = np.repeat(parts, rows.lengths)
        refuse_nulls(rows.table, self.kind)
        highest = int(parts.max())
        # 16 bits are sorted by radix, in linear time.
        order = np.argsort(parts.astype(np.uint16) if highest < 1 << 16 else parts, kind="stable")
        ends = np.cumsum(np.bincount(parts, minlength=highest + 1))
        sorted_rows = rows.table.take(order).combine_chunks()
        present = np.flatnonzero(np.diff(ends, prepend=0))
        cells = [
            arrow_bytes(
                sorted_rows.slice(ends[part - 1] if part else 0, ends[part] - (ends[part - 1] if part else 0))
            )
            for part in present.tolist()
        ]
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(present, pa.int32()),
                pa.array(np.full(len(present), self.side), pa.int32()),
                pa.array(cells, pa.binary()),
            ],
            ["part", "side", "rows"],
        )


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


class Measuring:
    """The second stage: all rows of some queries to values, and one cell of totals behind them. `prepare` makes the
    measured parts of the batches."""

    def __init__(self, task: Task, schema: Any, *, grouped: bool, values: bool, judgments: Any) -> None:
        self.task = task
        self.schema = schema  # of the values, as Arrow
        self.judgments = judgments  # the schema of judgments, for partitions that have none
        self.grouped = grouped
        self.values = values

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        refuse_versions(self.task)
        totals = Totals(self.task.systems)
        for measured in self._parts(batches):
            totals.merge(measured.totals)
            if self.values:
                yield from with_totals(measured.values, self.schema)
        yield totals_row(totals, self.schema if self.values else None)

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
        judgments = pa.concat_tables(sides[0]) if 0 in sides else self.judgments.empty_table()
        runs = [
            pa.concat_tables(sides[at]) if at in sides else _no_run()
            for at in range(1, len(self.task.systems) + 1)
        ]
        del sides
        yield measure(self.task, judgments, runs)


class Totalling:
    """Totals of values that were measured before, for comparisons; the rows of a query are in one partition."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        refuse_versions(self.task)
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


def refuse_versions(task: Task) -> None:
    """Raises where this executor has another Idealist or Python than the driver."""
    own = platform.python_version()
    if task.idealist != __version__:
        raise InputError(
            f"an executor has Idealist {__version__}, the driver has {task.idealist}",
            hint="install the same version on both, or send the environment with --archives (docs/scale.md)",
        )
    if task.python.split(".")[:2] != own.split(".")[:2]:
        raise InputError(
            f"an executor has Python {own}, the driver has {task.python}",
            hint="set PYSPARK_PYTHON or spark.pyspark.python to the same version on both",
        )


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


def _checked(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches of both sides without nulls, and without the column that Spark sorted them by."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in batches:
        table = pa.Table.from_batches([batch]).drop_columns("place")
        columns = table.select(["query", "document", "number"])
        if any(column.null_count for column in columns.columns):
            side = table.column("side")
            refuse_nulls(
                columns.filter(pc.equal(side, 0)).rename_columns(["query", "document", "grade"]), "judgments"
            )
            refuse_nulls(
                columns.filter(pc.not_equal(side, 0)).rename_columns(["query", "document", "score"]), "run"
            )
        yield from table.to_batches()


def _no_run() -> Any:
    import pyarrow as pa

    return pa.schema(
        [("query", pa.string()), ("document", pa.string()), ("score", pa.float64())]
    ).empty_table()
