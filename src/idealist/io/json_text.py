"""JSON and JSONL. A slow but correct stand-in, to be replaced at the merge."""

from __future__ import annotations

from idealist.data.columns import find_roles
from idealist.data.numbers import as_id, as_number, plain_dicts
from idealist.errors import InputError
from idealist.io.triples import rows_of_triples, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from idealist import kernels

NOT_OURS = "{query: {document: number}}, or records with query, document and number"


def json_rows(
    opened: Any, kind: str, *, columns: Mapping[str, str] | None, source: str, threads: int
) -> kernels.Rows:
    import json

    text = b"".join(opened.blocks()).decode("utf-8-sig", "surrogateescape")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _records(_lines(text, source), kind, columns, source, threads)
    if isinstance(whole, list):
        return _records(enumerate(whole, 1), kind, columns, source, threads)
    if isinstance(whole, dict) and all(isinstance(one, dict) for one in whole.values()):
        try:
            plain = plain_dicts(whole, kind=kind, number="number", finite=kind == "judgments")
        except InputError as error:
            raise InputError(error.message, source=source, hint=error.hint) from None
        found = ((0, q, d, n) for q, documents in plain.items() for d, n in documents.items())
        return rows_of_triples(found, kind, source=source, threads=threads, by_line=False)
    return _records([(1, whole)], kind, columns, source, threads)


def _lines(text: str, source: str) -> Iterator[tuple[int, Any]]:
    import json

    for at, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield at, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(
                    f"this is not JSON: {error}", source=source, line=at, hint=NOT_OURS
                ) from None


def _records(
    records: Any, kind: str, columns: Mapping[str, str] | None, source: str, threads: int
) -> kernels.Rows:
    def triples() -> Iterator[tuple[int, str, str, float]]:
        for at, record in records:
            if not isinstance(record, dict):
                raise wrong("this is no JSON object", at, source, hint=NOT_OURS)
            roles = find_roles(list(record), kind, columns, source=source)
            cells = [list(record.values())[place] for place in roles.values()]
            try:
                query, document = as_id(cells[0], "query"), as_id(cells[1], "document")
                number = as_number(cells[2], list(roles)[2], finite=False)
            except InputError as error:
                raise wrong(error.message, at, source, hint=error.hint) from None
            yield at, query, document, -number if "rank" in roles else number

    return rows_of_triples(triples(), kind, source=source, threads=threads)
