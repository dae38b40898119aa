"""Student's t, and what goes by it: intervals and beliefs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from idealist import InputError
from idealist.statistics import TTest, bootstrap_interval, estimate_mean, mean_interval, posterior
from idealist.statistics.paired import Paired


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
def test_t_is_scipys(differences: list[float]) -> None:
    assume(max(differences) - min(differences) > 1e-6)
    before = [0.25] * len(differences)
    after = [0.25 + difference for difference in differences]
    expected = scipy.stats.ttest_rel(after, before)
    paired = Paired(tuple(map(str, range(len(before)))), tuple(before), tuple(after))
    found = TTest().of(paired.sample)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-6, abs=1e-9)
    interval = mean_interval(paired.differences, confidence=0.9)
    assert interval is not None
    assert tuple(interval) == pytest.approx(tuple(expected.confidence_interval(0.9)), abs=1e-9)
    assert (interval.confidence, interval.method) == (0.9, "Student's t")


def test_all_changed_alike() -> None:
    found = TTest()([0.1] * 5)
    assert (found.p_value, found.statistic) == (None, None)


def test_gains_and_losses_that_cancel_are_no_difference() -> None:
    assert 0.1 + 0.2 - 0.3 != 0
    assert TTest()([0.1, 0.2, -0.3]).p_value == 1.0


def test_rounding_is_no_difference() -> None:
    paired = Paired(("a", "b"), (0.1 + 0.2, 1e-20), (0.3, 2e-20))
    assert paired.differences == [0.0, 1e-20]


def test_posterior_by_hand() -> None:
    found = estimate_mean([1.0, 3.0])  # t with one degree of freedom around 2, scale 1: Cauchy
    beliefs = posterior(found, region=1.0)
    assert beliefs is not None
    below, above = 0.5 + math.atan(-1 - 2) / math.pi, 0.5 - math.atan(1 - 2) / math.pi
    assert (beliefs.worse, beliefs.better) == pytest.approx((below, above))
    assert beliefs.worse + beliefs.equivalent + beliefs.better == pytest.approx(1)
    lower = posterior(found, region=1.0, better="lower")
    assert lower is not None
    assert (lower.worse, lower.better) == (beliefs.better, beliefs.worse)
    with pytest.raises(InputError, match="region of practical equivalence must be 0 or more, not -1"):
        posterior(found, region=-1)
    assert posterior(estimate_mean([0.5])) is None
    nothing = posterior(estimate_mean([0.0] * 20))
    assert nothing is not None
    assert (nothing.worse, nothing.equivalent, nothing.better) == (0.0, 1.0, 0.0)


@pytest.mark.slow
def test_coverage() -> None:
    """A true mean difference of 0.05 lies within 95 % of the intervals; 500 experiments of 50 queries."""
    rng = np.random.default_rng(12)
    student = resampled = believed = 0
    for _ in range(500):
        differences = list(0.05 + rng.beta(0.8, 1.2, 50) - rng.beta(0.8, 1.2, 50))
        by_t, by_bootstrap = mean_interval(differences), bootstrap_interval(differences, rounds=1000)
        beliefs = posterior(estimate_mean(differences), region=0.05)
        assert by_t is not None
        assert by_bootstrap is not None
        assert beliefs is not None
        student += 0.05 in by_t
        resampled += 0.05 in by_bootstrap
        believed += beliefs.better > 0.95  # above the truth with 95 %: wrong 5 % of the time
    assert 0.93 <= student / 500 <= 0.97
    assert 0.92 <= resampled / 500 <= 0.97
    assert 0.03 <= believed / 500 <= 0.07


@pytest.mark.slow
def test_detectable_is_found_four_times_of_five() -> None:
    rng = np.random.default_rng(13)
    n, sd = 60, 0.3
    detectable = (1.959964 + 0.841621) * sd / math.sqrt(n)
    found = [TTest()(list(rng.normal(detectable, sd, n))).p_value for _ in range(1500)]
    assert 0.77 <= np.mean([p is not None and p <= 0.05 for p in found]) <= 0.83
