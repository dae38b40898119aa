"""Numbers along rankings looked up by keys, against plain lists."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist import Rankings, kernels

LISTS = st.lists(st.lists(st.integers(-2, 4), max_size=8), min_size=1, max_size=4)


def grades_of(lists: list[list[int]]) -> kernels.Places:
    return kernels.grades(Rankings.from_grades(lists).native)


def flat(lists: list[list[float]]) -> list[float]:
    return [number for one in lists for number in one]


def numbers(places: kernels.Places) -> list[float]:
    return list(memoryview(places))


@given(LISTS)
def test_order(lists: Any) -> None:
    places = grades_of(lists)
    assert numbers(places.descending()) == flat([sorted(one, reverse=True) for one in lists])
    assert numbers(places.following(-9.0)) == flat([[*one[1:], -9] for one in lists if one])


@given(LISTS, st.data())
def test_last_up_to(lists: Any, data: Any) -> None:
    wanted = [data.draw(st.lists(st.integers(-3, 5), max_size=5)) for _ in lists]
    keys = [sorted(one) for one in lists]
    rising = 0.0 - (0.0 - grades_of(keys)).descending()
    found = grades_of(lists).last_up_to(rising, grades_of(wanted), -9.0)
    expected = [
        [one[at - 1] if (at := bisect_right(key, number)) else -9 for number in asked]
        for one, key, asked in zip(lists, keys, wanted, strict=True)
    ]
    assert numbers(found) == flat(expected)


def test_places_must_belong_together() -> None:
    two, three = grades_of([[1, 2]]), grades_of([[1, 2, 3]])
    with pytest.raises(ValueError, match="keys are of other places"):
        two.last_up_to(three, two, 0.0)
    with pytest.raises(ValueError, match="different queries"):
        two.last_up_to(two, grades_of([[1], [2]]), 0.0)
