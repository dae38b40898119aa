"""The bootstrap beside scipy's, which draws."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from idealist.statistics import resampling
from idealist.statistics.randomness import generator
from idealist.statistics.resampling import Resampled, bootstrap_interval


def sparse(n: int) -> np.ndarray:
    """Skewed differences, most of them 0."""
    rng = np.random.default_rng(5)
    return np.where(rng.random(n) < 0.7, 0.0, rng.beta(0.5, 1.5, n) - 0.1)


def ratio(weighed: np.ndarray, weights: np.ndarray, axis: int = -1) -> np.ndarray:
    found: np.ndarray = weighed.sum(axis=axis) / weights.sum(axis=axis)
    return found


def test_bootstrap_is_scipys() -> None:
    """Few values are drawn as scipy draws them, and the rest is arithmetic."""
    differences = np.random.default_rng(3).normal(0.1, 1, 30)
    found = bootstrap_interval(list(differences), rounds=2000, seed=4)
    expected = scipy.stats.bootstrap(
        (differences,), np.mean, n_resamples=2000, random_state=generator(4)
    ).confidence_interval
    assert found is not None
    assert (found.low, found.high) == (expected.low, expected.high)


def test_weighted_bootstrap_is_scipys() -> None:
    differences = np.random.default_rng(3).normal(0.1, 1, 40)
    weights = np.arange(1.0, 41.0)
    found = bootstrap_interval(list(differences), list(weights), rounds=2000, seed=4)
    expected = scipy.stats.bootstrap(
        (weights * differences, weights), ratio, paired=True, n_resamples=2000, random_state=generator(4)
    ).confidence_interval
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_a_query_without_weight_is_not_drawn() -> None:
    assert bootstrap_interval([1.0, 2.0, 9.0], [1.0, 1.0, 0.0]) == bootstrap_interval([1.0, 2.0], [1.0, 1.0])
    assert bootstrap_interval([1.0, 2.0], [1.0, 0.0]) is None


def test_plain_percentiles_where_nothing_lies_on_one_side() -> None:
    """Two draws of 0 and 1 whose means are both 1: no share below the mean, so no correction for bias."""
    seed = next(
        seed for seed in range(1000) if (Resampled([0.0, 1.0], rounds=2, seed=seed)._means == 1).all()
    )
    found = bootstrap_interval([0.0, 1.0], rounds=2, seed=seed)
    assert found is not None
    assert (found.low, found.high) == (1.0, 1.0)


@pytest.mark.parametrize("weighted", [False, True])
def test_without_drawing_it_is_the_limit_of_draws(monkeypatch: pytest.MonkeyPatch, weighted: bool) -> None:
    """Both ways on the same 1,500 values: of 40,000 draws a share has an error of √(p(1 − p) / 40,000), which is
    0.0025 at 0.5 and 0.0008 at 0.025; the ends of an interval 0.0008 / φ(1.96) = 0.013 standard errors."""
    values = sparse(1500)
    weights = np.where(np.arange(1500) % 10, 1.0, 20.0) if weighted else None
    found = Resampled(values, weights)
    assert not found.drawn
    exact = found.interval(0.95)
    shares, edges = found.histogram(10)
    monkeypatch.setattr(resampling, "MOST_DRAWN", 1500)
    draws = Resampled(values, weights, rounds=40_000, seed=1)
    assert draws.drawn
    drawn = draws.interval(0.95)
    assert exact is not None
    assert drawn is not None
    assert (exact.low, exact.high) == pytest.approx((drawn.low, drawn.high), abs=0.05 * found.error)
    expected = np.diff([draws.share_below(edge) for edge in edges])
    assert shares == pytest.approx(expected, abs=0.01)
    assert shares.sum() == pytest.approx(1, abs=0.001)


def test_it_is_skewed_as_the_values_are() -> None:
    """1 query of 400 gained 1: 5 of 2,000. The mean of those drawn is a binomial count of 2,000 by 1/400, over 2,000."""
    values = np.zeros(2000)
    values[:5] = 1.0
    found = Resampled(values)
    gained = scipy.stats.binom(2000, 1 / 400)
    for count in (2, 5, 8):
        expected = gained.cdf(count - 1) + gained.pmf(count) / 2
        assert found.share_below(count / 2000) == pytest.approx(expected, abs=0.002)
    halfway = found.share_below(7.5 / 2000)
    assert halfway == pytest.approx(gained.cdf(7), abs=0.002)


def test_a_quantile_has_its_share_below() -> None:
    found = Resampled(sparse(3000))
    for share in (0.001, 0.025, 0.5, 0.975):
        assert found.share_below(found.quantile(share)) == pytest.approx(
            share, abs=1e-4 * min(share, 1 - share) + 1e-6
        )


def test_no_random_number_with_many_queries() -> None:
    values = sparse(1001)
    assert Resampled(values, seed=1).interval(0.95) == Resampled(values, seed=2).interval(0.95)
    few = values[:-1]
    assert Resampled(few, seed=1).interval(0.95) != Resampled(few, seed=2).interval(0.95)
