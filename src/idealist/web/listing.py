"""One query in two runs: both lists with what became of each document, how much they agree, and how both values came about."""

from __future__ import annotations

from idealist.data import Run
from idealist.errors import InputError
from idealist.evaluation.agreement import agree
from idealist.frozen import Frozen
from idealist.web.explaining import explain_query
from idealist.web.jobs import ended_within
from idealist.web.measuring import judged_queries, start_measuring, values_by_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.web.comparing import Pairing
    from idealist.web.explaining import Explained
    from idealist.web.workbench import Workbench

SHOWN = 20  # documents of a list
DEPTH = 10  # of the overlap, where the measure has no cut-off


class ListedDocument(Frozen):
    """A document of a list, what it adds to the value, and its rank in the other list (None: it is not there)."""

    rank: int
    document: str
    grade: float | None
    contribution: float
    other_rank: int | None

    @property
    def rise(self) -> int | None:
        """How many ranks higher it stands than in the other list."""
        return None if self.other_rank is None else self.other_rank - self.rank


class TwoLists(Frozen):
    """The lists of a query; `agreement` by measure, without those that are undefined."""

    query: str
    explained: tuple[Explained, Explained]
    baseline: tuple[ListedDocument, ...]
    system: tuple[ListedDocument, ...]
    agreement: tuple[tuple[str, float], ...]

    @property
    def values(self) -> tuple[float, float]:
        first, second = (explained.explanation.value for explained in self.explained)
        return first, second

    @property
    def moves(self) -> list[dict[str, object]]:
        """Every document of either list with both its ranks."""
        ranks: dict[str, tuple[int | None, int | None]] = {
            item.document: (item.rank, item.other_rank) for item in self.baseline
        }
        ranks |= {item.document: (item.other_rank, item.rank) for item in self.system}
        return [
            {"document": document, "baseline": before, "system": after}
            for document, (before, after) in ranks.items()
        ]


def two_lists(workbench: Workbench, pair: Pairing, query: str) -> TwoLists:
    """Both lists of one query, of which nothing else is read."""
    stored = (pair.baseline.stored, pair.system.stored)
    explained = [explain_query(workbench, pair.asked, run, query) for run in stored]
    rows = [workbench.files.rows_of(run, query) for run in stored]
    ranks = [_ranks(documents, result, query) for documents, result in zip(rows, explained, strict=True)]
    lists = [
        tuple(
            ListedDocument(
                row.rank,
                row.document or "",
                row.grade,
                row.contribution or 0.0,
                other.get(row.document or ""),
            )
            for row in result.explanation.ranking[:SHOWN]
        )
        for result, other in zip(explained, reversed(ranks), strict=True)
    ]
    (measure,) = pair.asked.measures
    depth = getattr(measure, "k", None) or DEPTH
    return TwoLists(
        query, (explained[0], explained[1]), lists[0], lists[1], _agreement(rows[0], rows[1], query, depth)
    )


def _ranks(rows: dict[str, float], explained: Explained, query: str) -> dict[str, int]:
    """The rank of every document: as it was explained, and below the cut-off by score."""
    whole = Run({query: rows}, name="run").ranking(query) if rows else []
    ranks = {document: rank for rank, document in enumerate(whole, 1)}
    return ranks | {row.document: row.rank for row in explained.explanation.ranking if row.document}


def _agreement(
    first: dict[str, float], second: dict[str, float], query: str, depth: int
) -> tuple[tuple[str, float], ...]:
    if not first or not second:
        return ()
    result = agree({query: second}, {query: first}, ["RBO", f"Overlap@{depth}", "KendallTau"])
    values = [(str(measure.label), result.value(measure, query)) for measure in result.measures]
    return tuple((name, value) for name, value in values if value == value)


def neighbours(workbench: Workbench, pair: Pairing, query: str, patience: float) -> dict[str, str]:
    """The queries before and after this one in the order of gains, the largest first; none while the runs are measured, for
    which a page does not wait longer than `patience` seconds."""
    runs = [pair.baseline.stored, pair.system.stored]
    if not ended_within(start_measuring(workbench, pair.asked, runs), patience):
        return {}
    ordered = ordered_queries(workbench, pair)
    if query not in ordered:
        return {}
    at = ordered.index(query)
    places = {"before": at - 1, "after": at + 1}
    return {name: ordered[place] for name, place in places.items() if 0 <= place < len(ordered)}


def ordered_queries(workbench: Workbench, pair: Pairing) -> list[str]:
    """The queries that both runs have a value for, the largest gain first."""
    (measure,) = pair.asked.measures
    sign = -1.0 if measure.better == "lower" else 1.0
    names = judged_queries(workbench, pair.asked.judgments)
    before, after = (
        values_by_query(workbench, pair.asked, run.stored, measure) for run in (pair.baseline, pair.system)
    )
    gains = [
        (sign * (first - second), name)
        for name, first, second in zip(names, before, after, strict=True)
        if first == first and second == second
    ]
    return [name for _, name in sorted(gains)]


def first_query(workbench: Workbench, pair: Pairing) -> str:
    """The query of the largest gain, where none is asked for."""
    ordered = ordered_queries(workbench, pair)
    if not ordered:
        raise InputError("no query has a value in both runs", hint="compare other runs")
    return ordered[0]
