"""One number from several measures: their weighted sum, query by query, stated before anybody looks."""

from __future__ import annotations

from idealist.data.values import as_within
from idealist.errors import InputError
from idealist.evaluation.joining import join_measures
from idealist.evaluation.result import Evaluation, QueryNames
from idealist.kernels import Values
from idealist.measures.column import INFINITE, Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.measures import Measure

CRITERION = "criterion"


def with_criterion(evaluation: Evaluation, weights: Mapping[Any, float], name: str = CRITERION) -> Evaluation:
    """The evaluation with one more column: Σ wᵢ·vᵢ of every query, where measures of which a lower value is better count
    less, not more. It is not defined where one of the measures is not; it has a range where all of them have one.

    >>> from idealist import evaluate
    >>> table = {"query": ["q", "r"], "system": ["a", "a"], "success": [1, 0], "latency_ms": [80, 60]}
    >>> weighed = with_criterion(evaluate(numbers=table), {"success": 1.0, "latency_ms": 0.001})
    >>> round(weighed.mean("criterion"), 3)  # (1 − 0.08 + 0 − 0.06) / 2
    0.43
    """
    parts: dict[Measure, float] = {}
    for stated, weight in weights.items():
        measure = evaluation.measure_of(stated)
        if measure not in evaluation.measures or measure in parts:
            problem = "twice" if measure in parts else "and was not measured"
            raise InputError(f"{measure} is in the {name} {problem}")
        if measure.aggregate != "mean" or measure.better == "neither":
            lacks = "mean over queries" if measure.aggregate != "mean" else "better and worse"
            raise InputError(f"{measure} has no {lacks}, so it cannot count in the {name}")
        sign = -1.0 if measure.better == "lower" else 1.0
        parts[measure] = sign * as_within(weight, f"the weight of {measure}", 0, ends="()")
    ends = [sorted(weight * end for end in measure.bounds) for measure, weight in parts.items()]
    low, high = (sum(end[at] for end in ends) for at in (0, 1))
    whole = Column(
        name,
        better="higher",
        low=low if abs(low) < INFINITE else -INFINITE,
        high=high if abs(high) < INFINITE else INFINITE,
    )
    queries = evaluation.queries
    values: dict[tuple[str, Measure], Values] = {}
    for system in evaluation.systems:
        total = Values([0.0] * len(queries))
        for measure, weight in parts.items():
            by_query = evaluation.by_query(measure, system)
            total = total + Values([weight * by_query.get(query, float("nan")) for query in queries])
        values[system, whole] = total
    alone = Evaluation(
        measures=(whole,),
        values=values,
        pooled={},
        names=QueryNames(queries),
        systems=evaluation.systems,
        conventions=evaluation.conventions,
        weights=evaluation.weights,
        judged={},
        weighted_by=evaluation.weighted_by,
        whole_ids=evaluation.whole_ids,
    )
    return join_measures(evaluation, alone, (*evaluation.measures, whole))
