"""Checks of a run, by itself and together with judgments."""

from __future__ import annotations

from idealist import kernels
from idealist.base.wording import count_of
from idealist.checks.findings import MATTERING, Location
from idealist.checks.row_checks import EXAMPLES, lookalikes
from idealist.data import Judgments, Run
from idealist.data.id_spelling import SPELLINGS
from idealist.evaluation import evaluate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.checks.findings import Finding
    from idealist.checks.row_checks import Indices, Marks, Numbers, Subject
    from idealist.evaluation import Evaluation


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


MEASURE = "nDCG@10"
MANY = 0.5  # the share of unjudged documents from which on it is a warning

# The codes of what depends on the judgments, or is found where there are none.
PAIR_CODES = frozenset(
    (
        *("no-shared-query", "missing-query", "unjudged-query"),
        *("ties", "ties-small", "unjudged", "unjudged-some"),
        *(spelling.code for spelling in SPELLINGS.values()),
    )
)


def pair_findings(judgments: Subject, run: Subject) -> Iterator[Finding]:
    """The findings of a run compared with judgments; they are reported for the run."""
    judged, retrieved = set(judgments.queries), set(run.queries)
    missing = [query for query in judgments.queries if query not in retrieved]
    unjudged_queries = [query for query in run.queries if query not in judged]
    if len(unjudged_queries) == len(run.queries):
        yield run.finding(
            "no-shared-query",
            f"none of the {count_of(len(run.queries), 'query')} is among the {len(judgments.queries):,} judged ones",
            len(run.queries),
            [Location(query=query) for query in unjudged_queries[:EXAMPLES]],
            f"judged queries are, for example, {', '.join(judgments.queries[:3])}",
        )
        yield from lookalikes(run, judgments)
        return
    for code, queries, message, hint in (
        (
            "missing-query",
            missing,
            "judged and not in the run",
            "they count as 0; --missing skip leaves them out",
        ),
        ("unjudged-query", unjudged_queries, "in the run and not judged", ""),
    ):
        if queries:
            yield run.finding(
                code,
                f"{count_of(len(queries), 'query')} {message}",
                len(queries),
                [Location(query=query) for query in queries[:EXAMPLES]],
                hint,
            )
    yield from lookalikes(run, judgments)
    result = _measured(judgments, run)
    yield from _ties(run, result)
    yield from _unjudged(judgments, run, result)


def _measured(judgments: Subject, run: Subject) -> Evaluation:
    scored, graded = run.measurable(), judgments.measurable()
    assert isinstance(scored, Run)
    assert isinstance(graded, Judgments)
    measures = [MEASURE, *(f"Judged@{k}" for k in run.settings.at)]
    return evaluate(graded, scored, measures, threads=run.settings.threads)


def _ties(run: Subject, result: Evaluation) -> Iterator[Finding]:
    bounds = result.ties(MEASURE)
    moved = abs(bounds.optimistic - bounds.pessimistic)
    if bounds.queries == 0 or moved < MATTERING:
        yield from tie_note(run, f"mean {MEASURE} by {moved:.4f}")
        return
    gaps = {query: high - low for query, (low, high) in result.ties_by_query(MEASURE).items() if high > low}
    yield run.finding(
        "ties",
        f"{count_of(bounds.queries, 'query')} of {result.n(MEASURE):,} whose {MEASURE} depends on the order of equal "
        f"scores: the mean lies from {bounds.pessimistic:.4f} to {bounds.optimistic:.4f}",
        bounds.queries,
        [
            Location(query=query, text=f"{MEASURE} could move by {gaps[query]:.4f}")
            for query in sorted(gaps, key=lambda query: (-gaps[query], query))[:EXAMPLES]
        ],
        "break ties in the system; --ties bounds shows both ends, --ties averaged the expected value",
    )


def tie_note(run: Subject, moved: str | None = None) -> Iterator[Finding]:
    """A note on equal scores whose effect is small or unknown."""
    tied = tied_queries(run)
    if tied.size:
        effect = f"; their order could move {moved}" if moved else ""
        yield run.finding(
            "ties-small",
            f"{count_of(tied.size, 'query')} of {len(run.queries):,} with equal scores{effect}",
            tied.size,
        )


def _unjudged(judgments: Subject, run: Subject, result: Evaluation) -> Iterator[Finding]:
    import numpy as np

    shares = {k: 1.0 - next(iter(result.judged[k].values())) for k in run.settings.at}
    if not any(share > 0 for share in shares.values()):
        return
    share_texts = ", ".join(f"{100 * share:.1f} % of the first {k:,}" for k, share in shares.items())
    first_depth = run.settings.at[0]
    # Where hardly anything is judged for a query, that is how the judgments are meant.
    is_warning = shares[first_depth] > MANY and float(np.median(judgments.counts)) >= first_depth
    yield run.finding(
        "unjudged" if is_warning else "unjudged-some",
        f"not judged: {share_texts}",
        _unjudged_rows(run, result),
        hint="values are too low where judgments are missing; judge more, or see --unjudged removed"
        if is_warning
        else "",
    )


def _unjudged_rows(run: Subject, result: Evaluation) -> int:
    """The number of unjudged documents down to the deepest rank of `at`."""
    depth = run.settings.at[-1]
    judged = result.by_query(f"Judged@{depth}")
    retrieved = dict(zip(run.queries, run.counts.tolist(), strict=True))
    count: int = round(
        sum((1 - share) * min(depth, retrieved.get(query, 0)) for query, share in judged.items())
    )
    return count
