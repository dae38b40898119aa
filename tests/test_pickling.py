"""Results between processes: pickled, copied, and given to multiprocessing."""

from __future__ import annotations

import copy
import pickle
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idealist as il
from idealist import Rankings, kernels
from idealist.comparison import Comparison
from idealist.evaluation import Evaluation

QUERIES = [f"q{number}" for number in range(40)]
JUDGED = {query: {"a": 1, "b": 0, "c": 2} for query in QUERIES}
RUNS = {
    "old": {query: {"a": 1.0, "b": float(at % 3), "x": 0.5} for at, query in enumerate(QUERIES)},
    "new": {query: {"a": 1.0, "c": float(at % 4), "y": 1.0} for at, query in enumerate(QUERIES)},
}
WAYS = [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy, copy.copy]


def _evaluation() -> Evaluation:
    return il.evaluate(JUDGED, RUNS, ["nDCG@10", "RR", "GMAP"], weights=dict.fromkeys(QUERIES, 2.0))


@pytest.mark.parametrize("way", WAYS)
def test_evaluations(way: Any) -> None:
    result = _evaluation()
    again = way(result)
    assert again.to_json() == result.to_json()
    assert again.ties("RR", "new") == result.ties("RR", "new")
    assert again.ties_by_query("RR", "new") == result.ties_by_query("RR", "new")
    assert again.tied("new") == result.tied("new") > 0
    assert again.value("RR", "q3", "old") == result.value("RR", "q3", "old")
    assert again.provenance == result.provenance
    assert str(again) == str(result)
    il.evaluation.join_evaluations(
        [il.evaluate(JUDGED, {"third": RUNS["new"]}, "RR"), way(il.evaluate(JUDGED, RUNS, "RR"))]
    )


@pytest.mark.parametrize("way", WAYS)
def test_ids_keep_their_type(way: Any) -> None:
    """Frames have whole numbers as ids where they were given so, on the other side too."""
    judgments, run = il.Judgments({7: {1: 1, 2: 0}}), il.Run({7: {1: 0.5, 2: 0.9}})
    assert (way(run).whole_ids, way(judgments).whole_documents) == (True, True)
    assert list(way(il.explain(way(judgments), way(run), query="7")).to_frame("pandas")["document"]) == [2, 1]
    ranked = way(il.data.match(judgments, run))
    assert (ranked.run.whole_ids, ranked.judgments.whole_ids) == (True, True)
    assert way(il.evaluate(judgments, run, "RR")).to_frame("pandas")["query"].tolist() == [7]
    text = way(il.Run({"7": {"1": 0.5}}))
    assert (text.whole_ids, text.whole_documents) == (False, False)


def test_saved_ids_keep_their_type(tmp_path: Path) -> None:
    saved = tmp_path / "evaluation.json"
    run = {7: {1: 0.5, 2: 0.9}, 10: {1: 1.0}}
    saved.write_text(il.evaluate({7: {1: 1}, 10: {1: 1}}, run, "RR").to_json())
    again = il.evaluation.read_evaluation(saved)
    assert again.to_frame("pandas")["query"].tolist() == [10, 7]
    for id_written in ("x", "07", "\u00b2"):
        saved.write_text(il.evaluate({7: {1: 1}}, run, "RR").to_json().replace('"7"', f'"{id_written}"'))
        with pytest.raises(il.InputError, match=f"query {id_written!r} is not a whole number"):
            il.evaluation.read_evaluation(saved)


def test_fused_ids_keep_their_type() -> None:
    runs = [{7: {1: 0.5}}, {7: {2: 0.5}}]
    for depth in (None, 1):
        assert il.fuse(runs, depth=depth).whole_ids
        assert il.fuse(runs, depth=depth).whole_documents
    assert not il.fuse([{7: {1: 0.5}}, {"7": {"a": 0.5}}]).whole_documents


