"""Checks of a run together with judgments."""

from __future__ import annotations

from idealist.checking.codes import MATTERING
from idealist.checking.result import Location
from idealist.checking.row_checks import lookalikes
from idealist.checking.run_checks import tied_queries
from idealist.checking.subject import EXAMPLES
from idealist.data import Judgments, Run
from idealist.data.id_spelling import SPELLINGS
from idealist.evaluation import evaluate
from idealist.wording import count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.checking.result import Finding
    from idealist.checking.subject import Subject
    from idealist.evaluation import Evaluation

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
