"""Results of engines: values of queries in a frame of the engine, means with their intervals, and systems compared with a baseline."""

from __future__ import annotations

from math import exp

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.wording import count_queries
from idealist.engines.totals import AFTER, BEFORE, DIFFERENCES, VALUES
from idealist.errors import InputError
from idealist.evaluation.aggregates import NAN
from idealist.evaluation.notes import missing_queries
from idealist.measures import parse
from idealist.statistics.mean_estimates import has_no_spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from idealist.engines.task import Task
    from idealist.engines.totals import Moments, Totals
    from idealist.measures import Measure
    from idealist.statistics.mean_estimates import Interval
    from idealist.votes import GSB


class ClusterMean(Frozen):
    """A measure's value over all queries: their mean or, as `aggregate` says, their sum, their geometric mean, or what the
    measure makes of all queries together. `interval` is that of a mean."""

    system: str
    measure: str
    value: float
    n: int
    interval: Interval | None
    aggregate: str = "mean"
    segment: str = ""  # empty: all queries


class ClusterSummary(Result, list[ClusterMean]):
    """The means of an evaluation on an engine, with their intervals, and notes on what was left out.

    Intervals are Student's, from the count, the sum and the squares; with resamples, those of the Poisson bootstrap.
    """

    def __init__(
        self,
        task: Task,
        totals: Totals,
        *,
        confidence: float = 0.95,
    ) -> None:
        self.task = task
        self.totals = totals
        self.confidence = confidence
        self.notes = tuple(_notes(task, totals))
        segments = _segments(totals)
        super().__init__(
            self._row(segment, system, measure)
            for segment in segments
            for system in task.systems
            for measure in task.measures
            if ((segment, system, VALUES) in totals.moments)
            and (not segment or measure.aggregate != "pooled")
        )

    def value(self, measure: str | Measure, system: str | None = None) -> float:
        """The value over all queries."""
        return self._found(measure, system).value

    def n(self, measure: str | Measure, system: str | None = None) -> int:
        """How many queries the value is over."""
        return self._found(measure, system).n

    def interval(self, measure: str | Measure, system: str | None = None) -> Interval | None:
        """The interval of the mean over all queries."""
        return self._found(measure, system).interval

    def _found(self, measure: str | Measure, system: str | None) -> ClusterMean:
        name = str(parse(measure, defaults=self.task.conventions.parameters))
        system = _one_system(self.task.systems) if system is None else system
        for row in self:
            if (row.system, row.measure) == (system, name) and not row.segment:
                return row
        raise InputError(
            f"{name} of {system!r} was not measured",
            hint=f"there are {', '.join(self.task.columns)} of {', '.join(self.task.systems)}",
        )

    def _row(self, segment: tuple[Any, ...], system: str, measure: Measure) -> ClusterMean:
        moments, column = self.totals.moments[segment, system, VALUES], self.task.measures.index(measure)
        interval = None
        if measure.aggregate == "pooled":
            value = measure.of_counts(self.totals.shown[system, measure.k])  # type: ignore[attr-defined]
        elif measure.aggregate == "sum":
            value = moments.sum(column)
        else:
            value = moments.mean(column)
            interval = _interval(moments, column, self.confidence)
        if measure.aggregate == "geometric":
            value = exp(value) if value == value else NAN
            interval = interval and interval.replace(low=exp(interval.low), high=exp(interval.high))
        return ClusterMean(
            system,
            str(measure),
            value,
            moments.counts[column],
            interval,
            measure.aggregate,
            _segment_text(self.task.by, segment),
        )

    def _gist(self) -> str:
        names = ", ".join(self.task.systems)
        return f"{names}; {', '.join(self.task.columns)}; {count_queries(self.totals.judged)}"


class ClusterContrast(Frozen):
    """A system compared with the baseline on one measure, over the queries that have a value in both: the mean
    difference, its interval, Student's p-value, and how many queries are better, the same and worse."""

    system: str
    baseline: str
    measure: str
    baseline_value: float
    value: float
    difference: float
    n: int
    interval: Interval | None
    p_value: float | None
    wins: int
    ties: int
    losses: int
    segment: str = ""  # empty: all queries


