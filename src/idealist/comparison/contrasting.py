"""Contrasts of every system with the baseline, over all queries and by segment."""

from __future__ import annotations

from math import isfinite

from idealist.base.frozen import FrozenTable
from idealist.base.wording import count_queries
from idealist.comparison.contrast import contrast_of
from idealist.data.grouped import bytewise
from idealist.data.segments import segment_of
from idealist.errors import InputError
from idealist.evaluation.aggregates import range_of
from idealist.statistics.mean_estimates import weighted_mean
from idealist.statistics.multiple_comparisons import adjust
from idealist.statistics.paired import Paired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from idealist.comparison.comparing import Settings
    from idealist.comparison.contrast import Contrast
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.statistics.paired_tests import Progress


def contrast_systems(
    evaluation: Evaluation,
    measures: Sequence[Measure],
    baseline: str,
    settings: Settings,
    segments: Mapping[str, str] | None,
    progress: Progress | None,
) -> tuple[list[Contrast], list[str]]:
    """The contrasts of all systems with the baseline, those over all queries and those of segments, with p-values
    adjusted for all of them; and notes on queries that were left out."""
    contrasts: list[Contrast] = []
    notes: list[str] = []
    members: dict[tuple[str, ...], dict[str, list[int]]] = {}
    for measure in measures:
        before = evaluation.by_query(measure, baseline)
        for system in evaluation.systems:
            if system == baseline:
                continue
            paired = _paired(evaluation, measure, system, baseline, before, settings)
            notes += _left_out(evaluation, measure, system, baseline, paired)
            parts: list[tuple[str | None, Paired]] = [(None, paired)]
            if segments is not None:
                if paired.queries not in members:  # most measures have a value for the same queries
                    members[paired.queries] = _members(paired.queries, segments)
                parts += _by_segment(paired, members[paired.queries]).items()
            contrasts += (
                contrast_of(
                    system,
                    baseline,
                    measure,
                    part,
                    confidence=settings.confidence,
                    region=settings.region,
                    seed=settings.seed,
                    interval=settings.interval,
                    range=range_of(evaluation, measure),
                    segment=segment,
                    whole_ids=evaluation.whole_ids,
                )
                for segment, part in parts
            )
    return _adjusted(_tested(contrasts, evaluation.queries, settings, progress)), notes


def contrasts_by_segment(contrasts: Iterable[Contrast]) -> dict[str, tuple[Contrast, ...]]:
    """Those of each segment, in the order of the contrasts; those over all queries are left out."""
    by_segment: dict[str, list[Contrast]] = {}
    for contrast in contrasts:
        if contrast.segment is not None:
            by_segment.setdefault(contrast.segment, []).append(contrast)
    return {segment: tuple(group) for segment, group in by_segment.items()}


def _paired(
    evaluation: Evaluation,
    measure: Measure,
    system: str,
    baseline: str,
    before: Mapping[str, float],
    settings: Settings,
) -> Paired:
    """The values of the queries that have one in both, in an order if there is one; `before` are the baseline's. They are in
    strata where segments have shares and all queries have values: of those with a value alone shares are not known."""
    after, order = evaluation.by_query(measure, system), settings.order
    queries = tuple(before if before.keys() == after.keys() else (q for q in before if q in after))
    if not queries:
        raise InputError(
            f"{measure}: no query has a value both for {system!r} and for {baseline!r}",
            hint=f"both need {'' if measure.given else 'judged '}queries in common",
        )
    if order is not None:
        if (missing := next((query for query in queries if query not in order), None)) is not None:
            raise InputError(
                f"the order of queries does not have {missing!r}",
                hint="it has the id of every query whose judgments are complete, the first one first",
            )
        queries = tuple(sorted(queries, key=order.__getitem__))
    weights = None
    if evaluation.weighted:
        weight_of = dict(zip(before, evaluation.weights_of(measure, baseline), strict=True))
        weights = tuple(weight_of[query] for query in queries)
        if not sum(weights) > 0:
            raise InputError(
                f"{measure}: all queries that {system!r} and {baseline!r} share have weight 0",
                hint="give one of them a weight above 0",
            )
    old, new = tuple(map(before.__getitem__, queries)), tuple(map(after.__getitem__, queries))
    # A sum is finite only if all are; what is finite may yet add up to more than a number can hold.
    if not isfinite(sum(old) + sum(new)) and not all(map(isfinite, (*old, *new))):
        infinite_query = next(
            q for q, a, b in zip(queries, old, new, strict=True) if not (isfinite(a) and isfinite(b))
        )
        raise InputError(f"{measure} is infinite for query {infinite_query!r}", hint="leave the measure out")
    known = settings.shares
    if known is None or len(queries) < len(evaluation.queries):
        return Paired(queries, old, new, weights)
    own = None if known.weights is None else tuple(map(known.weights.__getitem__, queries))
    return Paired(queries, old, new, weights, tuple(map(known.segments.__getitem__, queries)), own)


