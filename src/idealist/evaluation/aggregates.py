"""Values of queries: their aggregates, what ties of scores change, what they lie between, and how they differ."""

from __future__ import annotations

from math import exp, log

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.data import Rankings
from idealist.errors import InputError
from idealist.kernels import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.evaluation.evaluation import Evaluation
    from idealist.measures import Measure
    from idealist.statistics.paired import Paired


ENDS = ("pessimistic", "optimistic")
# Adding the same numbers in another order changes less than this; it is no other value.
ROUNDING = 1e-12


class TieBounds(Result, Frozen):
    """The bounds of a measure over all orders of documents with equal scores.

    `queries` says for how many queries the value could be another, `largest` by how much at most for one of
    them; `pessimistic` and `optimistic` are the mean (or what the measure has in its place) with all tied
    documents in the worst and in the best order by grade. They do not depend on the rule for ties in force.
    """

    queries: int
    largest: float
    pessimistic: float
    optimistic: float

    __repr__ = Frozen.__repr__  # four numbers: a line as it is


class TiedQueries:
    """The queries of one system whose tied documents could be ranked in another order."""

    def __init__(self, rankings: Rankings) -> None:
        self.queries = kernels.tied(rankings.native)
        self._bounds: dict[Measure, tuple[Values, Values] | None] = {}
        if self.queries:
            # Neither run nor tables: what looks at those has no order by grade.
            self._rankings = Rankings(
                kernels.chosen(rankings.native, self.queries), rankings.conventions, threads=rankings.threads
            )

    def bounds(self, measure: Measure) -> tuple[Values, Values] | None:
        """The values of these queries in the worst and in the best order; None when no order by grade gives them."""
        if measure not in self._bounds:
            self._bounds[measure] = self.measured(measure)
        return self._bounds[measure]

    def at(self, positions: list[int]) -> TiedQueries:
        """The same queries among others, where they have these positions."""
        moved = TiedQueries.__new__(TiedQueries)
        moved.__dict__.update(self.__dict__, queries=positions)
        return moved

    def __getstate__(self) -> dict[str, Any]:
        # Without the rankings: Evaluation asks for the bounds of all its measures first.
        return {"queries": self.queries, "_bounds": self._bounds}

    def measured(self, measure: Measure) -> tuple[Values, Values] | None:
        """The bounds, measured anew and not cached."""
        if not has_bounds(measure):
            return None
        if not self.queries:
            return Values([]), Values([])
        worst, best = (self._rankings.view(_ordered, ties) for ties in ENDS)
        try:
            return measure.values_with_conventions(worst), measure.values_with_conventions(best)
        except InputError:  # a gain that falls as grades rise, or an order for which the measure is undefined
            return None


def _ordered(rankings: Rankings, ties: str) -> Rankings:
    return rankings.with_ties(ties)


def has_bounds(measure: Measure) -> bool:
    """Whether the order of tied documents by grade is what bounds the measure."""
    by_grade = not measure.needs.given_apart and measure.one_grade
    return by_grade and follows_grades(measure) and measure.aggregate != "pooled"


def follows_grades(measure: Measure) -> bool:
    """Whether a better document above a worse one never makes the value worse."""
    return measure.favours_better if measure.favours_order is None else measure.favours_order


def differences(worst: Values, best: Values) -> Values:
    """By how much each query's value could change, 0 where that is no more than rounding."""
    gaps = (best - worst).maximum(worst - best)  # a loss is lower where the order is best
    return (gaps * (gaps > ROUNDING)).filled(0.0)


def remark_ties(result: Evaluation) -> list[str]:
    """One line for every system whose values depend on the order of ties."""
    lines = []
    for system in result.systems:
        if not (changing := result.tied(system)):
            continue
        bounds = {
            measure: result.ties(measure, system)
            for measure in result.measures
            if result.bounded(measure, system)
        }
        furthest = max(bounds, key=lambda measure: bounds[measure].largest)
        line = (
            f"{system}: {changing:,} of {result.n(furthest, system):,} queries could change, "
            f"{furthest.label} of one by up to {bounds[furthest].largest:.4f}"
        )
        means = {
            m: (tie_bounds.pessimistic, tie_bounds.optimistic)
            for m, tie_bounds in bounds.items()
            if m.aggregate == "mean"
        }
        if means:
            widest = max(means, key=lambda measure: abs(means[measure][1] - means[measure][0]))
            low, high = means[widest]
            line += f"; mean {widest.label} from {low:.4f} to {high:.4f}"
        lines.append(line)
    return lines


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


def range_of(evaluation: Evaluation, measure: Measure) -> tuple[float, float]:
    """The least and the largest value that there may be; infinite where neither the measure nor its depth and the grades of the
    judgments limit it.

    >>> from idealist import DCG, evaluate
    >>> result = evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 1.0}}, [DCG(k=1), "AP", "DCG"])
    >>> [range_of(result, measure) for measure in result.measures]  # 2 / log2(2)
    [(0.0, 2.0), (0.0, 1.0), (0.0, inf)]
    """
    return measure.bounds if evaluation.grades is None else measure.range_with(*evaluation.grades)


MOST_MOVED = 10


class QueryChange(Frozen):
    """A query and its value before and after; nan where it is left out."""

    query: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """The change of the value; a query that is left out counts as 0."""
        before, after = (0.0 if value != value else value for value in (self.before, self.after))
        return after - before


def largest_changes(paired: Paired) -> tuple[QueryChange, ...]:
    """The queries that changed most, the largest change first, and by their ids where changes are equal."""
    import numpy as np

    sizes = np.abs(paired.changes)
    least = np.partition(sizes, -MOST_MOVED)[-MOST_MOVED] if len(sizes) > MOST_MOVED else 0.0
    positions = np.flatnonzero((sizes >= least) & (sizes > 0)).tolist()
    positions.sort(key=lambda position: (-sizes[position], paired.queries[position]))
    return tuple(
        QueryChange(paired.queries[position], paired.baseline_values[position], paired.values[position])
        for position in positions[:MOST_MOVED]
    )