def test_evaluations_are_small() -> None:
    """Values and names, not the runs: as large with a thousand documents a query as with three."""
    long = {
        q: {**docs, **{f"unjudged{at}": -1.0 - at for at in range(1000)}} for q, docs in RUNS["old"].items()
    }
    assert len(pickle.dumps(il.evaluate(JUDGED, long, "RR"))) < len(pickle.dumps(_evaluation())) < 10_000


@pytest.mark.parametrize("way", WAYS)
def test_comparisons(way: Any) -> None:
    made = il.compare(
        JUDGED, RUNS, "nDCG@10", progress=lambda done, total: None, segments=dict.fromkeys(QUERIES, "s")
    )
    again: Comparison = way(made)
    assert again.to_json() == made.to_json()
    assert again["new", "nDCG@10"] == made["new", "nDCG@10"]
    assert again.pairs() == made.pairs()
    assert str(again.verdict()) == str(made.verdict())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ties", ["id-descending", "averaged", "optimistic"])
def test_rankings_of_a_run(way: Any, ties: str) -> None:
    conventions = il.Conventions(ties=ties)
    made = il.data.match(il.Judgments(JUDGED), {**RUNS["new"], "unjudged": {"a": 1.0}}, conventions)
    again = way(made)
    assert again == made
    assert (again.run_queries, again.run_rows, again.queries) == (41, made.run_rows, made.queries)
    for measure in ("nDCG@2", "AP"):
        parsed = il.measures.parse(measure)
        assert list(parsed.values(again)) == list(parsed.values(made))
    if ties != "averaged":
        assert again.with_ties("pessimistic") == made.with_ties("pessimistic")


@pytest.mark.parametrize("way", WAYS)
def test_rankings_by_hand(way: Any) -> None:
    lists = [[3, None, 0], [], [None, 1]] * 5
    made = Rankings.from_grades(lists, [[3, 2, 0], [1], None] * 5)
    assert way(made) == made
    assert list(way(made)) == list(made)
    dense = Rankings.from_arrays(np.array([[0, 1], [1, 0]]), np.array([[0.5, 0.1], [0.2, 0.3]]))
    assert way(dense) == dense


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ties", ["id-descending", "averaged", "pessimistic"])
@pytest.mark.parametrize("depth", [None, 2])
def test_rankings_of_matrices_with_ties(way: Any, ties: str, depth: int | None) -> None:
    scores = [[0.5, 0.5, 0.5, 0.1, 0.5, 0.2, 0.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]
    grades = [[0, 1, 2, 0, 3, 1, 1], [1, 0, 0, 1, 0, 2, 0]]
    made = Rankings.from_arrays(grades, scores, il.Conventions(ties=ties), depth=depth)
    again = way(made)
    assert again == made
    assert (again.depth, again.queries, again.run_queries) == (made.depth, ["0", "1"], 2)
    assert list(il.NDCG(k=2).values(again)) == list(il.NDCG(k=2).values(made))
    if ties != "averaged":
        for order in ("optimistic", "pessimistic"):
            assert again.with_ties(order) == made.with_ties(order)
        assert again.with_ties("optimistic") != again.with_ties("pessimistic")


def test_bytes_that_are_no_rankings() -> None:
    whole = kernels.packed(Rankings.from_arrays([[0, 1]], [[0.5, 0.5]]).native)
    assert len(kernels.unpacked(whole)) == 1
    for size in range(len(whole)):
        with pytest.raises(ValueError, match="rankings"):
            kernels.unpacked(whole[:size])
    with pytest.raises(ValueError, match="rankings"):
        kernels.unpacked(whole + b"x")


def _evaluated(level: int) -> Evaluation:
    return il.evaluate(JUDGED, RUNS, f"AP(level={level})")


def test_multiprocessing() -> None:
    with get_context("spawn").Pool(1) as pool:
        first, second = pool.map(_evaluated, [1, 2])
    assert first.to_json() == _evaluated(1).to_json()
    assert second.to_json() == _evaluated(2).to_json()
