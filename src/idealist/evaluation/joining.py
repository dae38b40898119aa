"""Evaluations of several occasions joined into one, and one number of several measures."""

from __future__ import annotations

from idealist.base.values import as_within
from idealist.base.wording import count_of, count_queries
from idealist.data.grouped import bytewise
from idealist.data.provenance import Sources
from idealist.errors import InputError
from idealist.evaluation.aggregates import NAN
from idealist.evaluation.evaluation import Evaluation, QueryNames
from idealist.kernels import Values
from idealist.measures.column import INFINITE, Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.data.provenance import Provenance
    from idealist.measures import Measure


def join_evaluations(
    evaluations: Sequence[Evaluation],
    *,
    measures: Sequence[Measure] | None = None,
    different_judgments: bool = False,
) -> Evaluation:
    """The systems of all evaluations as if they had been measured at once, by the measures that all have, or by
    those that are named.

    Refused unless conventions, weights and judgments are the same; by `different_judgments`, other judgments
    are allowed: then the queries are those of all, and a comparison is over those that both systems have.

    >>> from idealist import evaluate
    >>> judged = {"q": {"a": 1}}
    >>> old = evaluate(judged, {"old": {"q": {"b": 2.0, "a": 1.0}}}, "RR")
    >>> new = evaluate(judged, {"new": {"q": {"a": 2.0, "b": 1.0}}}, "RR")
    >>> join_evaluations([old, new])
    <Evaluation: old, new; RR; 1 query>
    """
    if not evaluations:
        raise InputError("no evaluation was given", hint="give what `evaluate` or `read_evaluation` returns")
    first, *others = evaluations
    if not others and measures is None:
        return first
    differ = False
    for other in others:
        _refuse_other_conventions(first, other)
        reason = _difference(first, other)
        if reason and not different_judgments:
            raise InputError(
                f"the evaluations have different judgments: {reason}",
                hint="measure the runs with the same judgments, or allow different ones "
                "(different_judgments=True, --different-judgments)",
            )
        differ = differ or bool(reason)
    _refuse_other_weights(evaluations)
    systems = _systems(evaluations)
    shared_measures, notes = (
        _measures(evaluations) if measures is None else (_named(measures, evaluations), [])
    )
    if differ:
        notes.append("the judgments differ: a pair of systems is compared over the queries that both have")
    machine = None
    if any(evaluation.machine is not None for evaluation in evaluations):
        from idealist.evaluation.corrected import join_machines

        machine, machine_notes = join_machines(evaluations, shared_measures)
        notes += machine_notes
    queries = _queries(evaluations)
    values = {
        (system, measure): _aligned(evaluation, measure, system, queries)
        for evaluation in evaluations
        for system in evaluation.systems
        for measure in shared_measures
    }
    return Evaluation(
        measures=shared_measures,
        values=values,
        pooled={
            key: value
            for evaluation in evaluations
            for key, value in evaluation.pooled.items()
            if key[1] in shared_measures
        },
        names=QueryNames(queries),
        systems=systems,
        conventions=first.conventions,
        weights=_joined_weights(evaluations, queries),
        notes=(*dict.fromkeys(note for evaluation in evaluations for note in evaluation.notes), *notes),
        judged=_judged(evaluations),
        tied=None
        if differ
        else {system: tied for evaluation in evaluations for system, tied in evaluation.tied_queries.items()},
        missing={
            system: missing for evaluation in evaluations for system, missing in evaluation.missing.items()
        },
        provenance=_sources(evaluations, differ),
        weighted_by=first.weighted_by,
        whole_ids=all(evaluation.whole_ids for evaluation in evaluations),
        grades=_grades(evaluations),
        machine=machine,
        runs={}
        if differ
        else {system: run for evaluation in evaluations for system, run in evaluation.runs.items()},
    )


