"""Several systems and several measures: the systems that no other beats in every measure."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.values import as_number
from idealist.errors import InputError
from idealist.measures import Measure, parse_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from idealist.evaluation import Evaluation


def pareto_front(
    evaluation: Evaluation, measures: str | Measure | Iterable[str | Measure] | None = None
) -> tuple[str, ...]:
    """The systems that no other beats: none is as good in every measure and better in one.

    >>> from idealist import evaluate
    >>> judged = {"q": {"a": 1, "b": 1}}
    >>> runs = {"x": {"q": {"a": 2, "z": 1}}, "y": {"q": {"z": 2, "a": 1}}, "v": {"q": {"z": 3, "a": 2, "b": 1}}}
    >>> pareto_front(evaluate(judged, runs, ["RR", "R"]))  # x has the better RR, v the better R
    ('x', 'v')
    """
    points = _points(evaluation, measures)
    return tuple(
        name
        for name, point in points.items()
        if not any(_beats(other, point) for other in points.values() if other is not point)
    )


def hypervolume(
    evaluation: Evaluation,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    reference: Mapping[Any, float] | float = 0.0,
) -> float:
    """How much of the space of measures the systems cover together: the volume of all points that some
    system beats and that beat the reference, 0 in every measure by default. Where a lower value is
    the better one, the reference is the highest that counts, and must be given.

    It takes time exponential in the number of measures, which are few. Zitzler and Thiele, PPSN 1998.

    >>> from idealist import evaluate
    >>> runs = {"x": {"q": {"a": 2, "z": 1}}, "y": {"q": {"z": 2, "a": 1}}}
    >>> hypervolume(evaluate({"q": {"a": 1, "b": 1}}, runs, ["RR", "R"]))  # 1 · 1/2 by x; y adds nothing
    0.5
    """
    chosen_measures = _chosen_measures(evaluation, measures)
    points = list(_points(evaluation, chosen_measures).values())
    if isinstance(reference, Mapping):
        reference_of = {evaluation.measure_of(measure): value for measure, value in reference.items()}
        if absent := [measure for measure in chosen_measures if measure not in reference_of]:
            raise InputError(
                f"the reference has no value for {absent[0]}", hint="give a number for every measure"
            )
        least = [
            as_number(reference_of[measure], f"the reference of {measure}", finite=True)
            for measure in chosen_measures
        ]
    else:
        least = [as_number(reference, "the reference", finite=True)] * len(chosen_measures)
    for position, measure in enumerate(chosen_measures):
        if measure.better == "lower":
            if not isinstance(reference, Mapping):
                raise InputError(
                    f"a lower {measure} is better, so 0 cannot be its reference point",
                    hint="give a reference for every measure, such as {'nDCG@10': 0, 'NDKL': 1}",
                )
            least[position] = -least[position]
    above = [[max(0.0, x - low) for x, low in zip(point, least, strict=True)] for point in points]
    return _volume([point for point in above if all(x > 0 for x in point)])


def best_system(
    evaluation: Evaluation,
    goal: str | Measure,
    *,
    at_least: Mapping[Any, float] | None = None,
    at_most: Mapping[Any, float] | None = None,
) -> str | None:
    """The system with the best value of `goal`, the highest or the lowest as the measure says, among those
    whose values are within all thresholds; None if none is.

    >>> from idealist import evaluate
    >>> runs = {"x": {"q": {"a": 2, "z": 1}}, "v": {"q": {"z": 3, "a": 2, "b": 1}}}
    >>> best_system(evaluate({"q": {"a": 1, "b": 1}}, runs, ["RR", "R"]), "RR", at_least={"R": 0.8})
    'v'
    """
    goal_measure = evaluation.measure_of(goal)
    least, most = _thresholds(evaluation, at_least), _thresholds(evaluation, at_most)
    passing = [
        system
        for system in evaluation.systems
        if all(evaluation.aggregate(measure, system) >= limit for measure, limit in least.items())
        and all(evaluation.aggregate(measure, system) <= limit for measure, limit in most.items())
    ]
    return max(passing, key=lambda system: _goodness(evaluation, goal_measure, system), default=None)


def _thresholds(evaluation: Evaluation, limits: Mapping[Any, float] | None) -> dict[Measure, float]:
    return {
        evaluation.measure_of(measure): as_number(value, f"the threshold of {measure}", finite=True)
        for measure, value in (limits or {}).items()
    }


def _chosen_measures(evaluation: Evaluation, measures: Any) -> tuple[Measure, ...]:
    if measures is None:
        return evaluation.measures
    columns = {measure.label: measure for measure in evaluation.measures if measure.given}
    named = [measures] if isinstance(measures, (str, Measure)) else measures
    return parse_all(
        [columns.get(measure, measure) if isinstance(measure, str) else measure for measure in named],
        defaults=evaluation.conventions.parameters,
    )


def _points(evaluation: Evaluation, measures: Any) -> dict[str, list[float]]:
    """The systems' values, with the sign that makes higher better."""
    chosen_measures = _chosen_measures(evaluation, measures)
    return {
        system: [_goodness(evaluation, measure, system) for measure in chosen_measures]
        for system in evaluation.systems
    }


def _goodness(evaluation: Evaluation, measure: Measure, system: str) -> float:
    """A system's value, with the sign that makes higher better."""
    if measure.better == "neither":
        raise InputError(f"no value of {measure} is better than another", hint="leave the measure out")
    value = evaluation.aggregate(measure, system)
    if value != value:
        raise InputError(f"{measure} of {system} is undefined", hint="leave the measure or the system out")
    return -value if measure.better == "lower" else value


def _beats(point: Sequence[float], other: Sequence[float]) -> bool:
    pairs = list(zip(point, other, strict=True))
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)


def _volume(points: list[list[float]]) -> float:
    """The volume of the union of the boxes from 0 to each point: slices along the last measure."""
    if not points:
        return 0.0
    if len(points[0]) == 1:
        return max(point[0] for point in points)
    volume, below = 0.0, 0.0
    for height in sorted({point[-1] for point in points}):
        volume += (height - below) * _volume([point[:-1] for point in points if point[-1] >= height])
        below = height
    return volume
