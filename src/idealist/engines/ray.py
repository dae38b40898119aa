"""Evaluation on Ray: data sets of Ray Data, in parallel on the machines of its cluster."""

from __future__ import annotations

from contextlib import contextmanager

from idealist.base.annotations import read_late
from idealist.base.named import OF_RUNS, other_names
from idealist.base.wording import type_name
from idealist.conventions import DEFAULT
from idealist.engines.engine_request import make_request
from idealist.engines.engine_results import EngineEvaluation
from idealist.engines.shuffle import TOTALS, Packer, PartMeasurer, merged, partition_count
from idealist.engines.task import error_within
from idealist.errors import InputError
from idealist.evaluation.measuring import MEASURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, Self

    from ray.data import Dataset

    from idealist.conventions import Conventions
    from idealist.engines.engine_request import Request
    from idealist.engines.totals import Totals
    from idealist.measures import Measure


@other_names(**OF_RUNS, resamples="rounds")
def evaluate(
    judgments: Dataset,
    runs: Dataset | Mapping[str, Dataset],
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    conventions: Conventions | str = DEFAULT,
    columns: Mapping[str, str] | None = None,
    by: str | Sequence[str] = (),
    items: Any = None,
    partitions: int | None = None,
    rounds: int = 0,
    seed: int = 0,
    confidence: float = 0.95,
) -> RayEvaluation:
    """Measures one run, or several by name, with judgments, all of them data sets of Ray Data. Nothing is measured yet.

    Rows are (query, document, score) and (query, document, grade). The arguments are those of `idealist.engines.spark`.
    Rows are packed where they are, by a hash of their query, and moved once, into `partitions` (by default two for each core
    of the cluster), each of which must fit in a worker's memory. Values and means equal those of `idealist.evaluate` to the
    last bit, for any partitioning and order of rows.
    """
    request = make_request(
        judgments,
        runs,
        measures,
        _schema,
        conventions=conventions,
        columns=columns,
        by=by,
        items=items,
        rounds=rounds,
        seed=seed,
        confidence=confidence,
    )
    import ray

    cores = int(ray.cluster_resources().get("CPU", 1))
    return RayEvaluation(request, partition_count(partitions, 2 * cores))


class RayEvaluation(EngineEvaluation):
    """An evaluation whose `values` are a data set, which Ray computes when it is used. To use both values and summary
    without measuring twice, `materialize` before."""

    def __init__(self, request: Request, partitions: int) -> None:
        super().__init__(request.task, request.confidence)
        self.request = request
        self._measured = _measured(request, partitions)

    @property
    def values(self) -> Dataset:
        """One row per system and query."""
        import pyarrow.compute as pc

        def without_totals(table: Any) -> Any:
            return table.filter(pc.is_null(table.column(TOTALS))).drop_columns([TOTALS])

        return self._measured.map_batches(without_totals, batch_format="pyarrow")

    def materialize(self) -> Self:
        """Keeps what is measured in Ray's object store."""
        with _as_input_errors():
            self._measured = self._measured.materialize()
        return self

    def _totals(self) -> Totals:
        import pyarrow.compute as pc

        def of_totals(table: Any) -> Any:
            return table.filter(pc.is_valid(table.column(TOTALS))).select([TOTALS])

        with _as_input_errors():
            cells = self._measured.map_batches(of_totals, batch_format="pyarrow").take_all()
        return merged((row[TOTALS] for row in cells), self.request)


def _measured(request: Request, partitions: int) -> Dataset:
    """Values, and rows that have totals alone; lazy."""
    packed: list[Any] = [
        frame.map_batches(Packer(side, number, partitions).__call__, batch_format="pyarrow", batch_size=None)
        for number, (frame, side) in enumerate(zip(request.frames, request.sides, strict=True))
    ]
    together = packed[0].union(*packed[1:])
    by_part = together.groupby("part", num_partitions=partitions)
    return by_part.map_groups(PartMeasurer(request).__call__, batch_format="pyarrow")


def _schema(frame: Any, kind: str) -> Any:
    if not hasattr(frame, "map_batches") or not hasattr(frame, "groupby") or not hasattr(frame, "schema"):
        raise InputError(
            f"{kind}: a data set of Ray Data is expected, not {type_name(frame)}",
            hint="ray.data.read_parquet makes one; idealist.evaluate takes files and local frames",
        )
    import pyarrow as pa

    schema = frame.schema()
    base = getattr(schema, "base_schema", schema)
    if not isinstance(base, pa.Schema):
        raise InputError(
            f"{kind}: the data set has no columns of Arrow, but {type(base).__name__}",
            hint="read it from Parquet, or make it with ray.data.from_arrow",
        )
    return base


@contextmanager
def _as_input_errors() -> Iterator[None]:
    """What is wrong with the rows, in the place of the traceback of the worker that saw it, which Ray logs before it raises
    it: what it logs as errors waits until it is known whose the error is."""
    import logging

    held: list[tuple[logging.Handler, logging.LogRecord]] = []
    handlers = list(logging.getLogger("ray.data").handlers)
    filters = []
    for handler in handlers:

        def hold(record: logging.LogRecord, handler: logging.Handler = handler) -> bool:
            if record.levelno >= logging.ERROR:
                held.append((handler, record))
            return record.levelno < logging.ERROR

        handler.addFilter(hold)
        filters.append((handler, hold))
    ours = None
    try:
        yield
    except Exception as error:
        # Ray has the worker's traceback as text, and our error at its end.
        ours = error_within(str(error))
        if ours is not None:
            raise ours from None
        raise
    finally:
        for handler, hold in filters:
            handler.removeFilter(hold)
        for handler, record in held if ours is None else ():
            handler.handle(record)


read_late(RayEvaluation)
