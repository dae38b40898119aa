"""Intervals and tests of votes, against published values, brute force and exact coverage."""

from __future__ import annotations

from itertools import product
from math import log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy.optimize import minimize_scalar
from scipy.stats import binom, binomtest, multinomial, norm

from idealist.errors import InputError
from idealist.statistics.paired_shares import agresti_min_interval, tango_interval
from idealist.statistics.paired_tests import coin_p
from idealist.votes.vote_tests import flip_p, sign_errors
from idealist.votes.voting import gsb

Z = 1.959963984540054


# Fagerland, Lydersen and Laake, Statistical Analysis of Contingency Tables (2017), chapter 8: airway
# hyper-responsiveness (1 against 7 of 21) and complete response (6 against 16 of 161).
@pytest.mark.parametrize(
    ("good", "bad", "n", "low", "high"), [(1, 7, 21, -0.517, -0.026), (6, 16, 161, -0.1240, -0.0054)]
)
def test_tango_as_published(good: int, bad: int, n: int, low: float, high: float) -> None:
    interval = tango_interval(good, bad, n)
    assert interval.low == approx(low, abs=5e-4 if n == 21 else 5e-5)
    assert interval.high == approx(high, abs=5e-4 if n == 21 else 5e-5)


def test_agresti_min_as_published() -> None:
    interval = agresti_min_interval(6, 16, 161)
    assert (interval.low, interval.high) == approx((-0.1182, -0.0045), abs=5e-5)


@pytest.mark.parametrize("n", [1, 4, 50, 3000])
def test_tango_at_the_edges_in_closed_form(n: int) -> None:
    same, good, bad = tango_interval(0, 0, n), tango_interval(n, 0, n), tango_interval(0, n, n)
    assert same.high == approx(Z**2 / (n + Z**2))
    assert same.low == approx(-same.high)
    assert (good.low, good.high) == approx(((n - Z**2) / (n + Z**2), 1.0))
    assert (bad.low, bad.high) == approx((-1.0, (Z**2 - n) / (n + Z**2)))


def most_likely(good: int, bad: int, n: int, delta: float) -> float:
    """The share of bad that makes the counts most likely when good − bad is delta, by search."""
    low, high = max(0.0, -delta), (1 - delta) / 2

    def unlikely(q: float) -> float:
        pairs = ((good, q + delta), (bad, q), (n - good - bad, 1 - 2 * q - delta))
        return -sum(count * log(max(share, 1e-300)) for count, share in pairs if count)

    return float(minimize_scalar(unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 200))
def test_tango_by_brute_force(good: int, bad: int, same: int) -> None:
    n = good + bad + same
    interval = tango_interval(good, bad, n)
    for delta, z in ((interval.low, Z), (interval.high, -Z)):
        q = most_likely(good, bad, n, delta)
        score = (good - bad - n * delta) / sqrt(n * (2 * q + delta * (1 - delta)))
        assert score == approx(z, rel=1e-3)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 60), st.floats(0.5, 0.999))
def test_intervals_hold_the_value_and_turn_with_the_sides(
    good: int, bad: int, same: int, confidence: float
) -> None:
    n = max(1, good + bad + same)
    for make in (tango_interval, agresti_min_interval):
        one, other = make(good, bad, n, confidence=confidence), make(bad, good, n, confidence=confidence)
        assert (one.low, one.high) == approx((-other.high, -other.low), abs=1e-9)
        assert -1 <= one.low <= one.high <= 1
    interval = tango_interval(good, bad, n, confidence=confidence)
    assert interval.low <= (good - bad) / n <= interval.high


def coverage(n: int, shares: tuple[float, float, float]) -> float:
    """How often the interval contains the truth: the sum over all outcomes, not a simulation."""
    truth, covered = shares[0] - shares[2], 0.0
    counts = np.array([(g, n - g - b, b) for g, b in product(range(n + 1), repeat=2) if g + b <= n])
    chances = multinomial(n, shares).pmf(counts)
    for (good, _, bad), chance in zip(counts.tolist(), chances.tolist(), strict=True):
        if chance > 1e-7:
            interval = tango_interval(good, bad, n)
            covered += chance * (interval.low <= truth <= interval.high)
    return covered


@pytest.mark.parametrize("n", [30, 100, 300])
@pytest.mark.parametrize("gsb", [0.0, 0.1])
def test_tango_covers_with_many_ties(n: int, gsb: float) -> None:
    assert 0.94 < coverage(n, (0.15 + gsb / 2, 0.7, 0.15 - gsb / 2)) < 0.975


def test_wald_would_not_cover_when_all_votes_are_same() -> None:
    interval = tango_interval(0, 0, 100)
    assert interval.high - interval.low > 0.07


@pytest.mark.parametrize(("good", "bad"), [(1, 7), (0, 5), (12, 12), (30, 11)])
def test_the_exact_test_is_the_binomial_one(good: int, bad: int) -> None:
    assert coin_p(good, bad) == approx(binomtest(good, good + bad).pvalue)
    assert flip_p([1] * good + [-1] * bad + [0] * 9) == approx(coin_p(good, bad))


