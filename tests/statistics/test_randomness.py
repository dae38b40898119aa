"""One rule for seeds at every door, and draws that do not depend on how they are cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from idealist import InputError, compare, gsb
from idealist.data.columns import Columns
from idealist.fusion import tune_fusion
from idealist.plan import pool_documents, sample_documents, sample_queries
from idealist.statistics import BootstrapTest, RandomisationTest, bootstrap_interval, randomised_tukey
from idealist.statistics import randomness as module
from idealist.statistics.randomness import generator, resampled_sums

JUDGED = {f"q{i}": {"a": 1} for i in range(6)}
RUNS = {
    "old": {query: {"b": 2.0, "a": 1.0} for query in JUDGED},
    "new": {query: {"b": 1.0, "a": 2.0} for query in JUDGED},
}
DOORS: dict[str, Callable[[Any], Any]] = {
    "compare": lambda seed: compare(JUDGED, RUNS, "RR", seed=seed).settings.seed,
    "gsb": lambda seed: gsb(["good", "bad"], seed=seed).value,
    "randomisation": lambda seed: RandomisationTest(seed=seed),
    "bootstrap": lambda seed: BootstrapTest(seed=seed),
    "bootstrap interval": lambda seed: tuple(bootstrap_interval([0.0, 1.0], seed=seed) or ()),
    "Tukey": lambda seed: randomised_tukey([[[0.0, 1.0]] * 3], rounds=9, seed=seed),
    "queries": lambda seed: sample_queries(Columns({"query": ["a", "b"]}), 1, seed=seed),
    "pool": lambda seed: pool_documents(RUNS, 1, seed=seed),
    "documents": lambda seed: sample_documents(RUNS, {1: 1, 2: 0.5}, seed=seed),
    "tuning": lambda seed: tune_fusion(JUDGED, list(RUNS.values()), "rrf", "RR", folds=2, seed=seed).best,
    "generator": lambda seed: generator(seed).integers(0, 9, 3).tolist(),
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_has_the_same_rule(door: str) -> None:
    make = DOORS[door]
    assert make(7) == make(np.int32(7))
    for wrong, shown in ((-1, "-1"), (0.5, "0.5"), ("1", "'1'"), (None, "None"), (True, "True")):
        if isinstance(wrong, str) and door in ("randomisation", "bootstrap"):
            continue  # their parameters may be text
        with pytest.raises(InputError, match=f"the seed must be a whole number, 0 or more, not {shown}"):
            make(wrong)


def test_the_size_of_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [np.arange(7.0), np.ones(7)]
    [whole] = resampled_sums(columns, 50, generator(3))
    monkeypatch.setattr(module, "AT_ONCE", 7 * 4)
    parts = list(resampled_sums(columns, 50, generator(3)))
    assert [len(sums) for sums, _ in parts] == [4] * 12 + [2]
    assert np.array_equal(np.concatenate([sums for sums, _ in parts]), whole[0])
    assert set(whole[1]) == {7.0}
