"""Tied documents in their best and worst order, made of rankings in any other order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.plain_trec import write
from support.strategies import tasks

from idealist import Conventions, Judgments, Rankings, Run, kernels
from idealist.data import RunFile, match

TIES = ["id-descending", "id-ascending", "input-order", "averaged", "optimistic", "pessimistic"]
# Two are told apart in double precision only.
CLOSE = [0.0, 0.5, 1.0, 16777216.0, 16777217.0]

ANY_CONVENTIONS = st.builds(
    Conventions,
    ties=st.sampled_from(TIES),
    negative=st.sampled_from(["not-relevant", "unjudged"]),
    unjudged=st.sampled_from(["not-relevant", "removed"]),
    precision=st.sampled_from(["double", "single"]),
)


def check(made: Any, conventions: Conventions) -> None:
    """What the rankings `made(conventions)` say of other orders is what those orders give."""
    native = made(conventions).native
    best, worst = (made(conventions.replace(ties=ties)).native for ties in ("optimistic", "pessimistic"))
    assert kernels.best_of_ties(native) == best
    assert kernels.worst_of_ties(native) == worst
    # Nothing is lost on the way.
    assert kernels.worst_of_ties(kernels.best_of_ties(native)) == worst
    assert kernels.best_of_ties(kernels.worst_of_ties(native)) == best
    tied = kernels.tied(native)
    differ = [query for query in range(len(native)) if best.query(query) != worst.query(query)]
    assert set(differ) <= set(tied)
    some = kernels.chosen(native, tied)
    assert kernels.best_of_ties(some) == kernels.chosen(best, tied)
    assert kernels.worst_of_ties(some) == kernels.chosen(worst, tied)


@given(tasks(), ANY_CONVENTIONS, st.integers(1, 3))
def test_runs_and_dicts(task: Any, conventions: Conventions, threads: int) -> None:
    run, judged = task
    judgments = Judgments(judged)
    check(lambda chosen: match(judgments, run, chosen), conventions)
    check(lambda chosen: match(judgments, Run(run), chosen, threads=threads), conventions)


@given(tasks(), ANY_CONVENTIONS, st.integers(1, 3))
def test_files(
    tmp_path_factory: pytest.TempPathFactory, task: Any, conventions: Conventions, threads: int
) -> None:
    run, judged = task
    lines = [f"{q} Q0 {d} 1 {s} t".encode("utf-8", "surrogateescape") for q in run for d, s in run[q].items()]
    assume(lines and any(run[q] for q in judged if q in run))
    path = write(tmp_path_factory.mktemp("ties") / "x.run", b"\n".join(lines))
    check(lambda chosen: match(Judgments(judged), RunFile(path), chosen, threads=threads), conventions)


@given(st.data(), st.integers(1, 3), st.integers(1, 16), ANY_CONVENTIONS)
def test_matrices(data: st.DataObject, rows: int, columns: int, conventions: Conventions) -> None:
    cells = st.lists(st.sampled_from(CLOSE), min_size=rows * columns, max_size=rows * columns)
    scores = np.array(data.draw(cells)).reshape(rows, columns)
    few = st.lists(st.integers(-1, 2), min_size=rows * columns, max_size=rows * columns)
    grades = np.array(data.draw(few)).reshape(rows, columns)
    for depth in (None, 1, 2, data.draw(st.integers(1, columns))):
        for kind in (np.float64, np.float32):
            given_scores = scores.astype(kind)

            def made(chosen: Conventions, scores: Any = given_scores, depth: int | None = depth) -> Rankings:
                return Rankings.from_arrays(grades, scores, chosen, depth=depth)

            check(made, conventions)


def test_long_lists() -> None:
    """More queries and hits than one block of work holds, sorted and not, few and many judged."""
    rng = np.random.default_rng(3)
    run: dict[str, dict[str, float]] = {}
    judged: dict[str, dict[str, float]] = {}
    for query in range(1200):
        levels, size = rng.integers(1, 40), rng.integers(1, 60)
        scores = rng.integers(0, levels, size).astype(float)
        if query % 2:
            scores = np.sort(scores)[::-1]
        run[f"q{query}"] = {f"d{d}": float(score) for d, score in enumerate(scores)}
        judged[f"q{query}"] = {f"d{d}": float(rng.integers(-1, 3)) for d in range(0, size, 1 + query % 7)}
    judgments = Judgments(judged)
    for ties in TIES:
        check(lambda chosen: match(judgments, run, chosen), Conventions(ties=ties))
        check(lambda chosen: match(judgments, Run(run), chosen, threads=3), Conventions(ties=ties))


def test_ties_of_equals_are_none() -> None:
    run = {"equals": {"a": 1.0, "b": 1.0}, "apart": {"a": 1.0, "b": 1.0}, "alone": {"a": 2.0, "b": 1.0}}
    judged = {"equals": {"a": 1, "b": 1}, "apart": {"a": 1}, "alone": {"a": 1}}
    native = match(Judgments(judged), run).native
    assert [native.name(query) for query in kernels.tied(native)] == ["apart"]
