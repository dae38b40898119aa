"""An evaluation without the values of queries: what tables print."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.evaluation.aggregating import aggregated, bounds_of_ties
from idealist.evaluation.result import Evaluation
from idealist.evaluation.ties import differences
from idealist.kernels import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn

    from idealist.data import Rankings
    from idealist.evaluation.ties import TieBounds, TiedQueries
    from idealist.measures import Measure

    Key = tuple[str, Measure]


class Summary:
    """By system and measure: the value over all queries, how many it is over, and what ties could change. One
    measure's values are there at a time."""

    def __init__(self, weights: Values | None, tied: dict[str, TiedQueries]) -> None:
        self.weights = weights
        self.tied = tied
        self.aggregates: dict[Key, float] = {}
        self.counts: dict[Key, int] = {}
        self.ties: dict[Key, TieBounds] = {}
        self.changing: dict[str, int] = {}  # by system, how many queries ties could change

    def take(self, system: str, rankings: Rankings, measures: Iterable[Measure]) -> None:
        tied = self.tied[system]
        changes: Values | None = None
        for measure in measures:
            values = measure.settled(rankings)
            self.aggregates[system, measure] = aggregated(measure, values, self.weights)
            self.counts[system, measure] = values.count()
            if (bounds := tied.measured(measure)) is None:
                continue
            self.ties[system, measure] = bounds_of_ties(measure, values, self.weights, tied.queries, *bounds)
            gaps = differences(*bounds)
            changes = gaps if changes is None else changes.maximum(gaps)
        self.changing[system] = 0 if changes is None else int((changes > 0.0).sum())


class SummaryEvaluation(Evaluation):
    """An evaluation that has what tables print, and refuses what takes every query's value."""

    def __init__(self, *, summary: Summary, **facts: Any) -> None:
        super().__init__(values={}, **facts)
        self._summary = summary

    def aggregate(self, measure: str | Measure, system: str | None = None) -> float:
        key = self._key(measure, system)
        return self._pooled[key] if key in self._pooled else self._summary.aggregates[key]

    def n(self, measure: str | Measure, system: str | None = None) -> int:
        return self._summary.counts[self._key(measure, system)]

    def bounded(self, measure: str | Measure, system: str | None = None) -> bool:
        return self._key(measure, system) in self._summary.ties

    def ties(self, measure: str | Measure, system: str | None = None) -> TieBounds:
        return self._summary.ties[self._key(measure, system)]

    def tied(self, system: str | None = None) -> int:
        return self._summary.changing[self._named(system)]

    def _key(self, measure: str | Measure, system: str | None) -> Key:
        return self._named(system), self._measured_as(measure)

    def _measured_as(self, measure: str | Measure) -> Measure:
        return self.measure_of(measure)

    def _values_of(self, measure: str | Measure, system: str | None) -> NoReturn:
        raise InputError("this evaluation has no values of queries", hint="--by-query keeps them")
