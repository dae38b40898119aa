"""Tukey blocked by query against an analysis of variance by hand, its randomised twin against all shuffles."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from idealist import InputError, compare
from idealist.statistics.multiple_comparisons import _shuffled, _turned, randomised_tukey, tukey_blocked


def table(rng: np.random.Generator, n: int, m: int) -> Any:
    """Hard and easy queries, as always; no system better than another."""
    return rng.normal(0, 1, (n, 1)) + rng.normal(0, 0.3, (n, m))


def test_against_a_two_way_analysis_by_hand() -> None:
    x = [[0.1, 0.4, 0.3], [0.2, 0.2, 0.5], [0.0, 0.7, 0.1], [0.3, 0.5, 0.6]]
    n, m = 4, 3
    mean = sum(map(sum, x)) / 12
    rows = [sum(row) / m for row in x]
    columns = [sum(row[j] for row in x) / n for j in range(m)]
    total = sum((value - mean) ** 2 for row in x for value in row)
    between_queries = m * sum((row - mean) ** 2 for row in rows)
    between_systems = n * sum((column - mean) ** 2 for column in columns)
    error = (total - between_queries - between_systems) / ((n - 1) * (m - 1))
    found = tukey_blocked(x)
    assert found.error == pytest.approx(error)
    assert found.freedom == 6
    for i, j in itertools.combinations(range(m), 2):
        q = abs(columns[i] - columns[j]) / math.sqrt(error / n)
        assert found.p_values[i, j] == pytest.approx(scipy.stats.studentized_range.sf(q, m, 6), abs=1e-9)
    assert found.reach == pytest.approx(scipy.stats.studentized_range.ppf(0.95, m, 6) * math.sqrt(error / n))


def test_two_systems_are_the_paired_t() -> None:
    x = table(np.random.default_rng(1), 30, 2)
    expected = scipy.stats.ttest_rel(x[:, 0], x[:, 1]).pvalue
    assert tukey_blocked(x).p_values[0, 1] == pytest.approx(expected, rel=1e-6)


def test_hard_and_easy_queries_do_not_matter() -> None:
    rng = np.random.default_rng(2)
    x = table(rng, 20, 4)
    moved = x + rng.normal(0, 50, (20, 1))
    assert tukey_blocked(moved).p_values == pytest.approx(tukey_blocked(x).p_values, abs=1e-8)
    assert randomised_tukey([moved], rounds=500) == randomised_tukey([x], rounds=500)


def test_systems_that_are_the_same() -> None:
    found = tukey_blocked([[0.5, 0.5, 0.7], [0.1, 0.1, 0.3]])
    assert (found.p_values[0, 1], found.p_values[0, 2]) == (1.0, None)
    [shuffled] = randomised_tukey([[[0.5, 0.5, 0.5], [0.1, 0.1, 0.1]]], rounds=100)
    assert set(shuffled.values()) == {1.0}
    with pytest.raises(InputError, match="two queries and two systems"):
        tukey_blocked([[0.1, 0.2]])


@given(st.integers(0, 10_000))
def test_randomised_comes_near_all_shuffles(seed: int) -> None:
    n, m, draws = 3, 3, 3000
    x = np.random.default_rng(seed).integers(0, 5, (n, m)) / 4
    shuffles = [[row[list(order)] for order in itertools.permutations(range(m))] for row in x]
    ranges = [np.ptp(np.sum(rows, axis=0)) for rows in itertools.product(*shuffles)]
    sums = x.sum(axis=0)
    [found] = randomised_tukey([x], rounds=draws, seed=seed)
    for (i, j), p in found.items():
        exact = float(np.mean([one >= abs(sums[i] - sums[j]) - 1e-9 for one in ranges]))
        assert abs(p - exact) < 5 * math.sqrt(exact * (1 - exact) / draws) + 2 / draws


def test_the_two_ways_to_shuffle_agree() -> None:
    """In the mean, and in how far sums vary and vary together."""
    x = table(np.random.default_rng(4), 300, 4)[:, :, None]
    one, other = (
        np.concatenate([way(x, 100, np.random.default_rng(seed)) for seed in range(60)])[:, :, 0]
        for way in (_shuffled, _turned)
    )
    # Every shuffle sums to all there is: means of a quarter, covariances of −1/3 of the variances.
    for sums in (one, other):
        assert sums.mean(axis=0) == pytest.approx(x.sum() / 4, abs=5 * sums.std() / math.sqrt(6000))
    assert np.cov(one.T) == pytest.approx(np.cov(other.T), rel=0.2)
    ranges = np.ptp(one, axis=1), np.ptp(other, axis=1)
    assert scipy.stats.ks_2samp(*ranges).pvalue > 0.001


def test_many_queries_come_near_the_formula() -> None:
    x = table(np.random.default_rng(5), 400, 5)
    x[:, 2] += 0.05
    exact = tukey_blocked(x).p_values
    [found] = randomised_tukey([x], rounds=10_000)
    for pair, p in found.items():
        other = exact[pair]
        assert other is not None
        assert p == pytest.approx(other, abs=0.02)


def test_same_seed_same_answer_and_never_0() -> None:
    rng = np.random.default_rng(6)
    tables = [table(rng, 50, 4), table(rng, 50, 4)]
    tables[0][:, 1] += 5
    found = randomised_tukey(tables, rounds=999, seed=3)
    assert found == randomised_tukey(tables, rounds=999, seed=3)
    assert found != randomised_tukey(tables, rounds=999, seed=4)
    assert found[0][0, 1] == 1 / 1000
    assert all(0 < p <= 1 for one in found for p in one.values())


@pytest.mark.slow
def test_false_alarms_of_any_pair() -> None:
    """Of 1,000 experiments with 25 queries and 4 equal systems, 5 % find a pair."""
    rng = np.random.default_rng(8)
    tables = [table(rng, 25, 4) for _ in range(1000)]
    critical = scipy.stats.studentized_range.ppf(0.95, 4, 24 * 3)
    alarms = shuffled = 0
    for x in tables:
        rest = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
        alarms += np.ptp(x.mean(axis=0)) / math.sqrt((rest**2).sum() / (24 * 3) / 25) > critical
    for at in range(0, 1000, 100):
        found = randomised_tukey(tables[at : at + 100], rounds=1000, seed=at)
        shuffled += sum(min(one.values()) <= 0.05 for one in found)
    assert 0.035 <= alarms / 1000 <= 0.065
    assert 0.035 <= shuffled / 1000 <= 0.065


def test_two_systems_have_students_paired_t() -> None:
    x = np.random.default_rng(8).normal(0.3, 1, (25, 2))
    found = tukey_blocked(x, confidence=0.9)
    assert found.p_values[0, 1] == pytest.approx(scipy.stats.ttest_rel(*x.T).pvalue, rel=1e-9)
    by_integral = scipy.stats.studentized_range.ppf(0.9, 2, 24) * (found.error / 25) ** 0.5
    assert found.reach == pytest.approx(by_integral, rel=1e-6)


def test_pairs_without_the_randomised_test(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = {f"q{n}": {"a": 1} for n in range(6)}
    old = {query: {"b": 2.0, "a": 1.0} for query in judged}
    new = {query: {"a": 2.0, "b": 1.0} if query != "q0" else old[query] for query in judged}
    whole = compare(judged, {"old": old, "new": new}, "RR")
    quick = compare(judged, {"old": old, "new": new}, "RR")
    [pair] = whole.pairs()
    assert pair.p_randomised is not None
    monkeypatch.setattr("idealist.comparison.comparison.randomised_tukey", None)  # not called
    assert quick.pairs(randomised=False) == (pair.replace(p_randomised=None),)


def test_measures_share_the_critical_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """It depends on the numbers of systems and queries alone, and takes many integrals."""
    asked: list[Any] = []
    ppf = scipy.stats.studentized_range.ppf

    def counted(*given: Any) -> Any:
        asked.append(given)
        return ppf(*given)

    monkeypatch.setattr(scipy.stats.studentized_range, "ppf", counted)
    tables = np.random.default_rng(8).normal(size=(3, 17, 5))
    found = [tukey_blocked(table, confidence=0.875) for table in tables]
    assert asked == [(0.875, 5, 16 * 4)]
    for one in found:
        assert one.reach == pytest.approx(ppf(0.875, 5, 64) * math.sqrt(one.error / 17))
