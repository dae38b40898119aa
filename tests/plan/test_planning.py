"""Planned numbers against statsmodels, against themselves backwards, and against simulated experiments."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from idealist import InputError, evaluate
from idealist.plan.pilots import pilot_pair
from idealist.statistics import mean_interval
from idealist.statistics.power import (
    curve,
    detectable_difference,
    needed_queries,
    queries_power,
)
from idealist.votes import gsb
from idealist.votes.vote_plan import (
    design_effect,
    detectable_gsb,
    judgments_power,
    needed_judgments,
    pilot_votes,
)
from idealist.votes.vote_table import read_votes

EFFECT = st.floats(0.05, 2)
POWER = st.sampled_from([0.5, 0.8, 0.9, 0.95])
ALPHA = st.sampled_from([0.01, 0.05, 0.1])


@pytest.mark.parametrize(("gsb", "needed"), [(0.02, 5885), (0.05, 940), (0.1, 234)])
def test_published_numbers_of_judgments(gsb: float, needed: int) -> None:
    assert needed_judgments(gsb, 0.7) == needed_judgments(-gsb, 0.7) == needed


def test_queries_by_hand() -> None:
    """With many queries all intervals are as good as normal."""
    z = scipy.stats.norm.ppf([0.975, 0.8]).sum()
    assert needed_queries(0.2, 0.004) == math.ceil((z * 50) ** 2)
    assert needed_queries(0.2, 0.01) == pytest.approx((z * 20) ** 2, rel=0.03)
    assert detectable_difference(0.2, 40_000) == pytest.approx(z * 0.001)
    assert detectable_difference(0.2, 4_000) == pytest.approx(z * 0.2 / 4_000**0.5, rel=0.03)


def test_a_difference_needs_as_many_queries_as_show_that_none_fails() -> None:
    """Differences that are nearly alike: a share u of failures takes them to 0, and is not among n of them, of which
    half the samples have a mean as high."""
    for failure in (0.3, 1.0):
        u = 0.1 / (0.1 + failure)
        assert needed_queries(1e-4, 0.1, failure=failure, best=failure) == math.ceil(
            math.log(0.05) / math.log(1 - u)
        )


@given(EFFECT, POWER, ALPHA)
def test_exact_number_is_that_of_statsmodels(effect: float, power: float, alpha: float) -> None:
    got = needed_queries(1, effect, power=power, alpha=alpha, failure=None)
    # The chance of "better": statsmodels has that of "worse", too.
    known = TTestPower().power(effect, np.array([got, max(2, got - 1)]), alpha / 2, alternative="larger")
    assert queries_power(got, 1, effect, alpha=alpha, failure=None) == pytest.approx(known[0], abs=1e-6)
    assert known[0] >= power - 1e-9
    assert got == 2 or known[1] < power
    if power >= 0.8 and effect <= 1:  # unseen failures take more
        assert needed_queries(1, effect, power=power, alpha=alpha) >= 0.97 * got - 1


@given(st.floats(0.01, 0.5), st.integers(2, 3000), POWER, ALPHA, st.sampled_from([None, 0.3, 1.0]))
def test_detectable_difference_is_detected(
    sd: float, n: int, power: float, alpha: float, failure: float | None
) -> None:
    found = detectable_difference(sd, n, power=power, alpha=alpha, failure=failure)
    if found is None:  # not even a difference of the whole range
        assert queries_power(n, sd, 1, alpha=alpha, failure=failure) < power
    else:
        assert queries_power(n, sd, found, alpha=alpha, failure=failure) == pytest.approx(power, abs=1e-6)


def test_no_difference_is_larger_than_the_range() -> None:
    """Of 2 queries, 1 − 0.025^(1/2) = 84 % may be missing: that costs more than a difference of 1 gives."""
    assert detectable_difference(0.15, 2) is None
    assert detectable_difference(15, 20, failure=80) is not None  # ratings from 0 to 100
    for refused in (
        lambda: needed_queries(0.15, 2),
        lambda: needed_queries(15, 5),
        lambda: detectable_difference(15, 20),
    ):
        with pytest.raises(InputError, match="must be at most 1, the largest difference"):
            refused()
    assert needed_queries(15, 5, failure=None) == needed_queries(0.15, 0.05, failure=None)


def test_the_numbers_that_were_promised_too_much() -> None:
    """8 queries have a power of .681 by Student's t, and 5 show .1879 with 56 %: both are what they are said to be now."""
    assert needed_queries(0.15, 0.15, failure=None) == 10
    assert queries_power(8, 0.15, 0.15, failure=None) == pytest.approx(0.681, abs=0.005)
    assert detectable_difference(0.15, 5, failure=None) == pytest.approx(0.2523, abs=1e-4)
    assert needed_queries(0.15, 0.15) > needed_queries(0.15, 0.15, failure=0.5) > 10


