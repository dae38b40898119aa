"""Scores of runs as features."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import idealist as il
from idealist import InputError
from idealist.learn import TreeRanker, features_of_runs

FIRST = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"x": 1.0}, "q3": {"y": 1.0}}
SECOND = {"q1": {"c": 0.5, "a": 0.4}, "q2": {"x": 0.9, "z": 0.1}}


def test_a_column_for_each_run() -> None:
    features = features_of_runs(
        {"q1": {"c": 2, "absent": 1}, "q2": {"x": 1}}, {"bm25": FIRST, "dense": SECOND}, unjudged=-1
    )
    assert features.queries == ("q1", "q2")  # q3 has no judgments
    assert features.sizes.tolist() == [3, 2]
    assert features.documents == ("a", "b", "c", "x", "z")
    assert features.grades is not None
    assert features.grades.tolist() == [-1, -1, 2, 1, -1]
    nan = math.nan
    expected = [[3, 0.4], [2, nan], [nan, 0.5], [1, 0.9], [nan, 0.1]]
    assert np.array_equal(features.matrix, np.array(expected), equal_nan=True)


def test_without_judgments_all_queries_stay() -> None:
    features = features_of_runs(None, [il.Run(FIRST, name="bm25"), il.Run(SECOND, name="dense")], fill=0)
    assert features.queries == ("q1", "q2", "q3")
    assert features.grades is None
    assert features.names == ("bm25", "dense")
    assert features.run(features.matrix[:, 0])["q3"] == {"y": 1.0}


def test_from_files_to_a_ranker(shop: Path) -> None:
    runs = [shop / "a.run", shop / "b.run"]
    features = features_of_runs(shop / "shop.qrels", runs)
    ranker = TreeRanker(rounds=30, least_documents=1).fit(features)
    learned = il.evaluate(shop / "shop.qrels", ranker.rank(features), "nDCG@10").mean("nDCG@10")
    plain = il.evaluate(shop / "shop.qrels", runs, "nDCG@10")
    assert learned > max(plain.mean("nDCG@10", system=name) for name in plain.systems)


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(InputError, match="no query of the runs has judgments"):
        features_of_runs({"other": {"a": 1}}, [FIRST])
