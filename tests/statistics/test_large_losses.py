"""A few ruined queries are found; what equal systems lose too is not held against a better one."""

from __future__ import annotations

import csv
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

from idealist import compare, evaluate
from idealist.comparison.guard_rules import LARGE_LOSSES_LEVEL
from idealist.statistics.unseen import large_losses

ROBUST = ROOT.parent / "shared" / "data" / "robust03"


def test_a_share_beside_what_is_expected() -> None:
    # Two fall below half, one rises above twice: of those three, half are expected to fall.
    losses = large_losses([0.8, 0.5, 0.4, 0.2], [0.3, 0.2, 0.4, 0.5])
    assert (losses.n, losses.lost, losses.gained) == (4, 2, 1)
    assert (losses.share, losses.expected) == (2 / 4, 3 / 8)
    # P(2 or 3 of 3) = 1/2; of those that lost the median 0.4 or more: 1 of 1, also 1/2. Doubled.
    assert losses.p_value == pytest.approx(1.0)


def test_half_of_the_value_is_not_more_than_half() -> None:
    losses = large_losses([0.8, 0.0], [0.4, 0.0])
    assert (losses.lost, losses.gained, losses.p_value) == (0, 0, 1.0)


@pytest.mark.parametrize("others", [0.1, 0.5, 0.8])
def test_ruined_queries_are_found_whatever_the_others_had(others: float) -> None:
    """10 of 100 fall from 0.8 to 0, the others gain 0.2: nobody gains as much as they lost."""
    losses = large_losses([0.8] * 10 + [others] * 90, [0.0] * 10 + [others + 0.2] * 90)
    assert losses.share == 0.1
    assert losses.p_value == pytest.approx(2 * 0.5**10)


def test_all_or_nothing_is_lost_as_often_as_by_chance() -> None:
    """Success@3 .557 → .707 of 300: 167 to 212, 30 lost and 75 won."""
    before = [1.0] * 167 + [0.0] * 133
    after = [0.0] * 30 + [1.0] * 137 + [1.0] * 75 + [0.0] * 58
    losses = large_losses(before, after)
    assert (losses.share, losses.expected) == (0.1, 105 / 600)
    assert losses.p_value == 1.0


JUDGED = {f"q{at:03d}": {"a": 1, "b": 0} for at in range(100)}


def run_of(ranks: list[int]) -> dict[str, dict[str, float]]:
    """The relevant document at these ranks, one of nothing relevant in the place of the others; 0: not at all."""
    return {
        query: {
            (("a" if at == rank else f"x{at}") if at > 1 or rank == 1 else "b"): -at for at in range(1, 6)
        }
        for query, rank in zip(JUDGED, ranks, strict=True)
    }


def test_ruined_queries_keep_a_system_from_shipping() -> None:
    # RR 1 → 0 of 10 queries, 1/2 → 1 of 90: +0.35.
    found = compare(JUDGED, {"old": run_of([1] * 10 + [2] * 90), "new": run_of([0] * 10 + [1] * 90)}, "RR")
    contrast = found["new", "RR"]
    assert contrast.difference == pytest.approx(0.35)
    losses = contrast.large_losses
    assert losses is not None
    assert (losses.share, losses.expected) == (0.1, 0.05)  # 1/2 is not less than half of 1
    verdict = found.verdict(guards=["losses"], margin=0.1)
    assert verdict.reason.endswith("but large losses failed")
    assert verdict.guards[0].message.startswith(
        "10 % of queries lost more than half of their value, 5 % would with equal systems"
    )
    assert found.verdict(guards=["queries"], margin=0.1).outcome == "ship"
    assert contrast.to_dict()["large_losses"]["share"] == 0.1
    assert "queries that lost more than half of their value" in found.to_text(show_all=True)
    row = next(iter(csv.DictReader(found.to_csv().splitlines())))
    assert (row["large_losses"], row["large_losses_expected"]) == ("0.1", "0.05")


def test_measures_that_are_better_when_lower_count_from_their_worst_value() -> None:
    # RankingLoss 0 → 1: from the best to the worst value.
    old = {query: {"a": 2.0, "b": 1.0} for query in JUDGED}
    new = {query: {"a": 1.0, "b": 2.0} for query in JUDGED}
    losses = compare(JUDGED, {"old": old, "new": new}, "RankingLoss")["new", "RankingLoss"].large_losses
    assert losses is not None
    assert losses.share == 1.0


def robust_values() -> dict[str, dict[str, np.ndarray[Any, Any]]]:
    """By measure and run, the values of all topics."""
    if not ROBUST.exists():
        pytest.skip("needs the runs of Robust03 in ../shared/data")
    measures = ["AP", "nDCG@10", "P@10", "RR"]
    result = evaluate(str(ROBUST / "qrels.gz"), sorted(map(str, ROBUST.glob("*.run.gz"))), measures)
    return {
        measure: {
            system: np.array(list(result.by_query(measure, system).values())) for system in result.systems
        }
        for measure in measures
    }


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 100, 200])
def test_better_runs_are_let_pass(n: int) -> None:
    """Of all pairs of the six runs where the new one is truly better, at most 5 % are stopped."""
    rng = np.random.default_rng(3)
    stopped = trials = 0
    for by_system in robust_values().values():
        for old, new in permutations(by_system.values(), 2):
            if new.mean() <= old.mean():
                continue
            for _ in range(40):
                drawn = rng.integers(0, len(old), n)
                stopped += large_losses(old[drawn], new[drawn]).p_value < LARGE_LOSSES_LEVEL
                trials += 1
    assert stopped / trials <= 0.05


@pytest.mark.slow
def test_equal_systems_are_stopped_as_often_as_promised() -> None:
    """At most 10 % (and two standard errors) of samples of two systems whose values have one distribution."""
    rng, samples = np.random.default_rng(4), 600
    for n in (30, 300):
        drawn: dict[str, list[tuple[Any, Any]]] = {
            "skewed": [(rng.beta(0.7, 1.5, n), rng.beta(0.7, 1.5, n)) for _ in range(samples)],
            "0 or 1": [(rng.integers(0, 2, n), rng.integers(0, 2, n)) for _ in range(samples)],
        }
        for shape, pairs in drawn.items():
            stopped = sum(large_losses(*pair).p_value < LARGE_LOSSES_LEVEL for pair in pairs)
            assert stopped / samples <= 0.1 + 2 * (0.1 * 0.9 / samples) ** 0.5, (n, shape)


@pytest.mark.slow
def test_ruined_queries_are_found_in_samples() -> None:
    rng, found = np.random.default_rng(5), 0
    for _ in range(200):
        ruined = rng.random(100) < 0.1
        before = np.where(ruined, 0.8, rng.uniform(0.05, 0.8, 100))
        after = np.where(ruined, 0.0, np.minimum(1.0, before + 0.2))
        found += large_losses(before, after).p_value < LARGE_LOSSES_LEVEL
    assert found / 200 >= 0.9
