"""Aggregates over queries: their mean, sum or geometric mean, and its bounds under ties."""

from __future__ import annotations

from math import exp, log

from idealist.evaluation.ties import TieBounds, differences
from idealist.kernels import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.measures import Measure

NAN = float("nan")
LEAST = 1e-5  # stands for 0 in a geometric mean, as in trec_eval


def aggregated(measure: Measure, values: Values, weights: Values | None) -> float:
    """The aggregate of the values of all queries that the measure defines."""
    if measure.aggregate == "sum":
        return values.sum()
    if measure.aggregate == "geometric":
        logs = Values([log(max(value, LEAST)) if value == value else NAN for value in values])
        mean = weighted_mean(logs, weights)
        return exp(mean) if mean == mean else NAN
    return weighted_mean(values, weights)


def weighted_mean(values: Values, weights: Values | None) -> float:
    if weights is None:
        return values.sum() / values.count() if values.count() else NAN
    defined = values * 0.0 + 1.0
    total = (defined * weights).sum()
    return (values * weights).sum() / total if total else NAN


def bounds_of_ties(
    measure: Measure,
    values: Values,
    weights: Values | None,
    queries: list[int],
    worst: Values,
    best: Values,
) -> TieBounds:
    """How much ties could change, from the values of `queries` under the worst and the best order."""
    gaps = differences(worst, best)
    return TieBounds(
        int((gaps > 0.0).sum()),
        max(gaps, default=0.0),
        aggregated(measure, values.replaced(queries, worst), weights),
        aggregated(measure, values.replaced(queries, best), weights),
    )
