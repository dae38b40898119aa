"""Looking while votes come in: evidence and an interval that hold however often one looks."""

from __future__ import annotations

from math import exp, log

from idealist.data.values import as_share
from idealist.frozen import Frozen
from idealist.results import Result
from idealist.statistics.intervals import Interval
from idealist.votes.folding import Items, counted
from idealist.wording import count_queries, p_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy import ndarray

    from idealist.data.votes import Votes

CONCENTRATION = 10.0  # a of Beta(a, a), which bets are drawn from: small differences are expected
NODES = 128  # of the mixture; enough to be exact up to 255 decided queries, and a valid mixture beyond
BLOCK = 10_000  # queries whose numbers are held at once
TOGETHER = 16
LOOKS = 200  # that the interval is made of, when there were more
EDGE = 1e-9  # how near to −1 and 1 a mean is tried
DRIFT = 3.29  # z of the second half against the first; 1 in 1,000 by chance


class Sequential(Result, Frozen):
    """What may be said at every look: the evidence now, its largest so far, the p-value 1/largest, and the
    confidence sequence, which holds the true GSB at all looks together.

    `queries` and `votes` are those that entered, `left_out` the votes that count for GSB but never here,
    `waiting` those whose query is not complete yet. `halves` is GSB in the first and in the second half of the
    queries, where they differ by more than chance.
    """

    e_value: float
    largest: float
    p_value: float
    interval: Interval
    queries: int
    votes: int
    left_out: int
    waiting: int
    halves: tuple[float, float] | None = None

    def _gist(self) -> str:
        return f"e-value {self.e_value:.3g}, p {p_text(self.p_value)}; {count_queries(self.queries)}"

    def holding(self, value: float) -> Sequential:
        """The same with an interval that holds the value of all votes, some of which may not have entered."""
        low, high = min(self.interval.low, value), max(self.interval.high, value)
        return self.replace(interval=Interval(low, high, self.interval.confidence))


def look(
    votes: Votes, *, fold: str = "majority", votes_per_query: int | None = None, confidence: float = 0.95
) -> Sequential:
    """The sequential test of votes, one query after the other.

    Every query enters once, when it is complete. With y its weighted sum of votes over the largest weight of a
    query so far, E = ∫ ∏(1 + κy), where (1 + κ)/2 is drawn from Beta(a, a): a fair game while GSB is 0, so
    that E ever reaches 1/α with probability α at most. For one vote a query that is
    2^(G+B) · Beta(a+G, a+B)/Beta(a, a). Waudby-Smith and Ramdas, JRSS-B 2024.

    >>> from idealist.io.votes import read_votes
    >>> found = look(read_votes(["good"] * 3))  # 2³ · (10·11·12)/(20·21·22)
    >>> round(found.e_value, 6), found.queries
    (1.142857, 3)
    """
    as_share(confidence, "confidence")
    complete, waiting = complete_queries(votes, votes_per_query)
    totals, weights = query_sums(votes, complete, fold)
    process = Process(totals, weights)
    path = [0.0, *process.against_zero.tolist()]
    largest = max(path)
    entered = sum(len(rows) for rows in complete.values())
    return Sequential(
        _exp(path[-1]),
        _exp(largest),
        exp(-largest),
        process.interval(confidence),
        len(complete),
        entered,
        int(counted(votes).sum()) - entered - waiting,
        waiting,
        _halves(totals, weights),
    )


def query_sums(votes: Votes, complete: Mapping[str, Sequence[int]], fold: str) -> tuple[ndarray, ndarray]:
    """The weighted sum of votes and the weight of every query, by the rows that it entered with."""
    import numpy as np

    if not complete:
        return np.zeros(0), np.zeros(0)
    entered = np.zeros(len(votes), dtype=bool)
    entered[[row for rows in complete.values() for row in rows]] = True
    items = Items(votes, fold, entered)
    numbers = {name: at for at, name in enumerate(items.query_names)}
    order = [numbers[query] for query in complete]
    totals = np.bincount(items.query, items.weight * items.x, items.queries)
    weights = np.bincount(items.query, items.weight, items.queries)
    return totals[order], weights[order]


def complete_queries(votes: Votes, votes_per_query: int | None = None) -> tuple[dict[str, list[int]], int]:
    """The queries that are complete, in the order in which they came to be so, each with the rows of the votes
    that it entered with; and how many votes wait for more of their query.

    Rows are taken by time, where votes have one. Nothing that has entered changes by what comes later: that is
    why one may look at a growing table after every row.
    """
    import numpy as np

    rows = np.nonzero(counted(votes))[0].tolist()
    if votes.times is not None:
        rows.sort(key=votes.times.__getitem__)  # ties stay in the order of rows
    queries = [votes.queries[row] for row in rows]
    taken = (
        _by_visits(rows, queries) if votes_per_query is None else _by_number(rows, queries, votes_per_query)
    )
    complete, begun = taken
    return complete, sum(len(some) for some in begun.values())


