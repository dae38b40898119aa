"""How each search engine is asked for a list, and how it answers: Elasticsearch, OpenSearch, Solr, Vespa."""

from __future__ import annotations

import json

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.remote.transport import Rejected, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

QUERY, QUERY_ID, DEPTH, ID_FIELD = "{query}", "{id}", "{depth}", "{id_field}"
INDEX = "{index}"  # in the path, and in the bodies of ours that name it
PLACES = (QUERY, QUERY_ID, DEPTH, ID_FIELD)


class Hit(Frozen):
    """A document of an answer; its score is None where the engine sorted by something else."""

    document: str
    score: float | None


class Dialect(Frozen):
    """An engine: the `path` behind the address, with {index}; the body that is sent unless there is a template, its
    places filled for each query; the field of a document that is its id; and how hits are read from an answer."""

    name: str
    path: str
    template: str
    id_field: str
    read: Callable[[Mapping[str, Any], str], list[Hit]]


def read_elasticsearch(answer: Mapping[str, Any], id_field: str) -> list[Hit]:
    """Hits of Elasticsearch or OpenSearch: hits.hits[], with _id and _score."""
    shards = answer.get("_shards") or {}
    if answer.get("timed_out") or shards.get("failed"):
        raise Unavailable(
            "the list is incomplete: the search timed out"
            if answer.get("timed_out")
            else f"the list is incomplete: {shards['failed']} of {shards.get('total')} shards failed"
        )
    hits = []
    for hit in answer["hits"]["hits"]:
        document = hit["_id"] if id_field == "_id" else (hit.get("_source") or {}).get(id_field)
        hits.append(_hit(document, id_field, hit.get("_score")))
    return hits


def read_solr(answer: Mapping[str, Any], id_field: str) -> list[Hit]:
    """Hits of Solr: response.docs[], with the id and score that were asked for."""
    if (answer.get("responseHeader") or {}).get("partialResults"):
        raise Unavailable("the list is incomplete: Solr says partialResults")
    return [_hit(doc.get(id_field), id_field, doc.get("score")) for doc in answer["response"]["docs"]]


def read_vespa(answer: Mapping[str, Any], id_field: str) -> list[Hit]:
    """Hits of Vespa: root.children[]. The id of a document is what stands behind the last "::" of its documentid."""
    root = answer["root"]
    errors = root.get("errors") or ()
    if errors:
        said = str(errors[0].get("message") or errors[0].get("summary") or errors[0])
        # 8 is an illegal query, 4 an invalid parameter: asking again changes nothing.
        raise Rejected(said) if errors[0].get("code") in (3, 4, 8) else Unavailable(said)
    coverage = root.get("coverage") or {}
    if coverage.get("degraded"):
        raise Unavailable(
            f"the list is incomplete: {coverage.get('coverage', '?')} % of the documents were searched"
        )
    hits = []
    for child in root.get("children") or ():
        document = (child.get("fields") or {}).get(id_field)
        if document is None and id_field == "documentid":
            document = child.get("id")
        if isinstance(document, str) and document.startswith("id:"):
            document = document.split("::", 1)[-1]
        hits.append(_hit(document, id_field, child.get("relevance")))
    return hits


def _hit(document: Any, id_field: str, score: Any) -> Hit:
    if isinstance(document, list) and len(document) == 1:
        (document,) = document  # a field of several values that has one
    if isinstance(document, bool) or not isinstance(document, (str, int)) or document == "":
        raise InputError(
            f"a hit has no {id_field!r}, or one that is not an id: {json.dumps(document)}",
            hint="name the field of ids with --id-field, and ask for it if you have a template",
        )
    if isinstance(score, bool) or not isinstance(score, (int, float)) or score != score:
        score = None
    return Hit(str(document), None if score is None else float(score))


_ELASTIC = (
    '{"size": "{depth}", "_source": ["{id_field}"], "track_total_hits": false, '
    '"query": {"multi_match": {"query": "{query}"}}}'
)
DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("elasticsearch", "/{index}/_search", _ELASTIC, "_id", read_elasticsearch),
        Dialect("opensearch", "/{index}/_search", _ELASTIC, "_id", read_elasticsearch),
        Dialect(
            "solr",
            "/{index}/query",
            '{"query": {"edismax": {"query": "{query}"}}, "limit": "{depth}", "fields": ["{id_field}", "score"]}',
            "id",
            read_solr,
        ),
        Dialect(
            "vespa",
            "/search/",
            '{"yql": "select {id_field} from sources {index} where userQuery()", "query": "{query}", "hits": "{depth}"}',
            "documentid",
            read_vespa,
        ),
    )
}


def filled(template: Any, values: Mapping[str, str | int]) -> Any:
    """A template with its places filled. They are filled in the values of parsed JSON, so that no text of a query can
    change what is asked; a value that is nothing but a place becomes what stands for it, a number too.

    >>> filled({"size": "{depth}", "query": "text:{query}"}, {"{depth}": 10, "{query}": 'a "b"'})
    {'size': 10, 'query': 'text:a "b"'}
    """
    if isinstance(template, dict):
        return {name: filled(part, values) for name, part in template.items()}
    if isinstance(template, list):
        return [filled(part, values) for part in template]
    if not isinstance(template, str):
        return template
    if template in values:
        return values[template]
    return filled_text(template, values)


def filled_text(template: str, values: Mapping[str, str | int]) -> str:
    """Text with its places filled; text that was filled in is not looked at again."""
    for place, value in values.items():
        if place in template:
            head, tail = template.split(place, 1)
            return filled_text(head, values) + str(value) + filled_text(tail, values)
    return template
