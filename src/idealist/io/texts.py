"""Texts of queries and documents by id: tables with a column of ids and columns of text, or two columns without names."""

from __future__ import annotations

import os

from idealist.data.column_names import DOCUMENT, QUERY
from idealist.data.columns import Columns
from idealist.errors import InputError
from idealist.io.detection import open_source
from idealist.io.ir_datasets import data_set_texts, with_part
from idealist.io.sources import is_data_set
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from idealist.types import GivenTable

ID = ("id", "_id")
IDS = {"queries": (*QUERY, *ID), "documents": (*DOCUMENT, *ID)}
TITLE = ("title", "name", "headline")
TEXT = ("text", "contents", "content", "body", "passage", "description")


def read_texts(
    source: GivenTable,
    kind: str,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    only: Iterable[str] | None = None,
) -> dict[str, str]:
    """The texts of `kind` "queries" or "documents" by id. `source` is a mapping from ids to texts, or a table that
    read_table reads, with a column of ids, one of text and, if there is, one of titles, which stand above the text
    (BEIR's and Pyserini's files have such names); a TSV file of two columns needs no names. `only` are the ids that are
    wanted, if not all are: a data set of ir_datasets looks them up.

    >>> read_texts([{"_id": "d1", "title": "Rome", "text": "A city."}], "documents")
    {'d1': 'Rome\\nA city.'}
    >>> read_texts({"q1": "where is rome"}, "queries")
    {'q1': 'where is rome'}
    """
    texts = _all_texts(source, kind, columns, format, encoding, only)
    return texts if only is None else {name: texts[name] for name in only if name in texts}


def _all_texts(
    source: Any,
    kind: str,
    columns: Mapping[str, str] | None,
    format: str | None,
    encoding: str | None,
    only: Iterable[str] | None,
) -> dict[str, str]:
    if _is_by_id(source):
        return {str(name): str(text) for name, text in source.items()}
    table = None
    if isinstance(source, (str, os.PathLike)):
        source = with_part(source, kind)
        if format is None and columns is None:
            if is_data_set(source):
                return data_set_texts(source, kind, only)
            table = _unnamed(source, kind, encoding)
    if table is None:
        table = read_table(source, columns=columns, format=format, encoding=encoding)
    return _texts(table.of(kind), kind)


def _is_by_id(source: Any) -> bool:
    from collections.abc import Mapping

    return isinstance(source, Mapping) and all(isinstance(text, str) for text in source.values())


def _unnamed(path: str, kind: str, encoding: str | None) -> Columns | None:
    """A text file of two columns with a tab between them, unless its first line names them."""
    with open_source(path, encoding) as opened:
        first = opened.head.split(b"\n", 1)[0].decode("utf-8-sig", "replace").rstrip("\r")
        cells = first.split("\t")
        known = {name.lower() for name in (*IDS[kind], *TEXT, *TITLE)}
        if len(cells) != 2 or first.startswith("{") or {cell.strip().lower() for cell in cells} & known:
            return None
        # A text may hold what str.splitlines takes for an end of a line, such as U+2028.
        lines = opened.content().decode("utf-8-sig", "replace").removesuffix("\n").split("\n")
    ids, texts = [], []
    for number, line in enumerate(lines, 1):
        name, tab, text = line.removesuffix("\r").partition("\t")
        if not tab or not name.strip():
            raise InputError(
                "expected an id, a tab and a text", source=path, line=number, hint="a line for each of them"
            )
        ids.append(name.strip())
        texts.append(text)
    return Columns({"id": ids, "text": texts}, source=path, first_line=1)


def _texts(table: Columns, kind: str) -> dict[str, str]:
    ids, text, title = table.named(*IDS[kind]), table.find(*TEXT), table.find(*TITLE)
    if text is None and kind == "queries" and title is not None:
        text, title = title, None
    text = table.named(*TEXT) if text is None else text
    if ids in (text, title):
        raise table.wrong(f"the column {ids!r} cannot be both ids and text", hint="name the column of ids id")
    texts: dict[str, str] = {}
    titles = [""] * len(table) if title is None else table.texts(title)
    for row, (heading, body) in enumerate(zip(titles, table.texts(text), strict=True)):
        name = table.id(ids, row)
        if name in texts:
            raise table.wrong(f"{ids} {name!r} appears twice", row, hint="keep one of the two rows")
        texts[name] = "\n".join(part for part in (heading.strip(), body.strip()) if part)
    return texts
