"""What cannot be right in tensors is refused, in words that say where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import idealist as il
from idealist.learn import evaluate_tensors
from idealist.learn.tensors import tensor_batches as batches

NAN, INFINITY = float("nan"), float("inf")


def evaluated(scores: Any, grades: Any, measure: Any = "nDCG@2", **how: Any) -> Any:
    return evaluate_tensors(grades, scores, measure, **how)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluated([[1.0, 2.0]], [[1.0]]), r"scores have shape \(1, 2\) and grades \(1, 1\)"),
        (lambda: evaluated(1.0, 1.0), r"scores have shape \(\) and grades \(\)"),
        (lambda: evaluated([["a"]], [[1]]), "scores cannot be made a tensor"),
        (
            lambda: evaluated(torch.ones(1, 2, dtype=torch.complex64), [[1, 0]]),
            "scores are of type torch.complex64",
        ),
        (
            lambda: evaluated([[1.0, 2.0], [1.0, NAN]], [[1, 0], [1, 0]]),
            "query 1: the score of document 1 is nan",
        ),
        (lambda: evaluated([[INFINITY, 2.0]], [[1, 0]]), "query 0: the score of document 0 is inf"),
        (lambda: evaluated([[1.0, 2.0]], [[1, INFINITY]]), "query 0: the grade of document 1 is inf"),
        (
            lambda: evaluated([1.0, 2.0, 3.0, NAN], [1, 0, 1, 0], sizes=[1, 3]),
            "query 1: the score of document 2 is nan",
        ),
        (
            lambda: evaluated([1.0, 2.0], [1, 0], sizes=[1, 2]),
            "the sizes add up to 3, but there are 2 scores",
        ),
        (lambda: evaluated([[1.0, 2.0]], [[1, 0]], sizes=[1, 1]), "there are 2 sizes, but 1 rows of scores"),
        (
            lambda: evaluated([[1.0, 2.0]], [[1, 0]], sizes=[3]),
            "query 0 has 3 documents, but a row has 2 scores",
        ),
        (lambda: evaluated([[1.0, 2.0]], [[1, 0]], sizes=[-1]), "the size of query 0 is negative"),
        (lambda: evaluated([[1.0, 2.0]], [[1, 0]], sizes=[1.5]), "sizes must be a list of whole numbers"),
        (lambda: evaluated([[1.0, 2.0]], [[1, 0]], mask=[[1, 0]]), "mask is of type torch.int64, not bool"),
        (
            lambda: evaluated([[1.0, 2.0]], [[1, 0]], mask=[[True]]),
            r"mask has shape \(1, 1\), scores \(1, 2\)",
        ),
        (
            lambda: evaluated([[1.0, 2.0]], [[1, 0]], mask=[[True, True]], sizes=[2]),
            "mask and sizes both say which documents there are",
        ),
        (
            lambda: evaluated(torch.tensor([[2**53 + 1, 0]]), [[1, 0]]),
            "query 0: the score of document 0 is 9007199254740993",
        ),
        (
            lambda: evaluated([[1.0], [2.0]], [[1], [3]], "nDCG(gain={0:0,1:1})"),
            "query 1 has grade 3, which the gain table lacks",
        ),
        (lambda: evaluated([[1.0]], [[7]], "ERR"), "ERR.*query 0 has grade 7, above max_grade=4"),
        (lambda: evaluated([[1.0]], [[2000]], "DCG(gain=exp)"), "too high for gain=exp"),
        (
            lambda: evaluated(torch.ones(1, 1), [[200]], "DCG(gain=exp)"),
            r"DCG\(gain=exp\) is infinite for query 0",
        ),
        (
            lambda: evaluated(torch.ones(1, 2), torch.full((1, 2), 3e38), "DCG(discount=none)"),
            "is infinite for query 0",
        ),
        (lambda: evaluated([[1.0, 2.0]], [[1, 0]], "DCG(discount=[1])"), "the discount table ends at rank 1"),
        (lambda: evaluated([[1.0]], [[0]], "AP", conventions="empty=error"), "query 0 has nothing relevant"),
        (
            lambda: evaluated([[1.0]], [[-1]], "AP", conventions="negative=error"),
            "query 0 has a negative grade",
        ),
        (
            lambda: evaluated([[1.0]], [[1]], sizes=[0], conventions="missing=error"),
            "query 0 is judged but missing from the run",
        ),
        (
            lambda: evaluated([[1.0, 1.0]], [[1, 0]], "ERR", conventions="ties=averaged"),
            "ERR.* has no closed form for averaged ties, and query 0 has some",
        ),
        (
            lambda: evaluated([[1.0, 1.0]], [[1, 0]], "DCG(gain={0:1,1:0})", conventions="ties=optimistic"),
            "needs a gain that rises with the grade",
        ),
        (
            lambda: evaluated([[1.0]], [[1]], "alpha-nDCG"),
            "alpha-nDCG cannot be measured on tensors: it needs judgments by subtopic",
        ),
        (lambda: evaluated([[1.0]], [[1]], "AP").values("RR"), "RR was not measured"),
    ],
)
def test_it_says_where_and_what(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(il.InputError, match=message):
        call()


def test_gains_that_32_bits_do_not_hold() -> None:
    """The sums are of 64 bits then: 2^200 / 2^200, (2^127 − 1) · 9 / itself, and 1e39 / 1e39 are 1."""
    for grades, measure in (
        ([[200]], "nDCG(gain=exp)"),
        ([[127] * 9], "nDCG(gain=exp)"),
        ([[1]], "nDCG(gain={1:1e39})"),
    ):
        scores = torch.arange(float(len(grades[0])))[None]
        assert evaluated(scores, grades, measure).values(measure).tolist() == [1.0]


def test_a_measure_that_derives_from_another_is_measured_by_its_own_values() -> None:
    class OtherAP(il.AP):
        pass

    class NoAP(il.AP):
        def values(self, rankings: Any) -> Any:
            return 1.0 - super().values(rankings)

    for measure, value in ((OtherAP(), 1 / 3), (NoAP(), 2 / 3)):
        result = evaluated([[3.0, 2.0, 1.0]], [[0, 0, 1]], measure)
        assert result.values(measure).tolist() == pytest.approx([value])


def test_a_list_longer_than_can_be_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "LONGEST_LIST", 3)
    for how in ({}, {"sizes": [4]}):
        scores: Any = [[1.0] * 4] if not how else [1.0] * 4
        grades: Any = [[1] * 4] if not how else [1] * 4
        with pytest.raises(il.InputError, match="a list of 4 documents is longer than 3"):
            evaluated(scores, grades, **how)


def test_many_cells_are_ranked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list is in one part, and errors have the number it has in the whole."""
    generator = torch.Generator().manual_seed(0)
    scores, grades = torch.randn(9, 4, generator=generator), torch.randint(0, 3, (9, 4), generator=generator)
    whole = evaluated(scores, grades, "AP").values("AP").tolist()
    monkeypatch.setattr(batches, "CELLS", 8)
    assert evaluated(scores, grades, "AP").values("AP").tolist() == whole
    assert evaluated(scores.flatten(), grades.flatten(), "AP", sizes=[4] * 9).values("AP").tolist() == whole
    scores[7, 2] = NAN
    with pytest.raises(il.InputError, match="query 7: the score of document 2 is nan"):
        evaluated(scores, grades, "AP")
    with pytest.raises(il.InputError, match="query 7: the score of document 2 is nan"):
        evaluated(scores.flatten(), grades.flatten(), "AP", sizes=[4] * 9)


def test_what_is_masked_may_be_anything() -> None:
    scores = torch.tensor([[1.0, NAN, INFINITY]])
    grades = torch.tensor([[1.0, INFINITY, -1.0]])
    mask = torch.tensor([[True, False, False]])
    assert evaluated(scores, grades, "AP", mask=mask, conventions="negative=error").aggregates() == {
        "AP": 1.0
    }


def test_a_row_without_a_document_is_a_missing_query() -> None:
    scores, grades = torch.tensor([[1.0], [1.0]]), torch.tensor([[1], [1]])
    mask = torch.tensor([[True], [False]])
    assert evaluated(scores, grades, "AP", mask=mask).aggregates() == {"AP": 0.5}
    assert evaluated(scores, grades, "AP", mask=mask, conventions="missing=skip").aggregates() == {"AP": 1.0}


def test_gradients_are_left_alone() -> None:
    scores = torch.tensor([[1.0, 2.0]], requires_grad=True)
    values = evaluated(scores, [[0.0, 1.0]], "RR").values("RR")
    assert values.tolist() == [1.0]
    assert not values.requires_grad
