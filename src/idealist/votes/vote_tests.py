"""Tests of votes: whether the candidate differs from the baseline, asked once or as votes come in."""

from __future__ import annotations

from math import log

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_count, as_share
from idealist.base.wording import count_queries, p_text
from idealist.statistics.paired_tests import ROUNDS, coin_p, flip_signs
from idealist.statistics.randomness import generator
from idealist.statistics.sequential_testing import EProcess, differing_halves
from idealist.votes.folded_votes import FoldedVotes, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy import ndarray

    from idealist.statistics.mean_estimates import Interval
    from idealist.votes.vote_table import Votes


MANY = 1_000_000
MANY_TOTALS, FEW_SIZES = 1000, 50


def flip_p(totals: Sequence[float] | ndarray, *, rounds: int = ROUNDS, seed: int = 0) -> float:
    """The test by sign flips: how often the sum is as far from 0 when every total might as well have had the
    other sign. Totals are those of queries, so that votes of one query stay together.

    Totals of one size are the exact binomial test (= exact McNemar); few are tried in full; else the p-value is
    (1 + as extreme)/(rounds + 1).

    >>> flip_p([3, 2, 1])  # of 8 ways, +++ and −−− are as extreme
    0.25
    >>> flip_p([1, -1, -1, -1, -1, -1, -1, -1])  # 2 · (1 + 8)/2⁸
    0.0703125
    """
    import numpy as np

    as_count(rounds, "rounds")
    nonzero = np.asarray(totals, dtype=float)
    sizes = np.abs(nonzero)
    nonzero = nonzero[sizes > 1e-12 * sizes.max(initial=0.0)]  # what adds up to nothing but rounding is a tie
    if not len(nonzero):
        return 1.0
    if np.allclose(np.abs(nonzero), abs(nonzero[0]), rtol=1e-12, atol=0):
        return coin_p(int((nonzero > 0).sum()), int((nonzero < 0).sum()))
    if len(nonzero) > MANY_TOTALS:
        kinds, of_each = np.unique(np.abs(nonzero), return_counts=True)
        if len(kinds) <= FEW_SIZES:
            return _flipped_by_size(kinds, of_each, abs(float(nonzero.sum())), rounds, seed)
    return float(flip_signs(nonzero[:, None], rounds=rounds, seed=seed)[0])


def _flipped_by_size(sizes: ndarray, of_each: ndarray, observed: float, rounds: int, seed: int) -> float:
    """Flips the signs of many totals of few sizes: of each size, how many signs are positive is drawn at once."""
    sums = generator(seed).binomial(of_each, 0.5, (rounds, len(sizes))) * 2 - of_each
    as_far = abs(sums @ sizes) >= observed * (1 - 1e-12)
    return (1 + int(as_far.sum())) / (rounds + 1)


class SignErrors(Frozen):
    """How often the plain rule "below 0 does not launch" is wrong: `blocks_neutral` is how often a candidate
    as good as the baseline is blocked, `passes_worse` how often one that is worse by `margin` is let through."""

    n: int
    blocks_neutral: float
    passes_worse: float
    margin: float


def sign_errors(n: int, decided: float, *, margin: float = 0.02) -> SignErrors:
    """The errors of the sign rule at n votes, when a share `decided` of them is not same: exact sums over how
    many are decided, and how many of those are good.

    >>> errors = sign_errors(300, 0.3)
    >>> round(errors.blocks_neutral, 2), round(errors.passes_worse, 2)
    (0.48, 0.28)
    """
    import numpy as np
    from scipy.special import gammaln, xlog1py, xlogy

    share = min(max(decided, 0.0), 1.0)
    # Numbers of decided votes that are further from the mean have no probability that counts (Bernstein's inequality).
    reach = 9 * (n * share * (1 - share)) ** 0.5 + 50
    counts = np.arange(max(0, int(n * share - reach)), min(n, int(n * share + reach)) + 1)
    logs = xlogy(counts, share) + xlog1py(n - counts, -share) - gammaln(counts + 1) - gammaln(n - counts + 1)
    probabilities = np.exp(logs - logs.max())
    probabilities /= probabilities.sum()
    ties = np.where(
        counts % 2 == 0, np.exp(gammaln(counts + 1) - 2 * gammaln(counts / 2 + 1) - counts * log(2)), 0.0
    )
    loss = min(margin, share)
    good = (share - loss) / (2 * share) if share else 0.0
    pass_chances = _at_least_half(counts, good) if loss else (1 + ties) / 2
    return SignErrors(
        n, float((probabilities * (1 - ties)).sum()) / 2, float((probabilities * pass_chances).sum()), margin
    )


def _at_least_half(counts: ndarray, good: float) -> ndarray:
    """How probable it is that at least half of so many votes are good, each with this probability."""
    import numpy as np
    from scipy.special import bdtrc, ndtr

    most = np.ceil(counts / 2) - 1  # so many are fewer than half
    exact = bdtrc(np.maximum(most, 0), np.maximum(counts, 1), good)
    # scipy's sums of millions are less exact than the normal distribution is there.
    normal = ndtr((counts * good - most - 0.5) / np.sqrt(np.maximum(counts * good * (1 - good), 1e-300)))
    probabilities: ndarray = np.where(counts > MANY, normal, np.where(counts > 0, exact, 1.0))
    return probabilities


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
        """The test with an interval that includes the value of all votes, some of which may not have entered."""
        low, high = min(self.interval.low, value), max(self.interval.high, value)
        return self.replace(interval=self.interval.replace(low=low, high=high))


def look(
    votes: Votes, *, fold: str = "votes", votes_per_query: int | None = None, confidence: float = 0.95
) -> Sequential:
    """The sequential test of votes, one query after the other.

    Every query enters once, when it is complete, with its weighted sum of votes and its weight; the rest is that of
    `EProcess`. For one vote a query the evidence is 2^(G+B) · Beta(a+G, a+B)/Beta(a, a), a being 10.

    >>> from idealist.votes.vote_table import read_votes
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
