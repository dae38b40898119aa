"""Holm and Benjamini–Hochberg against statsmodels."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from idealist import InputError
from idealist.statistics.multiple_comparisons import benjamini_hochberg, holm

P_VALUES = st.lists(st.floats(1e-12, 1), min_size=1, max_size=30)


@given(P_VALUES)
def test_holm_is_statsmodels(p_values: list[float]) -> None:
    with patch("gc.collect"):  # which it calls each time, and which takes longer than all the rest
        expected = list(multipletests(p_values, method="holm")[1])
    assert holm(p_values) == pytest.approx(expected, rel=1e-9)


@given(P_VALUES)
def test_benjamini_hochberg_is_statsmodels(p_values: list[float]) -> None:
    expected = list(multipletests(p_values, method="fdr_bh")[1])
    assert benjamini_hochberg(p_values) == pytest.approx(expected, rel=1e-9)


@given(P_VALUES)
def test_what_adjusting_never_does(p_values: list[float]) -> None:
    strict, loose = holm(p_values), benjamini_hochberg(p_values)
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for adjusted in (strict, loose):
        assert all(before <= after <= 1 for before, after in zip(p_values, adjusted, strict=True))
        assert [adjusted[at] for at in order] == sorted(adjusted)
    assert all(low <= high * (1 + 1e-12) for low, high in zip(loose, strict, strict=True))


def test_none_and_one_and_bad_ones() -> None:
    assert (holm([]), benjamini_hochberg([])) == ([], [])
    assert (holm([0.2]), benjamini_hochberg([0.2])) == ([0.2], [0.2])
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(InputError, match=r"a p-value must be from 0 to 1, not 1\.5"):
            adjust([0.1, 1.5])
        with pytest.raises(InputError, match="a p-value must be a number, not nan"):
            adjust([float("nan")])
