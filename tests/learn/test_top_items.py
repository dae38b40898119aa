"""The first items of a whole catalogue."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import idealist as il
from idealist.learn import TopItems, top_items, top_matches
from idealist.learn.tensors import top_items as catalogue

ROWS = st.integers(1, 9).flatmap(
    lambda items: st.lists(
        st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=items, max_size=items),
        min_size=1,
        max_size=4,
    )
)


def by_hand(scores: list[list[float]], k: int, seen: list[list[int]]) -> list[list[int]]:
    """Sorted by score, then by number; −1 where there are no more."""
    found = []
    for row, left_out in zip(scores, seen, strict=True):
        numbers = [number for number in range(len(row)) if number not in left_out]
        first = sorted(numbers, key=lambda number: (-row[number], number))[:k]
        found.append(first + [-1] * (min(k, len(row)) - len(first)))
    return found


@given(scores=ROWS, k=st.integers(1, 12), data=st.data(), cells=st.integers(1, 30))
def test_they_are_those_of_a_sort(scores: list[list[float]], k: int, data: st.DataObject, cells: int) -> None:
    """However few scores are held at a time, and whatever is left out."""
    columns = len(scores[0])
    numbers = st.lists(st.integers(0, columns - 1), unique=True, max_size=columns)
    seen = [data.draw(numbers) for _ in scores]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "CELLS", cells)
        top = top_items(torch.tensor(scores), k, seen=seen)
        # A product with the unit vectors is the matrix itself.
        same = top_matches(torch.tensor(scores), torch.eye(columns), k, seen=seen)
    assert top.items.tolist() == same.items.tolist() == by_hand(scores, k, seen)
    values = [
        [row[item] for item in found if item >= 0] for row, found in zip(scores, top.items, strict=True)
    ]
    assert [[value for value in row if value == value] for row in top.scores.tolist()] == values


@given(scores=ROWS, k=st.integers(1, 12), data=st.data())
def test_measures_are_those_of_the_run(scores: list[list[float]], k: int, data: st.DataObject) -> None:
    columns = len(scores[0])
    grades = st.dictionaries(st.integers(0, columns - 1), st.integers(-1, 3), max_size=columns)
    judged = [data.draw(grades) for _ in scores]
    rules = il.Conventions(
        ties="input-order",
        empty=data.draw(st.sampled_from(["zero", "skip"])),
        negative=data.draw(st.sampled_from(["not-relevant", "unjudged", "keep"])),
        unjudged=data.draw(st.sampled_from(["not-relevant", "removed"])),
    )
    top = top_items(torch.tensor(scores, dtype=torch.float64), k)
    measures = ["nDCG@3", "AP", "R@2", "RR", "Rprec", "Judged", "Bpref", "NumRet"]
    found = top.evaluate(judged, measures, grades=[list(one.values()) for one in judged], conventions=rules)
    names = [f"u{number}" for number in range(len(scores))]
    judgments = {
        name: {str(item): grade for item, grade in one.items()}
        for name, one in zip(names, judged, strict=True)
    }
    expected = il.evaluate(judgments, top.run(users=names), measures, conventions=rules)
    for measure in measures:
        values = [expected.value(measure, query=name) for name in names]
        assert found.values(measure).tolist() == pytest.approx(values, abs=1e-12, nan_ok=True), measure


def test_a_run_has_names() -> None:
    top = top_items(torch.tensor([[0.5, 0.5, 0.1]]), 2)
    assert top.run(users=["ann"], items=["x", "y", "z"]).ranking("ann") == ["x", "y"]
    assert repr(top) == "<TopItems: 1 users, 2 of 3 items>"


def test_relevant_items_as_a_matrix() -> None:
    top = top_items(torch.tensor([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]), 2)
    padded = torch.tensor([[1, -1], [0, 2]])
    lists = [[1], [0, 2]]
    assert top.evaluate(padded, "R@2").values("R@2").tolist() == [1.0, 0.5]
    assert top.evaluate(lists, "R@2").values("R@2").tolist() == [1.0, 0.5]


def test_grades_beside_a_matrix_of_relevant_items() -> None:
    """They have its shape; what stands beside a −1 is nobody's grade. User 1 finds item 2 alone, of 3 + 1."""
    top = top_items(torch.tensor([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]), 2)
    padded, grades = torch.tensor([[-1, 1], [0, 2]]), torch.tensor([[9, 2], [1, 3]])
    for form in (grades, grades.tolist(), [[2], [1, 3]], [torch.tensor([2]), torch.tensor([1, 3])]):
        result = top.evaluate(padded, "CG@2", grades=form)
        assert result.values("CG@2").tolist() == [2.0, 3.0]
    for wrong in (grades[:1], grades[[0, 1, 1]]):
        with pytest.raises(il.InputError, match="every user must have as many grades as relevant items"):
            top.evaluate(padded, "CG@2", grades=wrong)


