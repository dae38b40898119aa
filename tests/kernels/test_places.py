"""Numbers along rankings, against loops over lists."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist import Rankings, kernels

GRADED = st.lists(st.lists(st.sampled_from([None, -1, 0, 1, 2, 3.5])), min_size=1, max_size=4)


def split(places: Any, lists: list[list[Any]]) -> list[list[float]]:
    """The numbers of each query's places."""
    numbers = list(memoryview(places))
    counts = [sum(grade is not None for grade in one) for one in lists]
    return [[numbers.pop(0) for _ in range(count)] for count in counts]


def places(lists: list[list[Any]]) -> tuple[Any, Any, list[list[float]], list[list[float]]]:
    native = Rankings.from_grades(lists).native
    ranks, grades = kernels.ranks(native), kernels.grades(native)
    return ranks, grades, split(ranks, lists), split(grades, lists)


@given(GRADED)
def test_ranks_and_grades(lists: list[list[Any]]) -> None:
    _, _, ranks, grades = places(lists)
    expected = [[(r, g) for r, g in enumerate(one, 1) if g is not None] for one in lists]
    assert [list(zip(*pair, strict=True)) for pair in zip(ranks, grades, strict=True)] == expected


@given(GRADED)
def test_what_runs_along_a_query(lists: list[list[Any]]) -> None:
    ranks, grades, _, numbers = places(lists)
    assert list(grades.sum()) == [sum(one) for one in numbers]
    assert list(grades.highest(-7.0)) == [max(one, default=-7.0) for one in numbers]
    expectations: list[tuple[Any, Any]] = [
        (grades.running(), lambda one, i: sum(one[: i + 1])),
        (grades.before(), lambda one, i: sum(one[:i])),
        (grades.product_before(), lambda one, i: math.prod(one[:i])),
    ]
    for made, expected in expectations:
        assert split(made, lists) == [[expected(one, i) for i in range(len(one))] for one in numbers]
    weighed = [[sum(j + 1 for j in range(i) if one[j] < one[i]) for i in range(len(one))] for one in numbers]
    order = ranks.like([float(i + 1) for one in numbers for i in range(len(one))])
    assert split(grades.earlier_less(order), lists) == weighed


@given(GRADED)
def test_arithmetic_with_places_values_and_numbers(lists: list[list[Any]]) -> None:
    ranks, grades, r, g = places(lists)
    total = grades.sum()
    pairs = [(a, b, sum(two)) for one, two in zip(r, g, strict=True) for a, b in zip(one, two, strict=True)]

    def check(made: Any, expected: Any) -> None:
        for number, (rank, grade, its_total) in zip(memoryview(made), pairs, strict=True):
            wanted = expected(rank, grade, its_total)
            assert number == wanted or (math.isnan(number) and math.isnan(wanted))

    check(ranks + grades, lambda rank, grade, _: rank + grade)
    check(2.0 - grades * total, lambda _, grade, its: 2 - grade * its)
    check(total - grades, lambda _, grade, its: its - grade)
    check(ranks / grades, lambda rank, grade, _: rank / grade if grade else math.nan)
    check(1.0 / ranks, lambda rank, *_: 1 / rank)
    check((grades >= 1.0) + (grades < ranks), lambda rank, grade, _: (grade >= 1) + (grade < rank))
    check((grades > 1.0) + (grades <= total), lambda _, grade, its: (grade > 1) + (grade <= its))
    check(0.5**ranks, lambda rank, *_: 0.5**rank)
    check(ranks**2.0, lambda rank, *_: rank**2)
    check(ranks.log2(), lambda rank, *_: math.log2(rank))
    check(grades.minimum(1.0).maximum(total), lambda _, grade, its: max(min(grade, 1), its))
    check(ranks.where_positive(grades).filled(-1.0), lambda rank, grade, _: rank if grade > 0 else -1)
    table = [float(i * i) for i in range(40)]
    check(ranks.minimum(39.0).looked_up(table), lambda rank, *_: min(rank, 39) ** 2)


def test_values_fold_into_groups() -> None:
    assert list(kernels.Values([1.0, 2.0, 3.0]).sums_of([2, 0, 1])) == [3.0, 0.0, 3.0]
    assert list(kernels.Values([1.5, -0.5]).floored()) == [1.0, -1.0]
    for counts in ([2], [4], [2**32 - 1]):
        with pytest.raises(ValueError, match="groups"):
            kernels.Values([1.0, 2.0, 3.0]).sums_of(counts)


def test_what_does_not_fit_is_refused() -> None:
    one, two = Rankings.from_grades([[1, 2]]).native, Rankings.from_grades([[1], [2]]).native
    with pytest.raises(ValueError, match="different rankings"):
        kernels.ranks(one) + kernels.ranks(two)
    with pytest.raises(ValueError, match="different queries"):
        kernels.ranks(one) * kernels.grades(two).sum()
    with pytest.raises(ValueError, match="one number for each place"):
        kernels.ranks(one).like([1.0])
    with pytest.raises(IndexError):
        kernels.ranks(one).looked_up([0.0])
    with pytest.raises(TypeError):
        kernels.ranks(one) + "a"  # type: ignore[operator]


def test_some_values_replaced_by_others() -> None:
    values = kernels.Values([1.0, 2.0, 3.0])
    assert list(values.replaced([2, 0], kernels.Values([30.0, 10.0]))) == [10.0, 2.0, 30.0]
    assert list(values) == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="number of values differs from the number of queries"):
        values.replaced([0], kernels.Values([]))
    with pytest.raises(IndexError, match="a query number is out of bounds"):
        values.replaced([3], kernels.Values([1.0]))


def test_a_query_that_there_is_not_is_named_as_such() -> None:
    values, native = kernels.Values([1.0, 2.0]), Rankings.from_grades([[1], [0]]).native
    assert values[-2] == 1.0
    for ask in (
        lambda: values[2],
        lambda: values[-3],
        lambda: values.without([2]),
        lambda: native.name(2),
        lambda: native.query(2),
    ):
        with pytest.raises(IndexError, match="a query number is out of bounds"):
            ask()
