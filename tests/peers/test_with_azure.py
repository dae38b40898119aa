"""Azure AI Evaluation's DocumentRetrievalEvaluator beside ours, by its own functions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pytest import approx
from support.bare_modules import load_alone

from idealist import evaluate

PACKAGE = "azure.ai.evaluation"
DOCUMENTS = "abcdefgh"


class _Base:
    """In the place of its base class, which wants a client of a language model."""


@pytest.fixture(scope="module")
def evaluator() -> Any:
    blame = dict.fromkeys(("EvaluationException", "ErrorBlame", "ErrorCategory", "ErrorTarget"), Exception)
    made_up: dict[str, dict[str, Any]] = {
        PACKAGE: {},
        f"{PACKAGE}._constants": {"EVALUATION_PASS_FAIL_MAPPING": {True: "pass", False: "fail"}},
        f"{PACKAGE}._evaluators": {},
        f"{PACKAGE}._evaluators._common": {"EvaluatorBase": _Base},
        f"{PACKAGE}._exceptions": blame,
    }
    path = "_evaluators/_document_retrieval/_document_retrieval.py"
    return load_alone(PACKAGE, path, made_up).DocumentRetrievalEvaluator()


@settings(max_examples=100)
@given(
    st.permutations(DOCUMENTS),
    st.integers(1, len(DOCUMENTS)),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 4), min_size=1),
)
def test_documents_retrieved(
    evaluator: Any, order: list[str], retrieved: int, grades: dict[str, int]
) -> None:
    shown = order[:retrieved]
    assume(any(grades.get(document) for document in shown))  # otherwise it says 0 of everything
    truth = [{"document_id": d, "query_relevance_label": grade} for d, grade in grades.items()]
    documents = [{"document_id": d, "relevance_score": float(-rank)} for rank, d in enumerate(shown)]
    inputs = {"retrieval_ground_truth": truth, "retrieved_documents": documents}
    theirs = asyncio.run(evaluator._do_eval(inputs))["document_retrieval_properties"]
    measures = ["XDCG@3", "Fidelity", "nDCG(gain=exp)@3", f"Hole@{retrieved}"]
    result = evaluate({"q": grades}, {"q": shown}, measures)
    assert 100 * result.mean("XDCG@3") == approx(theirs["xdcg@3"])
    assert result.mean("Fidelity") == approx(theirs["fidelity"])
    assert result.mean("nDCG(gain=exp)@3") == approx(theirs["ndcg@3"])
    assert result.mean(f"Hole@{retrieved}") == approx(theirs["holes_ratio"])
    assert retrieved * result.mean(f"Hole@{retrieved}") == approx(theirs["holes"])
