"""Checks of a run by itself."""

from __future__ import annotations

from idealist import kernels
from idealist.checking.result import Location
from idealist.checking.subject import EXAMPLES
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.checking.result import Finding
    from idealist.checking.subject import Indices, Marks, Numbers, Subject

MOST_ASCENDING = 0.9  # the share of queries from which on scores are said to grow with the rank


def run_findings(run: Subject) -> Iterator[Finding]:
    yield from _scores(run)
    yield from _own_ids(run)
    yield from _depth(run)
    if run.text is not None:
        yield from _ranks(run)
        scattered = kernels.scattered_queries(run.rows)
        if scattered:
            yield run.finding(
                "scattered",
                f"the rows of {count_of(len(scattered), 'query')} are not together: reading takes more memory",
                len(scattered),
                run.query_locations(scattered),
            )


def _scores(run: Subject) -> Iterator[Finding]:
    import numpy as np

    infinite = np.flatnonzero(np.isinf(run.numbers))
    if infinite.size:
        yield run.finding(
            "score-infinite",
            f"{count_of(infinite.size, 'score')} infinite, as numbers beyond 1.8e308 become: those of a query tie",
            infinite.size,
            run.locations(infinite, "score"),
            "give scores that a float holds, such as their logarithms",
        )
    constant = constant_queries(run)
    if constant.size:
        yield run.finding(
            "constant-scores",
            f"{count_of(constant.size, 'query')} of {len(run.queries):,} with one score for all documents",
            constant.size,
            run.query_locations(constant),
            "rank by the system's own scores; if only its order is known, score by 1/rank",
        )


def constant_queries(run: Subject) -> Indices:
    """Queries of several documents that all have the same score."""
    equal = run.lowest(run.numbers) == run.highest(run.numbers)
    constant: Indices = run.filled[equal & (run.counts[run.filled] > 1)]
    return constant


def tied_queries(run: Subject) -> Indices:
    """Queries with equal scores that are not all equal."""
    import numpy as np

    scores, queries = run.numbers, run.query_of
    same = queries[1:] == queries[:-1]
    order = run.ordered(same & (scores[1:] > scores[:-1]), scores)
    if order is not None:
        scores = scores[order]
    tied = np.unique(queries[1:][same & (scores[1:] == scores[:-1])])
    return np.setdiff1d(tied, constant_queries(run))


def _own_ids(run: Subject) -> Iterator[Finding]:
    count, first, queries = kernels.own_ids(run.rows, 3)
    if count:
        yield run.finding(
            "own-id",
            f"{count_of(len(queries), 'query')} with a result of the query's own id",
            len(queries),
            [run.location(query, row) for query, row in first],
            "where queries are documents, leave the query out of its results",
        )


def _depth(run: Subject) -> Iterator[Finding]:
    import numpy as np

    deepest, highest = int(run.counts.max()), run.settings.at[-1]
    if deepest < highest:
        yield run.finding(
            "depth",
            f"no query has more than {count_of(deepest, 'document')}: measures at a higher k, or without k, "
            "see a list that is cut there",
            deepest,
        )
    short = np.flatnonzero(run.counts < deepest)
    if 0 < short.size < len(run.queries) / 2:
        least = short[np.argsort(run.counts[short], kind="stable")]
        yield run.finding(
            "depth-short",
            f"{count_of(short.size, 'query')} with fewer than {deepest:,} documents, which most others have",
            short.size,
            [
                Location(query=run.queries[int(query)], text=count_of(int(run.counts[query]), "document"))
                for query in least[:EXAMPLES]
            ],
        )


def _ranks(run: Subject) -> Iterator[Finding]:
    assert run.text is not None
    if run.text.ranks is None or len(run.text.ranks) != len(run.rows):
        if len(run.rows):
            yield run.finding("rank-text", "the rank column does not hold numbers only")
        return
    import numpy as np

    ranks: Numbers = np.asarray(kernels.row_numbers(run.text.ranks))
    yield from _first_ranks(run, ranks)
    queries, scores = run.query_of, run.numbers
    same = queries[1:] == queries[:-1]
    order = run.ordered(same & (ranks[1:] <= ranks[:-1]), -scores, ranks)
    if order is None:
        order = np.arange(len(ranks))
    else:
        ranks, scores = ranks[order], scores[order]
    later = same & (ranks[1:] > ranks[:-1])
    repeated = np.flatnonzero(same & (ranks[1:] == ranks[:-1])) + 1
    if repeated.size:
        yield run.finding(
            "rank-repeat",
            f"{count_of(repeated.size, 'rank')} given to a second document of the query",
            repeated.size,
            _ranked_locations(run, order, ranks, repeated),
        )
    yield from _rank_order(run, order, ranks, scores, later)


def _first_ranks(run: Subject, ranks: Numbers) -> Iterator[Finding]:
    import numpy as np

    first = run.lowest(ranks)
    odd = np.flatnonzero((first != 0) & (first != 1))
    if odd.size:
        yield run.finding(
            "rank-start",
            f"{count_of(odd.size, 'query')} whose first rank is neither 0 nor 1",
            odd.size,
            [
                Location(query=run.queries[int(run.filled[position])], text=f"first rank {first[position]:g}")
                for position in odd[:EXAMPLES]
            ],
        )


def _rank_order(
    run: Subject, order: Indices, ranks: Numbers, scores: Numbers, later: Marks
) -> Iterator[Finding]:
    """`later` says for each row but the first, in the order of ranks, if it is ranked below the one before."""
    import numpy as np

    queries = run.query_of
    rising = np.flatnonzero(later & (scores[1:] > scores[:-1])) + 1
    if not rising.size:
        return
    rising_queries = np.unique(queries[rising])
    falling_queries = np.unique(queries[1:][later & (scores[1:] < scores[:-1])])
    ascending = np.setdiff1d(rising_queries, falling_queries)
    if ascending.size >= MOST_ASCENDING * np.union1d(rising_queries, falling_queries).size:
        yield run.finding(
            "scores-ascending",
            f"the scores of {count_of(ascending.size, 'query')} grow with the rank; here the highest score is first",
            ascending.size,
            _ranked_locations(run, order, ranks, rising),
            "if these are distances, negate them",
        )
        return
    yield run.finding(
        "rank-order",
        f"{count_of(rising_queries.size, 'query')} in which a later rank has a higher score",
        rising_queries.size,
        _ranked_locations(run, order, ranks, rising),
        "measures go by the scores; if the ranks are right, score by 1/rank",
    )


def _ranked_locations(run: Subject, order: Indices, ranks: Numbers, rows: Indices) -> list[Location]:
    return [
        run.location_of(int(order[row]), f"rank {ranks[row]:g}, score {run.numbers[order[row]]:g}")
        for row in rows[:EXAMPLES]
    ]