def test_grades_are_compared_as_they_are() -> None:
    """0.7 reaches 0.7, though scores have 32 bits."""
    top = top_items(torch.tensor([[2.0, 1.0]]), 1)
    result = top.evaluate([[0]], "P(level=0.7)@1", grades=[[0.7]])
    assert result.values("P(level=0.7)@1").tolist() == [1.0]
    assert result.values("P(level=0.7)@1").dtype == torch.float32


def test_what_was_given_is_not_written_to() -> None:
    scores = torch.tensor([[0.1, 0.2]])
    top_items(scores, 1, seen=[[1]])
    assert scores.tolist() == torch.tensor([[0.1, 0.2]]).tolist()


def test_the_product_is_never_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    checked = catalogue._checked

    def noted(scores: torch.Tensor, user: int, item: int) -> torch.Tensor:
        sizes.append(scores.numel())
        return checked(scores, user, item)

    monkeypatch.setattr(catalogue, "_checked", noted)
    monkeypatch.setattr(catalogue, "CELLS", 1000)
    generator = torch.Generator().manual_seed(0)
    users, items = torch.randn(50, 8, generator=generator), torch.randn(700, 8, generator=generator)
    top = top_matches(users, items, 5)
    assert max(sizes) <= 1000 < sum(sizes) == 50 * 700
    assert top.items.tolist() == (users @ items.T).topk(5).indices.tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: top_items(torch.tensor([[1.0, float("nan")]]), 1), "user 0: the score of item 1 is nan"),
        (lambda: top_items(torch.tensor([1.0]), 1), r"scores are of type torch.float32 and shape \(1,\)"),
        (lambda: top_items(torch.tensor([[1.0]]), 0), "k"),
        (
            lambda: top_items(torch.tensor([[1.0]]), 1, seen=[[7]]),
            "seen, user 0: there is no item 7 of a catalogue of 1",
        ),
        (lambda: top_items(torch.tensor([[1.0]]), 1, seen=[[0], [0]]), "sets of 2 users, but scores of 1"),
        (
            lambda: top_items(torch.tensor([[1.0]]), 1, seen=[[0.5]]),
            r"seen, user 0: \[0.5\] is not a list of items",
        ),
        (
            lambda: top_matches(torch.ones(1, 2), torch.ones(1, 3), 1),
            "users are torch.float32 on cpu with 2 numbers each",
        ),
        (lambda: one().evaluate([[0, 0]], "AP"), "relevant, user 0: item 0 appears twice"),
        (
            lambda: one().evaluate([[0]], "AP", grades=[[1, 2]]),
            "every user must have as many grades as relevant items",
        ),
        (lambda: one().evaluate([[0]], "AP", conventions="ties=averaged"), "ties=averaged needs all items"),
    ],
)
def test_what_cannot_be_right_is_refused(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(il.InputError, match=message):
        call()


def one() -> TopItems:
    return top_items(torch.tensor([[1.0, 2.0]]), 1)
