"""What holds for all methods, on any runs."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idealist.fusion import NORMALISATIONS, Method, fuse
from idealist.fusion.united import AT_ONCE

Dicts = dict[str, dict[str, float]]

SCORES = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))
LISTS = st.dictionaries(st.sampled_from("abcdefgh"), SCORES, min_size=1)
RUN = st.dictionaries(st.sampled_from(["q", "r", "s"]), LISTS, min_size=1)
RUNS = st.lists(RUN, min_size=2, max_size=4)
UNLEARNED = [name for name, cls in Method.all().items() if not cls.learned and name != "linear"]
BY_SCORE = [name for name in UNLEARNED if Method.all()[name].looks_at == "scores"]
WEIGHTED = ("wsum", "wmnz", "mixed")

# For laws that are held against every method.
FEWER = settings(max_examples=settings().max_examples // 4)


def fused(runs: list[Dicts], name: str, normalisation: str | None = None) -> Dicts:
    more: dict[str, Any] = {"run_weights": (1.0,) * len(runs)} if name in WEIGHTED else {}
    return fuse(runs, name, normalisation=normalisation, **more).to_dict()


@pytest.mark.parametrize("name", UNLEARNED)
@FEWER
@given(runs=RUNS)
def test_every_document_of_every_run_is_there_once_best_first(name: str, runs: list[Dicts]) -> None:
    result = fused(runs, name)
    assert set(result) == {query for run in runs for query in run}
    for query, documents in result.items():
        assert set(documents) == {document for run in runs for document in run.get(query, {})}
        in_order = sorted(documents, key=lambda one: (documents[one], one), reverse=True)
        assert list(documents) == in_order


@pytest.mark.parametrize("name", UNLEARNED)
@FEWER
@given(runs=RUNS)
def test_the_order_of_the_runs_does_not_matter(name: str, runs: list[Dicts]) -> None:
    """Methods that look at ranks give the very same numbers."""
    first = fused(runs, name)
    for order in list(permutations(runs))[1:6]:
        other = fused(list(order), name)
        if Method.all()[name].looks_at == "ranks":
            assert other == first
        for query, documents in first.items():
            assert other[query] == pytest.approx(documents, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in UNLEARNED if name != "log_isr"])
@FEWER
@given(run=st.dictionaries(st.sampled_from(["q", "r"]), LISTS, min_size=1), times=st.integers(2, 4))
def test_a_run_fused_with_itself_keeps_its_order(name: str, run: Dicts, times: int) -> None:
    result = fused([run] * times, name)
    for query, documents in run.items():
        scores = result[query]
        order = sorted(documents, key=lambda one: (documents[one], one), reverse=True)
        assert all(scores[one] >= scores[other] for one, other in pairwise(order))


SMALL = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9).map(float), min_size=1)


@given(
    name=st.sampled_from(BY_SCORE),
    normalisation=st.sampled_from(list(NORMALISATIONS)),
    runs=st.lists(st.dictionaries(st.sampled_from("qr"), SMALL, min_size=1), min_size=2, max_size=3),
)
def test_every_normalisation_goes_with_every_method(name: str, normalisation: str, runs: list[Dicts]) -> None:
    result = fused(runs, name, normalisation)
    assert {q: set(d) for q, d in result.items()} == {q: set(d) for q, d in fused(runs, name).items()}


@given(runs=RUNS)
def test_relatives(runs: list[Dicts]) -> None:
    """Where two methods come to the same."""
    assert fuse(runs, "combgmnz", gamma=1) == fuse(runs, "combmnz")
    assert fuse(runs, "combgmnz", gamma=0) == fuse(runs, "combsum")
    assert fuse(runs, "wsum", run_weights=(1,) * len(runs)) == fuse(runs, "combsum")
    assert fuse(runs, "wmnz", run_weights=(1,) * len(runs)) == fuse(runs, "combmnz")
    assert fuse(runs, "borda", run_weights=(1,) * len(runs)) == fuse(runs, "borda")


@given(runs=RUNS, at=st.integers(0, 3))
def test_a_run_of_weight_0_changes_no_score(runs: list[Dicts], at: int) -> None:
    at %= len(runs)
    weights = [float(number != at) for number in range(len(runs))]
    with_it = fuse(runs, "wsum", run_weights=weights).to_dict()
    empty: list[Dicts] = [run if number != at else {} for number, run in enumerate(runs)]
    without = fuse(empty, "wsum", run_weights=weights).to_dict()
    for query, documents in without.items():
        assert {document: with_it[query][document] for document in documents} == pytest.approx(documents)


def test_queries_are_combined_some_at_a_time_and_alike() -> None:
    """More rows than are combined at once, among them a query that alone has more."""
    large = {"large": {f"d{number}": float(number % 97) for number in range(AT_ONCE + 10)}}
    small = {
        f"q{number}": {f"d{(number + step) % 50}": float(step) for step in range(40)}
        for number in range(1500)
    }
    one, two = (
        {**small, **large},
        {query: {d: s * s for d, s in list(of.items())[::2]} for query, of in small.items()},
    )
    for name in ("rrf", "combsum", "condorcet", "borda"):
        whole = fuse([one, two], name)
        for query in ("q0", "q777", "q1499", "large"):
            alone = fuse([{query: one[query]}, {query: two.get(query, {})}], name)
            assert whole[query] == alone[query]


@given(runs=RUNS, threads=st.integers(1, 4))
def test_threads_change_nothing(runs: list[Dicts], threads: int) -> None:
    for name in ("rrf", "combmnz", "condorcet"):
        assert fuse(runs, name, threads=threads).to_dict() == fuse(runs, name, threads=1).to_dict()


LEARNED = [name for name, cls in Method.all().items() if cls.learned]
JUDGED = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 2), min_size=1)


@pytest.mark.parametrize("name", LEARNED)
@FEWER
@given(runs=st.lists(st.fixed_dictionaries({"q": LISTS, "r": LISTS}), min_size=2, max_size=3), judged=JUDGED)
def test_learned_methods_give_every_document_a_score(
    name: str, runs: list[Dicts], judged: dict[str, int]
) -> None:
    learned = Method.parse(name).fit({"q": judged}, runs)
    result = fuse(runs, learned)
    for query in ("q", "r"):
        assert set(result[query]) == {document for run in runs for document in run[query]}
