"""The interval of a difference that allows for unseen failures: by hand, and its laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist.statistics.inversion import MeanTest, bounded_mean
from idealist.statistics.unseen import (
    INTERVALS,
    best_third,
    mean_difference,
    unseen_failure,
    unseen_weight,
)

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30)
WEIGHTS = st.lists(st.floats(0.1, 10), min_size=30, max_size=30)


def ends(before: Any, after: Any, weights: Any = None, **how: Any) -> tuple[float, float]:
    found = mean_difference(before, after, weights, **how).interval(0.95)
    return found.low, found.high


def test_the_best_third_is_of_the_values_and_a_perfect_one() -> None:
    assert best_third([0.5, 0.3]) == 1  # one of three
    assert best_third([0.8, 0.4, 0.4, 0.4, 0.4]) == pytest.approx((1 + 0.8) / 2)  # two of six
    assert best_third([0.6, 0.0, 0.0]) == pytest.approx((1 + 0.6 / 3) / (4 / 3))  # 1⅓ of four
    assert best_third([7.0] * 5, best=9) == 8


def test_weights_count_in_the_best_third() -> None:
    # 3 + 1 + 1 + 1 in all, and the perfect query has 6/4: a third is 2.5, of which the perfect 1.5, and 1 of the next.
    assert best_third([0.5, 0, 0, 0], [3, 1, 1, 1]) == pytest.approx((1.5 * 1 + 1 * 0.5) / 2.5)
    assert best_third([0.5, 0.2, 0.1], [2, 2, 2]) == pytest.approx(best_third([0.5, 0.2, 0.1]))


@pytest.mark.parametrize("n", [5, 29, 299])
def test_where_nothing_differs_an_unseen_failure_costs_a_good_query(n: int) -> None:
    before = [0.3] * n
    reach = best_third(before) * (1 - 0.025 ** (1 / n))
    assert ends(before, before) == pytest.approx((-reach, reach), abs=1e-9)
    assert unseen_failure(n, 0.3, best_third(before)).cost_of_good == pytest.approx(reach)


@given(PAIRS, WEIGHTS)
@pytest.mark.parametrize("interval", INTERVALS[:2])
def test_to_exchange_the_systems_turns_the_interval(
    interval: str, pairs: list[tuple[float, float]], weights: list[float]
) -> None:
    before, after = zip(*pairs, strict=True)
    for some in (None, weights[: len(pairs)]):
        low, high = ends(before, after, some, interval=interval)
        assert ends(after, before, some, interval=interval) == pytest.approx((-high, -low), abs=1e-9)


@given(PAIRS, WEIGHTS)
def test_it_holds_the_difference_and_stays_in_the_range(
    pairs: list[tuple[float, float]], weights: list[float]
) -> None:
    before, after = zip(*pairs, strict=True)
    for some in (None, weights[: len(pairs)]):
        mean = mean_difference(before, after, some)
        found = mean.interval(0.95)
        assert -1 - 1e-9 <= found.low <= mean.value <= found.high <= 1 + 1e-9


@given(PAIRS)
def test_the_cautious_one_is_never_narrower(pairs: list[tuple[float, float]]) -> None:
    before, after = zip(*pairs, strict=True)
    (low, high), (lower, higher) = ends(before, after), ends(before, after, interval="cautious")
    slack = 0.02 * (high - low) + 1e-9
    assert lower <= low + slack
    assert higher >= high - slack


@given(PAIRS)
def test_the_p_value_is_the_intervals_own(pairs: list[tuple[float, float]]) -> None:
    mean = mean_difference(*zip(*pairs, strict=True))
    found, p = mean.interval(0.95), mean.p_value()
    error = 0.01 * (found.high - found.low) + 1e-9
    if found.low + error < 0 < found.high - error:
        assert p >= 0.05
    elif found.low > error or found.high < -error:
        assert p <= 0.05


def test_a_measure_with_another_best_value_is_a_scale() -> None:
    before, after = [0.1, 0.4, 0.9, 0.3, 0.0], [0.2, 0.4, 0.8, 0.9, 0.3]
    low, high = ends(before, after)
    scaled = ends([7 * x for x in before], [7 * x for x in after], best=7)
    assert scaled == pytest.approx((7 * low, 7 * high))


def test_a_loss_that_was_seen_may_be_larger_than_what_an_unseen_one_costs() -> None:
    """One of twenty loses 0.95, and of the best third of 0.1 an unseen failure costs 0.34: the seen one counts whole."""
    before, after = np.full(20, 0.1), np.full(20, 0.12)
    before[0], after[0] = 0.95, 0.0
    mean = mean_difference(before, after)
    assert mean.above.low == -best_third(before) > mean.above.least == -0.95
    low = mean.interval(0.95).low
    # No mean below the limit of the values by themselves, with no unseen one, is left out on account of it.
    assert -0.95 < low < MeanTest(after - before, np.ones(20), -0.95).mean


def test_means_below_the_unseen_value_are_of_the_seen_ones_alone() -> None:
    values = np.array([-0.9, -0.8, -0.7, -0.9, -0.6, 0.3])
    near, far = (MeanTest(values, np.ones(6), low) for low in (-0.1, -0.2))
    for m in (-0.85, -0.7, -0.65):
        assert near.p_value(m) == far.p_value(m) > 0
    assert near.p_value(-0.95) == 0
    assert bounded_mean(values, None, -0.1, 1).interval(0.95).low > -0.9


def test_what_an_unseen_failure_could_cost() -> None:
    failure = unseen_failure(50, 0.2, 0.5)
    assert (1 - failure.share) ** 50 == pytest.approx(0.025)
    assert (failure.cost, failure.cost_of_good) == pytest.approx((0.2 * failure.share, 0.5 * failure.share))


def test_an_unseen_query_is_as_heavy_as_the_others_where_all_are_alike() -> None:
    for n in (3, 30, 3000):
        assert unseen_weight([5.0] * n) == pytest.approx(5)


def test_an_unseen_query_is_heavier_the_fewer_queries_are_effective() -> None:
    rng = np.random.default_rng(1)
    zipf = 1 / np.arange(1, 301.0)
    assert zipf.sum() ** 2 / (zipf**2).sum() < 25
    assert unseen_weight(zipf) == pytest.approx(6 * zipf.max())
    even = rng.uniform(
        1, 3, 300
    )  # nearly 300 effective ones: between Σw²/Σw and the largest, as without the rule
    assert (even**2).sum() / even.sum() < unseen_weight(even) < even.max()
    # Queries of weight 0 are none.
    assert unseen_weight([*zipf, 0.0, 0.0]) == unseen_weight(zipf)


def test_few_effective_queries_soften_the_interval() -> None:
    rng = np.random.default_rng(2)
    before, after = np.full(200, 0.5), 0.5 + rng.normal(0.05, 0.05, 200)
    weights = 1 / np.arange(1, 201.0)
    plain, weighted = ends(before, after), ends(before, after, weights)
    assert plain[0] > 0 > weighted[0]
