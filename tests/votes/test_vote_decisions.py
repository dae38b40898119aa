"""How often votes decide when nothing differs, few votes and few raters among them, and that what is said to be needed is
what decides: exactly, by the sum over all outcomes, or by seeded simulation."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

from idealist.votes.folded_votes import FoldedVotes
from idealist.votes.vote_estimates import VoteEstimate
from idealist.votes.vote_table import read_votes
from idealist.votes.voting import VoteSettings, gsb

SAMPLES = 1000
TWO_ERRORS = 2 * (0.05 * 0.95 / SAMPLES) ** 0.5


def estimate_of(table: Any) -> VoteEstimate:
    return VoteEstimate(FoldedVotes(read_votes(table)))


# Few votes -----------------------------------------------------------------------------------------------------


@cache
def decides(good: int, same: int, bad: int) -> bool:
    table = [1] * good + [0] * same + [-1] * bad
    return estimate_of(table).bounded.p_value() < 0.05


@pytest.mark.parametrize("n", [4, 6, 8, 10, 15, 20])
@pytest.mark.parametrize("decided", [0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0])
def test_few_equal_votes_seldom_decide(n: int, decided: float) -> None:
    wrong = 0.0
    for number in range(n + 1):
        chance = binom.pmf(number, n, decided)
        for good in range(number + 1):
            if chance > 1e-9 and decides(good, n - number, number - good):
                wrong += chance * binom.pmf(good, number, 0.5)
    assert wrong <= 0.05


def test_what_four_votes_say() -> None:
    four = gsb(good=4, same=0, bad=0)
    assert four.verdict.outcome == "undecided"
    assert four.p_value == pytest.approx(2 / 2**4)
    assert four.interval is not None
    assert four.interval.low == pytest.approx(
        2 * 0.025**0.25 - 1, abs=1e-4
    )  # Clopper and Pearson's, from −1 to 1
    assert gsb(good=0, same=0, bad=4).verdict.outcome == "undecided"
    assert gsb(good=6, same=0, bad=0).verdict.reason == "better"  # 2/2⁶ = 0.03
    # With a thousand same they show that little was lost, and not that anything was won.
    rare = gsb(good=4, same=1000, bad=0)
    assert rare.verdict.reason.startswith("not worse by more than")
    assert rare.p_value > 0.05
    pairs = {"query": [1, 1, 2, 2, 3, 3, 4, 4], "rater": list("xyxyxyxy"), "vote": [1] * 8}
    assert gsb(pairs).verdict.outcome == "undecided"


@pytest.mark.slow
@pytest.mark.parametrize(("queries", "raters"), [(4, 2), (6, 3), (10, 2), (10, 5)])
@pytest.mark.parametrize("same", [0.0, 0.5, 0.8])
def test_few_queries_of_several_raters_seldom_decide(queries: int, raters: int, same: float) -> None:
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(SAMPLES):
        taste = rng.normal(size=(queries, 1)) * 0.8 + rng.normal(size=(queries, raters)) * 0.6
        wrong += estimate_of(voted(taste, same)).bounded.p_value() < 0.05
    assert wrong / SAMPLES <= 0.055 + TWO_ERRORS


# Raters --------------------------------------------------------------------------------------------------------


def voted(taste: Any, same: float, mask: Any = None) -> dict[str, list[Any]]:
    """Votes of raters (columns) on queries (rows), by taste of unit variance; those of a mask alone."""
    bound = norm.ppf(0.5 + same / 2)
    votes = 1 * (taste > bound) - 1 * (taste < -bound)
    mask = np.ones(taste.shape, dtype=bool) if mask is None else mask
    query, rater = np.nonzero(mask)
    return {"query": query.tolist(), "rater": rater.tolist(), "vote": votes[mask].tolist()}


def some(rng: np.random.Generator, queries: int, raters: int, each: int) -> Any:
    """A mask of `each` raters for every query."""
    places = np.argsort(rng.random((queries, raters)), axis=1)[:, :each]
    mask = np.zeros((queries, raters), dtype=bool)
    mask[np.arange(queries)[:, None], places] = True
    return mask


def wrong_by_raters(queries: int, raters: int, each: int, alike: float, habit: float) -> tuple[float, float]:
    """How often "better" and "worse" is found where GSB is 0 over all raters there could be, who have habits of this
    standard deviation (in units of taste)."""
    rng = np.random.default_rng(29)
    better = worse = 0
    for _ in range(SAMPLES):
        taste = rng.normal(size=(queries, 1)) * alike**0.5 + rng.normal(size=(1, raters)) * habit
        taste = taste + rng.normal(size=(queries, raters)) * (1 - alike) ** 0.5
        mean = estimate_of(voted(taste, 0.4, some(rng, queries, raters, each))).bounded
        better += mean.above.p_value(0.0) <= 0.025
        worse += mean.below.p_value(0.0) <= 0.025
    return better / SAMPLES, worse / SAMPLES


@pytest.mark.slow
@pytest.mark.parametrize(("raters", "each"), [(2, 2), (3, 3), (3, 1), (10, 3), (30, 1)])
def test_raters_who_do_not_differ_cost_nothing_wrong(raters: int, each: int) -> None:
    assert sum(wrong_by_raters(60, raters, each, 0.5, 0.0)) <= 0.055 + TWO_ERRORS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raters", "each", "habit", "most"),
    [(3, 3, 0.2, 0.055), (3, 1, 0.4, 0.055), (5, 3, 0.4, 0.055), (10, 3, 0.4, 0.05), (30, 3, 0.4, 0.04)],
)
def test_raters_with_habits_seldom_ship_what_is_equal(
    raters: int, each: int, habit: float, most: float
) -> None:
    better, worse = wrong_by_raters(60, raters, each, 0.5, habit)
    assert max(better, worse) <= most + TWO_ERRORS


# What is needed -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("good", "same", "bad"), [(13, 40, 7), (60, 200, 50), (3, 5, 1), (10, 70, 20), (5, 0, 0)]
)
def test_what_is_needed_decides_in_four_of_five(good: int, same: int, bad: int) -> None:
    rng = np.random.default_rng(3)
    votes = np.repeat([1, 0, -1], [good, same, bad])
    needed = gsb(votes.tolist()).verdict.needed
    assert needed is not None
    decided = 0
    for _ in range(300):
        more = [*votes.tolist(), *rng.choice(votes, needed).tolist()]
        interval = estimate_of(more).interval(VoteSettings())
        assert interval is not None
        decided += interval.low > -0.02 or interval.high < 0
    assert 0.75 <= decided / 300 <= (1.0 if not bad else 0.87)


@pytest.mark.slow
@pytest.mark.parametrize(("raters", "gain"), [(3, 0.15), (10, 0.1)])
def test_what_is_needed_of_raters_decides_in_four_of_five(raters: int, gain: float) -> None:
    """The further votes are of raters who do not differ, with the GSB that was seen."""
    rng = np.random.default_rng(7)
    bound = norm.ppf(0.7)

    def drawn(queries: int, gain: float) -> Any:
        taste = gain + rng.normal(size=(queries, 1)) * 0.7**0.5
        return taste + rng.normal(size=(queries, raters)) * 0.3**0.5

    def surplus(gain: float) -> float:
        return float(norm.sf(bound - gain) - norm.cdf(-bound - gain)) - estimate.value

    decided = tried = 0
    while tried < 120:
        first = drawn(60, gain)
        estimate = estimate_of(voted(first, 0.4))
        assert estimate.effects is not None
        needed = estimate.needed(0.02, 0.95)
        if estimate.effects.variance or needed is None or needed > 3000:
            continue
        further = drawn(needed, brentq(surplus, -2, 2))
        interval = estimate_of(voted(np.concatenate([first, further]), 0.4)).interval(VoteSettings())
        assert interval is not None
        tried += 1
        decided += interval.low > -0.02 or interval.high < 0
    assert 0.7 <= decided / tried <= 0.9
