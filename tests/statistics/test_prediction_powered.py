"""Prediction-powered means: arithmetic by hand, and what holds for every machine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from idealist.errors import InputError
from idealist.statistics.prediction_powered import cross_fitted_weights, powered_mean

HUMAN = [0.1, 0.4, 0.5, 0.7, 0.8, 0.2, 0.6, 0.9]
UNIT = st.floats(0, 1).map(lambda x: round(x, 3))


def test_a_perfect_machine_gives_the_mean_of_all_queries() -> None:
    others = [0.5, 0.3] * 20
    powered = powered_mean(HUMAN, HUMAN, others)
    assert powered.value == approx((sum(HUMAN) + sum(others)) / 48)
    assert powered.weight == approx(40 / 48)  # 1/(1 + n/N)
    assert powered.machine == approx(powered.value)
    assert powered.bias == 0


def test_a_constant_bias_of_the_machine_cancels() -> None:
    others = [0.5, 0.3] * 20
    fair = powered_mean(HUMAN, HUMAN, others)
    generous = powered_mean(HUMAN, [x + 5 for x in HUMAN], [x + 5 for x in others])
    assert generous.value == approx(fair.value)
    assert generous.machine == approx(fair.machine + 5)
    assert generous.bias == approx(5)


def test_a_query_does_not_fit_its_own_weight() -> None:
    """λ of query i is cov/var of the others over 1 + n/N, shrunk by 1 − 2/t²."""
    rng = np.random.default_rng(0)
    human = rng.normal(size=12)
    machine = human + rng.normal(size=12)
    weights = cross_fitted_weights(human, machine, 0.1)
    for i in range(12):
        h, f = np.delete(human, i), np.delete(machine, i)
        r = np.corrcoef(h, f)[0, 1]
        t_squared = r * r * 9 / (1 - r * r)
        slope = np.cov(h, f)[0, 1] / f.var(ddof=1)
        assert weights[i] == approx(np.clip(slope * max(0, 1 - 2 / t_squared) / 1.1, 0, 1))


def test_the_estimate_is_the_mean_of_corrected_values() -> None:
    rng = np.random.default_rng(1)
    human = rng.normal(size=15)
    machine = human + 0.3 * rng.normal(size=15)
    others = rng.normal(size=100)
    weights = cross_fitted_weights(human, machine, 15 / 100)
    powered = powered_mean(human, machine, others)
    assert powered.value == approx(float((human - weights * (machine - others.mean())).mean()))


def test_a_machine_that_says_the_opposite_changes_nothing() -> None:
    powered = powered_mean(HUMAN, [1 - x for x in HUMAN], [0.2, 0.9] * 20)
    assert powered.value == approx(sum(HUMAN) / 8)
    assert (powered.weight, powered.worth) == (0, 0)
    assert powered.interval == powered.human_interval


@pytest.mark.parametrize("machine", [[0.5] * 8, HUMAN])
def test_no_other_queries_or_a_constant_machine_add_nothing(machine: list[float]) -> None:
    powered = powered_mean(HUMAN, machine, [])
    assert powered.value == approx(np.mean(HUMAN))
    assert powered.interval == powered.human_interval


@given(st.lists(st.tuples(UNIT, UNIT), min_size=2, max_size=30), st.lists(UNIT, max_size=40))
def test_never_wider_than_people_alone(pairs: list[tuple[float, float]], others: list[float]) -> None:
    human, machine = zip(*pairs, strict=True)
    powered = powered_mean(human, machine, others)
    if powered.interval is None or powered.human_interval is None:
        assert powered.interval == powered.human_interval
        return
    width = powered.interval.high - powered.interval.low
    assert width <= (powered.human_interval.high - powered.human_interval.low) * (1 + 1e-12)
    assert powered.value in powered.interval


def test_equal_weights_are_no_weights() -> None:
    rng = np.random.default_rng(2)
    human = rng.normal(size=15)
    machine = human + 0.5 * rng.normal(size=15)
    others = rng.normal(size=50)
    plain = powered_mean(human, machine, others)
    weighted = powered_mean(human, machine, others, weights=[3.0] * 15, unlabelled_weights=[3.0] * 50)
    assert weighted.value == approx(plain.value)
    assert weighted.error == approx(plain.error)


def test_sparse_differences_leave_room_for_those_not_seen() -> None:
    """Of 20 queries none changed: 1 − 0.025^(1/20) = 16.8 % may yet lose 1."""
    powered = powered_mean([0.0] * 20, [0.0] * 20, [0.0] * 100, bounds=(-1, 1))
    assert powered.interval is not None
    assert powered.interval.low == approx(0.025 ** (1 / 20) - 1, abs=1e-3)


def test_worth_is_in_queries() -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=40)
    machine = human + 0.2 * rng.normal(size=40)
    others = rng.normal(size=4000)
    powered = powered_mean(human, machine, others)
    assert powered.interval is not None
    assert powered.human_interval is not None
    width, of_people = (end.high - end.low for end in (powered.interval, powered.human_interval))
    assert powered.worth == approx(40 * (of_people / width) ** 2 - 40)  # widths as 1/√n


@pytest.mark.parametrize(
    ("human", "machine", "message"),
    [
        ([], [], "0 human and 0 machine"),
        ([1.0], [1.0, 2.0], "1 human and 2 machine"),
        ([1.0], [float("nan")], "finite"),
    ],
)
def test_values_that_do_not_fit(human: list[float], machine: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        powered_mean(human, machine, [1.0])


def test_it_is_shown() -> None:
    powered = powered_mean(HUMAN, HUMAN, [0.5, 0.3] * 20)
    assert "corrected" in str(powered)
    assert "worth" in str(powered)
    assert repr(powered).startswith("<PoweredMean: 0.4208 (")
    assert powered.to_frame().columns[:3] == ["value", "low", "high"]
