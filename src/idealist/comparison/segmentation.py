"""Queries by segment: new and old users, head and tail queries, countries, …"""

from __future__ import annotations

from idealist.data.grouped import bytewise
from idealist.data.segments import segment_of
from idealist.data.weights import effective_size
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.io.segments import read_segments
from idealist.measures import parse
from idealist.results import Result
from idealist.statistics.intervals import mean_interval
from idealist.wording import count_of, count_queries, range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.statistics.interval import Interval
    from idealist.statistics.prediction_powered import PoweredMean


class Segment(Result, Frozen):
    """A measure's mean over some of the queries. `interval` allows for queries that were not seen, up to the
    measure's bounds (Student's, where it has none); it is None when there are too few."""

    name: str
    value: float
    n: int
    effective_n: float
    interval: Interval | None

    def _gist(self) -> str:
        interval_text = "" if self.interval is None else f" ({range_text(self.interval)})"
        return f"{self.name} {signed(self.value)}{interval_text}; {count_queries(self.n)}"


class Segments(Result, list[Segment]):
    """The segments of one system by one measure, in order of their names."""

    def __init__(
        self,
        segments: Iterable[Segment],
        measure: Measure,
        system: str,
        confidence: float,
        corrected: Mapping[str, PoweredMean] | None = None,
    ) -> None:
        super().__init__(segments)
        # By the name of a segment, its mean by human and machine judgments together, where there are both.
        self.corrected: Mapping[str, PoweredMean] = dict(corrected or {})
        self.measure = measure
        self.system = system
        self.confidence = confidence

    def _gist(self) -> str:
        return f"{self.measure} of {self.system}; {count_of(len(self), 'segment')}"


def segments(
    evaluation: Evaluation,
    measure: str | Measure,
    by: Any,
    system: str | None = None,
    *,
    segment_by: str | None = None,
    confidence: float = 0.95,
) -> Segments:
    """The mean of every segment, weighted if the evaluation is. `by` and `segment_by` give the segment of every query, as
    `segments` and `segment_by` of `compare` do.

    >>> from idealist import evaluate
    >>> run = {q: {"a": 2.0, "b": 1.0} for q in ("q1", "q2", "q3")}
    >>> result = evaluate({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"a": 1}}, run, "RR")
    >>> [(one.name, one.value, one.n) for one in segments(result, "RR", {"q1": "x", "q2": "y", "q3": "y"})]
    [('x', 1.0, 1), ('y', 0.75, 2)]
    """
    parsed_measure = evaluation.measure_of(measure)
    if parsed_measure.aggregate != "mean":
        raise InputError(
            f"{parsed_measure} has no mean over queries", hint="segments are for measures with a mean"
        )
    names = read_segments(by, column=segment_by)
    members: dict[str, list[tuple[float, float]]] = {}
    weights = evaluation.weights_of(parsed_measure, system)
    for (query, value), weight in zip(
        evaluation.by_query(parsed_measure, system).items(), weights, strict=True
    ):
        members.setdefault(segment_of(query, names), []).append((value, weight))
    segment_list = [
        _segment(name, members[name], confidence, parsed_measure.bounds)
        for name in sorted(members, key=bytewise)
    ]
    named = evaluation.systems[0] if system is None else system
    corrected = _corrected(evaluation, parsed_measure, named, names, confidence)
    return Segments(segment_list, parsed_measure, named, confidence, corrected)


def _corrected(
    evaluation: Evaluation, measure: Measure, system: str, names: Mapping[str, str], confidence: float
) -> dict[str, PoweredMean]:
    """The corrected mean of every segment, by the queries that people judged in it and those of the machine's that have a
    segment."""
    if evaluation.machine is None:
        return {}
    estimates = {}
    for name in sorted(set(names.values()), key=bytewise):
        queries = {query for query, segment in names.items() if segment == name}
        estimate = evaluation.machine.estimate(evaluation, measure, (system,), confidence, queries)
        if estimate is not None:
            estimates[name] = estimate
    return estimates


def worst_segment(segments: list[Segment], measure: str | Measure = "nDCG") -> Segment | None:
    """The segment with the worst value, the first of several: the lowest, or the highest where the measure says
    that lower is better. None when no segment has a value, or no value is better than another."""
    better = parse(measure).better
    valued = [segment for segment in segments if segment.value == segment.value]
    if better == "neither":
        return None
    sign = -1.0 if better == "lower" else 1.0
    return min(valued, key=lambda segment: sign * segment.value, default=None)


def _segment(
    name: str, pairs: list[tuple[float, float]], confidence: float, bounds: tuple[float, float]
) -> Segment:
    values, weights = [value for value, _ in pairs], [weight for _, weight in pairs]
    total = sum(weights)
    return Segment(
        name,
        sum(value * weight for value, weight in pairs) / total if total else float("nan"),
        len(pairs),
        effective_size(weights),
        mean_interval(values, weights, confidence=confidence, bounds=bounds),
    )
