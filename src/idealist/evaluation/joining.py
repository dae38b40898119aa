"""Evaluations of several occasions as one, where they can be held against each other."""

from __future__ import annotations

from idealist.data.provenance import Sources
from idealist.errors import InputError
from idealist.evaluation.aggregating import NAN
from idealist.evaluation.result import Evaluation, QueryNames
from idealist.kernels import Values
from idealist.wording import count_of, count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    >>> old = evaluate({"old": {"q": {"b": 2.0, "a": 1.0}}}, judged, "RR")
    >>> new = evaluate({"new": {"q": {"a": 2.0, "b": 1.0}}}, judged, "RR")
    >>> join_evaluations([old, new])
    <Evaluation: old, new; RR; 1 query>
    """
    if not evaluations:
        raise InputError("there is no evaluation")
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
                hint="measure the runs against the same judgments, or say that they may differ "
                "(different_judgments=True, --different-judgments)",
            )
        differ = differ or bool(reason)
    _refuse_other_weights(evaluations)
    systems = _systems(evaluations)
    wanted, notes = _measures(evaluations) if measures is None else (_named(measures, evaluations), [])
    if differ:
        notes.append("the judgments differ: a pair of systems is compared over the queries that both have")
    queries = _queries(evaluations)
    values = {
        (system, measure): _aligned(one, measure, system, queries)
        for one in evaluations
        for system in one.systems
        for measure in wanted
    }
    return Evaluation(
        measures=wanted,
        values=values,
        pooled={key: value for one in evaluations for key, value in one.pooled.items() if key[1] in wanted},
        names=QueryNames(queries),
        systems=systems,
        conventions=first.conventions,
        weights=_joined_weights(evaluations, queries),
        notes=(*dict.fromkeys(note for one in evaluations for note in one.notes), *notes),
        judged=_judged(evaluations),
        tied=None
        if differ
        else {system: tied for one in evaluations for system, tied in one.tied_queries.items()},
        missing={system: missing for one in evaluations for system, missing in one.missing.items()},
        provenance=_sources(evaluations, differ),
        weighted_by=first.weighted_by,
        whole_ids=all(one.whole_ids for one in evaluations),
    )


def rename_systems(evaluation: Evaluation, names: Mapping[str, str]) -> Evaluation:
    """The same evaluation with other names for some of its systems."""

    def new(name: str) -> str:
        return names.get(name, name)

    sources = evaluation.provenance
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
        judged={k: {new(one): share for one, share in by.items()} for k, by in evaluation.judged.items()},
        tied={new(system): tied for system, tied in evaluation.tied_queries.items()},
        missing={new(system): missing for system, missing in evaluation.missing.items()},
        provenance=sources
        and Sources(sources.judgments, {new(one): run for one, run in sources.runs.items()}),
        weighted_by=evaluation.weighted_by,
        whole_ids=evaluation.whole_ids,
    )


def _refuse_other_conventions(first: Evaluation, other: Evaluation) -> None:
    if first.conventions == other.conventions:
        return
    mine, theirs = first.conventions.to_dict(), other.conventions.to_dict()
    shown = [
        f"{field} {choice} against {theirs[field]}"
        for field, choice in mine.items()
        if theirs[field] != choice
    ]
    if first.conventions.parameters != other.conventions.parameters:
        shown.append(f"parameters {first.conventions.parameters} against {other.conventions.parameters}")
    raise InputError(
        f"the evaluations have different conventions: {', '.join(shown)}",
        hint="measure the runs under the same conventions",
    )


def _refuse_other_weights(evaluations: Sequence[Evaluation]) -> None:
    known: dict[str, float] = {}
    if len({one.weighted for one in evaluations}) > 1:
        raise InputError(
            "queries have weights in one evaluation, and none in another",
            hint="measure the runs with the same weights",
        )
    for one in evaluations:
        for query, weight in zip(one.queries, one.weights or (), strict=bool(one.weights)):
            if known.setdefault(query, weight) != weight:
                raise InputError(
                    f"query {query!r} weighs {known[query]:g} in one evaluation, {weight:g} in another",
                    hint="measure the runs with the same weights",
                )


def _difference(first: Evaluation, other: Evaluation) -> str:
    """How the judgments of two evaluations differ; nothing if they do not."""
    mine, theirs = _judgments(first), _judgments(other)
    if mine is None or theirs is None:
        return "of one it is not known what they were"
    if mine.kind == theirs.kind and mine.sha256 == theirs.sha256:
        return ""
    told = f"{_told(mine)}, and {_told(theirs)}"
    ours, others = set(first.queries), set(other.queries)
    if ours == others:
        return f"{told}; the queries are the same"
    return f"{told}; {count_queries(len(ours & others))} in both"


def _told(one: Provenance) -> str:
    return f"{one.source or one.name} has {count_of(one.rows, 'row')} of {count_queries(one.queries)} (sha256 {one.sha256[:12]})"


def _judgments(evaluation: Evaluation) -> Provenance | None:
    found = None if evaluation.provenance is None else evaluation.provenance.judgments
    return found if found is not None and found.digest is not None else None


def _systems(evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    systems: dict[str, None] = {}
    for one in evaluations:
        for system in one.systems:
            if system in systems:
                raise InputError(
                    f"two systems are called {system!r}",
                    hint="give them names when they are measured: evaluate({'old': run, …}, …)",
                )
            systems[system] = None
    return tuple(systems)


def _measures(evaluations: Sequence[Evaluation]) -> tuple[tuple[Measure, ...], list[str]]:
    """Those that all have, and a note on the others."""
    shared = tuple(m for m in evaluations[0].measures if all(m in one.measures for one in evaluations))
    if not shared:
        shown = " · ".join(", ".join(map(str, one.measures)) for one in evaluations)
        raise InputError(f"the evaluations have no measure in common: {shown}")
    rest = dict.fromkeys(m for one in evaluations for m in one.measures if m not in shared)
    return shared, [f"{measure} was not measured for all systems: it is left out" for measure in rest]


def _named(measures: Sequence[Measure], evaluations: Sequence[Evaluation]) -> tuple[Measure, ...]:
    for measure in measures:
        for one in evaluations:
            if measure not in one.measures:
                raise InputError(
                    f"{measure} was not measured for {', '.join(one.systems)}",
                    hint=f"there are {', '.join(map(str, one.measures))}",
                )
    return tuple(measures)


def _queries(evaluations: Sequence[Evaluation]) -> list[str]:
    names = {query for one in evaluations for query in one.queries}
    return sorted(names, key=lambda name: name.encode("utf-8", "surrogateescape"))


def _aligned(one: Evaluation, measure: Measure, system: str, queries: list[str]) -> Values:
    found = one.by_query(measure, system)
    return Values([found.get(query, NAN) for query in queries])


def _joined_weights(evaluations: Sequence[Evaluation], queries: list[str]) -> Values | None:
    if not evaluations[0].weighted:
        return None
    known: dict[str, float] = {}
    for one in evaluations:
        known |= zip(one.queries, one.weights or (), strict=True)
    return Values([known[query] for query in queries])


def _judged(evaluations: Sequence[Evaluation]) -> dict[int | None, dict[str, float]]:
    """At the depths that all know."""
    depths = [k for k in evaluations[0].judged if all(k in one.judged for one in evaluations)]
    return {
        k: {system: share for one in evaluations for system, share in one.judged[k].items()} for k in depths
    }


def _sources(evaluations: Sequence[Evaluation], differ: bool) -> Sources:
    known = [one.provenance for one in evaluations if one.provenance is not None]
    runs = {system: run for one in known for system, run in one.runs.items()}
    return Sources(None if differ else known[0].judgments, runs)
