"""Elasticsearch's _rank_eval: ratings of requests, hits and ratings of responses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.plain_trec import write

from idealist import InputError, read_judgments, read_run

REQUEST: dict[str, Any] = {
    "metric": {"dcg": {"k": 10}},
    "requests": [
        {
            "id": "amsterdam_query",
            "request": {"query": {"match": {"text": "amsterdam"}}},
            "ratings": [
                {"_index": "my-index", "_id": "doc1", "rating": 0},
                {"_index": "my-index", "_id": "doc2", "rating": 3},
            ],
        },
        {
            "id": "berlin_query",
            "request": {},
            "ratings": [{"_index": "my-index", "_id": "doc1", "rating": 1}],
        },
    ],
}


def hit(document: str, score: float | None, rating: int | None) -> dict[str, Any]:
    return {"hit": {"_index": "my-index", "_id": document, "_score": score}, "rating": rating}


RESPONSE: dict[str, Any] = {
    "metric_score": 0.4,
    "details": {
        "amsterdam_query": {
            "metric_score": 0.6,
            "unrated_docs": [{"_index": "my-index", "_id": "doc9"}],
            "hits": [hit("doc2", 1.5, 3), hit("doc9", 1.25, None), hit("doc1", 0.5, 0)],
        },
        "berlin_query": {"metric_score": 0.2, "hits": [hit("b", None, None), hit("a", None, 1)]},
    },
    "failures": {},
}


def saved(path: Path, content: object) -> Path:
    return write(path, json.dumps(content, indent=1).encode())


def test_judgments_of_a_request(tmp_path: Path) -> None:
    assert read_judgments(saved(tmp_path / "x", REQUEST)).to_dict() == {
        "amsterdam_query": {"doc1": 0.0, "doc2": 3.0},
        "berlin_query": {"doc1": 1.0},
    }
    with pytest.raises(InputError, match="this is a request: it has ratings, and no ranking\nhint: send it"):
        read_run(saved(tmp_path / "x", REQUEST))


def test_run_of_a_response(tmp_path: Path) -> None:
    run = read_run(saved(tmp_path / "x", RESPONSE))
    assert run["amsterdam_query"] == {"doc2": 1.5, "doc9": 1.25, "doc1": 0.5}
    # Without scores, the order of the hits is all there is.
    assert run.ranking("berlin_query") == ["b", "a"]


def test_hits_sorted_by_something_else_keep_their_order(tmp_path: Path) -> None:
    response = {"metric_score": 1.0, "details": {"q": {"hits": [hit("a", 1.0, 1), hit("b", 2.0, None)]}}}
    assert read_run(saved(tmp_path / "x", response)).ranking("q") == ["a", "b"]


def test_judgments_of_a_response(tmp_path: Path) -> None:
    assert read_judgments(saved(tmp_path / "x", RESPONSE)).to_dict() == {
        "amsterdam_query": {"doc2": 3.0, "doc1": 0.0},
        "berlin_query": {"a": 1.0},
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"requests": [{"id": "q"}]}, "not a request or response of _rank_eval: KeyError 'ratings'"),
        (
            {"requests": [{"id": "q", "ratings": [{"_id": "a", "rating": "good"}]}]},
            "a rating is 'good', not a number",
        ),
        ({"requests": [{"id": "q", "ratings": []}]}, "there are no rows of judgments"),
        ({"requests": [{"id": "q", "ratings": []}] * 2}, "query 'q' appears twice"),
        (
            {"requests": [{"id": "q", "ratings": [{"_id": "a", "rating": 1}] * 2}]},
            "document 'a' appears twice",
        ),
        ({"metric_score": 1, "details": {"q": {"hits": [{}]}}}, "KeyError 'hit'"),
        ({"metric_score": 1, "details": [1]}, "not a request or response of _rank_eval"),
    ],
)
def test_what_is_not_as_it_should_be(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_judgments(saved(tmp_path / "x", content))
    with pytest.raises(InputError, match="not JSON"):
        read_judgments(write(tmp_path / "x", json.dumps(content).encode()[:-1]))


def test_equal_scores_stay_in_the_order_of_hits(tmp_path: Path) -> None:
    hits = [{"hit": {"_id": name, "_score": 1.0}, "rating": None} for name in ("a", "b")]
    response = {"metric_score": 1.0, "details": {"q": {"hits": hits, "unrated_docs": []}}, "failures": {}}
    run = read_run(write(tmp_path / "r.json", json.dumps(response).encode()))
    assert run.ranking("q") == ["a", "b"]
