"""Evaluation on Dask: data frames of many partitions, on threads, processes or a cluster."""

from __future__ import annotations

from idealist.base.annotations import read_late
from idealist.base.named import OF_RUNS, other_names
from idealist.base.wording import type_name
from idealist.conventions import DEFAULT
from idealist.engines.engine_request import make_request
from idealist.engines.engine_results import EngineEvaluation
from idealist.engines.shuffle import TOTALS, Packer, PartMeasurer, merged, packed_schema, partition_count
from idealist.errors import InputError
from idealist.evaluation.measuring import MEASURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Self

    from dask.dataframe import DataFrame

    from idealist.conventions import Conventions
    from idealist.engines.engine_request import Request
    from idealist.engines.totals import Totals
    from idealist.measures import Measure


@other_names(**OF_RUNS, resamples="rounds")
def evaluate(
    judgments: DataFrame,
    runs: DataFrame | Mapping[str, DataFrame],
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
) -> DaskEvaluation:
    """Measures one run, or several by name, with judgments, all of them data frames of Dask. Nothing is computed yet.

    Rows are (query, document, score) and (query, document, grade). The arguments are those of `idealist.engines.spark`.
    Rows are packed where they are, by a hash of their query, and shuffled once, into `partitions` (by default as many as
    the inputs have), each of which must fit in a worker's memory. Values and means equal those of `idealist.evaluate` to
    the last bit, for any partitioning and order of rows.
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
    usual = sum(frame.npartitions for frame in request.frames)
    return DaskEvaluation(request, partition_count(partitions, usual))


class DaskEvaluation(EngineEvaluation):
    """An evaluation whose `values` are a lazy data frame of Arrow types. To use both values and summary without measuring
    twice, `persist` before."""

    def __init__(self, request: Request, partitions: int) -> None:
        super().__init__(request.task, request.confidence)
        self.request = request
        self._measured = _measured(request, partitions)

    @property
    def values(self) -> DataFrame:
        """One row per system and query."""
        frame = self._measured
        return frame[frame[TOTALS].isnull()].drop(columns=[TOTALS])

    def persist(self) -> Self:
        """Keeps what is measured in the memory of the workers."""
        self._measured = self._measured.persist()
        return self

    def _totals(self) -> Totals:
        cells = self._measured[TOTALS].dropna().compute()
        return merged(cells, self.request)


def _measured(request: Request, partitions: int) -> DataFrame:
    """Values, and rows that have totals alone; lazy."""
    import dask.dataframe as dd

    packed = [
        frame.map_partitions(
            OnPandas(Packer(side, number, partitions)), meta=as_pandas(packed_schema().empty_table())
        )
        for number, (frame, side) in enumerate(zip(request.frames, request.sides, strict=True))
    ]
    measurer = PartMeasurer(request)
    together = dd.concat(packed).shuffle(on="part", npartitions=partitions, ignore_index=True)
    return together.map_partitions(OnPandas(measurer), meta=as_pandas(measurer.schema.empty_table()))


class OnPandas:
    """A function of Arrow tables, for frames of pandas."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__ = type(function).__name__  # what Dask's dashboard calls the task

    def __call__(self, frame: Any) -> Any:
        return as_pandas(self.function(as_arrow(frame)))


def as_arrow(frame: Any) -> Any:
    """A frame as an Arrow table, in which nan is nan: pandas takes it for what is missing."""
    import numpy as np
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    for at, name in enumerate(table.column_names):
        column = frame[name]
        if table.column(at).null_count and isinstance(column.dtype, np.dtype) and column.dtype.kind == "f":
            table = table.set_column(at, name, pa.array(column.to_numpy()))
    return table


def as_pandas(table: Any) -> Any:
    """A frame whose columns have Arrow's types, so that whole numbers and nulls stay what they are."""
    import pandas as pd

    return table.to_pandas(types_mapper=pd.ArrowDtype)


def _schema(frame: Any, kind: str) -> Any:
    if not hasattr(frame, "map_partitions") or not hasattr(frame, "_meta"):
        raise InputError(
            f"{kind}: a data frame of Dask is expected, not {type_name(frame)}",
            hint="dask.dataframe.read_parquet makes one; idealist.evaluate takes files and local frames",
        )
    schema = as_arrow(frame._meta).schema
    if any(str(kind_) == "null" for kind_ in schema.types):
        # Columns of objects do not say what they hold before they are read.
        schema = as_arrow(frame.head(1, npartitions=-1)).schema
    return schema


read_late(DaskEvaluation)
