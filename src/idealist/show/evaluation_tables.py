"""An evaluation: measures down, systems across; the values of queries above a line; what to know below."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.evaluation.aggregates import ENDS, remark_ties
from idealist.evaluation.notes import spoils_numbers
from idealist.measures import Judged
from idealist.show.convention_tables import conventions_line
from idealist.show.table import Table
from idealist.show.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.comparison import Comparison
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.show.segment_tables import Breakdown
    from idealist.show.table import Cell
    from idealist.show.view import Block


def value_rows(result: Evaluation, by_query: bool, bounds: bool) -> Table:
    """One value a row, for machines."""
    if by_query:
        return Table(*_values(result, bounds))
    rows: list[list[Cell]] = []
    for system in result.systems:
        for measure in result.measures:
            ends = bounds_of(result, measure, system) or (None, None) if bounds else ()
            value, n = result.aggregate(measure, system), result.n(measure, system)
            rows.append([system, str(measure), value, *ends, n])
    return Table(["system", "measure", "value", *(ENDS if bounds else ()), "n"], rows)


def _values(result: Evaluation, bounds: bool) -> tuple[list[str], list[list[Cell]]]:
    """One value a row; with `bounds`, both ends beside it, nothing where the measure has none."""
    titles = ["system", "query", "measure", "value"]
    if not bounds:
        return titles, [[v.system, v.query, str(v.measure), v.value] for v in result]
    ends = {
        (system, measure): result.ties_by_query(measure, system) if result.bounded(measure, system) else {}
        for system in result.systems
        for measure in result.measures
    }
    rows: list[list[Cell]] = [
        [v.system, v.query, str(v.measure), v.value, *ends[v.system, v.measure].get(v.query, (None, None))]
        for v in result
    ]
    return [*titles, *ENDS], rows


def evaluation_record(
    result: Evaluation, by_query: bool, bounds: bool, breakdowns: Sequence[Breakdown]
) -> dict[str, Any]:
    """All that an evaluation says, for JSON."""
    from idealist.evaluation.evaluation_records import record_of

    more = {key: value for breakdown in breakdowns for key, value in breakdown.record.items()}
    if result.machine is not None:
        more["corrected"] = result.corrected().to_dict()
    if bounds and by_query:
        more["ties_by_query"] = {
            system: {
                str(measure): {
                    query: dict(zip(ENDS, both, strict=True))
                    for query, both in result.ties_by_query(measure, system).items()
                }
                for measure in result.measures
                if result.bounded(measure, system)
            }
            for system in result.systems
        }
    return {**record_of(result, by_query=by_query), **more}


def record_lines(
    result: Evaluation, *, by_query: bool = False, bounds: bool = False, breakdowns: Sequence[Breakdown] = ()
) -> str:
    """JSON Lines: a record a line."""
    import json

    lines: list[dict[str, object]] = []
    if by_query:
        titles, rows = _values(result, bounds)
        lines += (dict(zip(titles, row, strict=True)) for row in rows)
    lines += result.summary()
    lines += ({key: value} for breakdown in breakdowns for key, value in breakdown.record.items())
    if result.machine is not None:
        lines.append({"corrected": result.corrected().to_dict()})
    if result.provenance is not None:
        lines.append({"provenance": result.provenance.to_dict()})
    lines.append({"ties": result.tie_bounds()})
    lines.append({"judged": result.judged_shares()})
    lines.append({"conventions": result.conventions.to_dict()})
    return "".join(json.dumps(line) + "\n" for line in lines)


def bounds_of(result: Evaluation, measure: Measure, system: str) -> tuple[float, float] | None:
    """The value under the worst and the best order of ties, if the measure and its queries have them."""
    if not result.bounded(measure, system):
        return None
    ties = result.ties(measure, system)
    return None if ties.optimistic != ties.optimistic else (ties.pessimistic, ties.optimistic)


LETTERS = "abcdefghijklmnoprstuvwxyz"  # there is no raised q
LEVEL = 0.05
REMARK = f"letters: the systems that are worse, p < {LEVEL:g} by Tukey's test of all pairs, blocked by query"


class Letters(Frozen):
    """Titles that give every system its letter, the letters beside the cells of a table of means, and what they say."""

    titles: list[str]
    marks: dict[tuple[int, int], str]
    remark: list[str]


def significance_letters(comparison: Comparison) -> Letters:
    """By row (the measures of the evaluation) and column (its systems, from 1); none for more than 25 systems."""
    evaluation = comparison.evaluation
    systems = evaluation.systems
    if len(systems) > len(LETTERS):
        return Letters(list(systems), {}, [])
    letters = dict(zip(systems, LETTERS, strict=False))
    marks = {
        (row, column): "".join(sorted(letters[worse] for worse in _worse(comparison, measure, system)))
        for row, measure in enumerate(evaluation.measures)
        for column, system in enumerate(systems, 1)
    }
    titles = [f"({letters[system]}) {system}" for system in systems]
    return Letters(titles, marks, [REMARK] if any(marks.values()) else [])


def _worse(comparison: Comparison, measure: Measure, system: str) -> list[str]:
    """The systems that this one is significantly better than, by Tukey's test or its randomised form."""
    if measure.better == "neither" or measure not in comparison.measures:
        return []
    worse = []
    pairs = comparison.pairs(measure, randomised=False)
    if any(pair.p_value is None for pair in pairs):
        pairs = comparison.pairs(measure)
    for pair in pairs:
        p = pair.p_randomised if pair.p_value is None else pair.p_value
        if p is None or not p < LEVEL:
            continue
        ahead = (pair.difference > 0) == (measure.better == "higher")
        winner, loser = (pair.second, pair.first) if ahead else (pair.first, pair.second)
        if winner == system:
            worse.append(loser)
    return worse


