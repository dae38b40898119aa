"""Measures as metrics of LlamaIndex's RetrieverEvaluator, and why its own metrics give other numbers.

    from llama_index.core.evaluation import RetrieverEvaluator
    from idealist.integrations.llama_index import metric

    evaluator = RetrieverEvaluator(metrics=[metric("nDCG@10"), metric("AP")], retriever=retriever)

Where nothing was retrieved, LlamaIndex's metrics raise an error, and such queries are easily left out of the mean; here they
count as an empty list. A document that was retrieved twice, as chunks of one document are, stands where it stood first.
"""

from __future__ import annotations

from typing import ClassVar

from idealist.base.wording import count_queries
from idealist.data import Judgments, Run
from idealist.errors import InputError, MissingDependency
from idealist.evaluation import evaluate
from idealist.integrations.metric_difference import MetricDifference, first_places
from idealist.measures import parse

try:
    from llama_index.core.evaluation.retrieval.metrics_base import BaseRetrievalMetric, RetrievalMetricResult
except ImportError:
    raise MissingDependency("these metrics are for LlamaIndex", hint="pip install llama-index-core") from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.measures import Measure

__all__ = ["metric", "why"]

LIBRARY = "LlamaIndex"
QUERY = "query"
TOLERANCE = 1e-12
# Metrics that go through the list, rather than through the set of its documents.
COUNT_TWICE = ("ap", "ndcg", "hit_rate", "mrr")


def metric(measure: str | Measure, conventions: Conventions | str = "idealist") -> BaseRetrievalMetric:
    """A metric of LlamaIndex that gives the value of a measure, under its name; expected ids are of grade 1."""
    parsed = parse(measure)

    class IdealistMetric(BaseRetrievalMetric):
        metric_name: ClassVar[str] = str(parsed)

        def compute(
            self,
            query: str | None = None,
            expected_ids: list[str] | None = None,
            retrieved_ids: list[str] | None = None,
            expected_texts: list[str] | None = None,
            retrieved_texts: list[str] | None = None,
            **kwargs: Any,
        ) -> RetrievalMetricResult:
            if not expected_ids or retrieved_ids is None:
                raise InputError(
                    f"query {query!r} has no expected ids"
                    if retrieved_ids is not None
                    else "there are no retrieved ids",
                    hint="a query without a relevant document has no value: leave it out of the dataset",
                )
            value = _value(parsed, expected_ids, retrieved_ids, conventions)
            return RetrievalMetricResult(score=value, metadata={"retrieved": len(retrieved_ids)})

    return IdealistMetric()


def why(
    theirs: BaseRetrievalMetric,
    measure: str | Measure,
    expected: Sequence[list[str]],
    retrieved: Sequence[list[str]],
    conventions: Conventions | str = "idealist",
) -> MetricDifference:
    """A metric of LlamaIndex beside a measure, over the expected and retrieved ids of each query, and why they differ."""
    if len(expected) != len(retrieved) or not expected:
        raise InputError(
            f"{len(expected)} lists of expected ids and {len(retrieved)} of retrieved ids",
            hint="one of each for every query",
        )
    parsed = parse(measure)
    scores, failed = [], 0
    lists = list(zip(expected, retrieved, strict=True))
    for expected_ids, retrieved_ids in lists:
        try:
            scores.append(theirs.compute(expected_ids=expected_ids, retrieved_ids=retrieved_ids).score)
        except ValueError:
            failed += 1
    values = [_value(parsed, *both, conventions) for both in lists]
    their_mean = sum(scores) / len(scores) if scores else float("nan")
    our_mean = sum(values) / len(values)
    reasons: list[str] = []
    if abs(their_mean - our_mean) > TOLERANCE:
        reasons = [*_failures(failed), *_reasons(theirs, parsed, expected, retrieved)] or [
            f"{theirs.metric_name} and {parsed} measure different things"
        ]
    return MetricDifference(LIBRARY, theirs.metric_name, their_mean, str(parsed), our_mean, tuple(reasons))


def _failures(failed: int) -> list[str]:
    """Queries for which a metric of LlamaIndex raises an error."""
    if not failed:
        return []
    queries = count_queries(failed)
    return [
        f"{queries} with nothing retrieved: LlamaIndex raises an error, and has no value; here it counts as an empty list"
    ]


def _reasons(
    theirs: BaseRetrievalMetric,
    measure: Measure,
    expected: Sequence[list[str]],
    retrieved: Sequence[list[str]],
) -> list[str]:
    """What LlamaIndex's metric does in another way, where it matters for these lists."""
    name, cutoff = theirs.metric_name, getattr(measure, "k", None)
    reasons = []
    twice = sum(len(set(found)) < len(found) for found in retrieved)
    if twice and name in COUNT_TWICE:
        reasons.append(
            f"{count_queries(twice)} with a document twice: LlamaIndex counts every copy, here the first place counts"
        )
    lengths = {len(found) for found in retrieved if found}
    if cutoff is not None and lengths and lengths != {cutoff}:
        reasons.append(
            f"LlamaIndex has no cut-off: it takes all that was retrieved ({_span(lengths)} documents), {measure} the first {cutoff}"
        )
    if name == "precision" and cutoff is not None and any(len(found) < cutoff for found in retrieved):
        reasons.append(f"LlamaIndex divides by the documents that were retrieved, {measure} by {cutoff}")
    limits = [min(len(found), cutoff or len(found)) for found in retrieved]
    deep = sum(len(ids) > limit for ids, limit in zip(expected, limits, strict=True))
    if name == "ndcg" and cutoff is not None and deep:
        reasons.append(
            f"{count_queries(deep)} with more expected documents than ranks: LlamaIndex's ideal list holds them all, so that "
            f"no list of {cutoff} can reach 1; that of {measure} ends at {cutoff}"
        )
    if name == "hit_rate" and getattr(theirs, "use_granular_hit_rate", False):
        reasons.append("the granular hit rate is recall: the share of the expected documents")
    if name == "mrr" and getattr(theirs, "use_granular_mrr", False):
        reasons.append("the granular MRR is the mean over all hits of a list, and not the rank of the first")
    return reasons


def _span(lengths: set[int]) -> str:
    return str(min(lengths)) if len(lengths) == 1 else f"{min(lengths)} to {max(lengths)}"


def _value(
    measure: Measure, expected: list[str], retrieved: list[str], conventions: Conventions | str
) -> float:
    run = Run.from_lists({QUERY: first_places(retrieved)})
    judgments = Judgments({QUERY: dict.fromkeys(expected, 1)})
    return evaluate(judgments, run, measure, conventions=conventions).mean(measure)
