"""Numbers per query that were measured elsewhere, as the values of an evaluation, alone or beside those of runs."""

from __future__ import annotations

from idealist.base.wording import count_queries
from idealist.data.grouped import bytewise
from idealist.data.provenance import Sources
from idealist.data.query_numbers import unknown_system
from idealist.data.query_weights import QueryWeights
from idealist.data.weight_reading import query_weights, weighting_note
from idealist.errors import InputError
from idealist.evaluation.aggregates import NAN
from idealist.evaluation.evaluation import Evaluation, QueryNames
from idealist.kernels import Values
from idealist.measures.column import INFINITE, Column, by_name, measures_and_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data.query_numbers import NumberColumn, QueryNumbers
    from idealist.measures import Measure


def evaluate_with_numbers(
    numbers: Any,
    measures: Any,
    *,
    conventions: Conventions,
    weights: Any = None,
    weight_by: str | None = None,
    profiles: Any = None,
    of_runs: Callable[[tuple[Measure, ...]], Evaluation] | None = None,
) -> Evaluation:
    """The values of columns of numbers and, where `of_runs` measures runs, those of runs beside them. `measures` are
    texts and objects, or None for all columns."""
    from idealist.data.query_numbers import read_numbers

    read = read_numbers(numbers)
    chosen = measures_and_columns(
        measures, read.columns, defaults=conventions.parameters, besides=of_runs is not None
    )
    columns = [measure for measure in chosen if isinstance(measure, Column)]
    others = tuple(measure for measure in chosen if not isinstance(measure, Column))
    for column in columns:
        if column.column not in read.columns:
            raise InputError(
                f"there is no column of numbers {column.column!r}",
                source=read.source,
                hint=f"there are {', '.join(read.columns)}",
            )
    if of_runs is None and others:
        raise InputError(
            f"{others[0]} is not a column of the numbers, and there are no runs to measure",
            source=read.source,
            hint=f"there are {', '.join(read.columns)}; runs and judgments are given beside the numbers",
        )
    measured = of_runs(others) if of_runs is not None and others else None
    if of_runs is not None and measured is None:
        raise InputError(
            "only columns of numbers were named, so the runs are not measured",
            hint="leave runs and judgments out, or name a measure, such as nDCG@10",
        )
    if measured is None:
        weighting = query_weights(weights, weight_by, profiles)
    else:
        weighting = _weighting_of(measured, weights, weight_by, profiles)
    of_numbers = _values(read, columns, conventions, weighting, measured)
    return of_numbers if measured is None else _beside(measured, of_numbers, chosen)


def _weighting_of(
    measured: Evaluation, weights: Any, weight_by: str | None, profiles: Any
) -> QueryWeights | None:
    """The weights that the runs were measured with; those given know more queries than are judged."""
    if not measured.weighted:
        return None
    given = query_weights(weights, weight_by, profiles)
    known = dict(zip(measured.queries, measured.weights or (), strict=True))
    return given or QueryWeights(known, measured.weighted_by)


def _values(
    numbers: QueryNumbers,
    columns: Sequence[Column],
    conventions: Conventions,
    weighting: QueryWeights | None,
    measured: Evaluation | None,
) -> Evaluation:
    """The numbers as an evaluation; of the systems that were `measured`, where there are any."""
    systems = numbers.systems if measured is None else measured.systems
    for system in systems:
        if system not in numbers.systems:
            raise unknown_system(system, numbers.systems, numbers.source)
    notes = list(numbers.notes)
    if others := [system for system in numbers.systems if system not in systems]:
        notes.append(f"the numbers of {', '.join(others)} are left out: there is no such run")
    queries = sorted({query for system in systems for query in numbers.rows[system]}, key=bytewise)
    values: dict[tuple[str, Measure], Values] = {}
    ranged = []
    for stated in columns:
        content = numbers.column(stated.column)
        column, note = _ranged(stated, content, numbers)
        ranged.append(column)
        notes += note
        notes += _undefined(column, content, numbers, systems)
        for system in systems:
            by_query = content.values[system]
            values[system, column] = Values([by_query.get(query, NAN) for query in queries])
    weighed = None if weighting is None else Values(weighting.of(queries, "in the numbers"))
    if weighting is not None and weighed is not None and measured is None:
        notes.append(weighting_note(weighting.label, weighed))
    return Evaluation(
        measures=tuple(ranged),
        values=values,
        pooled={},
        names=QueryNames(queries),
        systems=systems,
        conventions=conventions,
        weights=weighed,
        notes=tuple(notes),
        judged={},
        missing={
            system: tuple(query for query in queries if query not in numbers.rows[system])
            for system in systems
        },
        provenance=Sources(None, {}, (numbers.provenance(),)),
        weighted_by="" if weighting is None else weighting.label,
        whole_ids=numbers.whole_ids,
    )


def _ranged(column: Column, content: NumberColumn, numbers: QueryNumbers) -> tuple[Column, list[str]]:
    """The column with the range that its numbers keep. A range that was stated must be kept; one that only the name
    of the column says is given up where a number lies outside of it."""
    if content.flags and column.bounds == (-INFINITE, INFINITE):
        column = column.replace(low=0.0, high=1.0)
    least, greatest = content.ends
    notes = []
    if column.better == "neither":
        notes.append(
            f"{column.label}: which values are better is not known, so no verdict goes by it; "
            f"{column.label}(better=higher) or (better=lower) says it"
        )
    if not (least < column.bounds[0] or greatest > column.bounds[1]):
        return column, notes
    low, high = column.bounds
    if column.bounds != by_name(column.column)[1]:
        system, query, number = next(
            (system, query, number)
            for system, by_query in content.values.items()
            for query, number in by_query.items()
            if not low <= number <= high
        )
        raise numbers.wrong(
            system,
            query,
            f"{column.label} is {number:g} for query {query!r} of {system!r}, outside of {low:g} to {high:g}",
            hint=f"state the range that the numbers have: {column.label}(low={least:g},high={greatest:g})",
        )
    notes.append(
        f"{column.label} has numbers from {least:g} to {greatest:g}: its range is not {low:g} to {high:g}, "
        f"and not known; {column.label}(low=…,high=…) says it"
    )
    return column.replace(low=-INFINITE, high=INFINITE), notes


def _undefined(
    column: Column, content: NumberColumn, numbers: QueryNumbers, systems: Sequence[str]
) -> list[str]:
    """A note for each system that has rows without a value."""
    notes = []
    for system in systems:
        empty = [query for query in numbers.rows[system] if query not in content.values[system]]
        if empty:
            notes.append(
                f"{column.label} of {system} is not defined for {count_queries(len(empty))}, such as "
                f"{min(empty, key=bytewise)!r}, left out"
            )
    return notes


def _beside(measured: Evaluation, numbers: Evaluation, order: Sequence[Measure]) -> Evaluation:
    """The values of runs and the numbers of the same systems, in the order in which measures and columns were named."""
    from idealist.evaluation.joining import join_measures

    names = [measure.label for measure in order]
    every = (*measured.measures, *numbers.measures)
    return join_measures(measured, numbers, sorted(every, key=lambda measure: names.index(measure.label)))
