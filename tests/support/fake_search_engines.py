"""Search engines on this machine: a small collection, and the answers of each engine in its own form."""

from __future__ import annotations

import json
from typing import Any

from support.fake_endpoint import Handler, Reaction

DOCUMENTS = {
    "d1": "red lipstick matte",
    "d2": "red scarf",
    "d3": "lipstick brush",
    "d4": "blue scarf wool",
}


def found(text: str, depth: int) -> list[tuple[str, float]]:
    """Documents by the number of words they share with a query, then by id."""
    words = set(text.split())
    scores = {name: float(len(words & set(content.split()))) for name, content in DOCUMENTS.items()}
    listed = sorted((name for name in scores if scores[name]), key=lambda name: (-scores[name], name))
    return [(name, scores[name]) for name in listed[:depth]]


def elasticsearch(body: dict[str, Any]) -> dict[str, Any]:
    hits = found(body["query"]["multi_match"]["query"], body["size"])
    return {
        "took": 2,
        "timed_out": False,
        "_shards": {"total": 5, "successful": 5, "skipped": 0, "failed": 0},
        "hits": {
            "max_score": None,
            "hits": [
                {"_index": "shop", "_id": name, "_score": score, "_source": {"sku": f"sku-{name}"}}
                for name, score in hits
            ],
        },
    }


def solr(body: dict[str, Any]) -> dict[str, Any]:
    hits = found(body["query"]["edismax"]["query"], body["limit"])
    assert body["fields"] == ["id", "score"]
    docs = [{"id": name, "score": score} for name, score in hits]
    return {
        "responseHeader": {"status": 0, "QTime": 1},
        "response": {"numFound": len(docs), "start": 0, "numFoundExact": True, "docs": docs},
    }


def vespa(body: dict[str, Any]) -> dict[str, Any]:
    assert body["yql"] == "select documentid from sources shop where userQuery()"
    children = [
        {
            "id": f"id:shop:product::{name}",
            "relevance": score,
            "source": "shop",
            "fields": {"documentid": f"id:shop:product::{name}"},
        }
        for name, score in found(body["query"], body["hits"])
    ]
    root: dict[str, Any] = {
        "id": "toplevel",
        "relevance": 1.0,
        "fields": {"totalCount": len(children)},
        "coverage": {"coverage": 100, "documents": 4, "full": True, "nodes": 1, "results": 1},
    }
    return {"root": {**root, **({"children": children} if children else {})}}


ANSWERS = {"elasticsearch": elasticsearch, "opensearch": elasticsearch, "solr": solr, "vespa": vespa}


def answering(engine: str) -> Reaction:
    """Answers as the engine does."""

    def react(handler: Handler, body: dict[str, Any], number: int) -> None:
        handler.send(200, json.dumps(ANSWERS[engine](body)))

    return react
