"""Rankings made of rankings, against lists."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import tasks

from idealist import Conventions, Judgments, Rankings, Run, kernels
from idealist.conventions import match_options
from idealist.data import match

GRADES = [None, -1, 0, 1, 2, 3.5]
GRADED = st.lists(st.lists(st.sampled_from(GRADES)), min_size=1, max_size=4)


def seen(native: Any) -> list[tuple[int, list[int], list[float], list[float]]]:
    return [native.query(i) for i in range(len(native))]


def known(one: list[Any]) -> list[Any]:
    return [grade for grade in one if grade is not None]


@given(GRADED)
def test_ideal_order_and_condensed(lists: list[list[Any]]) -> None:
    native = Rankings.from_grades(lists).native
    for made, one in zip(seen(kernels.ideal_order(native)), lists, strict=True):
        best = sorted(known(one), reverse=True)
        assert made == (len(best), list(range(1, len(best) + 1)), best, best)
    for made, one in zip(seen(kernels.condensed(native)), lists, strict=True):
        left = known(one)
        assert made == (len(left), list(range(1, len(left) + 1)), left, sorted(left, reverse=True))


@given(GRADED, st.sampled_from([0.0, 1.0, 2.5, -3.0]), st.sampled_from([None, 1, 3, 7]), st.booleans())
def test_filled(lists: list[list[Any]], grade: float, depth: int | None, padded: bool) -> None:
    native = Rankings.from_grades(lists).native
    if padded and depth is None:
        with pytest.raises(ValueError, match="depth"):
            kernels.filled(native, grade, depth, padded)
        return
    for made, one in zip(seen(kernels.filled(native, grade, depth, padded)), lists, strict=True):
        top = one[:depth]
        if padded:
            top = top + [None] * ((depth or 0) - len(top))
        grades = [grade if g is None else g for g in top]
        added = sum(g is None for g in top)
        judged = sorted(known(one) + [grade] * added, reverse=True)
        retrieved = depth if padded else len(one)
        assert made == (retrieved, list(range(1, len(top) + 1)), grades, judged)


@given(GRADED, st.data())
def test_chosen_and_part(lists: list[list[Any]], data: st.DataObject) -> None:
    native = Rankings.from_grades(lists).native
    picked = data.draw(st.lists(st.integers(0, len(lists) - 1)))
    assert seen(kernels.chosen(native, picked)) == [seen(native)[i] for i in picked]
    assert kernels.chosen(native, picked).queries() == [str(i) for i in picked]
    begin = data.draw(st.integers(0, len(lists)))
    end = data.draw(st.integers(begin, len(lists)))
    assert seen(kernels.part(native, begin, end)) == seen(native)[begin:end]
    with pytest.raises(IndexError):
        kernels.part(native, 0, len(lists) + 1)
    with pytest.raises(IndexError, match="a query number is out of bounds"):
        kernels.chosen(native, [len(lists)])


@given(GRADED)
def test_regraded(lists: list[list[Any]]) -> None:
    gain = {-1: 0.0, 0: 0.0, 1: 9.0, 2: 1.0, 3.5: 1.0}  # neither rising nor one-to-one
    native = Rankings.from_grades(lists).native
    made = kernels.regraded(native, kernels.Gain("table", True, list(gain.items())))
    for (_, _, grades, judged), one in zip(seen(made), lists, strict=True):
        assert grades == [gain[g] for g in known(one)]
        assert judged == sorted(grades, reverse=True)


@given(tasks())
def test_ranks_in_another_run(task: Any) -> None:
    run, other = task
    options = match_options(Conventions())
    made = kernels.rank_against(Run(run).rows, Run(other).rows, options, 2)
    assert made.queries() == list(Run(other))
    for query, (retrieved, ranks, places, everything) in zip(made.queries(), seen(made), strict=True):
        ours = Run(run).ranking(query) if query in run else []
        theirs = Run(other).ranking(query)
        both = [document for document in ours if document in theirs]
        assert retrieved == len(ours)
        assert ranks == [ours.index(document) + 1 for document in both]
        assert places == [theirs.index(document) + 1 for document in both]
        assert everything == list(range(len(theirs), 0, -1))


@given(tasks(), st.sampled_from([1, 2, 100]))
def test_items(task: Any, depth: int) -> None:
    run, judgments = task
    queries = Judgments(judgments)
    names = sorted({document for documents in run.values() for document in documents})
    if not names:
        return
    items = Run({"items": {name: float(i) for i, name in enumerate(names)}})
    options = match_options(Conventions(), depth)
    made = kernels.rank_items(Run(run).rows, queries.rows, items.rows, options, 2)
    assert isinstance(made, kernels.Rankings)
    for query, (retrieved, ranks, numbers, judged) in zip(made.queries(), seen(made), strict=True):
        ours = Run(run).ranking(query) if query in run else []
        assert (retrieved, judged) == (len(ours), [])
        assert ranks == list(range(1, len(ours[:depth]) + 1))
        assert [names[int(number)] for number in numbers] == ours[:depth]


def test_an_unknown_item_is_named() -> None:
    run, queries = Run({"q": {"a": 2.0, "b": 1.0}}), Judgments({"q": {"a": 1}})
    items = Run({"items": {"a": 0.0}})
    options = match_options(Conventions())
    assert kernels.rank_items(run.rows, queries.rows, items.rows, options, 1) == ("q", "b")


def test_groups_of_documents() -> None:
    # q: document 0 in groups 0 (grade 1) and 1 (grade 3), document 1 in group 1; p has one group.
    run = {"q": {"x": 3.0, "b": 2.0, "a": 1.0}, "p": {"c": 1.0}}
    numbered = match(Judgments({"p": {"c": 2}, "q": {"a": 0, "b": 1}}), run).native
    made = kernels.by_group(numbered, [0, 2, 3, 4], [1, 2, 2, 0], [1.0, 3.0, 2.0, 5.0], [1, 2])
    assert seen(made) == [
        (1, [1], [5.0], [5.0]),
        (3, [3], [1.0], [1.0]),
        (3, [2, 3], [2.0, 3.0], [3.0, 2.0]),
    ]
    for begin, group in (([0, 2, 3, 4], [0, 2, 2, 0]), ([0, 2, 1, 4], [1, 2, 2, 0]), ([0], [1, 2, 2, 0])):
        with pytest.raises(ValueError, match=r"group|rankings|document"):
            kernels.by_group(numbered, begin, group, [1.0, 3.0, 2.0, 5.0], [1, 2])