def _grades(evaluations: Sequence[Evaluation]) -> tuple[float, float] | None:
    """The lowest and the highest grade of all; None where those of one are not known."""
    known = [evaluation.grades for evaluation in evaluations if evaluation.grades is not None]
    if len(known) < len(evaluations):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def join_measures(runs: Evaluation, numbers: Evaluation, measures: Sequence[Measure]) -> Evaluation:
    """The values of the same systems by the measures of both evaluations: those of runs, and numbers that were measured
    elsewhere. The queries are those of either; one that the other lacks has no value there."""
    queries = _queries([runs, numbers])
    at = {query: position for position, query in enumerate(queries)}
    whose = {measure: evaluation for evaluation in (numbers, runs) for measure in evaluation.measures}
    sources = runs.provenance
    return Evaluation(
        measures=tuple(measures),
        values={
            (system, measure): _aligned(whose[measure], measure, system, queries)
            for system in runs.systems
            for measure in measures
        },
        pooled=runs.pooled,
        names=QueryNames(queries),
        systems=runs.systems,
        conventions=runs.conventions,
        weights=_joined_weights([runs, numbers], queries),
        notes=(*runs.notes, *numbers.notes),
        judged=runs.judged,
        tied={
            system: tied.at([at[runs.queries[position]] for position in tied.queries])
            for system, tied in runs.tied_queries.items()
        },
        missing={
            system: tuple(dict.fromkeys((*runs.missing.get(system, ()), *numbers.missing.get(system, ()))))
            for system in runs.systems
        },
        provenance=sources and Sources(sources.judgments, sources.runs, _number_tables([runs, numbers])),
        weighted_by=runs.weighted_by,
        whole_ids=runs.whole_ids and numbers.whole_ids,
        grades=runs.grades,
        machine=runs.machine,
        runs=runs.runs,
    )


def rename_systems(evaluation: Evaluation, names: Mapping[str, str]) -> Evaluation:
    """The same evaluation with other names for some of its systems."""

    def new(name: str) -> str:
        return names.get(name, name)

    sources = evaluation.provenance
    machine = evaluation.machine
    if machine is not None:
        from idealist.evaluation.corrected import rename_machine

        machine = rename_machine(machine, new)
    return Evaluation(
        measures=evaluation.measures,
        values={
            (new(system), measure): _aligned(evaluation, measure, system, evaluation.queries)
            for system in evaluation.systems
            for measure in evaluation.measures
        },
        pooled={(new(system), measure): value for (system, measure), value in evaluation.pooled.items()},
        names=QueryNames(evaluation.queries),
        systems=tuple(map(new, evaluation.systems)),
        conventions=evaluation.conventions,
        weights=None if evaluation.weights is None else Values(list(evaluation.weights)),
        notes=evaluation.notes,
        judged={
            k: {new(system): share for system, share in shares.items()}
            for k, shares in evaluation.judged.items()
        },
        tied={new(system): tied for system, tied in evaluation.tied_queries.items()},
        missing={new(system): missing for system, missing in evaluation.missing.items()},
        provenance=sources
        and Sources(
            sources.judgments, {new(system): run for system, run in sources.runs.items()}, sources.numbers
        ),
        weighted_by=evaluation.weighted_by,
        whole_ids=evaluation.whole_ids,
        grades=evaluation.grades,
        machine=machine,
        runs={new(system): run for system, run in evaluation.runs.items()},
    )


def _refuse_other_conventions(first: Evaluation, other: Evaluation) -> None:
    if first.conventions == other.conventions:
        return
    first_choices, other_choices = first.conventions.to_dict(), other.conventions.to_dict()
    differing = [
        f"{field} {choice} against {other_choices[field]}"
        for field, choice in first_choices.items()
        if other_choices[field] != choice
    ]
    if first.conventions.parameters != other.conventions.parameters:
        differing.append(f"parameters {first.conventions.parameters} against {other.conventions.parameters}")
    raise InputError(
        f"the evaluations have different conventions: {', '.join(differing)}",
        hint="measure the runs under the same conventions",
    )


