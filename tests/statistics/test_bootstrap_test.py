"""The bootstrap, shifted to a mean of 0."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from idealist.statistics import BootstrapTest


def test_by_hand() -> None:
    """Of 0 and 1 the mean is ½; two drawn again have a mean of 0, ½, ½ or 1: half of them are ½ away from ½."""
    found = BootstrapTest(rounds=4000, seed=1)([0.0, 1.0])
    assert found.statistic == 0.5
    assert found.p_value == pytest.approx(0.5, abs=4 * 0.5 / 4000**0.5)


def test_what_was_seen_is_one_more() -> None:
    """Thirty differences of 1 and 1.01: no mean of them is as far away as 0."""
    assert BootstrapTest(rounds=99)([1.0, 1.01] * 15).p_value == 1 / 100


def test_many_queries_need_no_drawing() -> None:
    """Of 2,000 tosses with 1,030 heads, those drawn again have Binomial(2000, 0.515) heads: as far from 1,030 as 30,
    those that are exactly as far counting half."""
    tosses = [1.0] * 1030 + [-1.0] * 970
    heads = scipy.stats.binom(2000, 0.515)
    expected = heads.cdf(999) + heads.pmf(1000) / 2 + heads.pmf(1060) / 2 + heads.sf(1060)
    found = BootstrapTest(seed=1)(tosses)
    assert found.p_value == pytest.approx(expected, rel=0.01)
    assert found == BootstrapTest(seed=2)(tosses)


def test_weights_count_as_often_as_they_say() -> None:
    """All weight on three queries: the others change nothing."""
    few = BootstrapTest(rounds=500)([0.5, 1.0, -0.2])
    padded = BootstrapTest(rounds=500)([0.5, 9.0, 1.0, -0.2], [1.0, 0.0, 1.0, 1.0])
    assert padded.p_value == few.p_value


@pytest.mark.slow
@pytest.mark.parametrize(("n", "least", "most"), [(10, 0.07, 0.12), (100, 0.035, 0.07)])
def test_false_alarms(n: int, least: float, most: float) -> None:
    """1,000 experiments without a difference: more than 5 % with few queries, as drawing again has √(n − 1)/√n of the
    spread and the tails of a normal distribution, not of Student's: 2·P(t₉ > 1.96·√0.9) = 0.096."""
    rng = np.random.default_rng(3)
    columns = rng.beta(0.8, 1.2, (1000, n)) - rng.beta(0.8, 1.2, (1000, n))
    found = [BootstrapTest(rounds=500, seed=at)(column).p_value for at, column in enumerate(columns)]
    assert least <= np.mean([p is not None and p <= 0.05 for p in found]) <= most
