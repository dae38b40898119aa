"""Tables of any columns from files, frames, dicts and records, and texts of queries and documents by id."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist.data.arrow_tables import require_arrow, table_of_arrow
from idealist.data.column_names import DOCUMENT, QUERY
from idealist.data.columns import Columns
from idealist.data.detection import detect_format, open_request, open_source
from idealist.data.formats.json import records_table
from idealist.data.ir_datasets import data_set_texts, with_part
from idealist.data.reading import ReadRequest
from idealist.data.source_names import is_data_set
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.types import GivenTable


def read_table(
    source: Columns | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Columns:
    """The columns of a table: a file, `-` (standard input), FILE::TABLE of a database, FILE::SHEET of a workbook, any
    frame that speaks Arrow (polars, pandas, pyarrow, …), a mapping from names to columns, or a sequence of records.

    `columns` maps our names of columns to those that the table has, as in `{"item": "sku"}`. `format`, `encoding` and
    `decimal` are those of read_run: the format is detected from the content unless it is named.
    """
    table = _read(source, format, encoding, decimal)
    return table if columns is None else table.renamed(columns)


def holds_columns(mapping: Mapping[Any, Any]) -> bool:
    """Whether a mapping is from names to columns, and not from queries to a value each."""
    first = next(iter(mapping.values()), None)
    return hasattr(first, "__iter__") and not isinstance(first, (str, bytes))


def _read(source: Any, format: str | None, encoding: str | None, decimal: str | None) -> Columns:
    if isinstance(source, Columns):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _file(ReadRequest(source, "table", format=format, encoding=encoding, decimal=decimal))
    if hasattr(source, "__arrow_c_stream__"):
        return table_of_arrow(_arrow_table(source), None)
    if isinstance(source, Mapping):
        return Columns(source)
    if hasattr(source, "columns") and hasattr(source, "__getitem__"):  # pandas before 2.2
        return Columns({str(name): source[name].tolist() for name in source.columns})
    if hasattr(source, "__iter__") and not isinstance(source, bytes):
        return records_table(list(source))
    raise InputError(
        f"a table must be a file, a frame, a dict of columns or a list of records, not {type(source).__name__}"
    )


def _arrow_table(frame: Any) -> Any:
    """A frame as a table of Arrow; one that holds in one column what Arrow has no type for is an error."""
    arrow = require_arrow("a frame")
    try:
        return arrow.table(frame)
    except (arrow.ArrowInvalid, arrow.ArrowTypeError, arrow.ArrowNotImplementedError) as error:
        reasons = "; ".join(map(str, error.args))
        raise InputError(
            f"the frame cannot be read: {reasons}",
            hint="a column has values of one type: numbers, texts or truth values",
        ) from None


def _file(request: ReadRequest) -> Columns:
    with open_request(request) as opened:
        return detect_format(opened, request).table(opened, request)


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
