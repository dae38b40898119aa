"""Elasticsearch's _rank_eval: requests carry ratings, responses what was found and its ratings."""

from __future__ import annotations

from itertools import pairwise

from idealist.base.values import as_id, as_number
from idealist.base.wording import reason_of
from idealist.data.encoding import decoded
from idealist.data.formats.format import Format
from idealist.data.triples import rows_of_triples
from idealist.errors import InputError, located

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist import kernels
    from idealist.data.formats.format import Head
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest


class RankEval(Format):
    name = "rank_eval"
    label = "_rank_eval"
    about = "requests (judgments) and responses (runs, and judgments of what was found) of Elasticsearch's `_rank_eval`"
    options = ("encoding",)

    def recognises(self, head: Head) -> bool:
        if head.text[:1] != b"{":
            return False
        import re

        return bool(
            re.search(rb'"requests"\s*:\s*\[', head.text)
            or re.match(rb'\{\s*"metric_score"\s*:\s*[-\d.n]', head.text)
            or (
                re.search(rb'"metric_score"\s*:\s*[-\d.n]', head.text)
                and re.search(rb'"(details|unrated_docs)"\s*:', head.text)
            )
        )

    def kind_of(self, head: Head) -> str | None:
        return "judgments" if b'"requests"' in head.start else "run"

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        return rank_eval_rows(opened, request.kind, threads)


FORMAT = RankEval()


def rank_eval_rows(opened: Opened, kind: str, threads: int) -> kernels.Rows:
    """Judgments from the ratings of a request, or of the hits of a response; a run from the hits of a response
    in their order, by _score where that gives the same order, else by rank."""
    import json

    try:
        parsed = json.loads(decoded(opened.content(), opened.source))
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON: {reason_of(error)}", source=opened.source) from None
    try:
        triples = list(_rated_triples(parsed, kind, opened.source))
    except InputError as error:
        raise located(error, opened.source) from None
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"this is not a request or response of _rank_eval: {type(error).__name__} {error}",
            source=opened.source,
            hint="a request has requests with id and ratings, a response has details with hits",
        ) from None
    return rows_of_triples(triples, kind, source=opened.source, threads=threads, by_line=False)


def _rated_triples(parsed: dict[str, Any], kind: str, source: str) -> Iterator[tuple[int, str, str, float]]:
    if "details" in parsed:
        rated = {
            query: [(hit["hit"], hit.get("rating")) for hit in entry["hits"]]
            for query, entry in parsed["details"].items()
        }
        if kind == "run":
            yield from _ranked(rated)
            return
        pairs = {query: [(hit["_id"], rating) for hit, rating in hits] for query, hits in rated.items()}
    elif kind == "run":
        raise InputError(
            "this is a request: it has ratings, and no ranking",
            source=source,
            hint="send it to _rank_eval, and give the response",
        )
    else:
        pairs = {}
        for request in parsed["requests"]:
            if request["id"] in pairs:
                raise InputError(f"query {request['id']!r} appears twice", source=source, hint="keep one")
            pairs[request["id"]] = [(entry["_id"], entry["rating"]) for entry in request["ratings"]]
    row = 0
    for query, ratings in pairs.items():
        for document, rating in ratings:
            row += 1
            if rating is not None:
                number = _number(rating, "rating", query, source)
                yield row, as_id(query, "a query's id"), _document(document, query), number


def _ranked(rated: dict[str, list[tuple[dict[str, Any], Any]]]) -> Iterator[tuple[int, str, str, float]]:
    row = 0
    for query, hits in rated.items():
        scores: list[Any] = [hit.get("_score") for hit, _ in hits]
        numbers = all(isinstance(score, (int, float)) for score in scores)
        # Sorted by something else, or in an order of their own where scores are equal.
        if not numbers or any(after >= before for before, after in pairwise(scores)):
            scores = [-rank for rank in range(1, len(hits) + 1)]
        for (hit, _), score in zip(hits, scores, strict=True):
            row += 1
            number = as_number(score, f"query {query!r}: a _score", finite=False)
            yield row, as_id(query, "a query's id"), _document(hit["_id"], query), number


def _number(value: Any, title: str, query: str, source: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"query {query!r}: a {title} is {value!r}, not a number", source=source)
    return as_number(value, f"query {query!r}: a {title}", finite=True)


def _document(value: Any, query: str) -> str:
    return as_id(value, f"query {query!r}: an _id")
