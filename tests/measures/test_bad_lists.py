"""Lists and tables that cannot be right."""

from __future__ import annotations

from math import nan

import pytest

from idealist import DCG, NDCG, Conventions, InputError, Rankings, evaluate


def test_gain_table_without_a_level_that_occurs() -> None:
    with pytest.raises(InputError, match="query '0' has grade 3, which the gain table lacks"):
        NDCG(gain={1: 1, 2: 2})([1, 3])
    # A negative grade gains nothing, so it needs no entry, unless negative gains count.
    assert DCG(gain={1: 1})([1, -2]) == 1
    with pytest.raises(InputError, match="grade -2"):
        DCG(gain={1: 1})([1, -2], conventions=Conventions(negative="keep"))


def test_gains_that_are_no_numbers() -> None:
    with pytest.raises(InputError, match="the gain of grade 1 is nan"):
        NDCG(gain=lambda grade: nan)([1])
    with pytest.raises(InputError, match=r"grade 2000 is too high for gain=exp"):
        NDCG(gain="exp")([2000])


def test_sums_beyond_all_numbers() -> None:
    with pytest.raises(InputError, match="the gains of query '0' add up to more than a number can hold"):
        NDCG(gain="exp")([1023] * 3)


@pytest.mark.parametrize("gain", [{1: 5, 2: 3}, {0: -1, 1: 1, 2: 2}])
@pytest.mark.parametrize("ties", ["optimistic", "pessimistic"])
def test_bounds_of_ties_need_a_rising_gain(gain: dict[int, float], ties: str) -> None:
    run, judged = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"a": 1, "b": 2, "c": min(gain)}}
    with pytest.raises(InputError, match=f"ties={ties} needs a gain that rises with the grade"):
        evaluate(judged, run, DCG(gain=gain), conventions=Conventions(ties=ties))


def test_functions_are_asked_each_time() -> None:
    weight = [1.0]
    measure = DCG(discount=lambda rank: weight[0])
    assert measure([1]) == 1
    weight[0] = 5.0
    assert measure([1]) == 5


def test_discount_table_that_is_too_short() -> None:
    with pytest.raises(InputError, match="ends at rank 2, but rank 3 occurs"):
        NDCG(discount=[1, 0.5])([1, 0, 1])
    assert NDCG(k=2, discount=[1, 0.5])([1, 0, 1]) == 1 / 1.5


@pytest.mark.parametrize("grade", [nan, float("inf"), "3", [3], 1j])
def test_grades_that_are_no_numbers(grade: object) -> None:
    with pytest.raises(InputError, match="a grade"):
        NDCG()([1, grade])


def test_judged_must_hold_the_list() -> None:
    with pytest.raises(InputError, match="grade 2 occurs more often in the list than in judged"):
        NDCG()([2, 2], judged=[2, 1])


def test_rankings_that_end_too_early() -> None:
    pytest.importorskip("numpy")
    rankings = Rankings.from_arrays([[1, 0, 2]], [[0.2, 0.1, 0.5]], depth=2)
    assert NDCG(k=2).values_with_conventions(rankings)[0] > 0
    for measure in (NDCG(), NDCG(k=3), NDCG(k=2, ideal="retrieved")):
        with pytest.raises(InputError, match="looks below rank 2"):
            measure.values_with_conventions(rankings)