BOUNDS = "bounds"  # not one rule for ties, but both ends of what the others can give


def evaluation_view(
    result: Evaluation,
    *,
    by_query: bool = False,
    bounds: bool = False,
    breakdowns: Sequence[Breakdown] = (),
    provenance: bool = False,
    notes: bool = True,
) -> View:
    """Means, with `by_query` above them every query's values. With `bounds`, values under the worst and the best order of
    ties, for the measures that have them. `notes` may be left out, where they are said elsewhere."""
    sources = _provenance(result) if provenance else []
    conventions = _conventions(result, bounds)
    finer = [breakdown.rows for breakdown in breakdowns if breakdown.rows]

    def blocks() -> list[Block]:
        first, others = notes_by_place(evaluation_notes(result, bounds=bounds) if notes else [])
        lines = [
            *(line for breakdown in breakdowns for line in breakdown.lines),
            *(f"note: {note}" for note in others),
            *evaluation_lines(result),
            conventions,
            *sources,
        ]
        tables = [breakdown.table for breakdown in breakdowns if breakdown.table]
        means: Block = means_table(result, by_query=by_query, bounds=bounds)
        above = Lines(tuple(f"note: {note}" for note in first))
        return [above, means, *_corrected(result), Lines(tuple(lines)), *tables]

    def rows() -> Table:

        # One table a file: the finest there is.
        if result.machine is not None and not by_query and not finer:
            from idealist.show.corrected_tables import corrected_rows

            return corrected_rows(result.corrected())
        return finer[-1] if finer else value_rows(result, by_query, bounds)

    def record() -> dict[str, Any]:

        return evaluation_record(result, by_query, bounds, breakdowns)

    return View(
        blocks,
        rows=rows,
        record=record,
        beside=[conventions, *sources],
        compact=True,
    )


def _corrected(result: Evaluation) -> list[Block]:
    """The means that human and machine judgments give together, where both were given."""
    if result.machine is None:
        return []
    from idealist.show.corrected_tables import corrected_view

    return corrected_view(result.corrected()).blocks


def evaluation_notes(result: Evaluation, *, bounds: bool = False, weighting: bool = False) -> list[str]:
    """The notes of an evaluation; that on weights only where it does not stand below the table by itself."""
    notes = [note for note in result.notes if weighting or note not in _weighting(result)]
    if bounds:
        notes += (
            f"{measure} has no best and worst order of ties: its value is that of ties={result.conventions.ties}"
            for measure in result.measures
            if not any(result.bounded(measure, system) for system in result.systems)
        )
    return notes


