"""BEIR's own evaluation on pytrec_eval, and on what stands in for it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from support.strategies import UTF8_DOCUMENTS, judgments, runs

import idealist.drop_ins.pytrec_eval as stand_in

pytrec_eval = pytest.importorskip("pytrec_eval", reason="make peers installs it")
pytest.importorskip("beir", reason="make peers installs it")


@given(run=runs(UTF8_DOCUMENTS, smallest=1), judged=judgments(UTF8_DOCUMENTS, smallest=1))
@settings(max_examples=50)
def test_the_same_values(run: Any, judged: Any) -> None:
    # pytrec_eval may hang on queries with negative grades only.
    judged = {
        query: {document: max(int(grade), 0) for document, grade in one.items()}
        for query, one in judged.items()
    }
    if not set(run) & set(judged):
        return
    found = []
    for module in (pytrec_eval, stand_in):
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "pytrec_eval", module)
            patch.delitem(sys.modules, "beir.retrieval.evaluation", raising=False)
            evaluation = import_module("beir.retrieval.evaluation")
            assert evaluation.pytrec_eval is module
            scores = evaluation.EvaluateRetrieval.evaluate(
                judged, run, [1, 3, 10, 100], ignore_identical_ids=False
            )
        found.append({name: value for one in scores for name, value in one.items()})
    assert found[1] == pytest.approx(found[0], abs=1.1e-5)  # it rounds to five digits
