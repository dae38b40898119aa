"""trec_eval's measures of gain, query by query: with gains of one's own, and as it computes them."""

from __future__ import annotations

from bisect import bisect_right
from math import inf, log2, nan

from idealist.base.frozen import Frozen
from idealist.drop_ins.trec_eval.measure_catalogue import PERSISTENCE, gains_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from idealist.drop_ins.trec_eval.measure_catalogue import Column
    from idealist.drop_ins.trec_eval.plain_values import Queries

UNJUDGED, POOLED = -1, -2  # the grade of a document without judgment, and of one of a negative grade
LEAST_COST = 1.0
MOST_LEVELS = 10_000  # beyond which grades that no document has are left out of the sorting


class Level(Frozen):
    """A grade, its gain, and how many documents have it."""

    grade: int
    gain: float
    count: int


class Course:
    """One query: the gains of the documents in the list, by rank, and those of the ideal list."""

    def __init__(self, levels: list[Level], retrieved: int, graded: list[tuple[int, int]]) -> None:
        self.levels = levels
        self.retrieved = retrieved
        self.gained = [(rank, gain) for rank, grade in graded if (gain := _gain(grade, levels)) != 0]
        self.ideal = _ideal(levels)

    def dcg(self) -> float:
        added = 0.0
        for rank, gain in self.gained:
            added += gain / log2(rank + 1)
        return added

    def ideal_dcgs(self) -> list[float]:
        """The DCG of the ideal list, up to every rank."""
        added, dcgs = 0.0, [0.0]
        for rank, gain in enumerate(self.ideal, 1):
            added += gain / log2(rank + 1)
            dcgs.append(added)
        return dcgs


def gain_values(column: Column, queries: Queries) -> list[float]:
    """One number for each query."""
    gains = gains_of(column.parameter, queries.version)
    if not gains and column.base in ("dcg", "ideal_dcg", "ndcg"):
        return _plain_values(column.base, queries)
    if column.base in ("rbp", "rbp_resid"):
        p = dict(column.parameter).get("p", PERSISTENCE)
        return _rank_biased(queries, gains, p, column.base == "rbp_resid")
    compute = COMPUTED[column.base]
    values = []
    relevant = list(queries.relevant)
    for query in range(len(queries)):
        course = _course(queries, query, gains)
        values.append(0.0 if column.base == "Rndcg" and not relevant[query] else compute(course))
    return values


def _plain_values(base: str, queries: Queries) -> list[float]:
    if base == "dcg":
        return list(queries.gains())
    if base == "ideal_dcg":
        return list(queries.ideal_gains())
    return list((queries.gains() / queries.ideal_gains()).filled(0.0))


def _course(queries: Queries, query: int, gains: tuple[tuple[int, float], ...]) -> Course:
    retrieved, ranks, grades, judged = queries.native.query(query)
    graded = [(rank, int(grade) if grade >= 0 else POOLED) for rank, grade in zip(ranks, grades, strict=True)]
    if any(grade == UNJUDGED for grade, _ in gains):
        grade_at = dict(graded)
        graded = [(rank, grade_at.get(rank, UNJUDGED)) for rank in range(1, retrieved + 1)]
    return Course(_levels(judged, gains), retrieved, graded)


def _levels(judged: list[float], gains: tuple[tuple[int, float], ...]) -> list[Level]:
    """Every grade with its gain, the least gain first: those that were given, then all up to the highest."""
    counts: dict[int, int] = {}
    for grade in judged:
        if grade >= 0:
            counts[int(grade)] = counts.get(int(grade), 0) + 1
    stated_grades = {grade for grade, _ in gains}
    levels: list[Level] = []
    for grade, gain in gains:
        first = all(level.grade != grade for level in levels)
        levels.append(Level(grade, gain, counts.get(grade, 0) if first else 0))
    highest = max(counts, default=-1)
    present = range(highest + 1) if gains and highest < MOST_LEVELS else sorted(counts)
    levels += [
        Level(grade, float(grade), counts.get(grade, 0)) for grade in present if grade not in stated_grades
    ]
    return _sorted(levels) if gains else levels


def _sorted(levels: list[Level]) -> list[Level]:
    """By merging halves, as C's library does; gains less than 1 apart count as equal, because trec_eval cuts
    their difference to a whole number."""
    if len(levels) < 2:
        return levels
    half = len(levels) // 2
    first, second = _sorted(levels[:half]), _sorted(levels[half:])
    merged = []
    while first and second:
        merged.append((first if _compared(first[0].gain, second[0].gain) <= 0 else second).pop(0))
    return merged + first + second


def _compared(first: float, second: float) -> int:
    """Their difference as a whole number of 32 bits; what does not fit is the least there is."""
    difference = first - second
    return int(difference) if abs(difference) < 2**31 else -(2**31)