def _refuse_other_weights(evaluations: Sequence[Evaluation]) -> None:
    weight_of: dict[str, float] = {}
    if len({evaluation.weighted for evaluation in evaluations}) > 1:
        raise InputError(
            "queries have weights in one evaluation and none in another",
            hint="measure the runs with the same weights",
        )
    for evaluation in evaluations:
        for query, weight in zip(
            evaluation.queries, evaluation.weights or (), strict=bool(evaluation.weights)
        ):
            if weight_of.setdefault(query, weight) != weight:
                raise InputError(
                    f"query {query!r} weighs {weight_of[query]:g} in one evaluation, {weight:g} in another",
                    hint="measure the runs with the same weights",
                )


def _difference(first: Evaluation, other: Evaluation) -> str:
    """How the judgments of two evaluations differ; nothing if they do not."""
    first_judgments, other_judgments = _judgments(first), _judgments(other)
    if all(_only_numbers(evaluation) for evaluation in (first, other)):
        return ""
    if first_judgments is None or other_judgments is None:
        return "the judgments of one of them are not known"
    if first_judgments.kind == other_judgments.kind and first_judgments.sha256 == other_judgments.sha256:
        return ""
    descriptions = f"{_described(first_judgments)}, and {_described(other_judgments)}"
    first_queries, other_queries = set(first.queries), set(other.queries)
    if first_queries == other_queries:
        return f"{descriptions}; the queries are the same"
    return f"{descriptions}; {count_queries(len(first_queries & other_queries))} in both"


def _only_numbers(evaluation: Evaluation) -> bool:
    """Whether nothing was measured with judgments."""
    return all(measure.given for measure in evaluation.measures)


def _described(provenance: Provenance) -> str:
    return f"{provenance.source or provenance.name} has {count_of(provenance.rows, 'row')} of {count_queries(provenance.queries)} (sha256 {provenance.sha256[:12]})"


def _judgments(evaluation: Evaluation) -> Provenance | None:
    provenance = None if evaluation.provenance is None else evaluation.provenance.judgments
    return provenance if provenance is not None and provenance.digest is not None else None


