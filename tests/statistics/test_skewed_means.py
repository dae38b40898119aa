"""Intervals of skewed means, by the formula and against Student's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy import stats

from idealist.statistics.intervals import ErrorPart, SkewedMean, careful_interval, careful_p_value, is_sparse
from idealist.statistics.prediction_powered import powered_mean

VALUES = st.lists(st.floats(0, 1).map(lambda x: round(x, 2)), min_size=5, max_size=30)


def test_the_interval_is_students_times_an_allowance_for_skewness() -> None:
    x = np.array([0.1, 0.5, 0.8, 0.9, 0.95, 1.0, 1.0, 0.85])
    n = len(x)
    error = x.std(ddof=1) / n**0.5
    # The unbiased third cumulant over s³ is scipy's skewness; that of the mean is smaller by √n.
    s = stats.skew(x, bias=False) / n**0.5
    z, t = stats.norm.ppf(0.975), stats.t.ppf(0.975, n - 1)
    reach = error * t * (1 + s**2 * (z**4 + 2 * z**2 - 3) / 18)
    interval = careful_interval(x, None, None, 0.95)
    assert interval is not None
    assert (interval.low, interval.high) == approx((x.mean() - reach, x.mean() + reach))


@given(st.floats(-3, 3), st.integers(2, 50))
def test_without_skewness_p_is_students(mean: float, freedom: int) -> None:
    p_value = SkewedMean(mean, [ErrorPart(1.0, freedom, 0.0)]).p_value()
    assert p_value == approx(2 * stats.t.sf(abs(mean), freedom), abs=1e-9)


@given(VALUES, st.floats(-1, 1))
def test_p_is_below_5_percent_where_the_interval_leaves_out_0(values: list[float], shift: float) -> None:
    x = np.array(values) + round(shift, 3)
    interval, p_value = careful_interval(x, None, None, 0.95), careful_p_value(x, None, None)
    if interval is None or p_value is None or min(abs(interval.low), abs(interval.high)) < 1e-9:
        return
    assert (0 not in interval) == (p_value < 0.05)


def test_unequal_errors_have_welchs_freedom() -> None:
    """Errors 3 and 4 with 5 and 10 degrees of freedom: 25²/(81/5 + 256/10)."""
    mean = SkewedMean(0.0, [ErrorPart(3.0, 5, 0.0), ErrorPart(4.0, 10, 0.0)])
    assert mean.error == approx(5)
    assert mean.freedom == approx(625 / (81 / 5 + 256 / 10))


@pytest.mark.parametrize(("changed", "sparse"), [(5, True), (6, False), (0, True)])
def test_few_values_that_differ(changed: int, sparse: bool) -> None:
    x = np.array([0.0] * 14 + [0.1 * (at + 1) for at in range(changed)])
    assert is_sparse(x, (-1, 1)) == sparse
    assert not is_sparse(x, None)
    assert not is_sparse(x, (0, float("inf")))


def test_half_or_more_must_be_the_same() -> None:
    assert not is_sparse(np.array([0.1, 0.2, 0.3, 0.4, 0.4]), (0, 1))


@pytest.mark.parametrize("size", [0.02, 0.9])
def test_p_of_sparse_differences_belongs_to_their_interval(size: float) -> None:
    """Of 20 queries 5 lost something, and the machine saw it: 200 others, of which a quarter lost."""
    human = [-size * (1 - at / 50) for at in range(5)] + [0.0] * 15
    powered = powered_mean(human, human, ([-size] + [0.0] * 3) * 50, bounds=(-1, 1))
    assert powered.interval is not None
    assert powered.p_value is not None
    assert (0 not in powered.interval) == (powered.p_value < 0.05)
