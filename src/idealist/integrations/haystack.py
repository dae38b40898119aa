"""An evaluator for Haystack's pipelines by any measure, with its interval, and why Haystack's own evaluators differ.

    from idealist.integrations.haystack import DocumentEvaluator

    pipeline.add_component("ndcg", DocumentEvaluator("nDCG@10"))

Inputs and outputs are those of Haystack's evaluators (`ground_truth_documents`, `retrieved_documents` → `score`,
`individual_scores`); `low` and `high` are the ends of the 95 % interval of the mean, None for one query. Documents are the same if
they have the same `document_comparison_field`, as in Haystack; the score of a ground-truth document is its grade, 1 where it has
none. A document that was retrieved twice stands where it stood first.
"""

from __future__ import annotations

from typing import Any

from idealist.base.wording import count_queries
from idealist.data import Judgments, Run
from idealist.errors import InputError, MissingDependency
from idealist.evaluation import evaluate
from idealist.integrations.metric_difference import MetricDifference, first_places
from idealist.measures import parse
from idealist.statistics.intervals import mean_interval

try:
    from haystack import Document, component, default_to_dict
except ImportError:
    raise MissingDependency("this evaluator is for Haystack", hint="pip install haystack-ai") from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.measures import Measure

__all__ = ["DocumentEvaluator", "why"]

LIBRARY = "Haystack"
TOLERANCE = 1e-12


@component
class DocumentEvaluator:
    """A component that evaluates retrieved documents by a measure."""

    def __init__(
        self,
        measure: str = "nDCG@10",
        document_comparison_field: str = "content",
        conventions: str = "idealist",
    ) -> None:
        self.measure = str(parse(measure))
        self.document_comparison_field = document_comparison_field
        self.conventions = conventions

    def to_dict(self) -> dict[str, Any]:
        """The component as Haystack stores it in a pipeline."""
        written: dict[str, Any] = default_to_dict(
            self,
            measure=self.measure,
            document_comparison_field=self.document_comparison_field,
            conventions=self.conventions,
        )
        return written

    @component.output_types(score=float, individual_scores=list[float], low=float | None, high=float | None)
    def run(
        self, ground_truth_documents: list[list[Document]], retrieved_documents: list[list[Document]]
    ) -> dict[str, Any]:
        """The mean over the queries, the value of each of them, and the interval of the mean."""
        measure, field = parse(self.measure), self.document_comparison_field
        values = _values(measure, ground_truth_documents, retrieved_documents, field, self.conventions)
        interval = mean_interval(values, bounds=measure.bounds) if len(values) > 1 else None
        return {
            "score": sum(values) / len(values),
            "individual_scores": values,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
        }


def why(
    theirs: Any,
    measure: str | Measure,
    ground_truth_documents: list[list[Document]],
    retrieved_documents: list[list[Document]],
    conventions: str = "idealist",
) -> MetricDifference:
    """One of Haystack's evaluators beside a measure, over the same documents, and why they differ."""
    parsed, field = parse(measure), theirs.document_comparison_field
    their_mean = float(theirs.run(ground_truth_documents, retrieved_documents)["score"])
    values = _values(parsed, ground_truth_documents, retrieved_documents, field, conventions)
    our_mean = sum(values) / len(values)
    name = type(theirs).__name__
    reasons: list[str] = []
    if abs(their_mean - our_mean) > TOLERANCE:
        reasons = _reasons(theirs, parsed, ground_truth_documents, retrieved_documents) or [
            f"{name} and {parsed} measure different things"
        ]
    return MetricDifference(LIBRARY, name, their_mean, str(parsed), our_mean, tuple(reasons))


def _reasons(
    theirs: Any, measure: Measure, relevant: list[list[Document]], retrieved: list[list[Document]]
) -> list[str]:
    """What Haystack's evaluator does in another way, where it matters for these documents."""
    name, field, cutoff = type(theirs).__name__, theirs.document_comparison_field, getattr(measure, "k", None)
    lists = [[_key(document, field) for document in documents] for documents in retrieved]
    reasons = []
    twice = sum(len(set(found)) < len(found) for found in lists)
    if twice:
        reasons.append(
            f"{count_queries(twice)} with a document twice: in Haystack the second keeps its rank and gains nothing, here later "
            "documents move up"
        )
    if cutoff is not None and any(len(found) > cutoff for found in lists):
        reasons.append(
            f"Haystack has no cut-off: it takes all that was retrieved, {measure} the first {cutoff}"
        )
    deep = sum(len(set(_keys(documents, field))) > (cutoff or len(documents)) for documents in relevant)
    if name == "DocumentNDCGEvaluator" and deep:
        reasons.append(
            f"{count_queries(deep)} with more relevant documents than ranks: Haystack's ideal list holds them all, that of "
            f"{measure} ends at {cutoff}"
        )
    if name == "DocumentRecallEvaluator" and "single" in str(theirs.mode).lower():
        reasons.append(
            "recall in the mode single_hit is whether anything was found: Success here, not the share of what is relevant"
        )
    return reasons


def _values(
    measure: Measure,
    relevant: list[list[Document]],
    retrieved: list[list[Document]],
    field: str,
    conventions: str,
) -> list[float]:
    """The value of each query; queries are numbered as they come."""
    if len(relevant) != len(retrieved) or not relevant:
        raise InputError(
            f"{len(relevant)} lists of ground-truth documents and {len(retrieved)} of retrieved ones",
            hint="one of each for every query",
        )
    judged: dict[str, dict[str, float]] = {}
    for at, documents in enumerate(relevant):
        grades: dict[str, float] = {}
        for key, document in zip(_keys(documents, field), documents, strict=True):
            grade = 1.0 if document.score is None else float(document.score)
            grades[key] = max(grades.get(key, grade), grade)
        if not grades:
            raise InputError(
                f"query {at} has no ground-truth document",
                hint="a query without a relevant document has no value: leave it out",
            )
        judged[str(at)] = grades
    lists = {str(at): first_places(_keys(documents, field)) for at, documents in enumerate(retrieved)}
    result = evaluate(Judgments(judged), Run.from_lists(lists), measure, conventions=conventions)
    by_query = result.by_query(measure)
    if (undefined := next((name for name in judged if name not in by_query), None)) is not None:
        raise InputError(
            f"query {undefined} has no value: nothing is relevant, and under the conventions {conventions} it does not count",
            hint="leave it out, or take other conventions",
        )
    return [by_query[name] for name in judged]


def _keys(documents: list[Document], field: str) -> list[str]:
    return [_key(document, field) for document in documents]


def _key(document: Document, field: str) -> str:
    """What makes two documents the same."""
    value: Any = document
    for part in ("meta", *field.removeprefix("meta.").split(".")) if field.startswith("meta.") else (field,):
        value = value.get(part) if isinstance(value, dict) else getattr(value, part, None)
    if value is None:
        raise InputError(
            f"document {document.id!r} has no {field}",
            hint='choose another document_comparison_field, such as "id"',
        )
    return str(value)
