"""An evaluation for machines: one value a row, one record, or a record a line."""

from __future__ import annotations

from idealist.evaluation.ties import ENDS
from idealist.reporting.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.reporting.breakdowns import Breakdown
    from idealist.reporting.table import Cell


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
    from idealist.evaluation.records import record_of

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
