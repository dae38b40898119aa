"""Sums without rounding, and totals that are the same in whatever parts they are merged."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, sqrt
from statistics import stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist import evaluate
from idealist.engines.totals import (
    UNITS,
    Moments,
    as_float,
    draws,
    exact_square_sums,
    exact_sums,
    percentile_interval,
    resampled_sums,
)
from idealist.kernels import Values

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)
MODERATE = st.floats(-1e6, 1e6)


@given(st.lists(NUMBERS, max_size=30))
def test_a_sum_is_that_of_fractions(numbers: list[float]) -> None:
    (total,) = exact_sums(np.array(numbers).reshape(-1, 1))
    assert Fraction(total, UNITS) == sum(map(Fraction, numbers))


def test_sums_of_many_rows_and_sizes_have_no_rounding() -> None:
    """Shares, counts, and numbers so far apart, or so large, that their bits do not fit in four levels of 26."""
    random = np.random.default_rng(1)
    table = random.random((9000, 4)) * [1.0, 1000.0, 1.0, 1.0]
    table[:, 1] = np.floor(table[:, 1])
    table[:, 2] = np.ldexp(table[:, 2], random.integers(-300, 0, 9000))
    table[::7, 3] = np.nan
    for scale in (1.0, -1.0, 2.0**600, 2.0**-600):
        expected = [sum(map(Fraction, column[~np.isnan(column)].tolist())) for column in (scale * table).T]
        assert [Fraction(total, UNITS) for total in exact_sums(scale * table)] == expected
    assert exact_sums(np.zeros((0, 2))) == [0, 0]


@given(st.lists(MODERATE, max_size=30))
def test_squares_add_up_without_rounding(numbers: list[float]) -> None:
    # A square below 2^-1074 has bits that no float has.
    numbers = [number for number in numbers if number == 0 or abs(number) > 1e-100]
    (total,) = exact_square_sums(np.array(numbers).reshape(-1, 1))
    assert Fraction(total, UNITS) == sum(Fraction(number) ** 2 for number in numbers)


@given(st.lists(st.floats(-1e300, 1e300), max_size=30))
def test_the_native_sum_is_the_nearest_float(numbers: list[float]) -> None:
    """So a local mean and that of a cluster are the same float."""
    assert Values(numbers).sum() == fsum(numbers) == as_float(exact_sums(np.array(numbers).reshape(-1, 1))[0])


def test_a_mean_does_not_depend_on_the_order_of_queries() -> None:
    # From left to right, 0.1 + 0.2 + 0.3 is 0.6000000000000001 and 0.3 + 0.2 + 0.1 is 0.6.
    assert Values([0.1, 0.2, 0.3]).sum() == Values([0.3, 0.2, 0.1]).sum() == 0.6
    assert Values([1e308, 1e308]).sum() == float("inf")
    assert Values([float("nan"), 0.5]).sum() == 0.5


@given(st.lists(MODERATE, min_size=2, max_size=20), st.integers(0, 20))
def test_moments_merge(numbers: list[float], cut: int) -> None:
    table = np.array(numbers).reshape(-1, 1)
    whole, part = Moments.of(table), Moments.of(table[:cut])
    part.merge(Moments.of(table[cut:]))
    assert part.__dict__ == whole.__dict__
    estimate = whole.estimate(0)
    assert estimate is not None
    assert estimate.mean == fsum(numbers) / len(numbers)
    assert estimate.error == pytest.approx(stdev(numbers) / sqrt(len(numbers)), rel=1e-9, abs=1e-12)


def test_equal_values_have_no_spread() -> None:
    estimate = Moments.of(np.full((1000, 1), 0.1)).estimate(0)
    assert estimate is not None
    assert estimate.error == 0
    assert Moments.of(np.full((1000, 1), 0.1)).student(0, 0.95) is None


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.integers(0, 20))
def test_resamples_do_not_depend_on_parts(numbers: list[float], cut: int) -> None:
    names = [f"q{at}" for at in range(len(numbers))]
    table, drawn = np.array(numbers).reshape(-1, 1), draws(names, 9, seed=4)
    sums, counts = resampled_sums(table, drawn)
    first, second = (resampled_sums(table[part], drawn[part]) for part in (slice(0, cut), slice(cut, None)))
    assert (first[0] + second[0] == sums).all()
    assert (first[1] + second[1] == counts).all()
    exact = [sum(int(times) * number for times, number in zip(row, numbers, strict=True)) for row in drawn.T]
    assert [total * 2.0**-30 for total in sums[:, 0]] == pytest.approx(exact, abs=1e-6)


def test_draws_are_poisson_and_follow_from_the_name() -> None:
    names = [f"user-{at}" for at in range(5000)]
    counts = draws(names, 40, seed=1)
    assert (draws(names[::-1], 40, seed=1)[::-1] == counts).all()
    assert (draws(names, 40, seed=2) != counts).any()
    # 200,000 Poisson(1) numbers: mean and variance 1 ± 4 standard errors (1/√N, √3/√N); P(0) = 1/e.
    size = counts.size
    assert abs(counts.mean() - 1) < 4 / sqrt(size)
    assert abs(counts.var() - 1) < 4 * sqrt(3 / size)
    assert abs((counts == 0).mean() - np.exp(-1)) < 4 * sqrt(0.2325 / size)
    # Resamples, and queries, are independent of each other.
    assert abs(np.corrcoef(counts[:, 0], counts[:, 1])[0, 1]) < 4 / sqrt(5000)
    assert abs(np.corrcoef(counts[:-1].ravel(), counts[1:].ravel())[0, 1]) < 4 / sqrt(size)


def test_the_bootstrap_finds_the_error_of_a_mean() -> None:
    """The interval of 400 resamples is that of a normal mean, 2·1.96 standard errors wide, up to 15 %."""
    values = np.random.default_rng(3).normal(0.5, 0.2, size=(2000, 1))
    sums, counts = resampled_sums(values, draws([str(at) for at in range(2000)], 400, seed=0))
    interval = percentile_interval(sums[:, 0], counts[:, 0], 0.95)
    assert interval is not None
    width = 2 * 1.96 * values.std() / sqrt(2000)
    assert interval.high - interval.low == pytest.approx(width, rel=0.15)
    assert float(values.mean()) in interval


def test_the_mean_of_an_evaluation_is_exact() -> None:
    run = {f"q{at}": {"a": 2.0, "b": 1.0} for at in range(10)}
    judged = {query: {"b": 1, **({"a": 1} if at == 0 else {})} for at, query in enumerate(run)}
    result = evaluate(judged, run, "nDCG")
    assert result.mean("nDCG") == fsum(result.by_query("nDCG").values()) / 10
