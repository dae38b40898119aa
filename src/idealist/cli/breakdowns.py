"""Below the means of `idealist evaluate`: segments of users, and runs weighed by several objectives."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.measures import parse
from idealist.report import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data.profiles import Profiles
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.report.table import Cell


class Breakdown(Frozen):
    """What is said besides the means: lines for people, a table, and the same for machines."""

    lines: tuple[str, ...] = ()
    table: Table | None = None
    record: dict[str, Any] = {}  # noqa: RUF012 - frozen


def of_objectives(result: Evaluation, objectives: tuple[Measure, ...]) -> Breakdown:
    """The Pareto front over the measures of the single objectives."""
    from idealist.comparison import hypervolume, pareto_front

    if len(result.systems) < 2 or len(objectives) < 2:
        return Breakdown()
    front = pareto_front(result, objectives)
    names = ", ".join(map(str, objectives))
    within = all(m.bounds[0] >= 0 for m in objectives)
    volume = hypervolume(result, objectives) if within else None
    lines = [f"Pareto front over {names}: {', '.join(front)}"]
    if volume is not None:
        lines.append(f"hypervolume over 0: {volume:.4f}")
    record = {"measures": [str(m) for m in objectives], "front": list(front), "hypervolume": volume}
    return Breakdown(tuple(lines), None, {"pareto": record})


def of_thresholds(result: Evaluation, stated: list[str]) -> Breakdown:
    """The best run among those that reach every threshold."""
    from idealist.comparison import best_system

    thresholds = {}
    for text in stated:
        name, equals, number = text.rpartition("=")
        try:
            if not equals:
                raise ValueError
            thresholds[parse(name.rstrip(">"))] = float(number)
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"--at-least {text!r} is not MEASURE=VALUE", hint="for example --at-least Judged@10=0.8"
            ) from None
    goal = result.measures[0]
    best = best_system(result, goal, at_least=thresholds)
    shown = " and ".join(f"{measure} ≥ {value:g}" for measure, value in thresholds.items())
    line = f"best {goal} with {shown}: {best}" if best else f"no run has {shown}"
    record = {
        "maximise": str(goal),
        "at_least": {str(measure): value for measure, value in thresholds.items()},
        "system": best,
    }
    return Breakdown((line,), None, {"best": record})


def of_segments(result: Evaluation, profiles: Profiles, column: str) -> Breakdown:
    """Value, n and interval of every segment, and the worst one."""
    from idealist.comparison import segments, worst_segment

    by = dict(zip(result.queries, profiles.texts(column, result.queries), strict=True))
    rows: list[list[Cell]] = []
    rules: set[int] = set()
    worst_rows: set[tuple[int, int]] = set()
    records: list[dict[str, Any]] = []
    weighted = False
    for measure in result.measures:
        if measure.aggregate != "mean":
            continue
        for system in result.systems:
            rules.add(len(rows))
            found = segments(result, measure, by, system)
            worst = worst_segment(found) if len(found) > 1 else None
            weighted = weighted or any(abs(one.effective_n - one.n) > 1e-9 for one in found)
            for one in found:
                low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
                if one is worst:
                    worst_rows.add((len(rows), 8))
                value = None if one.value != one.value else one.value
                mark = "worst" if one is worst else None
                cells: list[Cell] = [str(measure), system, one.name, value, low, high, one.n, one.effective_n]
                rows.append([*cells, mark])
                records.append(
                    {
                        "measure": str(measure),
                        "system": system,
                        "segment": one.name,
                        "value": value,
                        "low": low,
                        "high": high,
                        "n": one.n,
                        "effective_n": one.effective_n,
                        "worst": one is worst,
                    }
                )
    if not rows:
        raise InputError("no measure here has a mean over users", hint="add one, such as -m nDCG@10")
    titles = ["measure", "system", column, "value", "low", "high", "n", "effective n", ""]
    below = ["", "low and high: Student's 95 % interval of the mean; empty where there are too few users"]
    if not weighted:
        rows = [[*row[:7], row[8]] for row in rows]
        titles.remove("effective n")
        worst_rows = {(row, 7) for row, _ in worst_rows}
    table = Table(titles, rows, below=below, best=worst_rows, rules=rules - {0})
    return Breakdown((), table, {"segments": records})
