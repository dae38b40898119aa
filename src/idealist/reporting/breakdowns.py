"""What stands below means: segments of queries, and systems weighed by several measures."""

from __future__ import annotations

from idealist.comparison import best_system, hypervolume, pareto_front, segments, worst_segment
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.reporting.cells import ends_of, interval_cell, number_cell
from idealist.reporting.table import Table
from idealist.reporting.view import View
from idealist.wording import interval_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.comparison.segmentation import Segment, Segments
    from idealist.data.profiles import Profiles
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.reporting.table import Cell


class Breakdown(Frozen):
    """What is said besides the means: lines and a table for people; a record and rows for machines."""

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
    lines = [f"Pareto front over {', '.join(one.label for one in comparable)}: {', '.join(front)}"]
    if volume is not None:
        lines.append(f"hypervolume over 0: {volume:.4f}")
    record = {"measures": [str(one) for one in comparable], "front": list(front), "hypervolume": volume}
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


def of_segments(result: Evaluation, profiles: Profiles, column: str) -> Breakdown:
    """Value, n and interval of every segment, and the worst one."""
    by = dict(zip(result.queries, profiles.texts(column, result.queries), strict=True))
    found = [
        segments(result, measure, by, system)
        for measure in result.measures
        if measure.aggregate == "mean"
        for system in result.systems
    ]
    if not found:
        raise InputError("no measure here has a mean over users", hint="add one, such as -m nDCG@10")
    records = [
        {
            "measure": str(part.measure),
            "system": part.system,
            "segment": one.name,
            "value": None if one.value != one.value else one.value,
            **dict(zip(("low", "high"), ends_of(one.interval), strict=True)),
            "n": one.n,
            "effective_n": one.effective_n,
            "worst": one is _worst(part),
        }
        for part in found
        for one in part
    ]
    return Breakdown((), _segment_table(found, column), {"segments": records}, _segment_rows(found, column))


def segments_view(found: Segments) -> View:
    """The segments of one system by one measure."""
    return View(lambda: [_segment_table([found], "segment")], rows=lambda: _segment_rows([found], "segment"))


def _segment_table(found: Sequence[Segments], column: str) -> Table:
    """For people; the effective n stands there where weights make it another one."""
    weighted = _weighted(found)
    titles = ["measure", "system", column, "value", interval_title(found[0].confidence), "n"]
    titles += ["effective n", "note"] if weighted else ["note"]
    rows: list[list[Cell]] = []
    best, rules = set(), set()
    for part in found:
        rules.add(len(rows))
        worst = _worst(part)
        for one in part:
            if one is worst:
                best.add((len(rows), len(titles) - 1))
            rows.append(
                [
                    *(part.measure.label, part.system, one.name, number_cell(one.value)),
                    *(interval_cell(one.interval), one.n, *([one.effective_n] if weighted else [])),
                    "worst" if one is worst else None,
                ]
            )
    below = [
        "",
        "intervals of means by test inversion, or Student's for measures without bounds; empty where there are too "
        "few queries, or all are alike and there are no bounds",
    ]
    return Table(titles, rows, below=below, best=best, rules=rules - {0})


def _segment_rows(found: Sequence[Segments], column: str) -> Table:
    """For machines: both ends of an interval in columns of their own."""
    weighted = _weighted(found)
    titles = ["measure", "system", column, "value", "low", "high", "n"]
    titles += ["effective n", "note"] if weighted else ["note"]
    rows: list[list[Cell]] = [
        [
            *(part.measure.label, part.system, one.name, number_cell(one.value)),
            *(*ends_of(one.interval), one.n, *([one.effective_n] if weighted else [])),
            "worst" if one is _worst(part) else None,
        ]
        for part in found
        for one in part
    ]
    return Table(titles, rows)


def _worst(found: Segments) -> Segment | None:
    return worst_segment(found, found.measure) if len(found) > 1 else None


def _weighted(found: Sequence[Segments]) -> bool:
    return any(abs(one.effective_n - one.n) > 1e-9 for part in found for one in part)