def notes_by_place(notes: Sequence[str]) -> tuple[list[str], list[str]]:
    """The notes that stand before the numbers, as these mean nothing, and those below them."""
    first = [note for note in notes if spoils_numbers(note)]
    return first, [note for note in notes if note not in first]


def evaluation_lines(result: Evaluation) -> list[str]:
    """Notes below the means: weights, ties, and how much was judged."""
    ties = [f"ties: {line}" for line in remark_ties(result)]
    return [*_weighting(result), *ties, *_judged(result)]


def _judged(result: Evaluation) -> list[str]:
    """How much of what the measures look at was judged, as one line."""
    shares = [
        ("all " if k is None else f"@{k} ")
        + ", ".join(f"{system} {share:.2f}" for system, share in by.items())
        for k, by in result.judged.items()
    ]
    if not shares:
        return []
    line = f"judged: {' · '.join(shares)}"
    if result.conventions.missing == "skip" or not any(result.missing.values()):
        return [line]
    # Where the same stands above as a measure, the two numbers differ.
    measured = ", ".join(str(measure) for measure in result.measures if isinstance(measure, Judged))
    besides = f"; {measured} counts those it lacks as 0" if measured else ""
    return [f"{line} (over the queries in the run{besides})"]


def means_table(
    result: Evaluation,
    *,
    by_query: bool = False,
    bounds: bool = False,
    comparison: Comparison | None = None,
) -> Table:
    """A row per measure and a column per system; the best stand out. With a comparison, letters name the systems that
    are significantly worse."""
    from_pairs = None
    if comparison is not None:
        from_pairs = significance_letters(comparison)
    rows, best = _summary(result, bounds)
    same_n = all(len(set(_counts(result, measure))) == 1 for measure in result.measures)
    counts = ["n"] if same_n else [f"n {system}" for system in result.systems]
    systems = [*result.systems] if from_pairs is None else from_pairs.titles
    titles = ["measure", *systems, *counts]
    for row, measure in zip(rows, result.measures, strict=True):
        row += _counts(result, measure)[: len(counts)]
    if not by_query:
        marks, below = ({}, []) if from_pairs is None else (from_pairs.marks, from_pairs.remark)
        return Table(titles, rows, below=below, best=best, marks=marks)
    values: list[list[Cell]] = []
    columns = {
        measure: [_column(result, measure, system, bounds) for system in result.systems]
        for measure in result.measures
    }
    for query in result.queries:
        for measure, by_system in columns.items():
            cells = [column.get(query) for column in by_system]
            values.append([query, measure.label, *cells, *([None] * len(counts))])
    first = len(values)
    values += [["all", *row] for row in rows]
    return Table(
        ["query", *titles],
        values,
        best={(first + row, column + 1) for row, column in best},
        rules={first},
    )


def query_table(evaluation: Evaluation, measure: Measure, baseline: str | None, most: int) -> Table:
    """Every query's values of one measure; with a baseline, those that moved most first."""
    columns = {system: evaluation.by_query(measure, system) for system in evaluation.systems}
    others = [system for system in columns if system != baseline]
    valued: set[str] = set().union(*columns.values())
    queries = evaluation.queries
    queries = queries if len(valued) == len(queries) else [query for query in queries if query in valued]
    if baseline is not None:
        moved = dict.fromkeys(queries, 0.0)
        before = columns[baseline]
        for system in others:
            for query, value in columns[system].items():
                if query in before and (change := abs(value - before[query])) > moved[query]:
                    moved[query] = change
        queries = sorted(queries, key=moved.__getitem__, reverse=True)
    other = others[0] if baseline is not None and len(others) == 1 else None
    rows: list[list[Cell]] = []
    for query in queries[:most]:
        cells: list[Cell] = [column.get(query) for column in columns.values()]
        if other is not None and baseline is not None:
            from idealist.show.cells import Signed

            both = query in columns[other] and query in columns[baseline]
            cells.append(Signed(columns[other][query] - columns[baseline][query]) if both else None)
        rows.append([query, *cells])
    below = []
    if len(queries) > most:
        which = "that moved most" if baseline is not None else "first in order of their ids"
        below = [
            f"the {most:,} of {len(queries):,} queries {which}; idealist evaluate --by-query has them all"
        ]
    return Table(["query", *columns, *(["difference"] if other else [])], rows, below=below)


