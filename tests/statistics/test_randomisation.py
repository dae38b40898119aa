"""The randomisation test against all flips of signs, and scipy's."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from idealist.statistics.paired import Paired
from idealist.statistics.paired_tests import RandomisationTest, flip_signs

# Few distinct values make ties; all are exact in binary.
COARSE = st.lists(st.integers(-8, 8).map(lambda number: number / 8), min_size=2, max_size=10)


@given(COARSE)
def test_randomised_is_brute_force(differences: list[float]) -> None:
    total = abs(sum(differences))
    flips = itertools.product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in flips]
    assert RandomisationTest()(differences).p_value == sum(one >= total for one in sums) / len(sums)


@given(COARSE, st.integers(0, 5))
def test_few_draws_come_near_all(differences: list[float], seed: int) -> None:
    """Drawn where it could be enumerated: the same number, but for chance."""
    assume(any(differences))
    exact = RandomisationTest()(differences).p_value
    assert exact is not None
    column = np.array(differences)
    # One more row that weighs next to nothing for each that is missing: too many to enumerate, no other sums.
    padded = np.concatenate([column, np.full(14, 1e-15)])[:, None]
    drawn = flip_signs(padded, rounds=4000, seed=seed)[0]
    assert abs(drawn - exact) < 5 * math.sqrt(exact * (1 - exact) / 4000) + 2 / 4001


@given(st.lists(st.floats(-1, 1), min_size=16, max_size=60), st.integers(0, 3))
def test_randomised_is_scipys_but_for_chance(differences: list[float], seed: int) -> None:
    assume(sum(abs(d) > 1e-3 for d in differences) > 14)
    found = RandomisationTest(2000, seed)(differences).p_value
    assert found is not None
    by_scipy = scipy.stats.permutation_test(
        (differences, np.zeros(len(differences))),
        lambda a, b, axis: (a - b).mean(axis=axis),
        permutation_type="samples",
        n_resamples=2000,
        vectorized=True,
        random_state=np.random.default_rng(seed),
    ).pvalue
    # Both are shares of 2,000 draws, and scipy doubles its own: a standard deviation of 0.025 at most.
    assert abs(found - by_scipy) < 0.15


def test_same_seed_same_answer_whatever_stands_beside() -> None:
    """The signs of a column do not depend on the other columns, nor on how its rows are named."""
    columns = np.random.default_rng(2).normal(0.1, 1, (70, 4))
    together = flip_signs(columns, rounds=999, seed=7)
    alone = [flip_signs(columns[:, [at]], rounds=999, seed=7)[0] for at in range(4)]
    assert list(together) == alone
    rows = np.arange(20, 60)
    part = np.zeros((70, 1))
    part[rows] = columns[rows, :1]
    whole = flip_signs(part, rounds=999, seed=7)
    assert list(flip_signs(part, [(rows, np.array([0]))], rounds=999, seed=7)) == list(whole)
    assert not np.array_equal(together, flip_signs(columns, rounds=999, seed=8))


def test_blocks_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = np.random.default_rng(2).normal(0.1, 1, (70, 4))
    whole = flip_signs(columns, rounds=999, seed=7)
    steps: list[tuple[int, int]] = []
    monkeypatch.setattr("idealist.statistics.paired_tests.BLOCK", 70 * 100)
    blocks = flip_signs(columns, rounds=999, seed=7, progress=lambda *step: steps.append(step))
    assert np.array_equal(blocks, whole)
    assert steps == [*((64 * at, 999) for at in range(1, 16)), (999, 999)]  # in words of 64 flips


def test_sums_out_of_reach_are_not_drawn() -> None:
    """A hundred 1s: by Hoeffding 10,000 flips reach their sum with 2·10,000·exp(−100²/200) < 4e-18."""
    column, steps = np.ones((100, 1)), []
    found = flip_signs(column, progress=lambda *step: steps.append(step))
    assert (found[0], steps) == (1 / 10_001, [])
    # 60 and 40 of them in either direction, 2·exp(−20²/200) = 0.27, are drawn, and alike beside the others.
    mixed = np.where(np.arange(100) < 60, 1.0, -1.0)[:, None]
    alone = flip_signs(mixed, progress=lambda *step: steps.append(step))
    assert steps[-1] == (10_000, 10_000)
    assert list(flip_signs(np.hstack([column, mixed]))) == [1 / 10_001, alone[0]]


def test_what_is_said_to_be_out_of_reach_is_never_reached() -> None:
    """Near the bound, |t| of 8.8 to 10, with as many zeros and as skewed as measures have it: all flips drawn."""
    rng = np.random.default_rng(5)
    columns = np.where(rng.random((300, 40)) < 0.3, 0.0, 0.5 + rng.beta(0.8, 1.2, (300, 40)))
    columns *= np.where(rng.random(columns.shape) < rng.uniform(0.15, 0.25, 40), -1, 1)
    reach = np.abs(columns.sum(axis=0)) / np.sqrt((columns**2).sum(axis=0))
    skipped = flip_signs(columns)[reach > 8.7]
    assert len(skipped) > 5
    signs = rng.choice([-1.0, 1.0], (4000, 300))
    assert (np.abs(signs @ columns) < np.abs(columns.sum(axis=0)))[:, reach > 8.7].all()
    assert set(skipped) == {1 / 10_001}


def test_pairs_share_the_signs_of_their_queries() -> None:
    """Half of the queries by themselves have the signs that they have among all."""
    rng = np.random.default_rng(2)
    queries = tuple(f"q{at:02}" for at in range(60))
    values = tuple(rng.normal(0.1, 1, 60))
    whole = Paired(queries, (0.0,) * 60, values)
    half = Paired(queries[::2], (0.0,) * 30, values[::2])
    one = Paired(queries[:1], (0.0,), values[:1])
    test = RandomisationTest(rounds=999, seed=7)
    found = [one.p_value for one in test.of_all([whole, half, one], queries)]
    padded = np.zeros((60, 2))
    padded[:, 0], padded[::2, 1] = values, values[::2]
    assert found == [*flip_signs(padded, rounds=999, seed=7), None]


def test_the_statistic_is_the_mean() -> None:
    assert RandomisationTest()([1.0, 2.0, 6.0]).statistic == 3.0
    assert RandomisationTest()([1.0, 2.0, 6.0], [1.0, 1.0, 0.0]).statistic == 1.5
