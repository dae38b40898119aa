"""Engines of many machines: rows packed by the partition of their query, moved once, and measured by the kernel."""

from __future__ import annotations

from idealist.engines.packing import MOST_PARTITIONS, Packing, as_partitions
from idealist.engines.totals import Totals
from idealist.engines.workers import TOTALS, Measuring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.engines.arrow_sides import Side
    from idealist.engines.request import Request


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
