"""Whether a source holds a run or judgments: told by the columns it has."""

from __future__ import annotations

import os

from idealist.data.columns import ROLES, plain_name
from idealist.io.formats import Head, delimiter_of, format_of
from idealist.io.opening import Opened
from idealist.io.reading import split_part
from idealist.io.trec import is_trec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


def kind_of_names(names: Iterable[str], columns: Mapping[str, str] | None = None) -> str | None:
    """What has columns of these names: a run, judgments, or either. `columns` says which is which where they have
    no common names.

    >>> kind_of_names(["qid", "docno", "label"]), kind_of_names(["query", "document", "score"])
    ('judgments', 'run')
    >>> kind_of_names(["uid", "sku", "score"], {"grade": "score"})
    'judgments'
    """
    named = columns or {}
    there = set(names)
    found = {plain_name(name) for name in there.difference(named.values())}
    roles = {role for role, common in ROLES.items() if found & {plain_name(name) for name in common}}
    roles |= {role for role, name in named.items() if name in there}
    if "corpusid" in found and not roles & {"grade", "rank"}:
        return "judgments"  # BEIR calls a grade a score
    if "grade" in roles and "score" not in roles:
        return "judgments"
    if "grade" not in roles and roles & {"score", "rank"}:
        return "run"
    return None


def kind_of_source(source: str, columns: Mapping[str, str] | None = None) -> str | None:
    """What is in a file or in FILE::TABLE; None when its content does not tell. What cannot be read is not told
    here: reading says why. `columns` are those of kind_of_names."""
    path, part = split_part(source)
    if not os.path.isfile(path):
        return "judgments" if os.path.isdir(path) else None
    try:
        return _told(path, part, source, columns)
    except Exception:  # whatever the libraries of formats raise for a file that is damaged
        return None


def _told(path: str, part: str | None, source: str, columns: Mapping[str, str] | None) -> str | None:
    with Opened(path) as opened:
        head = opened.head
    for kind in ("run", "judgments"):
        if is_trec(head, kind):
            return kind
    found = format_of(Head(head, columns), path, source)
    if found is None:
        return None
    if len(found.carries) == 1:
        return found.carries[0]
    if found.name == "rank_eval":
        return "judgments" if b'"requests"' in head else "run"
    names = _names(found.name, path, part, head)
    return None if names is None else kind_of_names(names, columns)


def names_of_source(source: str) -> list[str] | None:
    """What the columns of a file or a table are called; None where they have no names, or none can be had."""
    path, part = split_part(source)
    if not os.path.isfile(path):
        return None
    try:
        with Opened(path) as opened:
            head = opened.head
        found = format_of(Head(head), path, source)
        return None if found is None else _names(found.name, path, part, head)
    except Exception:  # reading says what is wrong
        return None


def names_in(format: str, opened: Opened, path: str, part: str | None) -> list[str] | None:
    """The same of what is open, in a known format."""
    try:
        if opened.delimiter is not None:
            from idealist.io.delimited import header_names

            return header_names(opened.head, opened.delimiter, path)
        if format in ("parquet", "arrow") and opened.size is None:  # a pipe, or compressed
            from io import BytesIO

            return _names(format, BytesIO(opened.content(again=True)), part, opened.head)
        if format in ("sqlite", "duckdb"):
            from idealist.io.databases import require_plain

            require_plain(opened, format)
        return _names(format, path, part, opened.head)
    except Exception:  # reading says what is wrong
        return None


def _names(format: str, path: Any, part: str | None, head: bytes) -> list[str] | None:
    """What the columns are called, where they have names; `path` may be an open file of Parquet or Arrow."""
    if format == "parquet":
        from pyarrow import parquet

        return list(parquet.read_schema(path).names)
    if format == "arrow":
        from pyarrow import ipc

        open_any = ipc.open_file if head.startswith(b"ARROW1") else ipc.open_stream
        with open_any(path) as opened:
            return list(opened.schema.names)
    if format in ("sqlite", "duckdb"):
        from idealist.io.databases import column_names

        return column_names(path, format, part)
    if format == "xlsx":
        from idealist.io.workbooks import workbook_table

        with Opened(path) as opened:
            return workbook_table(opened.content(), part, path).names
    if format in ("csv", "tsv"):
        from idealist.io.delimited import header_names

        return header_names(head, "\t" if format == "tsv" else delimiter_of(Head(head).first) or ",", path)
    if format == "jsonl":
        import json

        return list(json.loads(Head(head).first))
    if format == "json" and Head(head).text[:1] == b"[":  # a list of records, which may end behind the head
        import json

        text = Head(head).text[1:].decode("utf-8", "ignore").lstrip()
        return list(json.JSONDecoder().raw_decode(text)[0])
    return None
