"""What keeps a system from shipping though its difference would let it."""

from __future__ import annotations

from typing import Any

import pytest

from idealist import Conventions, InputError, compare, evaluate
from idealist.votes import gsb_from

QUERIES = [f"q{at:03d}" for at in range(40)]
JUDGED = {query: {"a": 1, "b": 0} for query in QUERIES}
GOOD = {query: {"a": 2.0, "b": 1.0} for query in QUERIES}
BAD = {query: {"a": 1.0, "b": 2.0} for query in QUERIES}


def failed(verdict: Any) -> list[str]:
    return [guard.name for guard in verdict.guards if not guard.passed]


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("measure", ["nDCG@10", "RankingLoss"])
def test_a_system_that_drops_queries_does_not_ship(missing: str, measure: str) -> None:
    some = {query: GOOD[query] for query in QUERIES[:10]}
    conventions = Conventions(missing=missing)
    found = compare(JUDGED, {"old": GOOD, "new": some}, measure, conventions=conventions).verdict()
    assert found.outcome != "ship"
    assert "same queries" in failed(found)
    assert "30 queries of old missing from new, such as 'q010'" in str(found)
    # The other way round nothing is lost.
    found = compare(JUDGED, {"old": some, "new": GOOD}, measure, conventions=conventions).verdict()
    assert failed(found) == []


def test_queries_that_are_missing_are_not_unjudged() -> None:
    some = {query: GOOD[query] for query in QUERIES[:10]}
    result = evaluate(JUDGED, {"old": GOOD, "new": some}, "nDCG@10")
    assert result.judged[10] == {"old": 1.0, "new": 1.0}
    assert result.missing == {"old": (), "new": tuple(QUERIES[10:])}


def test_equal_differences_are_not_certainty() -> None:
    # RR 1/2 → 1 in both queries: 1 − √0.025 = 0.84 of all queries may lose 1 still: 0.16 · 0.5 − 0.84.
    few = QUERIES[:2]
    judged, old, new = ({query: one[query] for query in few} for one in (JUDGED, BAD, GOOD))
    found = compare(judged, {"old": old, "new": new}, "RR")
    contrast = found["new", "RR"]
    assert contrast.difference == 0.5
    assert contrast.interval is not None
    assert contrast.interval.low == pytest.approx(0.025**0.5 * 0.5 - (1 - 0.025**0.5))
    assert (contrast.posterior, contrast.detectable) == (None, None)
    assert found.verdict().outcome == "undecided"


@pytest.mark.parametrize(("n", "outcome"), [(2, "undecided"), (40, "undecided"), (400, "ship")])
def test_no_query_changed(n: int, outcome: str) -> None:
    # 1 − 0.025^(1/400) = 0.0092 is within the margin, 1 − 0.025^(1/40) = 0.088 is not.
    # The lists differ below the first rank.
    judged = {f"q{at}": {"a": 1} for at in range(n)}
    old, new = ({query: {"a": 1.0, other: 0.5} for query in judged} for other in "xy")
    assert compare(judged, {"old": old, "new": new}, "RR").verdict().outcome == outcome


def test_votes_of_a_measure_have_the_guards_of_runs() -> None:
    unjudged = {query: {"a": 2.0, "z": 1.0} for query in QUERIES}
    some = {query: unjudged[query] for query in QUERIES[:10]}
    found = gsb_from(evaluate(JUDGED, {"old": BAD, "new": some}, "RR@10"), "RR@10").verdict
    assert failed(found) == ["equally judged", "same queries"]
    assert found.outcome != "ship"


def test_a_margin_that_lets_everything_pass() -> None:
    with pytest.raises(InputError, match="the margin must be below 1, the largest difference, not 2"):
        compare(JUDGED, {"old": BAD, "new": GOOD}, "nDCG@10").verdict(margin=2)


def test_a_lower_value_that_is_better_says_so() -> None:
    judged = {query: {"a": at % 3, "b": 1 - at % 2} for at, query in enumerate(QUERIES)}
    found = compare(judged, {"old": BAD, "new": GOOD}, "RankingLoss").verdict()
    assert "a lower RankingLoss is better: the difference is turned" in str(found)


def test_queries_of_weight_0_are_not_among_those_that_lost() -> None:
    """Ten of 60 queries lose all they have, with a weight of 0: they are in no mean, and ruin nothing."""
    queries = [f"q{at}" for at in range(60)]
    table = {
        "query": queries * 2,
        "system": ["old"] * 60 + ["new"] * 60,
        "accuracy": [0.5] * 60 + [0.0] * 10 + [0.6] * 50,
    }
    weights = {query: float(at >= 10) for at, query in enumerate(queries)}
    contrast = compare(numbers=table, weights=weights)["new", "accuracy"]
    assert contrast.large_losses is not None
    assert (contrast.large_losses.n, contrast.large_losses.lost) == (50, 0)
    assert contrast.unseen is not None
    assert contrast.unseen.share == pytest.approx(1 - 0.025 ** (1 / 50))
