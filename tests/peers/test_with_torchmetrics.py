"""TorchMetrics beside ours. It computes in single precision."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from support.scored_lists import BINARY, CUTOFFS, REAL, Lists, joined, ohsumed_lists, ours, scored_lists

from idealist import InputError
from idealist.conventions import TORCHMETRICS

torch = pytest.importorskip("torch", reason="make peers installs it")
functions = pytest.importorskip("torchmetrics.functional.retrieval", reason="make peers installs it")
retrieval = pytest.importorskip("torchmetrics.retrieval", reason="make peers installs it")

NO_TIES = TORCHMETRICS.replace(ties="input-order")


def theirs(lists: Lists, metric: str, **options: Any) -> float:
    scores, grades, sizes = joined(lists)
    whole = (grades == grades.astype(int)).all()
    target = torch.tensor(grades.astype(int) if whole else grades)
    queries = torch.tensor(np.repeat(np.arange(len(lists)), sizes))
    return float(getattr(retrieval, metric)(**options)(torch.tensor(scores), target, indexes=queries))


@given(scored_lists(), CUTOFFS)
@settings(max_examples=60)
def test_ndcg(lists: Lists, k: int) -> None:
    for action, empty in (("neg", "zero"), ("pos", "one")):
        expected = theirs(lists, "RetrievalNormalizedDCG", top_k=k, empty_target_action=action)
        chosen = TORCHMETRICS.replace(empty=empty)
        assert ours(lists, f"nDCG@{k}", chosen) == pytest.approx(expected, abs=1e-5)


@given(scored_lists(), CUTOFFS)
@settings(max_examples=30)
def test_empty_queries_left_out(lists: Lists, k: int) -> None:
    lists = [*lists, ([1.0], [1])]
    expected = theirs(lists, "RetrievalNormalizedDCG", top_k=k, empty_target_action="skip")
    assert ours(lists, f"nDCG@{k}", TORCHMETRICS.replace(empty="skip")) == pytest.approx(expected, abs=1e-5)


@given(scored_lists(REAL), CUTOFFS)
@settings(max_examples=30)
def test_ndcg_of_real_grades(lists: Lists, k: int) -> None:
    expected = theirs(lists, "RetrievalNormalizedDCG", top_k=k)
    assert ours(lists, f"nDCG@{k}", "torchmetrics") == pytest.approx(expected, abs=1e-5)


@given(scored_lists(BINARY, tied=False), CUTOFFS)
@settings(max_examples=40)
def test_binary_measures_of_scores_above_0_without_ties(lists: Lists, k: int) -> None:
    for measure, metric in (
        ("AP", "RetrievalMAP"),
        ("RR", "RetrievalMRR"),
        ("P", "RetrievalPrecision"),
        ("R", "RetrievalRecall"),
        ("Success", "RetrievalHitRate"),
    ):
        expected = theirs(lists, metric, top_k=k)
        assert ours(lists, f"{measure}@{k}", NO_TIES) == pytest.approx(expected, abs=1e-5), metric
    assert ours(lists, "Rprec", NO_TIES) == pytest.approx(theirs(lists, "RetrievalRPrecision"), abs=1e-5)
    assert ours(lists, "AP", "torchmetrics") == pytest.approx(theirs(lists, "RetrievalMAP"), abs=1e-5)


def test_average_precision_of_what_was_found() -> None:
    # Of two relevant documents it finds one, at once, and says 1.
    lists: Lists = [([3, 2, 1], [1, 0, 1])]
    assert theirs(lists, "RetrievalMAP", top_k=2) == 1 / 1
    assert ours(lists, "AP@2", NO_TIES) == 1 / 1
    assert ours(lists, "AP(divisor=relevant)@2", NO_TIES) == 1 / 2
    assert ours(lists, "AP@2", "torchmetrics") == 1 / 1
    with pytest.raises(InputError, match="no closed form for averaged ties"):
        ours([([3, 3, 1], [1, 0, 1])], "AP@2", "torchmetrics")


@pytest.mark.parametrize(
    ("measure", "metric"),
    [("RR@3", "RetrievalMRR"), ("AP@3", "RetrievalMAP"), ("R@3", "RetrievalRecall"), ("P@1", "RetrievalPrecision")],
)  # fmt: skip
def test_a_relevant_document_with_a_score_of_0_or_less_is_not_found(measure: str, metric: str) -> None:
    # Logarithms of probabilities are scores, too: here the relevant document is the first.
    lists: Lists = [([-1, -2, -3], [1, 0, 0])]
    assert theirs(lists, metric, top_k=int(measure[-1])) == 0
    assert ours(lists, measure, NO_TIES) == 1
    assert theirs(lists, "RetrievalNormalizedDCG") == ours(lists, "nDCG", NO_TIES) == 1


def test_two_rows_are_one_list_to_the_functions() -> None:
    scores, grades = [[3.0, 2, 1], [6, 5, 4]], [[1, 0, 0], [0, 0, 1]]
    # Reciprocal ranks 1 and 1/3. In one list of six, 6 5 4 3 2 1, the first relevant document is the third.
    assert float(
        functions.retrieval_reciprocal_rank(torch.tensor(scores), torch.tensor(grades))
    ) == pytest.approx(1 / 3)
    rows: Lists = list(zip(scores, grades, strict=True))  # type: ignore[arg-type]
    assert ours(rows, "RR", "torchmetrics") == pytest.approx((1 + 1 / 3) / 2)


def test_negative_grades() -> None:
    # Negative gains stand in the ideal list, too; where nothing else does, values pass 1.
    found, ideal = -1 - 1 / log2(3), -1 / log2(3) - 1 / log2(4)
    lists: Lists = [([3, 2, 1], [-1, -1, 0])]
    assert theirs(lists, "RetrievalNormalizedDCG") == pytest.approx(found / ideal)  # 1.442
    with pytest.raises(InputError, match="negative"):
        ours(lists, "nDCG", "torchmetrics")
    with pytest.raises(ValueError, match="binary"):
        theirs(lists, "RetrievalMRR")


def test_ohsumed(ohsumed: Path) -> None:
    lists = ohsumed_lists(ohsumed)
    value = theirs(lists, "RetrievalNormalizedDCG", top_k=10)
    assert ours(lists, "nDCG@10", "torchmetrics") == pytest.approx(value, abs=1e-6)
