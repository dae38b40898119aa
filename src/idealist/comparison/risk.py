"""How risky it is to replace the baseline: losses that weigh more than gains, and gains on queries that all systems find hard."""

from __future__ import annotations

from idealist.data.values import as_within
from idealist.frozen import Frozen
from idealist.results import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from numpy.typing import NDArray

    from idealist.comparison.result import Comparison
    from idealist.measures import Measure

ALPHA = 1.0  # a loss weighs twice as much as a gain


class Risk(Result, Frozen):
    """The risk measures of one system. URisk is the mean gain over the baseline with losses multiplied by 1 + α (Wang,
    Bennett and Collins-Thompson, SIGIR 2012), TRisk the same in standard errors (Dinçer, Macdonald and Ounis, SIGIR
    2014): with α = 0 it is Student's t. GeoRisk is √(mean · Φ(ZRisk/n)), where ZRisk adds up (value − expected)/√expected,
    negative ones multiplied by 1 + α, and the expected value is the share of the system and of the query in the sum of
    all systems that were compared (Dinçer, Macdonald and Ounis, SIGIR 2016). The higher, the less risky."""

    system: str
    urisk: float | None
    trisk: float | None
    georisk: float | None

    def _gist(self) -> str:
        return f"{self.system}; URisk {self.urisk}, TRisk {self.trisk}, GeoRisk {self.georisk}"


class Risks(Result, list[Risk]):
    """The risk measures of every system, the baseline first, whose URisk is 0."""

    def __init__(self, risks: Iterable[Risk], measure: Measure, baseline: str, alpha: float) -> None:
        super().__init__(risks)
        self.measure = measure
        self.baseline = baseline
        self.alpha = alpha

    def _gist(self) -> str:
        return f"{self.measure}, α = {self.alpha:g}; {', '.join(risk.system for risk in self)} against {self.baseline}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON; what is undefined is None."""
        return {
            "measure": str(self.measure),
            "baseline": self.baseline,
            "alpha": self.alpha,
            "risks": [{field: getattr(risk, field) for field in risk.fields} for risk in self],
        }


def risks_of(comparison: Comparison, measure: Measure, alpha: float) -> Risks:
    """The risk measures of all systems of a comparison."""
    alpha = as_within(alpha, "alpha", 0)
    systems = [comparison.baseline, *comparison.systems]
    # Queries with a value of every system; expected values need a measure that is 0 or more, and better when higher.
    by_system = [comparison.evaluation.by_query(measure, system) for system in systems]
    queries = [query for query in by_system[0] if all(query in values for values in by_system)]
    table = [[values[query] for values in by_system] for query in queries]
    geo = [None] * len(systems) if measure.better != "higher" else georisk(table, alpha)
    risks = [Risk(comparison.baseline, 0.0, None, geo[0])]
    for system, geo_value in zip(comparison.systems, geo[1:], strict=True):
        contrast = comparison[system, measure]
        scores = risk_scores(contrast.sign * contrast.paired.changes, alpha)
        risks.append(Risk(system, *mean_and_t(scores, contrast.paired.weights), geo_value))
    return Risks(risks, measure, comparison.baseline, alpha)


def risk_scores(gains: NDArray[Any], alpha: float) -> NDArray[Any]:
    """Gains, those below 0 multiplied by 1 + α.

    >>> import numpy as np
    >>> risk_scores(np.array([0.5, -0.25]), 1.0).tolist()
    [0.5, -0.5]
    """
    import numpy as np

    return np.where(gains < 0, (1 + alpha) * gains, gains)


def mean_and_t(scores: NDArray[Any], weights: Any) -> tuple[float, float | None]:
    """The mean, and the mean in standard errors; None where there is no spread."""
    from idealist.statistics.means import estimate_mean, has_no_spread, weighted_mean

    estimate = estimate_mean(scores, weights)
    if estimate is None or has_no_spread(estimate):
        return weighted_mean(scores, weights), None
    return estimate.mean, estimate.mean / estimate.error


def georisk(table: Any, alpha: float) -> list[float | None]:
    """GeoRisk of every system (column) over queries (rows); None where a value is below 0 or there is nothing.

    >>> [round(value, 4) for value in georisk([[0.5, 0.5], [0.25, 0.25]], 1.0)]  # √(0.375 · Φ(0))
    [0.433, 0.433]
    """
    import numpy as np
    from scipy.special import ndtr

    x = np.asarray(table, dtype=float)
    if not x.size or x.min() < 0:
        return [None] * (x.shape[1] if x.ndim == 2 else len(table))
    total = float(x.sum())
    if not total:
        return [0.0] * x.shape[1]
    expected = np.outer(x.sum(axis=1), x.sum(axis=0)) / total
    z = np.divide(x - expected, np.sqrt(expected), out=np.zeros_like(x), where=expected > 0)
    z_risk = risk_scores(z, alpha).sum(axis=0)
    values: list[float | None] = np.sqrt(x.mean(axis=0) * ndtr(z_risk / len(x))).tolist()
    return values