def _left_out(
    evaluation: Evaluation, measure: Measure, system: str, baseline: str, paired: Paired
) -> list[str]:
    left_out_count = evaluation.n(measure, system) + evaluation.n(measure, baseline) - 2 * len(paired)
    if not left_out_count:
        return []
    shared = weighted_mean(paired.baseline_values, paired.weights)
    return [
        f"{measure}: {count_queries(left_out_count)} with a value in only one of {baseline} and {system}, left out; "
        f"on the others {baseline} has {shared:.4f}"
    ]


def _by_segment(paired: Paired, members: Mapping[str, list[int]]) -> dict[str | None, Paired]:
    parts: dict[str | None, Paired] = {}
    for name, rows in members.items():
        weights = None if paired.weights is None else tuple(map(paired.weights.__getitem__, rows))
        if weights is not None and not sum(weights) > 0:
            continue
        if paired.strata is not None and weights is not None and min(weights) == max(weights):
            weights = None  # the share of a segment says nothing within it
        parts[name] = Paired(
            tuple(map(paired.queries.__getitem__, rows)),
            tuple(map(paired.baseline_values.__getitem__, rows)),
            tuple(map(paired.values.__getitem__, rows)),
            weights,
        )
    return parts


def _members(queries: Sequence[str], by: Mapping[str, str]) -> dict[str, list[int]]:
    """The positions of each segment's queries, segments in bytewise order."""
    members: dict[str, list[int]] = {}
    for position, query in enumerate(queries):
        members.setdefault(segment_of(query, by), []).append(position)
    return {name: members[name] for name in sorted(members, key=bytewise)}


def _tested(
    contrasts: list[Contrast], queries: list[str], settings: Settings, progress: Progress | None
) -> list[Contrast]:
    """The contrasts with the results of every requested test."""
    pairs = [contrast.paired for contrast in contrasts]
    results_by_test = [test.of_all(pairs, queries, progress) for test in settings.tests]
    return [
        contrast.replace(tests=FrozenTable(dict(zip(settings.tests, results, strict=True))))
        for contrast, *results in zip(contrasts, *results_by_test, strict=True)
    ]


def _adjusted(contrasts: list[Contrast]) -> list[Contrast]:
    """The contrasts with their p-values adjusted for all of them."""
    tested = [(at, p) for at, contrast in enumerate(contrasts) if (p := contrast.p_value) is not None]
    p_values = [p for _, p in tested]
    strict, loose = adjust(p_values, "holm"), adjust(p_values, "bh")
    changes = {
        at: {"p_adjusted": adjusted, "p_discovery": discovery}
        for (at, _), adjusted, discovery in zip(tested, strict, loose, strict=True)
    }
    return [contrast.replace(**changes.get(at, {})) for at, contrast in enumerate(contrasts)]
