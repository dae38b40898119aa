"""Judgments with more than a grade: TREC text with further columns, or a table with columns of the same names."""

from __future__ import annotations

import os

from idealist import kernels
from idealist.data.column_names import DOCUMENT, GRADE, QUERY
from idealist.data.stated_columns import columns_of
from idealist.io.detection import open_request
from idealist.io.formats import trec
from idealist.io.request import ReadRequest
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from idealist.data.columns import Columns
    from idealist.io.opening import Opened

    # By query: what the columns between query and number say, and the number.
    Keyed = dict[str, dict[tuple[str, ...], float]]

# What the columns of a table may be called, by what TREC text has in their place.
NAMES = {
    "query": QUERY,
    "document": DOCUMENT,
    "grade": GRADE,
    "group": ("group", "subtopic", "intent", "nugget"),
    "subgroup": ("subgroup",),
    "level": ("level",),
    "stratum": ("stratum",),
}
# What makes a row: the ids behind the query, in the order the native core has them, and the number.
KEYS = {
    "groups": (("group", "document"), "grade"),
    "preferences": (("group", "subgroup", "document"), "level"),
    "strata": (("document", "stratum"), "grade"),
}


def read_keyed(
    source: Any,
    layouts: tuple[str, ...],
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
    also: Callable[[Columns], object] | None = None,
) -> tuple[str, Keyed]:
    """The rows of a file, frame or table in one of several layouts, and which it is. `also` gets the table, if it is
    one, for what its other columns say."""
    if isinstance(source, (str, os.PathLike)):
        request = ReadRequest(source, "judgments", columns=columns, format=format, encoding=encoding)
        with open_request(request) as opened:
            if not _is_table(opened, request, layouts):
                layout = trec.layout_of(opened, layouts) or layouts[0]
                rows = trec.opened_rows(opened, layout, kernels.thread_count(threads))
                return layout, {query: _by_fields(rows, query) for query in rows.queries()}
        from idealist.io.ir_datasets import with_part

        source = with_part(source, "judgments")
    table = read_table(
        source, columns=columns_of(columns, "judgments"), format=format, encoding=encoding, decimal=decimal
    ).of("judgments")
    layout = next((layout for layout in layouts if _has(table, layout)), layouts[0])
    if also is not None:
        also(table)
    return layout, _by_key(table, layout)


def _is_table(opened: Opened, request: ReadRequest, layouts: tuple[str, ...]) -> bool:
    """Whether the columns have names, and so are not those of TREC text."""
    if request.format is not None or request.part is not None:
        return request.format != "trec"
    if any(trec.is_layout(opened.head, layout) for layout in layouts):
        return False
    from idealist.io.formats.base import Head
    from idealist.io.formats.registry import detect

    head = Head(opened.head, request.columns)
    format = detect(head, request.path, opened.source)
    return format is not None and "table" in format.carries and bool(head.lines)


def _by_fields(rows: kernels.Rows, query: str) -> dict[tuple[str, ...], float]:
    return {tuple(trec.fields(key)): number for key, number in (rows.documents(query) or {}).items()}


def _has(table: Columns, layout: str) -> bool:
    keys, number = KEYS[layout]
    return all(table.find(*NAMES[name]) for name in (*keys, number))


def _by_key(table: Columns, layout: str) -> Keyed:
    keys, number = KEYS[layout]
    query, *between = (table.named(*NAMES[name]) for name in ("query", *keys))
    value = table.named(*NAMES[number])
    by_query: Keyed = {}
    for row in range(len(table)):
        key = tuple(table.id(name, row) for name in between)
        name = table.id(query, row)
        rows = by_query.setdefault(name, {})
        if key in rows:
            key_text = ", ".join(f"{column} {text!r}" for column, text in zip(keys, key, strict=True))
            raise table.wrong(
                f"{key_text} appears twice for query {name!r}", row, hint="keep one of the two rows"
            )
        rows[key] = table.number(value, row, exact=True)
    if not by_query:
        raise table.wrong("the table has no rows")
    return by_query