def test_nothing_decided_is_no_evidence() -> None:
    assert coin_p(0, 0) == flip_p([]) == flip_p([0, 0]) == 1.0


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_few_totals_are_flipped_in_every_way(totals: list[int]) -> None:
    observed = abs(sum(totals))
    ways = [
        abs(sum(s * t for s, t in zip(signs, totals, strict=True)))
        for signs in product((-1, 1), repeat=len(totals))
    ]
    assert flip_p(totals) == approx(sum(way >= observed for way in ways) / len(ways))


def test_many_totals_are_flipped_at_random_with_a_seed() -> None:
    totals = [1.0 + at % 3 for at in range(40)]
    assert flip_p(totals, rounds=999) == 1 / 1000  # never 0
    mixed = [(-1) ** at * (1.0 + at % 3) + 0.3 for at in range(40)]
    assert flip_p(mixed, seed=3) == flip_p(mixed, seed=3)
    assert flip_p(mixed, seed=3) == approx(flip_p(mixed, seed=4), abs=0.03)


def test_errors_of_the_sign_rule() -> None:
    errors = sign_errors(300, 0.3, margin=0.02)
    votes = np.random.default_rng(1).multinomial(300, [0.15, 0.7, 0.15], size=100_000)
    assert errors.blocks_neutral == approx((votes[:, 0] < votes[:, 2]).mean(), abs=0.006)
    assert errors.blocks_neutral == approx(0.48, abs=0.005)
    votes = np.random.default_rng(2).multinomial(300, [0.14, 0.7, 0.16], size=100_000)
    assert errors.passes_worse == approx((votes[:, 0] >= votes[:, 2]).mean(), abs=0.006)
    # By hand, two votes that are always decided: good and bad of 4 ways, bad twice 1 of 4.
    assert sign_errors(2, 1.0).blocks_neutral == approx(1 / 4)
    assert sign_errors(10, 0.0).blocks_neutral == 0.0
    assert sign_errors(10, 0.0).passes_worse == 1.0


@pytest.mark.parametrize(("n", "decided"), [(1, 0.4), (7, 1.0), (60, 0.02), (300, 0.3)])
@pytest.mark.parametrize("margin", [0.0, 0.02, 0.5])
def test_errors_of_the_sign_rule_are_sums_over_all_votes(n: int, decided: float, margin: float) -> None:
    counts = np.arange(n + 1)
    chances = binom.pmf(counts, n, decided)
    most = np.ceil(counts / 2) - 1  # so many good ones are fewer than the bad ones
    good = (decided - min(margin, decided)) / (2 * decided)
    errors = sign_errors(n, decided, margin=margin)
    fewer = [binom.cdf(most, counts, each) for each in (0.5, good)]
    assert errors.blocks_neutral == approx((chances * fewer[0]).sum(), abs=1e-12)
    assert errors.passes_worse == approx((chances * (1 - fewer[1])).sum(), abs=1e-12)


@pytest.mark.parametrize("n", [10**6, 10**8, 10**10])
def test_errors_of_the_sign_rule_with_many_votes(n: int) -> None:
    """The difference of good and bad is normal, with a variance of 0.3·n; a tie has a probability of 1/√(2π·0.3·n)."""
    tie = 1 / sqrt(2 * pi * 0.3 * n)
    errors = sign_errors(n, 0.3, margin=sqrt(0.3 / n))
    assert errors.blocks_neutral == approx((1 - tie) / 2, abs=1e-7)
    assert errors.passes_worse == approx(norm.cdf(-1 + tie * sqrt(pi / 2)), abs=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tango_interval(3, 3, 5), "5 votes cannot hold 3 good and 3 bad ones"),
        (lambda: tango_interval(-1, 3, 5), "good must be 0 or more, not -1"),
        (lambda: tango_interval(0, 0, 0), "0 votes cannot hold"),
        (lambda: tango_interval(1, 1, 5, confidence=1.0), "confidence must lie between 0 and 1, not 1"),
        (lambda: agresti_min_interval(1, float("nan"), 5), "bad must be a number, not nan"),
        (lambda: flip_p([1, 2], rounds=0), "rounds must be a whole number, 1 or more, not 0"),
    ],
)
def test_arguments_that_cannot_be_right(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()  # type: ignore[operator]


@pytest.mark.parametrize("interval", ["tango", "agresti-min", "linearised", "bootstrap"])
def test_few_decided_votes_ship_by_test_inversion_alone(interval: str) -> None:
    """Four good votes of four, by exact test 2/2⁴ = 0.125: other intervals leave out 0 there, and would ship."""
    for good, bad in ((4, 0), (6, 1)):
        found = gsb(good=good, same=0, bad=bad, interval=interval)
        exact = gsb(good=good, same=0, bad=bad)
        assert (found.interval, found.p_value, found.method) == (exact.interval, exact.p_value, "inversion")
        assert found.verdict == exact.verdict
        assert found.verdict.outcome == "undecided"
        assert any(note.endswith("by test inversion over queries") for note in found.notes)
        assert not any("too narrow" in note for note in exact.notes)
    enough = gsb(good=20, same=0, bad=5, interval=interval)
    assert enough.method == interval
    assert not any("fewer than 25" in note for note in enough.notes)
