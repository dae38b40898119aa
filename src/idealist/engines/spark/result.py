"""The result of an evaluation on Spark: values that stay on the cluster, and a summary of them."""

from __future__ import annotations

from idealist.engines.result import EngineEvaluation
from idealist.engines.spark.faults import as_input_errors
from idealist.engines.spark.stages import Stages, collected
from idealist.engines.workers import TOTALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from pyspark.sql import DataFrame

    from idealist.engines.totals import Totals


class SparkEvaluation(EngineEvaluation):
    """Values of all queries as a lazy DataFrame, and their means with intervals.

    `values` has the columns query (of the type that the judgments have), system, those of segments, and one per measure, null
    where the conventions leave a query out. `summary` runs one job, when it is first asked for; `str`, `to_frame` and
    the like show it. To use both without measuring twice, `persist` before.
    """

    def __init__(self, stages: Stages, confidence: float) -> None:
        super().__init__(stages.task, confidence)
        self.stages = stages
        self._measured: DataFrame | None = None
        self._persisted = False

    @property
    def values(self) -> DataFrame:
        """One row per system and query; nothing is computed before it is used."""
        from pyspark.sql import functions

        return self._all().where(functions.col(TOTALS).isNull()).drop(TOTALS)

    def _totals(self) -> Totals:
        """The totals of all partitions: nothing else comes to the driver."""
        from pyspark.sql import functions

        with as_input_errors():
            frame = (
                self._all().where(functions.col(TOTALS).isNotNull()).select(TOTALS)
                if self._persisted
                else self.stages.totals()
            )
            return collected(frame, self.task, self.stages.partitions)

    def persist(self, level: Any = None) -> Self:
        """Keeps what is measured on the executors (in memory and on disk, or as `level` says), so that `values` and
        `summary` come from one pass; `unpersist` when done."""
        frame = self._all()
        if level is None:
            frame.persist()
        else:
            frame.persist(level)
        self._persisted = True
        return self

    def unpersist(self) -> None:
        """Lets the executors forget what `persist` kept."""
        if self._persisted and self._measured is not None:
            self._measured.unpersist()
        self._persisted = False

    def _all(self) -> DataFrame:
        if self._measured is None:
            with as_input_errors():
                self._measured = self.stages.values()
        return self._measured
