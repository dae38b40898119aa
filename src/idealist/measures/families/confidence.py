"""Confidence: whether a system's scores tell its good lists from its bad ones."""

from __future__ import annotations

from itertools import pairwise

from idealist.data.item_rankings import run_of
from idealist.data.needs import GRADES, SCORES
from idealist.errors import InputError
from idealist.measures.families.gain import NDCG
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray

    from idealist.data import Rankings
    from idealist.kernels import Values

# The shares of queries that are not answered: multiples of 0.1, not tenths, so that halves are rounded as in MTEB.
STEP = 0.1
RATES = tuple(tenths * STEP for tenths in range(10))


class NAUC(Measure, name="nAUC", aliases={"abstention_nauc": {}}):
    """Abstention nAUC: what a measure gains when the queries a system is least sure of are not answered.

    (A − F) / (O − F), where A is the area under the mean of the measure over the queries that are still answered when 0,
    0.1 … 0.9 of them, the least sure ones first, are not; O is the same for an oracle, who leaves out the worst queries
    first, and F for leaving out at random: 1 is best, 0 no better than chance. Queries that are equally sure are left out in
    any order: each counts with the mean over them. One number over all queries; a query's own value is that of the
    measure. Queries that the run lacks are left out. Undefined if the measure is the same for all queries.
    Gisserot-Boukhlef and others, 2024, as in MTEB.

    >>> from idealist import evaluate
    >>> judged, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 9.0}, "2": {"b": 1.0}}
    >>> measure = "nAUC(of=nDCG@10)"  # the wrong answer, to 2, has the lower score
    >>> evaluate(judged, run, measure).aggregate(measure)
    1.0
    """

    of: Measure = NDCG(k=10)
    confidence: str = "max"
    needs = SCORES
    aggregate = "pooled"
    bounds = (float("-inf"), 1.0)
    averages_ties = False
    favours_better = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.of.needs != GRADES or self.of.aggregate == "pooled":
            raise InputError(
                f"{self.name} cannot be of {self.of}",
                hint="give it a measure of one grade per document that has a mean over queries",
            )

    @property
    def depth(self) -> int | None:
        return None

    def values(self, rankings: Rankings) -> Values:
        return self.of.values(rankings)

    def pooled(self, rankings: Rankings) -> float:
        import numpy as np

        run = rankings.view(run_of)
        completed = self.of.completed(self.values(rankings), rankings.native, rankings.conventions)
        answered = [
            (self._sureness(run[query]), value)
            for query, value in zip(rankings.queries, completed, strict=True)
            if value == value and query in run
        ]
        if not answered:
            return float("nan")
        sureness, values = (np.array(column) for column in zip(*answered, strict=True))
        curve, oracle = _curve(values, sureness), _curve(values, values)
        flat = oracle[0] * (RATES[-1] - RATES[0])
        best = _area(oracle) - flat
        return (_area(curve) - flat) / best if best > 0 else float("nan")

    def _sureness(self, scores: dict[str, float]) -> float:
        import numpy as np

        ordered = sorted(scores.values(), reverse=True)
        if self.confidence == "std":
            return float(np.std(ordered))
        second = ordered[1] if len(ordered) > 1 else ordered[0]
        return ordered[0] if self.confidence == "max" else ordered[0] - second


def _curve(values: ndarray, sureness: ndarray) -> list[float]:
    """The mean over the queries that are still answered, at each rate."""
    import numpy as np

    _, group_of = np.unique(sureness, return_inverse=True)
    means = np.bincount(group_of, values) / np.bincount(group_of)
    ordered = np.repeat(means, np.bincount(group_of))
    return [float(ordered[min(round(rate * len(ordered)), len(ordered) - 1) :].mean()) for rate in RATES]


def _area(curve: list[float]) -> float:
    """The area under a curve over the rates, by trapezoids."""
    return sum((low + high) / 2 * STEP for low, high in pairwise(curve))
