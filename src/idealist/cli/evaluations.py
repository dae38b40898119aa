"""What commands that measure runs share: an Evaluation in every format."""

from __future__ import annotations

import sys

from idealist.cli.options import BOUNDS, rendered
from idealist.errors import visible
from idealist.evaluation import remark_ties
from idealist.evaluation.ties import ENDS
from idealist.evaluation.weighing import weighting_note
from idealist.report import FORMATS, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from idealist.cli.breakdowns import Breakdown
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.report.table import Cell


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by-query", action="store_true", help="every query's value too")
    parser.add_argument(
        "--format", choices=(*FORMATS, "json", "jsonl"), default="table", help="default: table"
    )
    parser.add_argument(
        "--provenance",
        action="store_true",
        help="source, rows and SHA-256 of the content of judgments and runs too (JSON always has them)",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="default: all cores")


def write_evaluation(
    result: Evaluation,
    breakdowns: Sequence[Breakdown] = (),
    *,
    kind: str = "table",
    by_query: bool = False,
    provenance: bool = False,
    bounds: bool = False,
) -> None:
    """In the format `kind`; with `bounds`, values under the worst and the best order of ties, for the measures that
    have them."""
    below = kind not in ("csv", "json", "jsonl")  # where lines stand below the numbers
    notes = [note for note in result.notes if not (below and note == _weighting(result))]
    for note in (*notes, *(_without_bounds(result) if bounds else ())):
        print(f"note: {visible(note)}", file=sys.stderr)
    if kind == "csv":
        print(f"conventions: {result.conventions}", file=sys.stderr)
    if provenance and kind == "csv":
        print("\n".join(map(visible, _provenance(result))), file=sys.stderr)
    more = _provenance(result) if provenance else []
    sys.stdout.write(_rendered(result, kind, by_query, breakdowns, bounds, more))


def _without_bounds(result: Evaluation) -> list[str]:
    return [
        f"{measure} has no best and worst order of ties: its value is that of ties={result.conventions.ties}"
        for measure in result.measures
        if not any(result.bounded(measure, system) for system in result.systems)
    ]


def _weighting(result: Evaluation) -> str | None:
    return None if result.weights is None else weighting_note(result.weighted_by, result.weights)


def _provenance(result: Evaluation) -> list[str]:
    """Where the values came from, a line each."""
    sources = result.provenance
    if sources is None:
        return []
    held = sources.judgments
    against = [] if held is None else [f"{'reference' if held.kind == 'run' else 'judgments'}: {held}"]
    return [*against, *(f"{system}: {run}" for system, run in sources.runs.items())]


def _rendered(
    result: Evaluation,
    kind: str,
    by_query: bool,
    breakdowns: Sequence[Breakdown],
    bounds: bool,
    more: Sequence[str] = (),
) -> str:
    if kind in ("json", "jsonl"):
        return _records(result, kind, by_query, breakdowns, bounds)
    tables = [one.table for one in breakdowns if one.table]
    if kind == "csv":  # one table a file: the finest there is
        return rendered(tables[-1] if tables else _tall(result, by_query, bounds), kind)
    lines = [line for one in breakdowns for line in one.lines]
    wide = _wide(result, by_query, lines, bounds, more)
    return "\n".join(rendered(table, kind) for table in (wide, *tables))


def _records(
    result: Evaluation, kind: str, by_query: bool, breakdowns: Sequence[Breakdown], bounds: bool
) -> str:
    import json

    more = {key: value for one in breakdowns for key, value in one.record.items()}
    if kind == "json":
        if bounds and by_query:
            more["ties_by_query"] = _ties_by_query(result)
        return json.dumps({**json.loads(result.to_json(by_query=by_query)), **more}) + "\n"
    lines: list[dict[str, object]] = []
    if by_query:
        titles, rows = _values(result, bounds)
        lines += (dict(zip(titles, row, strict=True)) for row in rows)
    lines += result.summary()
    lines += ({key: value} for key, value in more.items())
    if result.provenance is not None:
        lines.append({"provenance": result.provenance.to_dict()})
    lines.append({"ties": result.tie_bounds()})
    lines.append({"judged": result.judged_shares()})
    lines.append({"conventions": result.conventions.to_dict()})
    return "".join(json.dumps(line) + "\n" for line in lines)


