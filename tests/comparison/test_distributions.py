"""The normal distribution and Student's beside scipy's."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from idealist.comparison.distributions import normal_cdf, normal_quantile, student_cdf, student_quantile


@given(st.floats(-38, 38))
def test_normal_probabilities(z: float) -> None:
    assert normal_cdf(z) == pytest.approx(special.ndtr(z), rel=1e-12)


@given(st.floats(1e-300, 1 - 1e-12))
def test_normal_quantiles(share: float) -> None:
    assert normal_quantile(share) == pytest.approx(special.ndtri(share), rel=1e-12, abs=1e-15)
    assert (normal_quantile(0.0), normal_quantile(1.0)) == (-float("inf"), float("inf"))


@given(st.one_of(st.floats(1, 100), st.floats(100, 1e6)), st.floats(-40, 40))
def test_student_probabilities(freedom: float, t: float) -> None:
    """Far out scipy's are less exact than in the middle."""
    assert student_cdf(freedom, t) == pytest.approx(special.stdtr(freedom, t), rel=1e-8, abs=1e-13)


@given(st.one_of(st.floats(1, 100), st.floats(100, 1e6)), st.floats(1e-9, 1 - 1e-9))
def test_student_quantiles(freedom: float, share: float) -> None:
    assert student_quantile(freedom, share) == pytest.approx(
        special.stdtrit(freedom, share), rel=1e-8, abs=1e-9
    )
    assert student_cdf(freedom, student_quantile(freedom, share)) == pytest.approx(share, rel=1e-7)


def test_with_many_degrees_of_freedom_it_is_normal() -> None:
    for z in (-6.0, -1.0, 0.0, 0.5, 3.0):
        assert student_cdf(1e12, z) == pytest.approx(normal_cdf(z), rel=1e-9)
    assert student_quantile(1e12, 0.975) == pytest.approx(1.959963984540054, rel=1e-10)


def test_comparing_many_queries_needs_no_scipy() -> None:
    program = """
import sys
import idealist as il
judged = {f"q{at}": {"a": 1} for at in range(100)}
old = {query: {"b": 2.0, "a": 1.0} for query in judged}
new = {query: {"a": 2.0, "b": 1.0} if at % 2 else old[query] for at, query in enumerate(judged)}
il.compare({"old": old, "new": new}, judged, ["RR", "AP"]).verdict("RR")
print([name for name in sys.modules if name.startswith("scipy")])
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
