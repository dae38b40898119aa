"""Features from any source: LETOR and SVMlight text, tables in files and databases, frames."""

from __future__ import annotations

import os
from sys import float_info

from idealist.data.columns import is_frame
from idealist.data.features import Features
from idealist.errors import InputError
from idealist.io.detection import detect_format, open_request
from idealist.io.feature_rows import KEEP, chosen_columns
from idealist.io.feature_tables import features_of_arrow, features_of_columns
from idealist.io.formats.base import Head
from idealist.io.formats.delimited import Delimited
from idealist.io.request import ReadRequest
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.types import GivenTable

    Path = str | os.PathLike[str]


def read_features(
    source: Features | ndarray | GivenTable,
    *,
    features: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    query_sizes: Path | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    fill: float | str | None = None,
) -> Features:
    """Query-document pairs with their features, and grades where they are known.

    `source` is a LETOR or SVMlight file (`grade qid:query 1:value … #docid = document`; without qid:, `query_sizes` is
    the file that says how many rows each query has, found beside it as FILE.query or FILE.group), a table in any format that is read here (CSV,
    TSV, JSONL, Parquet, Arrow, FILE::TABLE of a database …), a frame, a dict of columns, or a list of records.

    Of a table, the columns query, document and grade are found by their common names, or named by `columns`; all other
    numeric columns are features. `features` names those that are wanted, in their order; in LETOR they are called by their
    numbers, and one that a row does not write is 0. Rows of one query are put together, and documents without an id are
    called by the numbers of their rows, from 1. NULL, nan and empty cells are an error unless `fill` says what
    stands for them: a number, or "keep" for models that take nan, such as trees.

    >>> read_features({"query": ["a", "a", "b"], "document": ["x", "y", "x"], "grade": [1, 0, 2], "bm25": [0.5, 0.1, 0.9]})
    <Features: 2 queries, 3 documents, 1 feature, graded>
    """
    wanted = None if features is None else [str(name) for name in features]
    if wanted is not None and not wanted:
        raise InputError(
            "features is an empty list", hint="name one feature or more, or leave it out for all of them"
        )
    _refuse_fill(fill)
    how: dict[str, Any] = {"features": wanted, "fill": fill}
    if isinstance(source, Features):
        return source if wanted is None else _selected(source, wanted)
    if not isinstance(source, (str, os.PathLike)):
        return _in_memory(source, columns, how)
    request = ReadRequest(
        source, "table", format=None if format == "letor" else format, encoding=encoding, decimal=decimal
    )
    with open_request(request) as opened:
        from idealist.io.formats.letor import is_features

        lines = Head(opened.head).lines[:5]
        if format == "letor" or (format is None and any(is_features(line) for line in lines)):
            from idealist.io.letor_features import letor_features

            return letor_features(
                opened, query_sizes=None if query_sizes is None else os.fspath(query_sizes), **how
            )
        if query_sizes is not None:
            raise InputError(
                "query sizes go with LETOR, and this is a table", source=request.source, hint="leave them out"
            )
        form = detect_format(opened, request)
        if hasattr(form, "arrow_table"):
            return _features_of_arrow(form.arrow_table(opened), request.source, columns, how)
        if isinstance(form, Delimited):
            from idealist.io.delimited_features import delimited_features

            sign, decimal = form.delimiter(opened), request.decimal
            quickly = delimited_features(
                opened.content(again=True), sign, request.source, decimal, columns=columns, **how
            )
            if quickly is not None:
                return quickly
        return features_of_columns(form.table(opened, request), columns=columns, **how)


def _in_memory(source: Any, columns: Mapping[str, str] | None, how: dict[str, Any]) -> Features:
    if is_frame(source) and hasattr(source, "__arrow_c_stream__"):
        from idealist.io.arrow import require_arrow

        return _features_of_arrow(require_arrow("a frame").table(source), None, columns, how)
    if hasattr(source, "ndim"):
        raise InputError(
            "an array does not say which rows are of which query",
            hint="Features(matrix, sizes=…, grades=…) takes arrays",
        )
    return features_of_columns(read_table(source), columns=columns, **how)


def _features_of_arrow(
    table: Any, source: str | None, columns: Mapping[str, str] | None, how: dict[str, Any]
) -> Features:
    try:
        return features_of_arrow(table, source, columns=columns, **how)
    except UnicodeDecodeError as error:
        from idealist.io.arrow import broken

        raise broken("Arrow", error, source or "the table") from None


def _selected(features: Features, wanted: list[str]) -> Features:
    places = chosen_columns(features.names, wanted, features.source)
    return features.with_columns(features.matrix[:, places], wanted)


def _refuse_fill(fill: float | str | None) -> None:
    number = isinstance(fill, (int, float)) and not isinstance(fill, bool) and abs(fill) <= float_info.max
    if fill is not None and fill != KEEP and not number:
        raise InputError(f"fill must be a finite number or {KEEP!r}, not {fill!r}", hint="for example fill=0")
