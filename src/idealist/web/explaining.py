"""One query of a stored run, explained, and with its documents in another order."""

from __future__ import annotations

from itertools import zip_longest

from idealist.data import Judgments, Run
from idealist.errors import InputError
from idealist.evaluation.explanation import explain
from idealist.frozen import Frozen
from idealist.reporting.cells import whole
from idealist.web.jobs import ended_within
from idealist.web.measuring import judged_queries, known_values, start_measuring, stored_judgments
from idealist.wording import signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from idealist.evaluation.explanation import Explanation
    from idealist.web.measuring import Question
    from idealist.web.workbench import Workbench

LEAST_LOSS = 0.0005  # what would be shown as 0
MOST_LOSSES = 5


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