def _ties_by_query(result: Evaluation) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    return {
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


def _tall(result: Evaluation, by_query: bool, bounds: bool) -> Table:
    """One value a row, for machines."""
    if by_query:
        return Table(*_values(result, bounds))
    rows: list[list[Cell]] = []
    for system in result.systems:
        for measure in result.measures:
            ends = _ends(result, measure, system) or (None, None) if bounds else ()
            value, n = result.aggregate(measure, system), result.n(measure, system)
            rows.append([system, str(measure), value, *ends, n])
    return Table(["system", "measure", "value", *(ENDS if bounds else ()), "n"], rows)


def _wide(
    result: Evaluation, by_query: bool, lines: list[str], bounds: bool, more: Sequence[str] = ()
) -> Table:
    """A column a system, for people; with by_query, the summary stands below a line."""
    summary, best = _summary(result, bounds)
    ties = [f"ties: {line}" for line in remark_ties(result)]
    weighting = [one] if (one := _weighting(result)) else []
    conventions = f"conventions: {_conventions(result, bounds)}"
    below = ["", *lines, *weighting, *ties, *_judged(result), conventions, *more]
    same_n = all(len(set(_counts(result, measure))) == 1 for measure in result.measures)
    counts = ["n"] if same_n else [f"n {system}" for system in result.systems]
    titles = ["measure", *result.systems, *counts]
    for row, measure in zip(summary, result.measures, strict=True):
        row += _counts(result, measure)[: len(counts)]
    if not by_query:
        return Table(titles, summary, below=below, best=best)
    rows: list[list[Cell]] = []
    columns = {
        measure: [_column(result, measure, system, bounds) for system in result.systems]
        for measure in result.measures
    }
    for query in result.queries:
        for measure, values in columns.items():
            cells = [column.get(query) for column in values]
            rows.append([query, measure.label, *cells, *([None] * len(counts))])
    first = len(rows)
    rows += [["all", *row] for row in summary]
    return Table(
        ["query", *titles],
        rows,
        below=below,
        best={(first + row, column + 1) for row, column in best},
        rules={first},
    )


def _column(result: Evaluation, measure: Measure, system: str, bounds: bool) -> Mapping[str, Cell]:
    if bounds and result.bounded(measure, system):
        ranges = result.ties_by_query(measure, system)
        return {query: _range(measure.aggregate, *both) for query, both in ranges.items()}
    values = result.by_query(measure, system)
    return {query: _cell(measure.aggregate, value) for query, value in values.items()}


def _conventions(result: Evaluation, bounds: bool) -> str:
    if not bounds:
        return str(result.conventions)
    rule = f"ties {result.conventions.ties}"
    return str(result.conventions).replace(rule, f"ties {BOUNDS}, [{', '.join(ENDS)}]")


def _judged(result: Evaluation) -> list[str]:
    """How much of what the measures look at was judged, as one line."""
    shares = [
        ("all " if k is None else f"@{k} ") + ", ".join(f"{system} {one:.2f}" for system, one in by.items())
        for k, by in result.judged.items()
    ]
    # Judged counts queries that the run lacks as 0, unless they are skipped.
    lacking = result.conventions.missing != "skip" and any(result.missing.values())
    return [f"judged: {' · '.join(shares)}{' (over the queries in the run)' * lacking}"] if shares else []


def _counts(result: Evaluation, measure: object) -> list[int]:
    return [result.n(measure, system) for system in result.systems]  # type: ignore[arg-type]


def _summary(result: Evaluation, bounds: bool) -> tuple[list[list[Cell]], set[tuple[int, int]]]:
    """A row per measure, and the cells of the best systems where there are several."""
    rows: list[list[Cell]] = []
    best: set[tuple[int, int]] = set()
    for measure in result.measures:
        values = [result.aggregate(measure, system) for system in result.systems]
        ranges = [_ends(result, measure, system) if bounds else None for system in result.systems]
        cells = [
            _range(measure.aggregate, *ends) if ends else _cell(measure.aggregate, value)
            for ends, value in zip(ranges, values, strict=True)
        ]
        if len(values) > 1 and measure.aggregate != "sum" and measure.better != "neither":
            lows, highs = zip(
                *(ends or (value, value) for ends, value in zip(ranges, values, strict=True)), strict=True
            )
            best |= {(len(rows), at) for at in _surely_best(measure.better, lows, highs)}
        rows.append([measure.label, *cells])
    return rows, best


def _surely_best(better: str, lows: Sequence[float], highs: Sequence[float]) -> set[int]:
    """The columns, from 1, of systems that no other beats, whatever the values within their ranges are."""
    if better == "lower":
        lows, highs = [-high for high in highs], [-low for low in lows]
    return {
        at
        for at, low in enumerate(lows, 1)
        if low == low and not any(high > low for other, high in enumerate(highs, 1) if other != at)
    }


def _ends(result: Evaluation, measure: Measure, system: str) -> tuple[float, float] | None:
    """The value under the worst and the best order of ties, if the measure and its queries have them."""
    if not result.bounded(measure, system):
        return None
    ties = result.ties(measure, system)
    return None if ties.optimistic != ties.optimistic else (ties.pessimistic, ties.optimistic)


def _range(aggregate: str, low: float, high: float) -> Cell:
    return (int(low), int(high)) if aggregate == "sum" else (low, high)


def _cell(aggregate: str, value: float | None) -> Cell:
    if value is None or value != value:
        return None
    return int(value) if aggregate == "sum" else value
