"""Strata with known shares: what is levelled, what an unseen query weighs, and that one stratum changes nothing."""

from __future__ import annotations

from math import sqrt

import numpy as np
from pytest import approx

from idealist.statistics.inversion import usual_weight
from idealist.statistics.paired import Sample, levelled
from idealist.statistics.unseen import unseen_in_strata, unseen_weight


def test_only_the_spread_within_strata_is_left() -> None:
    values = [0.0, 0.2] * 5 + [0.6, 0.8] * 5
    near = sqrt(10 / 9 * 19 / 20) * 0.1  # each is 0.1 from the mean of its ten; the mean of all is 0.4
    assert levelled(values, None, ["a"] * 10 + ["b"] * 10) == approx([0.4 - near, 0.4 + near] * 10)


def test_weights_give_strata_their_shares() -> None:
    values, strata = [0.0, 0.2] * 5 + [0.6, 0.8] * 10, ["a"] * 10 + ["b"] * 20
    weights = [0.5 / 10] * 10 + [0.5 / 20] * 20
    found = levelled(values, weights, strata)
    assert np.average(found, weights=weights) == approx(0.1 / 2 + 0.7 / 2)
    assert found[0] - 0.4 == approx(
        -0.1 * sqrt(10 / 9 * (80 / 3 - 1) / (80 / 3))
    )  # 1/(10·0.05² + 20·0.025²) = 80/3


def test_the_error_is_that_of_strata() -> None:
    """√(Σ share² · variance/n), each variance with n − 1."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.3, 0.1, 30), rng.normal(-0.3, 0.2, 90)
    sample = Sample(np.append(a, b), [0.5 / 30] * 30 + [0.5 / 90] * 90, ["a"] * 30 + ["b"] * 90)
    assert sample.estimate is not None
    assert sample.estimate.error == approx(
        sqrt(0.25 * a.var(ddof=1) / 30 + 0.25 * b.var(ddof=1) / 90), rel=0.01
    )


def test_nothing_is_levelled_where_that_saves_nothing() -> None:
    values = [0.1, 0.3, -0.2, 0.0, 0.4, -0.1] * 4
    for strata in (
        ["a"] * 24,  # one stratum
        ["a"] * 21 + ["b", "c", "c"],  # small ones are put together, with a, too
        ["a"] * 12 + ["b"] * 12,  # both have the same mean
    ):
        assert list(levelled(values, None, strata)) == values


def test_no_spread_within_strata_is_no_certainty() -> None:
    values = [0.1] * 10 + [0.3] * 10
    assert list(levelled(values, None, ["a"] * 10 + ["b"] * 10)) == values


def test_small_strata_are_put_together() -> None:
    """b and c have 5 queries together, whose mean is 0.5."""
    values = [0.0, 0.2] * 5 + [0.4, 0.6, 0.4, 0.6, 0.5]
    found = levelled(values, None, ["a"] * 10 + ["b", "b", "c", "c", "c"])
    assert found[-1] == approx(np.mean(values))


def test_an_unseen_query_weighs_as_in_the_heaviest_stratum() -> None:
    """50 % of the traffic on 100 queries and on 25: 0.5 / (25 + √25), not 0.5/25, which may be by chance."""
    weights = [0.5 / 100] * 100 + [0.5 / 25] * 25
    assert unseen_in_strata(weights, ["a"] * 100 + ["b"] * 25) == approx(0.5 / 30)
    assert unseen_in_strata([1.0] * 20, ["a"] * 17 + ["b"] * 3) == 1.0  # never below the average


def test_weights_within_a_stratum_make_it_heavier() -> None:
    uneven = [1.0] * 99 + [100.0]
    assert unseen_in_strata(uneven, ["a"] * 100) == approx(unseen_weight(uneven))
    assert unseen_weight(uneven) > usual_weight(np.array(uneven))