def _systems(evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    systems: dict[str, None] = {}
    for evaluation in evaluations:
        for system in evaluation.systems:
            if system in systems:
                raise InputError(
                    f"two systems are called {system!r}",
                    hint="give them names when they are measured: evaluate(…, {'old': run, …})",
                )
            systems[system] = None
    return tuple(systems)


def _measures(evaluations: Sequence[Evaluation]) -> tuple[tuple[Measure, ...], list[str]]:
    """The measures that all evaluations have, and notes on the others."""
    shared = tuple(
        m for m in evaluations[0].measures if all(m in evaluation.measures for evaluation in evaluations)
    )
    if not shared:
        measure_lists = " · ".join(", ".join(map(str, evaluation.measures)) for evaluation in evaluations)
        raise InputError(
            f"the evaluations have no measure in common: {measure_lists}",
            hint="measure all systems by the same measures",
        )
    unshared = dict.fromkeys(m for evaluation in evaluations for m in evaluation.measures if m not in shared)
    return shared, [f"{measure} was not measured for all systems: it is left out" for measure in unshared]


def _named(measures: Sequence[Measure], evaluations: Sequence[Evaluation]) -> tuple[Measure, ...]:
    for measure in measures:
        for evaluation in evaluations:
            if measure not in evaluation.measures:
                raise InputError(
                    f"{measure} was not measured for {', '.join(evaluation.systems)}",
                    hint=f"it was measured by {', '.join(map(str, evaluation.measures))}",
                )
    return tuple(measures)


def _queries(evaluations: Sequence[Evaluation]) -> list[str]:
    names = {query for evaluation in evaluations for query in evaluation.queries}
    return sorted(names, key=bytewise)


def _aligned(evaluation: Evaluation, measure: Measure, system: str, queries: list[str]) -> Values:
    values = evaluation.by_query(measure, system)
    return Values([values.get(query, NAN) for query in queries])


def _joined_weights(evaluations: Sequence[Evaluation], queries: list[str]) -> Values | None:
    if not evaluations[0].weighted:
        return None
    weight_of: dict[str, float] = {}
    for evaluation in evaluations:
        weight_of |= zip(evaluation.queries, evaluation.weights or (), strict=True)
    return Values([weight_of[query] for query in queries])


def _judged(evaluations: Sequence[Evaluation]) -> dict[int | None, dict[str, float]]:
    """The shares of judged documents at the depths that all evaluations have."""
    depths = [k for k in evaluations[0].judged if all(k in evaluation.judged for evaluation in evaluations)]
    return {
        k: {system: share for evaluation in evaluations for system, share in evaluation.judged[k].items()}
        for k in depths
    }


def _sources(evaluations: Sequence[Evaluation], differ: bool) -> Sources:
    provenances = [evaluation.provenance for evaluation in evaluations if evaluation.provenance is not None]
    runs = {system: run for evaluation in provenances for system, run in evaluation.runs.items()}
    return Sources(None if differ else provenances[0].judgments, runs, _number_tables(evaluations))


def _number_tables(evaluations: Sequence[Evaluation]) -> tuple[Provenance, ...]:
    """Where the numbers came from that were measured elsewhere, each table once."""
    provenances = [evaluation.provenance for evaluation in evaluations if evaluation.provenance is not None]
    return tuple(dict.fromkeys(table for sources in provenances for table in sources.numbers))


CRITERION = "criterion"


def with_criterion(evaluation: Evaluation, weights: Mapping[Any, float], name: str = CRITERION) -> Evaluation:
    """The evaluation with one more column: Σ wᵢ·vᵢ of every query, where measures of which a lower value is better count
    less, not more. It is not defined where one of the measures is not; it has a range where all of them have one.

    >>> from idealist import evaluate
    >>> table = {"query": ["q", "r"], "system": ["a", "a"], "success": [1, 0], "latency_ms": [80, 60]}
    >>> weighed = with_criterion(evaluate(numbers=table), {"success": 1.0, "latency_ms": 0.001})
    >>> round(weighed.mean("criterion"), 3)  # (1 − 0.08 + 0 − 0.06) / 2
    0.43
    """
    parts: dict[Measure, float] = {}
    for stated, weight in weights.items():
        measure = evaluation.measure_of(stated)
        if measure not in evaluation.measures or measure in parts:
            problem = "twice" if measure in parts else "and was not measured"
            raise InputError(f"{measure} is in the {name} {problem}")
        if measure.aggregate != "mean" or measure.better == "neither":
            lacks = "mean over queries" if measure.aggregate != "mean" else "better and worse"
            raise InputError(f"{measure} has no {lacks}, so it cannot count in the {name}")
        sign = -1.0 if measure.better == "lower" else 1.0
        parts[measure] = sign * as_within(weight, f"the weight of {measure}", 0, ends="()")
    ends = [sorted(weight * end for end in measure.bounds) for measure, weight in parts.items()]
    low, high = (sum(end[at] for end in ends) for at in (0, 1))
    whole = Column(
        name,
        better="higher",
        low=low if abs(low) < INFINITE else -INFINITE,
        high=high if abs(high) < INFINITE else INFINITE,
    )
    queries = evaluation.queries
    values: dict[tuple[str, Measure], Values] = {}
    for system in evaluation.systems:
        total = Values([0.0] * len(queries))
        for measure, weight in parts.items():
            by_query = evaluation.by_query(measure, system)
            total = total + Values([weight * by_query.get(query, float("nan")) for query in queries])
        values[system, whole] = total
    alone = Evaluation(
        measures=(whole,),
        values=values,
        pooled={},
        names=QueryNames(queries),
        systems=evaluation.systems,
        conventions=evaluation.conventions,
        weights=evaluation.weights,
        judged={},
        weighted_by=evaluation.weighted_by,
        whole_ids=evaluation.whole_ids,
    )
    return join_measures(evaluation, alone, (*evaluation.measures, whole))
