"""One query of a stored run, explained; and of two runs, side by side."""

from __future__ import annotations

from itertools import zip_longest

from idealist.base.frozen import Frozen
from idealist.base.wording import signed
from idealist.data import Judgments, Run
from idealist.errors import InputError
from idealist.evaluation.explanation import explain
from idealist.evaluation.run_agreement import agree
from idealist.show.cells import whole
from idealist.web.base.jobs import ended_within
from idealist.web.comparing.run_values import (
    judged_queries,
    known_values,
    start_measuring,
    stored_judgments,
    values_by_query,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from idealist.evaluation.explanation import Explanation
    from idealist.web.comparing.pairing import Pairing
    from idealist.web.comparing.run_values import Question
    from idealist.web.workbench import Workbench


LEAST_LOSS = 0.0005  # what would be shown as 0
MOST_LOSSES = 5
SHOWN = 20  # documents of a list
DEPTH = 10  # of the overlap, where the measure has no cut-off


class ListedQuery(Frozen):
    """A query and its value; None where the conventions leave it out."""

    query: str
    value: float | None


class Explained(Frozen):
    """An explanation, and the documents of the ranking in order."""

    explanation: Explanation
    order: tuple[str, ...]


def query_list(workbench: Workbench, asked: Question, run: str, patience: float) -> list[ListedQuery] | None:
    """All judged queries, those with the lowest values first; None where the run is not measured within `patience` seconds."""
    (measure,) = asked.measures
    ended_within(start_measuring(workbench, asked, [run], prompt=True), patience)
    names = judged_queries(workbench, asked.judgments)
    values = known_values(workbench, asked, run, measure)
    if values is None:
        return None
    listed = [
        ListedQuery(name, None if value != value else value)
        for name, value in zip(names, values, strict=True)
    ]
    falling = -1 if measure.better == "lower" else 1
    return sorted(
        listed, key=lambda query: (query.value is None, falling * (query.value or 0.0), query.query)
    )


def explain_query(
    workbench: Workbench, asked: Question, run: str, query: str, order: Sequence[str] | None = None
) -> Explained:
    """Explains one query, of which nothing else is read; with `order`, as if its documents stood so."""
    (measure,) = asked.measures
    judgments = stored_judgments(workbench.files.path(asked.judgments))
    rows = workbench.files.rows_of(run, query)
    if order is not None:
        rows = _reordered(rows, order)
    ranked = Run({query: rows} if rows else {"": {"": 0.0}}, name="run")
    judged = Judgments({query: judgments[query]}) if query in judgments else judgments
    explanation = explain(judged, ranked, measure, query=query, conventions=asked.conventions)
    shown = [document.document for document in explanation.ranking if document.document is not None]
    return Explained(explanation, tuple(shown))


def _reordered(rows: dict[str, float], order: Sequence[str]) -> dict[str, float]:
    """The documents of `order` first, each once, then the others as they stood; scores fall with the ranks."""
    unknown = [document for document in order if document not in rows]
    if unknown or len(set(order)) < len(order):
        raise InputError(
            f"{(unknown or list(order))[0]!r} cannot be moved: the order does not fit this query",
            hint="reload the page",
        )
    ranked = sorted(rows, key=lambda document: -rows[document])
    whole_order = [*order, *(document for document in ranked if document not in set(order))]
    return {document: float(-rank) for rank, document in enumerate(whole_order, 1)}


def loss_sentences(explanation: Explanation, text: Callable[..., str]) -> list[dict[str, str]]:
    """What is lost against the ideal list, in words, the largest loss first; as shares of the whole where the measure
    divides by the ideal's sum.

    Of each grade, the documents of the ranking are paired with the places of the ideal list in order: a loss is what
    the place adds there, less what the document adds here.
    """
    if not explanation.ideal:
        return []
    divisor = explanation.divisor
    divided = divisor is not None and divisor.name == explanation.ideal_title
    whole_sum = divisor.value if divisor is not None and divided else 1.0
    losses: list[tuple[float, int, str]] = []
    for grade in dict.fromkeys(document.grade for document in explanation.ideal):
        places = [document for document in explanation.ideal if document.grade == grade]
        ranked = [document for document in explanation.ranking if document.grade == grade]
        for place, document in zip_longest(places, ranked[: len(places)]):
            added = 0.0 if document is None else document.contribution or 0.0
            loss = ((place.contribution or 0.0) - added) / whole_sum if whole_sum else 0.0
            facts = {"grade": "–" if grade is None else whole(grade), "ideal": place.rank}
            if document is None:
                sentence = text("explain.loss.absent", last=len(explanation.ranking), **facts)
            else:
                sentence = text("explain.loss.sits", rank=document.rank, **facts)
            if loss > LEAST_LOSS:
                losses.append((loss, place.rank, sentence))
    losses.sort(key=lambda entry: (-entry[0], entry[1]))
    return [{"loss": signed(-loss), "sentence": sentence} for loss, _, sentence in losses[:MOST_LOSSES]]


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