def _gain(grade: int, levels: list[Level]) -> float:
    return next((level.gain for level in levels if level.grade == grade), 0.0)


def _ideal(levels: list[Level]) -> list[float]:
    if not levels or levels[-1].gain <= 0:
        return []
    ideal: list[float] = []
    for level in reversed(levels):
        if level.count and level.gain <= 0:
            break
        ideal += [level.gain] * level.count
    return ideal


def _quotient(part: float, divisor: float) -> float:
    """As C divides."""
    if divisor:
        return part / divisor
    return nan if part == 0 or part != part else part * inf


def _logarithm(number: float) -> float:
    if number > 0:
        return log2(number)
    return nan if number < 0 else -inf


def _ndcg(course: Course) -> float:
    ideal = course.ideal_dcgs()[-1]
    return course.dcg() / ideal if ideal > 0 else 0.0


def _ndcg_at_relevant(course: Course) -> float:
    ideal = course.ideal_dcgs()
    added, dcg, hits = 0.0, 0.0, 0
    for rank, gain in course.gained:
        dcg += gain / log2(rank + 1)
        if gain > 0:
            added += _quotient(dcg, ideal[min(rank, len(course.ideal))])
            hits += 1
    count = len(course.ideal)
    added += _quotient(float(count - hits) * dcg, ideal[-1])
    return _quotient(added, count) if added > 0 else 0.0


def _ndcg_at_falls(course: Course) -> float:
    ideal, count = course.ideal_dcgs(), len(course.ideal)
    ranks, dcgs = [rank for rank, _ in course.gained], [0.0]
    for rank, gain in course.gained:
        dcgs.append(dcgs[-1] + gain / log2(rank + 1))
    falls = [rank for rank in range(1, count) if course.ideal[rank] != course.ideal[rank - 1]]
    added = 0.0
    points = falls + [count] * (count > 0)
    for rank in points:
        added += dcgs[bisect_right(ranks, rank)] / ideal[rank]
    longer = course.retrieved > count + 1 and count > 0
    if longer:
        added += dcgs[-1] / ideal[-1]
    return _quotient(added, len(points) + longer)


def _normalized_gain(course: Course) -> float:
    costs, ideal_sum = [0.0], 0.0
    for gain in course.ideal:
        costs.append(costs[-1] + max(gain, LEAST_COST))
        ideal_sum += gain
    value, gained = 0.0, 0.0
    for rank, gain in course.gained:
        gained += gain
        cost = costs[min(rank, len(course.ideal))] + max(0, rank - len(course.ideal)) * LEAST_COST
        value += _quotient(gain, _logarithm(2 + cost - gained))
    return value / ideal_sum if ideal_sum > 0 else 0.0


COMPUTED: dict[str, Callable[[Course], float]] = {
    "dcg": Course.dcg,
    "ideal_dcg": lambda course: course.ideal_dcgs()[-1],
    "ndcg": _ndcg,
    "ndcg_rel": _ndcg_at_relevant,
    "Rndcg": _ndcg_at_falls,
    "G": _normalized_gain,
}


def _rank_biased(queries: Queries, gains: Any, p: float, residual: bool) -> list[float]:
    powers, values = [1.0], []
    for query in range(len(queries)):
        retrieved, ranks, grades, _ = queries.native.query(query)
        while len(powers) <= retrieved:
            powers.append(powers[-1] * p)
        added = 0.0
        if residual:
            judged = {rank for rank, grade in zip(ranks, grades, strict=True) if grade >= 0}
            unjudged = [rank for rank in range(1, retrieved + 1) if rank not in judged]
            for rank in unjudged:
                added += powers[rank - 1]
            values.append(powers[retrieved] + (1 - p) * added if unjudged else 0.0)
            continue
        course = _course(queries, query, gains)
        scaled = _scale(course.levels)
        for rank, gain in _graded(queries, query, gains, scaled):
            added += gain * powers[rank - 1]
        values.append((1.0 - p) * added)
    return values


def _scale(levels: list[Level]) -> list[Level]:
    """Gains between 0 and 1."""
    least = min([0.0, *(level.gain for level in levels)])
    most = max([0.0, *(level.gain for level in levels)])
    if least >= 0 and most <= 1:
        return levels
    return [Level(level.grade, (level.gain - least) / (most - least), level.count) for level in levels]


def _graded(queries: Queries, query: int, gains: Any, levels: list[Level]) -> list[tuple[int, float]]:
    retrieved, ranks, grades, _ = queries.native.query(query)
    grade_at = {rank: int(grade) if grade >= 0 else POOLED for rank, grade in zip(ranks, grades, strict=True)}
    dense = any(grade == UNJUDGED for grade, _ in gains)
    wanted_ranks = range(1, retrieved + 1) if dense else ranks
    return [
        (rank, gain) for rank in wanted_ranks if (gain := _gain(grade_at.get(rank, UNJUDGED), levels)) != 0
    ]
