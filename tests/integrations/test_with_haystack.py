"""An evaluator in a pipeline of Haystack, and Haystack's own beside it."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import pytest
from haystack import Document, Pipeline
from haystack.components.evaluators import (
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
)
from support.pages import run_blocks

from idealist import InputError
from idealist.integrations.haystack import DocumentEvaluator, why
from idealist.statistics.intervals import mean_interval


def documents(names: str, score: float | None = None) -> list[Document]:
    return [Document(content=name, score=score) for name in names.split()]


RELEVANT = [documents("a c"), documents("x")]
RETRIEVED = [documents("a b c"), documents("y x")]


def test_a_component_of_a_pipeline_with_an_interval() -> None:
    pipeline = Pipeline()
    pipeline.add_component("ap", DocumentEvaluator("AP"))
    # It is stored and read again.
    pipeline = Pipeline.loads(pipeline.dumps(), allowed_modules=["idealist.integrations.haystack"])
    (result,) = pipeline.run(
        {"ap": {"ground_truth_documents": RELEVANT, "retrieved_documents": RETRIEVED}}
    ).values()
    values = [(1 + 2 / 3) / 2, 1 / 2]
    assert result["individual_scores"] == pytest.approx(values)
    assert result["score"] == pytest.approx(sum(values) / 2)
    interval = mean_interval(result["individual_scores"], bounds=(0, 1))
    assert interval is not None
    assert (result["low"], result["high"]) == (interval.low, interval.high)


def test_scores_are_grades() -> None:
    relevant = [[Document(content="a", score=1.0), Document(content="b", score=3.0)]]
    result = DocumentEvaluator("nDCG").run(relevant, [documents("a b")])
    assert result["score"] == pytest.approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))
    assert result["low"] is None  # one query


@pytest.mark.parametrize(
    ("theirs", "measure"),
    [
        (DocumentMAPEvaluator(), "AP"),
        (DocumentMRREvaluator(), "RR"),
        (DocumentNDCGEvaluator(), "nDCG"),
        (DocumentRecallEvaluator(mode="multi_hit"), "R@10"),
        (DocumentRecallEvaluator(mode="single_hit"), "Success@10"),
    ],
)
def test_what_is_the_same(theirs: Any, measure: str) -> None:
    same = why(theirs, measure, RELEVANT, RETRIEVED)
    assert same.theirs == pytest.approx(same.ours)
    assert same.reasons == ()


def test_an_ideal_list_that_is_longer_than_the_ranks() -> None:
    shown = why(DocumentNDCGEvaluator(), "nDCG@2", [documents("a b c")], [documents("a b")])
    whole = 1 + 1 / log2(3)
    assert shown.theirs == pytest.approx(whole / (whole + 1 / 2))
    assert shown.ours == 1
    assert shown.reasons == (
        "1 query with more relevant documents than ranks: Haystack's ideal list holds them all, that of nDCG@2 ends at 2",
    )


def test_a_document_twice() -> None:
    shown = why(DocumentMAPEvaluator(), "AP", [documents("a b")], [documents("a a b")])
    assert shown.theirs == pytest.approx((1 + 2 / 3) / 2)
    assert shown.ours == 1
    assert shown.reasons[0].startswith("1 query with a document twice: in Haystack the second keeps its rank")


def test_single_hits_are_not_recall() -> None:
    shown = why(DocumentRecallEvaluator(mode="single_hit"), "R@10", [documents("a b")], [documents("a")])
    assert (shown.theirs, shown.ours) == (1, 0.5)
    assert "Success here" in shown.reasons[0]


def test_documents_by_another_field() -> None:
    relevant = [[Document(content="whole text", meta={"file": {"id": 7}})]]
    retrieved = [[Document(content="a part of it", meta={"file": {"id": 7}})]]
    assert DocumentEvaluator("RR").run(relevant, retrieved)["score"] == 0
    assert (
        DocumentEvaluator("RR", document_comparison_field="meta.file.id").run(relevant, retrieved)["score"]
        == 1
    )
    with pytest.raises(InputError, match=r"has no meta\.file\.url"):
        DocumentEvaluator("RR", document_comparison_field="meta.file.url").run(relevant, retrieved)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="2 lists of ground-truth documents and 1 of retrieved ones"):
        DocumentEvaluator("RR").run(RELEVANT, RETRIEVED[:1])
    with pytest.raises(InputError, match="query 0 has no ground-truth document"):
        DocumentEvaluator("RR").run([[]], RETRIEVED[:1])
    graded_zero = [[Document(content="Rome", score=0.0)]]
    assert DocumentEvaluator("nDCG").run(graded_zero, RETRIEVED[:1])["score"] == 0.0
    with pytest.raises(
        InputError, match="query 0 has no value: nothing is relevant, and under the conventions recbole"
    ):
        DocumentEvaluator("nDCG", conventions="recbole").run(graded_zero, RETRIEVED[:1])


def test_the_code_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_blocks("retrieval-code.md", "haystack", tmp_path, monkeypatch)
