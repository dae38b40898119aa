"""One query of a stored run, explained, and with its documents in another order."""

from __future__ import annotations

from idealist.data import Judgments, Run
from idealist.errors import InputError
from idealist.evaluation.explanation import explain
from idealist.frozen import Frozen
from idealist.measures.grade_lists import whole
from idealist.web.measuring import judged_queries, stored_judgments, values_by_query
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


def query_list(workbench: Workbench, asked: Question, run: str) -> list[ListedQuery]:
    """All judged queries, those with the lowest values first."""
    (measure,) = asked.measures
    names = judged_queries(workbench, asked.judgments)
    values = values_by_query(workbench, asked, run, measure)
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
    explanation = explain(ranked, judged, measure, query=query, conventions=asked.conventions)
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


def loss_sentences(explanation: Explanation, text: Callable[..., str]) -> list[dict[str, object]]:
    """What the ranks lose against the ideal list, in words, the largest loss first; as shares of the whole where the
    measure divides by the ideal's sum."""
    if not explanation.ideal:
        return []
    divided = explanation.divisor is not None and explanation.divisor.name == explanation.ideal_title
    by = explanation.divisor.value if divided and explanation.divisor is not None else 1.0
    losses = [(loss / by, at) for at, loss in enumerate(explanation.losses) if by and loss / by > LEAST_LOSS]
    sentences = []
    for loss, at in sorted(losses, key=lambda pair: (-pair[0], pair[1]))[:MOST_LOSSES]:
        facts = {"loss": signed(-loss), "rank": at + 1}
        sentences.append({**facts, "sentence": _sentence(explanation, at, text)})
    return sentences


def _sentence(explanation: Explanation, at: int, text: Callable[..., str]) -> str:
    """Why a rank adds less than it could: what stands there, and where what should stand there is."""
    sought = explanation.ideal[at].grade
    grade = "–" if sought is None else whole(sought)
    if at >= len(explanation.ranking):
        return text("explain.loss.short", ideal=grade)
    here = explanation.ranking[at].grade
    below = (
        document.rank
        for document in explanation.ranking[at + 1 :]
        if document.grade is not None and sought is not None and document.grade >= sought
    )
    rank = next(below, None)
    key = "explain.loss.unjudged" if here is None else "explain.loss.lower"
    standing = text(key, grade="" if here is None else whole(here))
    where = text("explain.loss.sits", ideal=grade, rank=rank)
    if rank is None:
        where = text("explain.loss.absent", ideal=grade)
    return f"{standing} {where}"
