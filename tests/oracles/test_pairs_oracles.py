"""Pairwise measures against ir_measures and scikit-learn."""

from __future__ import annotations

from typing import Any

import ir_measures
import pytest
from hypothesis import given
from sklearn.metrics import roc_auc_score
from support.ir_measures_providers import measure_called
from support.strategies import UTF8_DOCUMENTS, judgments, runs, tasks

from idealist import Conventions, evaluate


@given(runs(UTF8_DOCUMENTS, smallest=1), judgments(UTF8_DOCUMENTS, smallest=1))
def test_accuracy_agrees_with_ir_measures(run: Any, judged: Any) -> None:
    # It breaks ties by the order of rows; here no two scores are equal.
    run = {query: {d: -float(at) for at, d in enumerate(docs)} for query, docs in run.items()}
    for text in ("Accuracy", "Accuracy@3", "Accuracy(rel=2)@5"):
        for query in set(run) & set(judged):
            ours = evaluate({query: judged[query]}, {query: run[query]}, text, conventions=SKIP)
            try:
                theirs = list(
                    ir_measures.iter_calc([measure_called(text)], {query: judged[query]}, {query: run[query]})
                )
            except ZeroDivisionError:  # all are relevant
                theirs = []
            if theirs:
                assert ours.value(text, query) == pytest.approx(theirs[0].value, abs=1e-12), (text, query)
            elif max(judged[query].values()) > 0:
                assert ours.n(text) == 0


SKIP = Conventions(empty="skip")


@given(tasks())
def test_auc_agrees_with_scikit_learn(task: Any) -> None:
    run, judged = task
    for query, grades in judged.items():
        scores = run.get(query, {})
        for level in (1, 2):
            truth = [grade >= level for grade in grades.values()]
            if query not in run or len(set(truth)) < 2:
                continue
            below = min(scores.values(), default=0) - 1
            expected = roc_auc_score(truth, [scores.get(document, below) for document in grades])
            averaged = Conventions(ties="averaged")
            text = f"AUC(level={level})"
            result = evaluate({query: grades}, {query: scores}, text, conventions=averaged)
            assert result.value(text, query) == pytest.approx(expected, abs=1e-12)
