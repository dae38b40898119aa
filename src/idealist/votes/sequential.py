"""The sequential test of votes: evidence and an interval that stay valid however often one looks."""

from __future__ import annotations

from idealist.data.values import as_share
from idealist.frozen import Frozen
from idealist.results import Result
from idealist.statistics.sequential import EProcess, differing_halves
from idealist.votes.folding import FoldedVotes, counted
from idealist.wording import count_queries, p_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy import ndarray

    from idealist.data.votes import Votes
    from idealist.statistics.interval import Interval


class Sequential(Result, Frozen):
    """The sequential test at its last look: the evidence now, its largest so far, the p-value 1/largest, and the
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
        return self.replace(interval=self.interval.replace(low=low, high=high))


def look(
    votes: Votes, *, fold: str = "votes", votes_per_query: int | None = None, confidence: float = 0.95
) -> Sequential:
    """The sequential test of votes, one query after the other.

    Every query enters once, when it is complete, with its weighted sum of votes and its weight; the rest is that of
    `EProcess`. For one vote a query the evidence is 2^(G+B) · Beta(a+G, a+B)/Beta(a, a), a being 10.

    >>> from idealist.io.votes import read_votes
    >>> found = look(read_votes(["good"] * 3))  # 2³ · (10·11·12)/(20·21·22)
    >>> round(found.e_value, 6), found.queries
    (1.142857, 3)
    """
    as_share(confidence, "confidence")
    complete, waiting = complete_queries(votes, votes_per_query)
    totals, weights = query_sums(votes, complete, fold)
    process = EProcess(totals, weights)
    entered = sum(len(rows) for rows in complete.values())
    return Sequential(
        e_value=process.e_value,
        largest=process.largest,
        p_value=process.p_value,
        interval=process.interval(confidence),
        queries=len(complete),
        votes=entered,
        left_out=int(counted(votes).sum()) - entered - waiting,
        waiting=waiting,
        halves=differing_halves(totals, weights),
    )


def query_sums(votes: Votes, complete: Mapping[str, Sequence[int]], fold: str) -> tuple[ndarray, ndarray]:
    """The weighted sum of votes and the weight of every query, by the rows that it entered with."""
    import numpy as np

    if not complete:
        return np.zeros(0), np.zeros(0)
    entered = np.zeros(len(votes), dtype=bool)
    entered[[row for rows in complete.values() for row in rows]] = True
    folded = FoldedVotes(votes, fold, entered)
    numbers = {name: number for number, name in enumerate(folded.query_names)}
    order = [numbers[query] for query in complete]
    totals = np.bincount(folded.query, folded.weight * folded.x, folded.queries)
    weights = np.bincount(folded.query, folded.weight, folded.queries)
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
    return complete_units(rows, [votes.queries[row] for row in rows], votes_per_query)


def complete_units(
    rows: Sequence[int], units: Sequence[str], rows_per_unit: int | None = None
) -> tuple[dict[str, list[int]], int]:
    """The same of rows in the order in which they came, and what each is of: queries, users."""
    complete, incomplete = (
        _by_visits(rows, units) if rows_per_unit is None else _by_number(rows, units, rows_per_unit)
    )
    return complete, sum(len(rows_waiting) for rows_waiting in incomplete.values())


def _by_number(
    rows: Sequence[int], queries: Sequence[str], number: int
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """A query is complete at its `number`th vote; further ones are left out."""
    complete: dict[str, list[int]] = {}
    incomplete: dict[str, list[int]] = {}
    for row, query in zip(rows, queries, strict=True):
        if query in complete:
            continue
        incomplete.setdefault(query, []).append(row)
        if len(incomplete[query]) == number:
            complete[query] = incomplete.pop(query)
    return complete, incomplete


def _by_visits(
    rows: Sequence[int], queries: Sequence[str]
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """A query is complete when the rows of another follow; as long as all queries had equally many votes, already
    when it has as many, so that the last one need not wait. Votes that come back to a query are left out."""
    complete: dict[str, list[int]] = {}
    visit: list[int] = []  # the rows of the query that is being voted on, until it is complete
    size, equal_sizes = 0, True  # the number of votes of the queries before, and whether it is one number
    current, first_visit = None, True
    for row, query in zip(rows, queries, strict=True):
        if query != current:
            if visit and current is not None:
                complete[current] = visit
                equal_sizes = equal_sizes and size in (0, len(visit))
                size = len(visit)
            current, first_visit, visit = query, query not in complete, []
        if query in complete:
            # It entered with as many votes as the others, but there are more: sizes do differ.
            equal_sizes = equal_sizes and not first_visit
            continue
        visit.append(row)
        if equal_sizes and len(visit) == size:
            complete[query], visit = visit, []
    return complete, {current: visit} if visit and current is not None else {}