def _by_number(
    rows: Sequence[int], queries: Sequence[str], number: int
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """A query is complete at its `number`th vote; further ones are left out."""
    complete: dict[str, list[int]] = {}
    begun: dict[str, list[int]] = {}
    for row, query in zip(rows, queries, strict=True):
        if query in complete:
            continue
        begun.setdefault(query, []).append(row)
        if len(begun[query]) == number:
            complete[query] = begun.pop(query)
    return complete, begun


def _by_visits(
    rows: Sequence[int], queries: Sequence[str]
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """A query is complete when the rows of another follow; as long as all queries had equally many votes, already
    when it has as many, so that the last one need not wait. Votes that come back to a query are left out."""
    complete: dict[str, list[int]] = {}
    visit: list[int] = []  # the rows of the query that is being voted on, until it is complete
    size, alike = 0, True  # the number of votes of the queries before, and whether it is one number
    current, first_visit = None, True
    for row, query in zip(rows, queries, strict=True):
        if query != current:
            if visit and current is not None:
                complete[current] = visit
                alike = alike and size in (0, len(visit))
                size = len(visit)
            current, first_visit, visit = query, query not in complete, []
        if query in complete:
            # It entered with as many votes as the others, but there are more: sizes do differ.
            alike = alike and not first_visit
            continue
        visit.append(row)
        if alike and len(visit) == size:
            complete[query], visit = visit, []
    return complete, {current: visit} if visit and current is not None else {}


class Process:
    """The evidence against every mean m, query by query: E(m) = ∫ ∏(1 + κₘ(y − mw)), with y and w a query's sum of
    votes and weight over the largest weight so far, and κₘ = κ/(1 + m) above 0, κ/(1 − m) below, so that no
    factor is negative.

    Every factor is c + d/(1 ± m) with c and d of 0 or more, its logarithm convex in m; so are log E(m) and its
    largest value so far, and the means that were never rejected are an interval.
    """

    def __init__(self, totals: ndarray, weights: ndarray) -> None:
        import numpy as np
        from scipy.special import roots_jacobi

        largest = np.maximum.accumulate(weights)
        self.y, self.w = totals / largest, weights / largest
        self._bets, shares = roots_jacobi(NODES, CONCENTRATION - 1, CONCENTRATION - 1)
        self._log_shares = np.log(shares / shares.sum())
        self.against_zero = self.path(0.0, np.arange(1, len(totals) + 1))

    def path(self, mean: float, looks: ndarray) -> ndarray:
        """log E(mean) after so many queries as each look says; looks are in order, from 1 on."""
        import numpy as np

        bets = self._bets / np.where(self._bets > 0, 1 + mean, 1 - mean)
        found, before, begin = [np.zeros(0)], self._log_shares, 0
        for some in np.split(looks, np.searchsorted(looks, np.arange(BLOCK, len(self.y), BLOCK))):
            if not len(some):
                continue
            factors = (self.y[begin : some[-1]] - mean * self.w[begin : some[-1]])[:, None] * bets
            factors += 1
            np.maximum(factors, 1e-15, out=factors)  # 0 but for rounding is a bet that lost all it had
            # Logarithms of products of a few factors, which are quick and neither vanish nor overflow.
            ends = np.union1d(some, np.arange(begin + TOGETHER, some[-1], TOGETHER)) - begin
            logs = np.log(np.multiply.reduceat(factors, [0, *ends[:-1]], axis=0))
            sums = before + np.cumsum(logs, axis=0)[np.searchsorted(ends, some - begin)]
            top = sums.max(axis=1)
            found.append(top + np.log(np.exp(sums - top[:, None]).sum(axis=1)))
            before, begin = sums[-1], some[-1]
        return np.concatenate(found)

    def interval(self, confidence: float) -> Interval:
        """The means that no look rejected; of many looks, so many that this is quick: leaving looks out can but
        widen it. When no mean is left, because votes changed over time, those that the last look does not
        reject."""
        import numpy as np
        from scipy.optimize import minimize_scalar

        limit, n = -log(1 - confidence), len(self.y)
        if not n:
            return Interval(-1.0, 1.0, confidence)
        # With the look that speaks most against 0, so that interval and p-value say the same of 0.
        strongest = 1 + int(self.against_zero.argmax())
        looks = np.union1d(np.linspace(1, n, min(n, LOOKS)).astype(int), [strongest])

        def worst(mean: float) -> float:
            return float(self.path(mean, looks).max()) - limit

        def last(mean: float) -> float:
            return float(self.path(mean, looks)[-1]) - limit

        middle = min(max(float(self.y.sum() / self.w.sum()), -1 + EDGE), 1 - EDGE)
        excess = worst
        if excess(middle) >= 0:
            best = minimize_scalar(worst, bounds=(-1 + EDGE, 1 - EDGE), method="bounded")
            if best.fun < 0:
                middle = float(best.x)
            else:
                excess = last  # at the mean itself no bet wins, so `middle` is inside
        low, high = (_end(excess, middle, far, 2 / n**0.5) for far in (-1.0, 1.0))
        return Interval(low, high, confidence)


def _end(excess: Callable[[float], float], inside: float, far: float, step: float) -> float:
    """Where means begin to be rejected, from one that is not towards −1 or 1, in steps that double."""
    from scipy.optimize import brentq

    edge, direction = far * (1 - EDGE), 1.0 if far > 0 else -1.0
    while (edge - inside) * direction > 0:
        outer = inside + direction * step
        outer = outer if (edge - outer) * direction > 0 else edge
        if excess(outer) >= 0:
            return float(brentq(excess, inside, outer, xtol=1e-6))
        inside, step = outer, 2 * step
    return far


def _halves(totals: ndarray, weights: ndarray) -> tuple[float, float] | None:
    """GSB of the first and of the second half of the queries, where these differ by more than chance."""
    if len(totals) < 2:
        return None
    residuals = totals - weights * (totals.sum() / weights.sum())
    half = len(totals) // 2
    spread = float((residuals**2).sum()) ** 0.5
    if not abs(float(residuals[half:].sum() - residuals[:half].sum())) > DRIFT * spread:
        return None
    first, second = (
        float(totals[part].sum() / weights[part].sum()) for part in (slice(half), slice(half, None))
    )
    return first, second


def _exp(power: float) -> float:
    return exp(min(power, 700.0))
