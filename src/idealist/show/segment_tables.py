"""Tables below means: segments of queries, and systems weighed by several measures."""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.base.wording import interval_title
from idealist.comparison import best_system, hypervolume, pareto_front, segments, worst_segment
from idealist.data.segments import segment_of
from idealist.errors import InputError
from idealist.show.cells import ends_of, interval_cell, number_cell
from idealist.show.table import Table
from idealist.show.view import View
from idealist.statistics.inversion import EXPLAINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.comparison.segmentation import Segment, Segments
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.show.table import Cell


class Breakdown(Frozen):
    """A breakdown beside the means: lines and a table for people; a record and rows for machines."""

    lines: tuple[str, ...] = ()
    table: Table | None = None
    record: dict[str, Any] = {}  # noqa: RUF012 - frozen
    rows: Table | None = None


def of_objectives(result: Evaluation, objectives: tuple[Measure, ...]) -> Breakdown:
    """The Pareto front over the measures of the single objectives."""
    comparable = tuple(measure for measure in objectives if measure.better != "neither")
    if len(result.systems) < 2 or len(comparable) < 2:
        return Breakdown()
    front = pareto_front(result, comparable)
    from_zero = all(measure.bounds[0] >= 0 and measure.better == "higher" for measure in comparable)
    volume = hypervolume(result, comparable) if from_zero else None
    lines = [f"Pareto front over {', '.join(measure.label for measure in comparable)}: {', '.join(front)}"]
    if volume is not None:
        lines.append(f"hypervolume over 0: {volume:.4f}")
    record = {
        "measures": [str(measure) for measure in comparable],
        "front": list(front),
        "hypervolume": volume,
    }
    return Breakdown(tuple(lines), None, {"pareto": record})


def of_thresholds(
    result: Evaluation, goal: Measure, at_least: Mapping[Measure, float], at_most: Mapping[Measure, float]
) -> Breakdown:
    """The best run among those that keep to every threshold."""
    best = best_system(result, goal, at_least=at_least, at_most=at_most)
    shown = " and ".join(
        f"{measure.label} {sign} {value:g}"
        for sign, limits in (("≥", at_least), ("≤", at_most))
        for measure, value in limits.items()
    )
    line = f"best {goal.label} with {shown}: {best}" if best else f"no run has {shown}"
    record = {
        "goal": str(goal),
        "at_least": {str(measure): value for measure, value in at_least.items()},
        "at_most": {str(measure): value for measure, value in at_most.items()},
        "system": best,
    }
    return Breakdown((line,), None, {"best": record})


def of_segments(result: Evaluation, by_query: Mapping[str, str], column: str) -> Breakdown:
    """Value, n and interval of every segment, and the worst one. `column` is the title of segments."""
    for query in result.queries:
        segment_of(query, by_query)  # an error where it has none
    by_system = [
        segments(result, measure, by_query, system)
        for measure in result.measures
        if measure.aggregate == "mean"
        for system in result.systems
    ]
    if not by_system:
        raise InputError("no measure here has a mean over users", hint="add one, such as -m nDCG@10")
    records = [
        {
            "measure": str(part.measure),
            "system": part.system,
            "segment": segment.name,
            "value": None if segment.value != segment.value else segment.value,
            **dict(zip(("low", "high"), ends_of(segment.interval), strict=True)),
            "n": segment.n,
            "effective_n": segment.effective_n,
            "worst": segment is _worst(part),
            **(
                {"corrected": part.corrected[segment.name].to_dict()}
                if segment.name in part.corrected
                else {}
            ),
        }
        for part in by_system
        for segment in part
    ]
    return Breakdown(
        (), _segment_table(by_system, column), {"segments": records}, _segment_rows(by_system, column)
    )


def segments_view(segments_found: Segments) -> View:
    """The segments of one system by one measure."""
    return View(
        lambda: [_segment_table([segments_found], "segment")],
        rows=lambda: _segment_rows([segments_found], "segment"),
    )


def _segment_table(by_system: Sequence[Segments], column: str) -> Table:
    """For people; the effective n stands there where weights make it another one."""
    weighted = _weighted(by_system)
    titles = ["measure", "system", column, "value", interval_title(by_system[0].confidence), "n"]
    titles += ["effective n"] if weighted else []
    corrected = any(part.corrected for part in by_system)
    titles += ["corrected", interval_title(by_system[0].confidence)] if corrected else []
    titles += ["note"]
    rows: list[list[Cell]] = []
    best, rules = set(), set()
    for part in by_system:
        rules.add(len(rows))
        worst = _worst(part)
        for segment in part:
            if segment is worst:
                best.add((len(rows), len(titles) - 1))
            rows.append(
                [
                    *(part.measure.label, part.system, segment.name, number_cell(segment.value)),
                    *(
                        interval_cell(segment.interval),
                        segment.n,
                        *([segment.effective_n] if weighted else []),
                        *(_corrected_cells(part, segment) if corrected else []),
                    ),
                    "worst" if segment is worst else None,
                ]
            )
    below = [
        "",
        f"intervals of means allow for rare values far from the others ({EXPLAINED}), or are Student's "
        "for measures without bounds; empty where there are too few queries, or all are alike and there are no bounds",
    ]
    return Table(titles, rows, below=below, best=best, rules=rules - {0})


def _segment_rows(by_system: Sequence[Segments], column: str) -> Table:
    """For machines: both ends of an interval in columns of their own."""
    weighted = _weighted(by_system)
    titles = ["measure", "system", column, "value", "low", "high", "n"]
    titles += ["effective n"] if weighted else []
    corrected = any(part.corrected for part in by_system)
    titles += ["corrected", "corrected_low", "corrected_high"] if corrected else []
    titles += ["note"]
    rows: list[list[Cell]] = [
        [
            *(part.measure.label, part.system, segment.name, number_cell(segment.value)),
            *(*ends_of(segment.interval), segment.n, *([segment.effective_n] if weighted else [])),
            *(_corrected_numbers(part, segment) if corrected else []),
            "worst" if segment is _worst(part) else None,
        ]
        for part in by_system
        for segment in part
    ]
    return Table(titles, rows)


def _corrected_cells(part: Segments, segment: Segment) -> list[Cell]:
    estimate = part.corrected.get(segment.name)
    return (
        [None, None] if estimate is None else [number_cell(estimate.value), interval_cell(estimate.interval)]
    )


def _corrected_numbers(part: Segments, segment: Segment) -> list[Cell]:
    estimate = part.corrected.get(segment.name)
    return [None, None, None] if estimate is None else [estimate.value, *ends_of(estimate.interval)]


def _worst(parts: Segments) -> Segment | None:
    return worst_segment(parts, parts.measure) if len(parts) > 1 else None


def _weighted(by_system: Sequence[Segments]) -> bool:
    return any(abs(segment.effective_n - segment.n) > 1e-9 for part in by_system for segment in part)