@given(
    st.floats(0.001, 1),
    st.floats(0, 0.98),
    POWER,
    ALPHA,
    st.integers(1, 20),
    st.sampled_from([0.0, 0.1, 1.0]),
)
def test_judgments_forwards_and_backwards(
    share: float, same: float, power: float, alpha: float, per_query: int, icc: float
) -> None:
    gsb = share * (1 - same)
    n = needed_judgments(gsb, same, power=power, alpha=alpha, per_query=per_query, icc=icc)
    if n == 0:
        return
    reached = judgments_power(n, gsb, same, alpha=alpha, per_query=per_query, icc=icc)
    assert reached >= power - 1e-6
    found = detectable_gsb(n, same, power=power, alpha=alpha, per_query=per_query, icc=icc)
    assert found is not None
    assert found <= gsb + 1e-9
    # With about 50 decided votes or fewer, or where all are, the exact test's power rises in steps, so that some smaller number may do.
    decided = n / design_effect(per_query, icc) * (1 - same)
    if n > 2 and decided >= 65 and decided * same > 2:
        assert judgments_power(n - 1, gsb, same, alpha=alpha, per_query=per_query, icc=icc) < power + 1e-6


def test_where_all_votes_decide_the_plan_is_for_the_exact_test() -> None:
    """Of 85 votes 53 must be good, P(at most 32 of 85 tosses) = 0.0147, and of 33 0.0251: 74 % of samples of GSB 0.3."""
    n = needed_judgments(0.3, 0.0)
    assert n > 85
    least = {votes: next(good for good in range(votes) if _shows(good, votes)) for votes in (85, n)}
    power = {votes: scipy.stats.binom.sf(good - 1, votes, 0.65) for votes, good in least.items()}
    assert (least[85], round(power[85], 3)) == (53, 0.736)
    assert power[n] >= 0.8
    assert judgments_power(85, 0.3, 0.0) == pytest.approx(power[85], abs=1e-6)
    assert gsb(good=53, same=0, bad=32).verdict.reason == "better"
    assert gsb(good=52, same=0, bad=33).verdict.reason != "better"


def _shows(good: int, votes: int) -> bool:
    return bool(2 * scipy.stats.binom.sf(good - 1, votes, 0.5) <= 0.05)


def test_too_few_judgments_show_nothing() -> None:
    assert detectable_gsb(3, 0.7) is None  # one decided vote of three
    assert detectable_gsb(10, 0.0) is not None


def test_design_effect_multiplies() -> None:
    assert design_effect(10, 0.1) == pytest.approx(1.9)
    single = needed_judgments(0.02, 0.7)
    assert needed_judgments(0.02, 0.7, per_query=10, icc=0.1) == pytest.approx(1.9 * single, abs=2)
    assert needed_judgments(0.02, 0.7, per_query=10) == single


