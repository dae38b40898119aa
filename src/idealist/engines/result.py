"""The result of an evaluation on an engine: the values of queries in a frame of the engine, and a summary of them."""

from __future__ import annotations

from idealist.base.results import Result
from idealist.base.wording import count_queries
from idealist.engines.summary import ClusterSummary, refuse_strangers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.engines.task import Task
    from idealist.engines.totals import Totals
    from idealist.measures import Measure
    from idealist.statistics.interval import Interval


class EngineEvaluation(Result):
    """Values of all queries in a frame of the engine, and their means with intervals.

    `values` has the columns query (of the type that the judgments have), system, those of segments, and one per measure, null
    where the conventions leave a query out. `summary` is computed when it is first asked for; `str`, `to_frame` and the
    like show it.
    """

    def __init__(self, task: Task, confidence: float) -> None:
        self.task = task
        self.confidence = confidence
        self._summary: ClusterSummary | None = None

    @property
    def values(self) -> Any:
        """One row per system and query."""
        raise TypeError(f"{type(self).__name__} does not say where its values are")

    def _totals(self) -> Totals:
        raise TypeError(f"{type(self).__name__} does not say how it is summed")

    @property
    def summary(self) -> ClusterSummary:
        """Means, n and intervals."""
        if self._summary is None:
            totals = self._totals()
            refuse_strangers(self.task, totals)
            self._summary = ClusterSummary(self.task, totals, confidence=self.confidence)
        return self._summary

    def mean(self, measure: str | Measure, system: str | None = None) -> float:
        """The mean over queries or, as the measure says, what it has in its place."""
        return self.summary.value(measure, system)

    def n(self, measure: str | Measure, system: str | None = None) -> int:
        """How many queries the mean is over."""
        return self.summary.n(measure, system)

    def interval(self, measure: str | Measure, system: str | None = None) -> Interval | None:
        """The interval of the mean."""
        return self.summary.interval(measure, system)

    def _gist(self) -> str:
        known = "" if self._summary is None else f"; {count_queries(self._summary.totals.judged)}"
        return f"{', '.join(self.task.systems)}; {', '.join(self.task.columns)}{known}"
