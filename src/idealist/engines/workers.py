"""The second stage, on the workers of an engine: partitions measured by the kernel, with a cell of totals behind them."""

from __future__ import annotations

from idealist.engines.kernel import Measured, measure, measure_grouped, total_values
from idealist.engines.parts import refuse_nulls_of_sides
from idealist.engines.totals import Totals
from idealist.engines.versions import refuse_other_versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from idealist.engines.task import Task

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
