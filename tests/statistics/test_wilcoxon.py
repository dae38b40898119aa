"""Wilcoxon's signed ranks."""

from __future__ import annotations

import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from idealist.statistics import WilcoxonTest


@settings(max_examples=25)  # scipy enumerates ranks with ties
@given(st.lists(st.integers(-8, 8).map(lambda number: number / 8), min_size=2, max_size=10))
def test_it_is_scipys_of_the_queries_that_changed(differences: list[float]) -> None:
    changed = [d for d in differences if d]
    assume(changed)
    expected, found = scipy.stats.wilcoxon(changed), WilcoxonTest()(differences)
    assert (found.p_value, found.statistic) == pytest.approx((expected.pvalue, expected.statistic))


def test_by_hand() -> None:
    """Ranks 1 to 4, of which the −1 has rank 1: of 16 patterns of signs, W of 0 and 1 come up once each, both ways."""
    found = WilcoxonTest()([-1.0, 2.0, 3.0, 4.0])
    assert (found.p_value, found.statistic) == (4 / 16, 1.0)