@pytest.mark.parametrize(("sd", "effect"), [(0.2, 0.05), (0.3, 0.3), (1.0, 0.9)])
def test_planned_queries_have_the_power(sd: float, effect: float) -> None:
    """The share of 20,000 simulated experiments that a t-test finds; 0.0028 is its standard error."""
    n = needed_queries(sd, effect, failure=None)
    generator = np.random.Generator(np.random.PCG64(1))
    differences = generator.normal(effect, sd, (20_000, n))
    found = scipy.stats.ttest_1samp(differences, 0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(queries_power(n, sd, effect, failure=None), abs=0.01)
    assert found.mean() >= 0.79


@pytest.mark.parametrize(("gsb", "same"), [(0.05, 0.7), (0.1, 0.7), (0.1, 0.3)])
def test_planned_judgments_have_the_power(gsb: float, same: float) -> None:
    """By the score test that the plan is made for: (G − B)/√(G + B)."""
    n = needed_judgments(gsb, same)
    generator = np.random.Generator(np.random.PCG64(2))
    good = (1 - same + gsb) / 2
    counts = generator.multinomial(n, [good, same, 1 - same - good], 20_000)
    z = (counts[:, 0] - counts[:, 2]) / np.sqrt(counts[:, 0] + counts[:, 2])
    assert (np.abs(z) > scipy.stats.norm.ppf(0.975)).mean() == pytest.approx(0.8, abs=0.015)


def test_planned_judgments_in_clusters_have_the_power() -> None:
    """Half of each query's votes copy one vote of that query, so that two of its votes agree: ICC 1/4. The
    test is that of query totals."""
    gsb, same, m, share = 0.1, 0.7, 10, 0.5
    n = needed_judgments(gsb, same, per_query=m, icc=share**2)
    queries = math.ceil(n / m)
    generator = np.random.Generator(np.random.PCG64(3))
    good = (1 - same + gsb) / 2
    weights, runs = [good, same, 1 - same - good], 2000
    own = generator.choice([1, 0, -1], (runs, queries, m), p=weights)
    shared = generator.choice([1, 0, -1], (runs, queries, 1), p=weights)
    votes = np.where(generator.random((runs, queries, m)) < share, shared, own)
    icc = pilot_votes({f"{r} {q}": votes[r, q] for r in range(50) for q in range(queries)}).icc
    assert icc == pytest.approx(share**2, abs=0.02)
    found = scipy.stats.ttest_1samp(votes.sum(axis=2), 0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.04)


def test_pilot_of_two_systems() -> None:
    judged = {f"q{at}": {"a": 1} for at in range(6)}
    one = {query: {"a": 2.0, "b": 1.0} for query in judged}
    other = {query: {"b": 2.0 if at % 2 else 0.0, "a": 1.0} for at, query in enumerate(judged)}
    evaluation = evaluate(judged, {"one": one, "other": other}, "RR")
    got = pilot_pair(evaluation, "RR")
    differences = [-0.5 if at % 2 else 0.0 for at in range(6)]
    assert (got.systems, got.n, got.measure) == (("one", "other"), 6, "RR")
    assert got.difference == pytest.approx(np.mean(differences))
    assert got.sd == pytest.approx(np.std(differences, ddof=1))
    ends = np.sqrt(5 * got.sd**2 / scipy.stats.chi2.ppf([0.975, 0.025], 5))
    assert (got.interval.low, got.interval.high) == pytest.approx(tuple(ends))


def test_pilot_of_weighted_queries_has_the_error_of_the_weighted_mean() -> None:
    judged = {f"q{at}": {"a": 1} for at in range(6)}
    one = {query: {"a": 2.0, "b": 1.0} for query in judged}
    other = {query: {"b": 2.0 if at % 2 else 0.0, "a": 1.0} for at, query in enumerate(judged)}
    weights = {query: 1.0 + at for at, query in enumerate(judged)}
    got = pilot_pair(evaluate(judged, {"one": one, "other": other}, "RR", weights=weights), "RR")
    differences = [-0.5 if at % 2 else 0.0 for at in range(6)]
    interval = mean_interval(differences, list(weights.values()))
    assert interval is not None
    t = scipy.stats.t.ppf(0.975, sum(weights.values()) ** 2 / sum(w * w for w in weights.values()) - 1)
    assert got.sd / math.sqrt(6) == pytest.approx((interval.high - interval.low) / 2 / t)
    assert got.difference == pytest.approx((interval.high + interval.low) / 2)


def test_known_answers_are_not_planned_from() -> None:
    table = {"query": ["q1", "q2", "q3"], "vote": ["good", "same", "bad"], "anchor": ["", "", "bad"]}
    got = pilot_votes(read_votes(table))
    assert (got.n, got.same, got.value) == (2, 0.5, 0.5)


def test_pilots_that_say_nothing() -> None:
    judged = {f"q{at}": {"a": 1} for at in range(3)}
    run = {query: {"a": 2.0} for query in judged}
    with pytest.raises(InputError, match="differ by 0 on every query"):
        pilot_pair(evaluate(judged, {"x": run, "y": run}, "RR"), "RR")
    with pytest.raises(InputError, match="a pilot takes two systems, not 3"):
        pilot_pair(evaluate(judged, {"x": run, "y": run, "z": run}, "RR"), "RR")
    with pytest.raises(InputError, match="1 query with RR in common"):
        pilot_pair(evaluate({"q0": {"a": 1}}, {"x": run, "y": run}, "RR"), "RR")
    with pytest.raises(InputError, match="no mean over queries"):
        pilot_pair(evaluate(judged, {"x": run, "y": run}, "NumRel"), "NumRel")
    with pytest.raises(InputError, match="no votes"):
        pilot_votes({"q": []})


def test_pilot_of_votes() -> None:
    got = pilot_votes({"q1": [3, 1, 0], "q2": [-2], "q3": []})
    assert (got.n, got.queries, got.same, got.value) == (4, 2, 0.25, 0.25)
    assert got.per_query == (9 + 1) / 4
    assert pilot_votes({"a": [1], "b": [0]}).icc == 0.0
    assert pilot_votes({"a": [1, 1], "b": [0, 0]}).icc == pytest.approx(1.0)
    assert pilot_votes({"a": [0, 0], "b": [0, 0]}).icc == 0.0


def test_curve_rises_through_the_power() -> None:
    points = curve(lambda n: queries_power(n, 0.2, 0.05), 132)
    assert [n for n, _ in points] == [33, 66, 132, 198, 264]
    powers = [power for _, power in points]
    assert powers == sorted(powers)
    assert powers[2] == pytest.approx(0.8, abs=0.005)
    assert curve(lambda n: 1.0, 2) == [(2, 1.0), (3, 1.0), (4, 1.0)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: needed_queries(0, 0.1), "the standard deviation must be above 0, not 0"),
        (lambda: needed_queries(0.2, 0), "the effect must not be 0"),
        (lambda: needed_queries(0.2, math.nan), "nan"),
        (lambda: needed_queries(0.2, 1e-300), "too small for any number of queries"),
        (lambda: needed_queries(0.2, 0.1, power=1), "the power must lie between 0 and 1, not 1"),
        (lambda: needed_queries(0.2, 0.1, power=0.04), "the power must be above alpha, 0.05, not 0.04"),
        (lambda: needed_queries(0.2, 0.1, alpha=0), "alpha must lie between 0 and 1, not 0"),
        (
            lambda: detectable_difference(0.2, 1),
            "the number of queries must be a whole number, 2 or more, not 1",
        ),
        (
            lambda: detectable_difference(0.2, 2.5),  # type: ignore[arg-type]
            "the number of queries must be a whole number, 2 or more, not 2.5",
        ),
        (lambda: needed_judgments(0.4, 0.7), "then it is at most 0.3"),
        (lambda: needed_judgments(0.1, 1), 'the share of "same" must be 0 or more and below 1, not 1'),
        (lambda: needed_judgments(1e-200, 0), "too small for any number of judgments"),
        (
            lambda: needed_judgments(0.1, 0.7, per_query=0),
            "the number of judgments per query must be 1 or more, not 0",
        ),
        (lambda: needed_judgments(0.1, 0.7, icc=2), "the ICC must be from 0 to 1, not 2"),
        (
            lambda: judgments_power(0, 0.1, 0.7),
            "the number of judgments must be a whole number, 1 or more, not 0",
        ),
        (lambda: judgments_power(10, 0.5, 0.7), "at most 0.3"),
    ],
)
def test_bad_choices(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()  # type: ignore[operator]


def test_every_vote_of_a_pilot_counts() -> None:
    table = {
        "query": ["q1"] * 5 + ["q2"] * 2,
        "document": ["a"] * 3 + ["b"] * 2 + ["c"] * 2,
        "rater": ["x", "y", "z", "x", "y", "x", "y"],
        "vote": ["good", "good", "bad", "good", "bad", "bad", "bad"],
    }
    got = pilot_votes(read_votes(table))
    assert (got.n, got.queries, got.same) == (7, 2, 0.0)
    assert got.value == pytest.approx((3 - 4) / 7)
    assert got.per_query == pytest.approx((5**2 + 2**2) / 7)
