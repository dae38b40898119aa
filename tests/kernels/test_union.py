"""The union of runs against ten lines of plain Python."""

from __future__ import annotations

from itertools import pairwise
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idealist import kernels
from idealist.conventions import DEFAULT, match_options
from idealist.data import Run

Dicts = dict[str, dict[str, float]]

IDS = st.sampled_from(["a", "b", "c", "aa", "B", "é", "z" * 20, "9", "10"])
QUERIES = st.dictionaries(
    st.sampled_from(["q", "r", "Q", "10"]), st.dictionaries(IDS, st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]))
)
RUNS = st.lists(QUERIES, min_size=1, max_size=4)


def united(runs: list[Dicts], threads: int = 1) -> kernels.Union:
    return kernels.unite([Run(run).rows for run in runs], match_options(DEFAULT), threads)


def plainly(runs: list[Dicts]) -> dict[str, dict[str, list[tuple[float, int]]]]:
    """By query and document, the score and the rank in each run: nan and 0 where it is lacking."""
    found: dict[str, dict[str, list[tuple[float, int]]]] = {}
    for query in sorted({query for run in runs for query in run}, key=str.encode):
        documents = dict.fromkeys(document for run in runs for document in run.get(query, {}))
        found[query] = {document: [] for document in documents}
        for run in runs:
            scores = run.get(query, {})
            order = sorted(scores, key=lambda one: (scores[one], one.encode()), reverse=True)
            for document in documents:
                there = document in scores
                found[query][document].append(
                    (scores[document], order.index(document) + 1) if there else (nan, 0)
                )
    return found


@given(RUNS, st.integers(1, 3))
def test_rows_are_those_of_a_plain_join(runs: list[Dicts], threads: int) -> None:
    native, expected = united(runs, threads), plainly(runs)
    assert native.queries() == list(expected)
    assert native.query_begin.tolist() == np.cumsum([0, *(len(of) for of in expected.values())]).tolist()
    rows = [row for documents in expected.values() for row in documents.values()]
    assert len(native) == len(rows)
    shape = (len(rows), len(runs))
    np.testing.assert_array_equal(
        native.scores, np.array([[s for s, _ in row] for row in rows]).reshape(shape)
    )
    np.testing.assert_array_equal(
        native.ranks, np.array([[r for _, r in row] for row in rows]).reshape(shape)
    )
    sizes = [[len(run.get(query, {})) for run in runs] for query in expected]
    np.testing.assert_array_equal(native.retrieved, np.array(sizes).reshape(len(expected), len(runs)))


@given(RUNS, st.randoms(use_true_random=False))
def test_rows_with_new_scores_are_best_first_and_without_nan(runs: list[Dicts], chance: object) -> None:
    native, expected = united(runs), plainly(runs)
    choose = chance.choice  # type: ignore[attr-defined]
    scores = [float(choose([nan, 0.0, 1.0, 2.0])) for _ in range(len(native))]
    run = Run.from_rows(native.rows(np.array(scores, dtype=float), 2), name="new")
    given_scores = iter(scores)
    for query, documents in expected.items():
        new = {document: next(given_scores) for document in documents}
        kept = {document: score for document, score in new.items() if not isnan(score)}
        order = sorted(kept, key=lambda one: (kept[one], one.encode()), reverse=True)
        assert list(run[query].items()) == [(document, kept[document]) for document in order]
        assert run.ranking(query) == order


@given(RUNS, st.data())
def test_majority_puts_no_document_before_one_that_beats_it_next(
    runs: list[Dicts], data: st.DataObject
) -> None:
    weights = [data.draw(st.sampled_from([1.0, 2.0])) for _ in runs]
    native = united(runs)
    places = native.majority(weights, 0, len(native.queries()), 2)
    ranks = np.where(native.ranks == 0, 10**6, native.ranks.astype(int))
    for begin, end in zip(native.query_begin[:-1], native.query_begin[1:], strict=True):
        its_places, its_ranks = places[begin:end], ranks[begin:end]
        assert sorted(its_places) == list(range(1, len(its_places) + 1))
        order = np.argsort(-its_places)
        for one, other in pairwise(order):
            votes = np.sign(its_ranks[other] - its_ranks[one]) * weights
            assert votes.sum() >= 0


def test_arrays_keep_what_they_show_and_cannot_be_written() -> None:
    scores = united([{"q": {"a": 1.0}}, {"q": {"b": 2.0}}]).scores
    assert scores.tolist()[0][0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        scores[0, 0] = 2.0


def test_lengths_are_checked() -> None:
    native = united([{"q": {"a": 1.0}}, {"q": {"b": 2.0}}])
    with pytest.raises(ValueError, match="number of scores differs from the number of rows"):
        native.rows(np.zeros(3), 1)
    with pytest.raises(ValueError, match="number of weights differs from the number of runs"):
        native.majority([1.0], 0, 1, 1)
    for begin, end in ((0, 2), (1, 0)):
        with pytest.raises(ValueError, match="range of queries is out of bounds"):
            native.majority([1.0, 1.0], begin, end, 1)
    with pytest.raises(ValueError, match="no run"):
        kernels.unite([], match_options(DEFAULT), 1)
    with pytest.raises(TypeError):
        native.rows(np.zeros((2, 1)), 1)


def test_more_documents_than_fit_one_segment() -> None:
    one = {"q": {f"d{number}": float(number) for number in range(300_000)}}
    native = united([one, {"q": {"x": 1.0}, "r": {"y": 1.0}}], 2)
    run = Run.from_rows(native.rows(np.arange(len(native), dtype=float), 2), name="new")
    assert len(run["q"]) == 300_001
    assert list(run["q"])[:2] == ["x", "d299999"]
    assert run["r"] == {"y": 300_001.0}