class ClusterComparison(Result, list[ClusterContrast]):
    """Systems compared with a baseline from mergeable totals of their differences."""

    def __init__(self, task: Task, totals: Totals, *, confidence: float = 0.95) -> None:
        self.task = task
        self.totals = totals
        self.confidence = confidence
        self.notes = tuple(_notes(task, totals))
        super().__init__(
            self._row(segment, system, measure)
            for segment in _segments(totals)
            for system in task.systems
            for measure in task.measures
            if (segment, system, DIFFERENCES) in totals.moments and measure.aggregate != "pooled"
        )

    def gsb(self, measure: str | Measure, system: str | None = None, **settings: Any) -> GSB:
        """GSB of a measure: a query is good where the system is better than the baseline, bad where it is worse, and
        same otherwise. `settings` are those of `idealist.gsb`."""
        from idealist.votes import gsb

        parsed = parse(measure, defaults=self.task.conventions.parameters)
        if parsed.better == "neither":
            raise InputError(f"no value of {parsed} is better than another", hint="choose another measure")
        contrast = self._found(str(parsed), system)
        differences = self.totals.moments[(), contrast.system, DIFFERENCES]
        column = self.task.measures.index(parsed)
        # As in `gsb_from`: sums of floats that should be equal are.
        good, bad = differences.clearly_above[column], differences.clearly_below[column]
        if parsed.better == "lower":
            good, bad = bad, good
        return gsb(good=good, same=contrast.n - good - bad, bad=bad, **settings)

    def __getitem__(self, key: Any) -> Any:
        """`comparison["dense", "nDCG@10"]`, or a row by its number."""
        if isinstance(key, tuple):
            system, measure = key
            return self._found(str(parse(measure, defaults=self.task.conventions.parameters)), system)
        return super().__getitem__(key)

    def _found(self, measure: str, system: str | None) -> ClusterContrast:
        others = [name for name in self.task.systems if name != self.task.baseline]
        system = _one_system(others) if system is None else system
        for row in self:
            if (row.system, row.measure) == (system, measure) and not row.segment:
                return row
        raise InputError(
            f"{measure} of {system!r} was not compared",
            hint=f"there are {', '.join(self.task.columns)} of {', '.join(others)}",
        )

    def _row(self, segment: tuple[Any, ...], system: str, measure: Measure) -> ClusterContrast:
        baseline = self.task.baseline
        assert baseline is not None
        column = self.task.measures.index(measure)
        before, after, differences = (
            self.totals.moments[segment, system, kind] for kind in (BEFORE, AFTER, DIFFERENCES)
        )
        above, below, n = differences.above[column], differences.below[column], differences.counts[column]
        wins, losses = (below, above) if measure.better == "lower" else (above, below)
        return ClusterContrast(
            system,
            baseline,
            str(measure),
            before.mean(column),
            after.mean(column),
            differences.mean(column),
            n,
            _interval(differences, column, self.confidence),
            _p_value(differences, column),
            wins,
            n - above - below,
            losses,
            _segment_text(self.task.by, segment),
        )

    def _gist(self) -> str:
        return f"{', '.join(self.task.systems)} against {self.task.baseline}; {', '.join(self.task.columns)}"


def _segments(totals: Totals) -> list[tuple[Any, ...]]:
    """All queries first, then the segments in their order."""
    return sorted(
        {segment for segment, *_ in totals.moments}, key=lambda segment: (bool(segment), repr(segment))
    )


def _interval(moments: Moments, column: int, confidence: float) -> Interval | None:
    if moments.resampled is not None:
        return moments.bootstrap(column, confidence)
    return moments.student(column, confidence)


def _p_value(moments: Moments, column: int) -> float | None:
    """Student's, as `TTest` has it."""
    from scipy.special import stdtr

    from idealist.statistics.paired_tests import LEAST_P

    estimate = moments.estimate(column)
    if estimate is None:
        return None
    if has_no_spread(estimate):
        return 1.0 if estimate.mean == 0 else None
    return float(max(2 * stdtr(estimate.freedom, -abs(estimate.mean / estimate.error)), LEAST_P))


def _segment_text(by: Sequence[str], segment: tuple[Any, ...]) -> str:
    return ", ".join(f"{name}={value}" for name, value in zip(by, segment, strict=bool(segment)))


def _one_system(systems: Sequence[str]) -> str:
    if len(systems) > 1:
        raise InputError(f"several systems were measured; name one of: {', '.join(systems)}")
    return systems[0]


def _notes(task: Task, totals: Totals) -> Iterable[str]:
    for system in task.systems:
        if missing := totals.missing[system]:
            yield f"{system}: {missing_queries(missing, task.conventions)}"
        if unjudged := totals.unjudged[system]:
            yield f"{system}: {count_queries(unjudged)} in the run but not judged, not measured"
    if totals.empty:
        treatment = {"zero": "counted as 0", "one": "counted as 1"}.get(task.conventions.empty, "left out")
        yield (
            f"{count_queries(totals.empty)} judged, but with nothing relevant: {treatment} where a measure is "
            "undefined"
        )


def refuse_strangers(task: Task, totals: Totals) -> None:
    """Raises where nothing was judged, or a run shares no query with the judgments: most often ids are written in two
    ways."""
    if not totals.judged:
        raise InputError("the judgments have no queries", hint="is it the right table?")
    for system in task.systems:
        if not totals.rows[system]:
            raise InputError(f"{system}: the run has no queries", hint="is it the right table?")
        if totals.missing[system] == totals.judged:
            raise InputError(
                f"{system}: the run and the judgments have no query in common",
                hint="look at a few ids of both: are they written alike?",
            )


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
