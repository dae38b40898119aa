"""Lists of ids and matrices of numbers, as runs and judgments."""

from __future__ import annotations

from collections import OrderedDict
from math import log2
from typing import Any

import numpy as np
import pytest

import idealist as il
from idealist import InputError, Judgments, Rankings, Run, evaluate


def test_ranked_lists_of_any_ids() -> None:
    result = evaluate({"u": ["NDF"], "v": {"US", "GB"}}, {"u": ["US", "FR", "NDF"], "v": ["US"]}, "nDCG@5")
    assert result.value("nDCG@5", "u") == pytest.approx(1 / log2(4))  # at rank 3
    assert result.value("nDCG@5", "v") == pytest.approx(1 / (1 + 1 / log2(3)))  # one of two
    assert evaluate({"u": ["NDF"]}, {"u": ["US", "FR"]}, "nDCG@5").mean("nDCG@5") == 0.0


def test_every_entry_takes_lists() -> None:
    lists: dict[str, Any] = {"u": [7, 3], "v": np.array([5])}
    relevant: dict[str, Any] = OrderedDict(u=(3,), v=[5])
    assert evaluate(relevant, lists, "RR").by_query("RR") == {"u": 0.5, "v": 1.0}
    assert evaluate(relevant, {"old": lists, "new": {"u": [3], "v": []}}, "RR").systems == ("old", "new")
    assert evaluate(relevant, [lists, {"u": [3]}], "RR").mean("RR", "run 2") == 0.5
    compared = il.compare(relevant, {"old": lists, "new": {"u": [3], "v": [5]}}, "RR")
    assert compared["new", "RR"].difference == 0.25
    assert il.explain(relevant, lists, query="u").value == pytest.approx(1 / log2(3))
    assert il.fuse([lists, lists]).ranking("u") == ["7", "3"]


def test_lists_in_the_order_of_queries() -> None:
    assert evaluate([["b"], ["c"]], [["a", "b"], ["c"]], "RR").by_query("RR") == {"0": 0.5, "1": 1.0}
    assert Run.from_lists([["a"], []], queries=["u", "v"], name="mf").to_dict() == {"u": {"a": -1.0}, "v": {}}
    assert Run({"u": ["b", "a"]}).ranking("u") == ["b", "a"]
    assert Judgments({"u": {"a"}, "v": set()}).to_dict() == {"u": {"a": 1.0}, "v": {}}


def test_matrices_are_scores_and_grades() -> None:
    chance = np.random.default_rng(3)
    scores, grades = chance.random((20, 30), np.float32), chance.integers(0, 4, (20, 30))
    measure = il.NDCG(k=10)
    expected = list(measure.values(Rankings.from_arrays(grades, scores)))
    for run, judged in ((scores, grades), (scores.tolist(), grades.tolist()), (scores.astype(float), grades)):
        found = evaluate(judged, run, measure).by_query(measure)
        assert [found[str(query)] for query in range(20)] == expected
    both = evaluate(grades, {"a": scores, "b": -scores}, measure)
    assert both.systems == ("a", "b")
    assert evaluate(grades, [scores, -scores], measure).mean(measure, "run 2") == both.mean(measure, "b")


@pytest.mark.parametrize("ties", ["id-descending", "id-ascending", "input-order", "averaged", "optimistic"])
@pytest.mark.parametrize("columns", [9, 10, 11, 12, 99, 101, 250])
def test_ties_of_matrices_are_broken_alike_at_every_door(ties: str, columns: int) -> None:
    chance = np.random.default_rng(columns)
    scores, grades = chance.integers(0, 3, (5, columns)) / 2, chance.integers(0, 4, (5, columns))
    conventions = il.Conventions(ties=ties)
    expected = list(il.NDCG().values(Rankings.from_arrays(grades, scores, conventions)))
    short = list(il.NDCG(k=3).values(Rankings.from_arrays(grades, scores, conventions, depth=3)))
    as_dicts = [
        {str(q): {str(d): float(one) for d, one in enumerate(row)} for q, row in enumerate(cells.tolist())}
        for cells in (scores, grades)
    ]
    for run, judged in ((scores, grades), as_dicts):
        found = evaluate(judged, run, ["nDCG", "nDCG@3"], conventions=conventions)
        assert list(found.by_query("nDCG").values()) == expected
        assert list(found.by_query("nDCG@3").values()) == short


def test_columns_are_ids_as_text() -> None:
    """Of twelve ties the greatest id, bytewise, is 9; the least but 0 and 1 is 10."""
    scores = [[0.0] * 12]
    for column, ties, rank in ((9, "id-descending", 1), (10, "id-ascending", 3), (10, "input-order", 11)):
        grades = [[int(at == column) for at in range(12)]]
        conventions = il.Conventions(ties=ties)
        assert evaluate(grades, scores, "RR", conventions=conventions).mean("RR") == 1 / rank
        assert list(il.RR().values(Rankings.from_arrays(grades, scores, conventions))) == [1 / rank]


@pytest.mark.parametrize(
    ("run", "judgments", "message", "hint"),
    [
        ([[0.1, 0.2], [0.3]], {"0": ["1"]}, "scores have rows of different length", "from_groups"),
        (np.array([[0.1, 0.2], [0.3]], dtype=object), {"0": ["1"]}, "scores have rows of", "from_groups"),
        ({"0": ["1"]}, [[1, 0], [1]], "grades have rows of different length", "from_groups"),
        (np.ones((2, 3)), np.ones((2, 2)), r"scores have shape \(2, 3\) and grades \(2, 2\)", "from_groups"),
        ({"m": np.ones((2, 3))}, np.ones((2, 2)), r"shape \(2, 3\) and grades \(2, 2\)", "from_groups"),
        (np.array([0.1, 0.2]), {"0": ["1"]}, r"scores must be a matrix, not of shape \(2,\)", ""),
        (np.array([[7, 3]]), {"0": ["7"]}, "may be scores, or ids", "from_top"),
        ([[7, 3]], {"0": ["7"]}, "may be scores, or ids", "from_lists"),
        ({"u": {"a", "b"}}, {"u": ["a"]}, "query 'u': a set has no order", "best document first"),
        ({"u": ["a", "b", "a"]}, {"u": ["a"]}, "document 'a' appears twice, at ranks 1 and 3", ""),
        ({"u": [0.5, 0.1]}, {"u": ["a"]}, "rank 1: a document's id is 0.5", "strings or whole numbers"),
        ({"u": ["a"], "v": "text"}, {"u": ["a"]}, "expected a list of documents", ""),
        ({"u": ["a"], "v": {"a": 1.0}}, {"u": ["a"]}, "run, query 'v': documents with scores", "all lists"),
        (
            {"u": ["a"]},
            {"u": ["a"], "v": {"a": 0}},
            "judgments, query 'v': documents with grades",
            "all lists",
        ),
    ],
)
def test_what_cannot_be_meant(run: Any, judgments: Any, message: str, hint: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        evaluate(judgments, run, "RR")
    assert hint in str(caught.value)


def test_judgments_in_the_place_of_a_run() -> None:
    assert evaluate(Judgments({"q": {"a": 1}}), Run({"q": {"a": 1.0}}), "RR").mean("RR") == 1
    with pytest.raises(
        InputError, match=r"are judgments, and stand where a run should\nhint: judgments come first"
    ):
        evaluate(Judgments({"q": {"a": 1}}), Judgments({"q": {"a": 1}}), "RR")
