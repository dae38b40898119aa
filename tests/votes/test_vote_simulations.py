"""Coverage and type-I error where votes come in queries, with weights, by seeded simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from idealist.statistics.paired_tests import coin_p
from idealist.votes.folded_votes import FoldedVotes
from idealist.votes.vote_estimates import VoteEstimate
from idealist.votes.vote_table import read_votes
from idealist.votes.vote_tests import flip_p
from idealist.votes.voting import VoteSettings


def clustered(rng: np.random.Generator, queries: int, documents: int, alike: float, gsb: float) -> Any:
    """Votes, 70 % of them same, whose taste has the share `alike` of its variance from the query."""
    taste = rng.normal(size=(queries, 1)) * alike**0.5
    taste = taste + rng.normal(size=(queries, documents)) * (1 - alike) ** 0.5
    good, bad = (0.3 + gsb) / 2, (0.3 - gsb) / 2
    return 1 * (taste > norm.ppf(1 - good)) - 1 * (taste < norm.ppf(bad))


def estimate_of(votes: Any, **columns: Any) -> VoteEstimate:
    queries, documents = votes.shape
    table = {
        "query": np.repeat(np.arange(queries), documents).tolist(),
        "vote": votes.ravel().tolist(),
        **columns,
    }
    return VoteEstimate(FoldedVotes(read_votes(table)))


@pytest.mark.parametrize("alike", [0.2, 0.6])
def test_ten_documents_a_query_fool_the_naive_test_but_not_the_clustered_one(alike: float) -> None:
    rng = np.random.default_rng(11)
    naive = flipped = 0
    for _ in range(600):
        votes = clustered(rng, 40, 10, alike, 0.0)
        naive += coin_p(int((votes > 0).sum()), int((votes < 0).sum())) <= 0.05
        flipped += flip_p(votes.sum(axis=1), rounds=500) <= 0.05
    assert 0.12 < naive / 600 < 0.5
    assert 0.02 < flipped / 600 < 0.08


@pytest.mark.parametrize("method", ["auto", "tango", "agresti-min", "linearised", "bootstrap"])
@pytest.mark.parametrize(("queries", "documents", "gsb"), [(30, 10, 0.1), (100, 5, 0.0)])
def test_clustered_intervals_cover(method: str, queries: int, documents: int, gsb: float) -> None:
    rng = np.random.default_rng(7)
    settings = VoteSettings(interval=method, rounds=400)
    covered = 0
    for _ in range(300):
        interval = estimate_of(clustered(rng, queries, documents, 0.4, gsb)).interval(settings)
        assert interval is not None
        covered += interval.low <= gsb <= interval.high
    assert 0.91 <= covered / 300 <= 0.985


@pytest.mark.parametrize("queries", [30, 150])
def test_weighted_intervals_cover(queries: int) -> None:
    rng = np.random.default_rng(9)
    covered = 0
    for _ in range(400):
        weights = rng.lognormal(size=queries)
        estimate = estimate_of(clustered(rng, queries, 1, 0.0, 0.1), weight=weights.tolist())
        interval = estimate.interval(VoteSettings())
        assert interval is not None
        covered += interval.low <= 0.1 <= interval.high
    assert covered / 400 >= 0.93


def test_stratified_intervals_cover() -> None:
    rng = np.random.default_rng(13)
    covered = 0
    truth = 0.8 * 0.1 + 0.2 * -0.1
    for _ in range(400):
        votes = np.vstack([clustered(rng, 40, 1, 0.0, 0.1), clustered(rng, 40, 1, 0.0, -0.1)])
        table = {"query": range(80), "vote": votes.ravel().tolist(), "segment": ["x"] * 40 + ["y"] * 40}
        estimate = VoteEstimate(FoldedVotes(read_votes(table)), {"x": 0.8, "y": 0.2})
        interval = estimate.interval(VoteSettings())
        assert interval is not None
        covered += interval.low <= truth <= interval.high
    assert 0.92 <= covered / 400 <= 0.99


def test_votes_of_three_raters_cover_when_averaged() -> None:
    rng = np.random.default_rng(17)
    covered = 0
    for _ in range(300):
        votes = clustered(rng, 60, 3, 0.5, 0.1)
        table = {
            "query": np.repeat(np.arange(60), 3).tolist(),
            "rater": ["x", "y", "z"] * 60,
            "vote": votes.ravel().tolist(),
        }
        interval = VoteEstimate(FoldedVotes(read_votes(table), "mean")).interval(VoteSettings())
        assert interval is not None
        covered += interval.low <= 0.1 <= interval.high
    assert 0.92 <= covered / 300 <= 0.985


@pytest.mark.slow
@pytest.mark.parametrize(
    ("queries", "documents", "alike", "gsb"), [(20, 10, 0.9, 0.1), (10, 10, 0.9, 0.0), (20, 5, 0.5, 0.0)]
)
def test_few_queries_of_votes_that_are_alike_cover(
    queries: int, documents: int, alike: float, gsb: float
) -> None:
    rng = np.random.default_rng(23)
    missed = 0
    for _ in range(600):
        mean = estimate_of(clustered(rng, queries, documents, alike, gsb)).bounded
        missed += min(mean.above.p_value(gsb), mean.below.p_value(-gsb)) <= 0.025
    assert missed / 600 <= 0.07
