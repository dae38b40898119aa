"""How far values hang on the order of documents that share a score."""

from __future__ import annotations

from idealist import kernels
from idealist.data import Rankings
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.kernels import Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.evaluation.result import Evaluation
    from idealist.measures import Measure

# Adding the same numbers in another order changes less than this; it is no other value.
ROUNDING = 1e-12


class TieBounds(Frozen):
    """What a measure could give a system if documents with equal scores stood in another order.

    `queries` says for how many queries the value could be another, `largest` by how much at most for one of
    them; `pessimistic` and `optimistic` are the mean (or what the measure has in its place) with all tied
    documents in the worst and in the best order by grade. They do not depend on the rule for ties in force.
    """

    queries: int
    largest: float
    pessimistic: float
    optimistic: float


class TiedQueries:
    """The queries of one system whose tied documents could be ranked in another order."""

    def __init__(self, rankings: Rankings) -> None:
        self.queries = kernels.tied(rankings.native)
        # Neither run nor tables: what looks at those has no order by grade.
        self._rankings = Rankings(
            kernels.chosen(rankings.native, self.queries), rankings.conventions, threads=rankings.threads
        )
        self._orders: tuple[Rankings, Rankings] | None = None

    def values(self, measure: Measure) -> tuple[Values, Values] | None:
        """The lowest and the highest values of these queries; None when no order by grade gives them."""
        if not has_bounds(measure):
            return None
        if not self.queries:
            return Values([]), Values([])
        if self._orders is None:
            self._orders = self._rankings.with_ties("pessimistic"), self._rankings.with_ties("optimistic")
        worst, best = self._orders
        try:
            return measure.settled(worst), measure.settled(best)
        except InputError:  # a gain that falls as grades rise, or an order for which the measure is undefined
            return None


def has_bounds(measure: Measure) -> bool:
    """Whether the order of tied documents by grade is what bounds the measure."""
    by_grade = measure.needs in ("grades", "queries") and measure.one_grade
    return by_grade and measure.favours_better and measure.aggregate != "pooled"


def differences(worst: Values, best: Values) -> Values:
    """By how much each query's value could change, 0 where that is no more than rounding."""
    gaps = best - worst
    return (gaps * (gaps > ROUNDING)).filled(0.0)


def remark_ties(result: Evaluation) -> list[str]:
    """One line for every system whose values hang on the order of ties."""
    lines = []
    for system in result.systems:
        bounds = {
            measure: result.ties(measure, system)
            for measure in result.measures
            if result.bounded(measure, system)
        }
        moved = {measure: one for measure, one in bounds.items() if one.queries}
        if not moved:
            continue
        furthest = max(moved, key=lambda measure: moved[measure].largest)
        means = {measure: one for measure, one in moved.items() if measure.aggregate == "mean"}
        line = (
            f"{system}: {result.tied(system):,} of {len(result.queries):,} queries could change, "
            f"{furthest.label} of one by up to {moved[furthest].largest:.4f}"
        )
        if means:
            widest = max(means, key=lambda measure: means[measure].optimistic - means[measure].pessimistic)
            low, high = means[widest].pessimistic, means[widest].optimistic
            line += f"; mean {widest.label} from {low:.4f} to {high:.4f}"
        lines.append(line)
    return lines
