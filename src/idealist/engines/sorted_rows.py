"""Engines of one machine: their rows sorted by query, batch by batch, through the kernel."""

from __future__ import annotations

from contextlib import closing

from idealist.engines.engine_results import EngineEvaluation
from idealist.engines.kernel import measure_grouped, refuse_nulls_of_sides
from idealist.engines.totals import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from typing import Any

    from idealist.engines.engine_request import Request

BATCH_ROWS = 1 << 17  # that an engine is asked for at a time


class SortedEvaluation(EngineEvaluation):
    """An evaluation whose rows the engine sorts. They are read once, when values or the summary are first asked for, and
    not kept; the values are."""

    def __init__(self, request: Request) -> None:
        super().__init__(request.task, request.confidence)
        self.request = request
        self._measured: tuple[Any, Totals] | None = None

    def _batches(self) -> Generator[Any]:
        """Arrow batches of all sides with the columns side, query, document, number, those of segments and, where
        queries are no text, `id`; the rows of a query lie together."""
        raise TypeError(f"{type(self).__name__} does not say how rows are sorted")

    def values_table(self) -> Any:
        """The values as an Arrow table."""
        return self._all()[0]

    def _totals(self) -> Totals:
        return self._all()[1]

    def _all(self) -> tuple[Any, Totals]:
        if self._measured is None:
            import pyarrow as pa

            schema, totals = self.request.values_schema(), Totals(self.task.systems)
            parts = [schema.empty_table()]
            # Where rows are refused, the engine's result is closed, so that its connection can be used again.
            with closing(self._batches()) as batches:
                for measured in measure_grouped(self.task, _checked(batches)):
                    parts.append(measured.values.cast(schema))
                    totals.merge(measured.totals)
            self._measured = pa.concat_tables(parts), totals
        return self._measured

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: the values and totals, without the engine's frames."""
        self._all()
        return {**self.__dict__, "request": self.request.replace(frames=())}


def _checked(batches: Iterable[Any]) -> Iterator[Any]:
    """The batches, until one has nulls: then an error that names the row."""
    for batch in batches:
        refuse_nulls_of_sides(batch)
        yield batch
