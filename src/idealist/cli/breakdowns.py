"""Below the means of `idealist evaluate`: segments of users, and runs weighed by several measures."""

from __future__ import annotations

from idealist.comparison import best_system, hypervolume, pareto_front, segments, worst_segment
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.measures import parse
from idealist.measures.families.objectives import MultiObjective
from idealist.measures.weights import read_weights
from idealist.report import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.data.profiles import Profiles
    from idealist.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.report.table import Cell

OBJECTIVES = "for example --objective relevance=0.7,novelty=0.3"


class Breakdown(Frozen):
    """What is said besides the means: lines for people, a table, and the same for machines."""

    lines: tuple[str, ...] = ()
    table: Table | None = None
    record: dict[str, Any] = {}  # noqa: RUF012 - frozen


class Plan:
    """What the options of the command ask for besides means, and the measures it takes."""

    def __init__(
        self,
        measures: tuple[Measure, ...],
        *,
        objectives: list[str] | None,
        at_least: list[str] | None,
        at_most: list[str] | None,
        segment_by: str | None,
        profiles: str | None,
    ) -> None:
        if segment_by is not None and profiles is None:
            raise InputError("--segment-by names a column of --profiles", hint="give --profiles FILE too")
        self.segment_by = segment_by
        self.at_least = _thresholds("--at-least", at_least)
        self.at_most = _thresholds("--at-most", at_most)
        self.alone: tuple[Measure, ...] = ()
        if objectives is not None:
            weights = _weights(objectives)
            # Every measure with the objectives weighed, and with each alone.
            self.alone = tuple(
                MultiObjective(of=measure, weights={name: 1.0}) for measure in measures for name in weights
            )
            together = [MultiObjective(of=measure, weights=weights) for measure in measures]
            measures = (*together, *self.alone)
            self.at_least = {MultiObjective(of=one, weights=weights): v for one, v in self.at_least.items()}
            self.at_most = {MultiObjective(of=one, weights=weights): v for one, v in self.at_most.items()}
        self.goal = measures[0]
        self.measures = tuple(dict.fromkeys([*measures, *self.at_least, *self.at_most]))

    def breakdowns(self, result: Evaluation, tables: Mapping[str, Any]) -> list[Breakdown]:
        found = [of_objectives(result, self.alone)] if self.alone else []
        if self.at_least or self.at_most:
            found.append(of_thresholds(result, self.goal, self.at_least, self.at_most))
        if self.segment_by is not None:
            found.append(of_segments(result, tables["profiles"], self.segment_by))
        return found


def _weights(stated: list[str]) -> Mapping[str, float]:
    try:
        weights = read_weights(",".join(stated))
    except InputError as error:
        raise InputError(f"--objective: {error.message}", hint=OBJECTIVES) from None
    if not weights:
        raise InputError("--objective names no objective", hint=OBJECTIVES)
    return weights


def _thresholds(option: str, stated: list[str] | None) -> dict[Measure, float]:
    thresholds = {}
    for text in stated or []:
        name, equals, number = text.rpartition("=")
        try:
            if not equals:
                raise ValueError
            value = float(number)
        except ValueError:
            raise InputError(
                f"{option} {text!r} is not MEASURE=VALUE", hint=f"for example {option} Judged@10=0.8"
            ) from None
        thresholds[parse(name.rstrip("<>"))] = value
    return thresholds


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
            worst = worst_segment(found, measure) if len(found) > 1 else None
            weighted = weighted or any(abs(one.effective_n - one.n) > 1e-9 for one in found)
            for one in found:
                low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
                if one is worst:
                    worst_rows.add((len(rows), 8))
                value = None if one.value != one.value else one.value
                mark = "worst" if one is worst else None
                cells: list[Cell] = [
                    measure.label,
                    system,
                    one.name,
                    value,
                    low,
                    high,
                    one.n,
                    one.effective_n,
                ]
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
    titles = ["measure", "system", column, "value", "low", "high", "n", "effective n", "note"]
    below = [
        "",
        "low and high: 95 % interval of the mean, by test inversion, or Student's for measures without bounds; "
        "empty where there are too few users, or all are alike and there are no bounds",
    ]
    if not weighted:
        rows = [[*row[:7], row[8]] for row in rows]
        titles.remove("effective n")
        worst_rows = {(row, 7) for row, _ in worst_rows}
    table = Table(titles, rows, below=below, best=worst_rows, rules=rules - {0})
    return Breakdown((), table, {"segments": records})
