"""The sign test."""

from __future__ import annotations

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from idealist.statistics import SignTest


def test_by_hand() -> None:
    """Of the 16 patterns of four tosses, 1 + 4 have at most one tail, and as many at most one head; 0 is no toss."""
    found = SignTest()([0.1, 0.5, 0.0, 0.2, -3.0])
    assert (found.p_value, found.statistic) == (10 / 16, 3.0)


@given(st.lists(st.sampled_from([-0.5, 0.0, 0.25]), min_size=2, max_size=40))
def test_it_is_the_binomial_one(differences: list[float]) -> None:
    rose, fell = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    expected = min(1.0, 2 * scipy.stats.binom.cdf(min(rose, fell), rose + fell, 0.5))
    assert SignTest()(differences).p_value == pytest.approx(expected)
