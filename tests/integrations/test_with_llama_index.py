"""Measures inside LlamaIndex's evaluator, and its metrics beside them."""

from __future__ import annotations

import asyncio
from math import log2
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.evaluation import RetrieverEvaluator
from llama_index.core.evaluation.retrieval.metrics import (
    MRR,
    NDCG,
    AveragePrecision,
    HitRate,
    Precision,
    Recall,
)
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from support.pages import run_blocks

from idealist import InputError
from idealist.integrations.llama_index import metric, why

EXPECTED = [["a", "c"], ["x"], ["p", "q", "r"]]
RETRIEVED = [["a", "b", "c", "d"], ["y", "x", "z", "w"], ["p", "1", "q", "2"]]


class Retriever(BaseRetriever):  # type: ignore[misc]
    """Always the same list."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(node=TextNode(id_=name, text=name), score=1.0 / place)
            for place, name in enumerate("abcd", 1)
        ]


def test_measures_are_metrics_of_the_evaluator() -> None:
    evaluator = RetrieverEvaluator(
        metrics=[metric("nDCG@3"), metric("AP"), metric("P@4"), MRR()], retriever=Retriever()
    )
    result = asyncio.run(evaluator.aevaluate("query", expected_ids=["b", "c"]))
    # Relevant at ranks 2 and 3 of 4.
    assert result.metric_vals_dict == {
        "nDCG@3": pytest.approx((1 / log2(3) + 1 / 2) / (1 + 1 / log2(3))),
        "AP": pytest.approx((1 / 2 + 2 / 3) / 2),
        "P@4": 0.5,
        "mrr": 0.5,
    }


@pytest.mark.parametrize(
    ("theirs", "measure"),
    [
        (HitRate(), "Success@4"),
        (HitRate(use_granular_hit_rate=True), "R@4"),
        (MRR(), "RR"),
        (Precision(), "P@4"),
        (Recall(), "R@4"),
        (AveragePrecision(), "AP"),
        (NDCG(), "nDCG@4"),
    ],
)
def test_what_is_the_same(theirs: Any, measure: str) -> None:
    same = why(theirs, measure, EXPECTED, RETRIEVED)
    assert same.theirs == pytest.approx(same.ours)
    assert same.reasons == ()
    assert "both are the same" in str(same)


def test_an_ideal_list_that_is_longer_than_the_ranks() -> None:
    # Two of three relevant documents in two ranks: the best there is. LlamaIndex's ideal list has three ranks.
    shown = why(NDCG(), "nDCG@2", [["a", "b", "c"]], [["a", "b"]])
    whole = 1 + 1 / log2(3)
    assert shown.ours == 1
    assert shown.theirs == pytest.approx(whole / (whole + 1 / 2))
    assert shown.reasons == (
        "1 query with more expected documents than ranks: LlamaIndex's ideal list holds them all, so that no list of 2 can "
        "reach 1; that of nDCG@2 ends at 2",
    )


def test_a_document_twice() -> None:
    shown = why(AveragePrecision(), "AP", [["a", "b"]], [["a", "a", "b"]])
    assert shown.theirs == pytest.approx((1 + 1 + 1) / 2)  # above 1
    assert shown.ours == 1
    assert shown.reasons == (
        "1 query with a document twice: LlamaIndex counts every copy, here the first place counts",
    )


def test_few_documents_and_none() -> None:
    shown = why(Precision(), "P@4", [["a"], ["b"]], [["a", "x"], []])
    assert (shown.theirs, shown.ours) == (0.5, 0.125)
    assert shown.reasons == (
        "1 query with nothing retrieved: LlamaIndex raises an error, and has no value; here it counts as an empty list",
        "LlamaIndex has no cut-off: it takes all that was retrieved (2 documents), P@4 the first 4",
        "LlamaIndex divides by the documents that were retrieved, P@4 by 4",
    )


def test_other_things_have_a_reason_too() -> None:
    assert why(MRR(use_granular_mrr=True), "RR", [["a", "b"]], [["a", "b"]]).reasons == (
        "the granular MRR is the mean over all hits of a list, and not the rank of the first",
    )
    assert why(Recall(), "RR", [["a"]], [["b", "a"]]).reasons == ("recall and RR measure different things",)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="query 'q' has no expected ids"):
        metric("AP").compute("q", expected_ids=[], retrieved_ids=["a"])
    with pytest.raises(InputError, match="there are no retrieved ids"):
        metric("AP").compute("q", expected_ids=["a"])
    with pytest.raises(InputError, match="2 lists of expected ids and 1 of retrieved ids"):
        why(MRR(), "RR", [["a"], ["b"]], [["a"]])


def test_the_code_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_blocks("retrieval-code.md", "llama_index", tmp_path, monkeypatch)
