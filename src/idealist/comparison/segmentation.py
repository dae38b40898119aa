"""Queries by segment, and segments with known shares of the traffic."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_within
from idealist.base.wording import count_of, count_queries, percent, range_text, signed
from idealist.data.grouped import bytewise
from idealist.data.query_weights import effective_size
from idealist.data.segments import read_segments, segment_of
from idealist.data.weight_reading import weighting_note
from idealist.errors import InputError
from idealist.kernels import Values
from idealist.measures import parse
from idealist.statistics.intervals import mean_interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from idealist.comparison.contrast import Contrast
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.statistics.mean_estimates import Interval
    from idealist.statistics.prediction_powered import PoweredMean


class KnownShares(Frozen):
    """The shares of segments in the traffic, which add up to 1; the segment of every query; and the weights that queries have
    without shares, if they have any."""

    shares: Mapping[str, float]
    segments: Mapping[str, str]
    weights: Mapping[str, float] | None = None


class Saved(Frozen):
    """By how much the shares of segments make an interval narrower, and how many more queries would have done so; both below 0
    where they make it wider."""

    width: float
    queries: int


def known_shares(
    shares: Any, segments: Mapping[str, str] | None, evaluation: Evaluation
) -> KnownShares | None:
    """Shares by segment, of the queries of an evaluation; None without any."""
    if shares is None:
        return None
    if segments is None:
        raise InputError(
            "shares are of segments, and there are none",
            hint="give the segment of every query (--segments FILE)",
        )
    if evaluation.machine is not None:
        raise InputError(
            "shares of segments are for judgments of people alone, and there is a machine",
            hint="leave the shares or the machine out",
        )
    if not hasattr(shares, "items") or not shares:
        raise InputError(
            f"shares must be a mapping from segments to numbers, not {shares!r:.60}",
            hint='{"head": 0.7, "tail": 0.3}',
        )
    stated = {
        str(name): as_within(share, f"the share of {name!r}", 0, ends="()") for name, share in shares.items()
    }
    total = sum(stated.values())
    by_name = {name: stated[name] / total for name in sorted(stated, key=bytewise)}
    weights = None
    if evaluation.weights is not None:
        weights = dict(zip(evaluation.queries, evaluation.weights, strict=True))
    return KnownShares(by_name, segments, weights)


def with_shares(evaluation: Evaluation, known: KnownShares) -> Evaluation:
    """The evaluation with weights that give every segment its share: the queries of one divide it alike, or by the weights
    that they have."""
    queries = evaluation.queries
    names = [segment_of(query, known.segments) for query in queries]
    before = [1.0] * len(queries) if evaluation.weights is None else list(evaluation.weights)
    totals = dict.fromkeys(known.shares, 0.0)
    for name, weight in zip(names, before, strict=True):
        if name not in totals:
            raise InputError(
                f"segment {name!r} has no share", hint="give the share of the traffic of every segment"
            )
        totals[name] += weight
    for name, total in totals.items():
        if not total > 0:
            raise InputError(
                f"segment {name!r} has a share of the traffic, but no query that counts",
                hint="judge queries of it, or give it and another segment one name, with the sum of their shares",
            )
    shares = known.shares
    weights = [shares[name] * weight / totals[name] for name, weight in zip(names, before, strict=True)]
    label = f"shares of segments: {', '.join(f'{name} {percent(share)}' for name, share in shares.items())}"
    if evaluation.weighted:
        label += f"; within segments by {evaluation.weighted_by}"
    notes = list(evaluation.notes)
    if evaluation.weighted:
        own = weighting_note(evaluation.weighted_by, before)
        notes = [note for note in notes if note != own]
    return evaluation.replaced(
        _weights=Values(weights),
        weighted_by=label,
        notes=(*notes, weighting_note(label, weights)),
    )


def saved_by(interval: Interval, before: Interval, n: int) -> Saved:
    """The share of queries that an interval over n queries saves beside the one before; a width falls as 1/√n.

    >>> from idealist.statistics.mean_estimates import Interval
    >>> saved_by(Interval(0.0, 0.2, 0.95), Interval(0.0, 0.3, 0.95), 40).queries  # 40 · (1.5² − 1)
    50
    """
    width, width_before = interval.high - interval.low, before.high - before.low
    queries = round(n * ((width_before / width) ** 2 - 1)) if width > 0 else 0
    return Saved(width_before - width, queries)


def remark_saved(contrasts: Iterable[Contrast]) -> str:
    """What shares save, contrast by contrast."""
    parts = []
    for contrast in contrasts:
        saved, what = contrast.saved, "nothing"
        if contrast.paired.strata is None:
            what = "nothing, as not every query has a value"
        elif saved is not None and saved.queries > 0:
            what = f"{saved.width:.4f} narrower, as by {count_of(saved.queries, 'more query')}"
        elif saved is not None and saved.queries < 0:
            what = f"nothing: {-saved.width:.4f} wider, as by {count_queries(-saved.queries)} fewer"
        parts.append(f"{contrast.system} by {contrast.measure.label} {what}")
    return f"what shares of segments save, beside the intervals without shares: {'; '.join(parts)}"


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
