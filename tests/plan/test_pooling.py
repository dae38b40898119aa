"""Pools against sets of documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.planned_runs import JUDGED, RUNS

from idealist import InputError, Judgments, Run, read_judgments, read_run
from idealist.data import RunFile, SampledJudgments
from idealist.plan.document_samples import pool_documents


@given(st.lists(RUNS, min_size=1, max_size=3), JUDGED, st.integers(1, 5), st.integers(0, 3))
def test_pool_is_the_union_less_what_is_judged(
    runs: list[dict[str, dict[str, float]]], judged: dict[str, dict[str, int]], k: int, seed: int
) -> None:
    got = pool_documents(runs, k, judged=judged, seed=seed)
    for query in ("q1", "q2"):
        union: set[str] = set()
        for run in runs:
            union |= set(sorted(run[query], key=lambda doc: -run[query][doc])[:k])
        assert sorted(got.get(query, [])) == sorted(union - set(judged.get(query, {})))
    assert got == pool_documents(runs[::-1], k, judged=judged, seed=seed)  # nothing tells the systems apart
    assert all(got.values())


def test_pool_order_is_by_seed() -> None:
    run = {"q": {f"d{at}": float(-at) for at in range(50)}}
    one, other = pool_documents(run, 50, seed=1)["q"], pool_documents(run, 50, seed=2)["q"]
    assert one != other
    assert sorted(one) == sorted(other)
    rank = [int(document[1:]) for document in one]
    assert abs(np.corrcoef(rank, range(50))[0, 1]) < 0.3


def test_pool_of_some_queries() -> None:
    run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}}
    assert pool_documents(run, 5, queries=["q2"]) == {"q2": ["b"]}
    with pytest.raises(InputError, match="query 'q3' is in none of the runs"):
        pool_documents(run, 5, queries=["q2", "q3"])
    with pytest.raises(InputError, match="k must be a whole number, 1 or more, not 0"):
        pool_documents(run, 0)


def test_what_a_sample_left_out_is_not_judged() -> None:
    judged = SampledJudgments({"q": {"a": ("1", 2), "b": ("1", None)}})
    assert pool_documents({"q": {"a": 2.0, "b": 1.0}}, 5, judged=judged) == {"q": ["b"]}


def test_files_and_objects(shop: Any) -> None:
    judgments = read_judgments(shop / "shop.qrels")
    runs = [read_run(shop / "a.run"), read_run(shop / "b.run")]
    files = [RunFile(str(shop / "a.run")), RunFile(str(shop / "b.run"))]
    assert isinstance(judgments, Judgments)
    assert isinstance(runs[0], Run)
    assert pool_documents(files, 10, judged=judgments) == pool_documents(runs, 10, judged=judgments)