def measures_table(evaluation: Evaluation) -> Table:
    """Every measure with its parameters, and what it is."""
    return Table(
        ["measure", "in full", "what it is"],
        [
            [measure.label, repr(measure), ((type(measure).__doc__ or "").strip().splitlines() or [""])[0]]
            for measure in evaluation.measures
        ],
    )


def _weighting(result: Evaluation) -> list[str]:
    if result.weights is None:
        return []
    from idealist.data.weight_reading import weighting_note

    return [weighting_note(result.weighted_by, result.weights)]


def _conventions(result: Evaluation, bounds: bool) -> str:
    return conventions_line(
        result.conventions, {"ties": f"{BOUNDS}, [{', '.join(ENDS)}]"} if bounds else None
    )


def _provenance(result: Evaluation) -> list[str]:
    """Where the values came from, a line each."""
    sources = result.provenance
    if sources is None:
        return []
    held = sources.judgments
    against = [] if held is None else [f"{'reference' if held.kind == 'run' else 'judgments'}: {held}"]
    runs = (f"{system}: {run}" for system, run in sources.runs.items())
    return [*against, *runs, *(f"numbers: {table}" for table in sources.numbers)]


def _column(result: Evaluation, measure: Measure, system: str, bounds: bool) -> Mapping[str, Cell]:
    if bounds and result.bounded(measure, system):
        ranges = result.ties_by_query(measure, system)
        return {query: _range(measure, *both) for query, both in ranges.items()}
    values = result.by_query(measure, system)
    return {query: _cell(measure, value) for query, value in values.items()}


def _counts(result: Evaluation, measure: Measure) -> list[int]:
    return [result.n(measure, system) for system in result.systems]


def _summary(result: Evaluation, bounds: bool) -> tuple[list[list[Cell]], set[tuple[int, int]]]:
    """A row per measure, and the cells of the best systems where there are several."""
    rows: list[list[Cell]] = []
    best: set[tuple[int, int]] = set()
    for measure in result.measures:
        values = [result.aggregate(measure, system) for system in result.systems]
        ranges = [_ends(result, measure, system) if bounds else None for system in result.systems]
        cells = [
            _range(measure, *ends) if ends else _cell(measure, value)
            for ends, value in zip(ranges, values, strict=True)
        ]
        if len(values) > 1 and measure.aggregate != "sum" and measure.better != "neither":
            lows, highs = zip(
                *(ends or (value, value) for ends, value in zip(ranges, values, strict=True)), strict=True
            )
            best |= {(len(rows), at) for at in _surely_best(measure.better, lows, highs)}
        rows.append([measure.label, *cells])
    return rows, best


def _ends(result: Evaluation, measure: Measure, system: str) -> tuple[float, float] | None:

    return bounds_of(result, measure, system)


def _surely_best(better: str, lows: Sequence[float], highs: Sequence[float]) -> set[int]:
    """The columns, from 1, of systems that no other beats, whatever the values within their ranges are."""
    if better == "lower":
        lows, highs = [-high for high in highs], [-low for low in lows]
    return {
        at
        for at, low in enumerate(lows, 1)
        if low == low and not any(high > low for other, high in enumerate(highs, 1) if other != at)
    }


def _range(measure: Measure, low: float, high: float) -> Cell:
    return (int(low), int(high)) if measure.aggregate == "sum" else (low, high)


def _cell(measure: Measure, value: float | None) -> Cell:
    if value is None or value != value:
        return None
    return int(value) if measure.aggregate == "sum" and value == int(value) else value
