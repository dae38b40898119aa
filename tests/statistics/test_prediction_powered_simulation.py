"""Prediction-powered means with calibrated grades, and the number of further queries. False ships and coverage are grids of
tests/simulations: machine_ships and machine_coverage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.rag24 import Grades, noisy_ranking, shared_grades

import idealist as il
from idealist.statistics.power import further_queries
from idealist.statistics.prediction_powered import powered_mean, powered_test
from idealist.statistics.unseen import best_third

pytestmark = pytest.mark.slow


def test_coverage_of_calibrated_grades(rag24: Path) -> None:
    """The whole of `evaluate` with calibrated grades: 100 samples have a standard error of 2 %, two of which are allowed."""
    human, machine = shared_grades(rag24)
    run: Grades = noisy_ranking(machine, 1.0, 3)
    truth = il.evaluate(human, run, "nDCG@10").mean("nDCG@10")
    rng = np.random.default_rng(6)
    low = high = 0
    for _ in range(100):
        drawn = {f"q{at:02}": query for at, query in enumerate(rng.choice(list(human), 80).tolist())}
        result = il.evaluate(
            {new: human[old] for new, old in list(drawn.items())[:20]},
            {new: run[old] for new, old in drawn.items()},
            "nDCG@10",
            machine={new: machine[old] for new, old in drawn.items()},
            calibrate="table",
        )
        interval = result.corrected()["run", "nDCG@10"].interval
        assert interval is not None
        low, high = low + (interval.low > truth), high + (interval.high < truth)
    assert low + high <= 11


@pytest.mark.parametrize("noise", [0.1, 0.2])
def test_so_many_more_queries_decide_four_times_of_five(noise: float) -> None:
    """So many further queries, drawn from those seen, are decided by the corrected interval in about 80 % of 150 samples: two
    standard errors are 6.5 %, and λ is not known better than by those seen."""
    rng = np.random.default_rng(11)
    before = rng.beta(1.5, 1.5, 60)
    gains = np.clip(rng.normal(0.02, 0.15, 60), -before, 1 - before)
    machine, others = gains + rng.normal(0, noise, 60), rng.normal(0.02, np.hypot(0.15, noise), 600)
    unseen = (-best_third(before), best_third(before + gains))
    more = 0
    for _ in range(10):
        found = powered_test(gains, machine, others, unseen=unseen, more=more)
        assert found is not None
        needed = further_queries(found[0].people, 0.01, 0.95, reach=found[0].reach(0.95))
        assert needed is not None
        more = needed
    decided = 0
    for _ in range(150):
        drawn = np.concatenate([np.arange(60), rng.integers(0, 60, more)])
        unseen = (-best_third(before[drawn]), best_third((before + gains)[drawn]))
        interval = powered_mean(gains[drawn], machine[drawn], others, unseen=unseen).interval
        assert interval is not None
        decided += interval.low > -0.01 or interval.high < 0
    assert 0.7 <= decided / 150 <= 0.9
