"""The one type of interval: it unpacks, holds numbers, and says what made it."""

from __future__ import annotations

import pickle

import pytest

from idealist import InputError, compare, gsb
from idealist.statistics import (
    BoundedMean,
    EProcess,
    Interval,
    agresti_min_interval,
    bootstrap_interval,
    mean_interval,
    tango_interval,
)


def test_it_unpacks() -> None:
    interval = Interval(-0.25, 0.5, 0.9)
    low, high = interval
    assert (low, high) == tuple(interval) == (interval.low, interval.high) == (-0.25, 0.5)
    assert pickle.loads(pickle.dumps(interval)) == interval


def test_it_holds_what_lies_between_its_ends() -> None:
    interval = Interval(-0.25, 0.5, 0.9)
    assert [value in interval for value in (-0.3, -0.25, 0.0, 0.5, 0.6)] == [False, True, True, True, False]


def test_turned_it_is_that_of_the_number_times_minus_one() -> None:
    assert -Interval(-0.25, 0.5, 0.9, "by hand") == Interval(-0.5, 0.25, 0.9, "by hand")


@pytest.mark.parametrize(
    ("interval", "method"),
    [
        (mean_interval([0.0, 1.0, 0.5]), "Student's t"),
        (mean_interval([0.0, 1.0, 0.5], bounds=(0, 1)), "test inversion"),
        (BoundedMean([0.0, 1.0], 0.0, 1.0).interval(0.95), "test inversion"),
        (bootstrap_interval([0.0, 1.0, 0.5]), "bootstrap"),
        (tango_interval(3, 1, 9), "Tango's score test"),
        (agresti_min_interval(3, 1, 9), "Agresti and Min's formula"),
        (EProcess([1.0, 0.0]).interval(0.95), "confidence sequence"),
    ],
)
def test_it_says_what_made_it(interval: Interval, method: str) -> None:
    assert (interval.method, interval.confidence) == (method, 0.95)


def test_results_hand_on_what_made_them() -> None:
    judged = {f"q{i}": {"a": 1} for i in range(4)}
    old = {f"q{i}": {"b": 2.0, "a": 1.0} for i in range(4)}
    new = {**old, "q0": {"a": 2.0, "b": 1.0}}
    found = compare(judged, {"old": old, "new": new}, ["RR", "DCG"])
    assert [one.interval.method for one in found if one.interval] == [
        "test inversion, best third",
        "Student's t",
    ]
    [pair] = found.pairs("RR")
    assert pair.interval is not None
    assert pair.interval.method == "Tukey's range"
    votes = gsb(["good", "bad", "same"])
    assert votes.interval is not None
    assert votes.interval.method == "test inversion"
    assert votes.sequential is not None
    assert votes.sequential.interval.method == "confidence sequence"


def test_the_e_process_refuses_what_is_no_fair_game() -> None:
    with pytest.raises(InputError, match="values must lie between −1 and 1"):
        EProcess([0.5, 1.5])
    with pytest.raises(InputError, match="weights above 0"):
        EProcess([0.0, 0.0], [1.0, 0.0])
