"""Features from any source: LETOR and SVMlight text, tables in files and databases, frames."""

from __future__ import annotations

import os
from sys import float_info

from idealist.data.columns import is_frame
from idealist.data.detection import detect_format, open_request
from idealist.data.encoding import checked
from idealist.data.feature_tables import features_of_arrow, features_of_columns
from idealist.data.features import KEEP, MOST_CELLS, MOST_FEATURES, Features, chosen_columns, gathered
from idealist.data.formats.delimited import Delimited
from idealist.data.formats.format import Head
from idealist.data.formats.letor import (
    EXPECTED,
    needless_sizes,
    read_query_sizes,
    refuse_sizes,
    sizes_beside,
    wrong_row,
)
from idealist.data.reading import ReadRequest
from idealist.data.tables import read_table
from idealist.errors import InputError
from idealist.kernels import FeatureText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.data.opening import Opened
    from idealist.types import GivenTable

    Path = str | os.PathLike[str]


def letor_features(
    opened: Opened,
    *,
    features: Sequence[str] | None,
    query_sizes: str | None,
    fill: float | str | None,
) -> Features:
    """The features of an open LETOR file, called by their numbers."""
    text = FeatureText()
    for block in checked(opened.blocks(), opened.source):
        text.add(block)
        if text.problem is not None:
            break
    text.finish()
    if text.problem is not None:
        kind, line, part = text.problem
        raise wrong_row(kind, line, opened.source, part)
    if not len(text):
        raise InputError("the file is empty", source=opened.source, hint=EXPECTED)

    def wrong(message: str, row: int, hint: str) -> InputError:
        return InputError(message, source=opened.source, line=int(text.lines[row]), hint=hint)

    matrix, names = _matrix(text, features, opened.source)
    return gathered(
        matrix,
        names,
        _queries(text, query_sizes, opened),
        text.documents() if text.has_documents else None,
        text.grades.copy(),
        numbered=not text.has_queries,
        fill=fill,
        source=opened.source,
        wrong=wrong,
    )


def _queries(text: FeatureText, query_sizes: str | None, opened: Opened) -> list[str]:
    """The query of every row; without qid:, 1, 2, … by the query sizes."""
    if text.has_queries:
        if query_sizes is not None:
            raise needless_sizes(query_sizes, opened.source)
        pairs = zip(text.queries(), text.sizes.tolist(), strict=True)
        return [query for query, size in pairs for _ in range(size)]
    path = query_sizes or sizes_beside(opened.path)
    sizes = [] if path is None else read_query_sizes(path)
    refuse_sizes(sizes, path, len(text), opened)
    return [str(number) for number, size in enumerate(sizes, 1) for _ in range(size)]


def _matrix(text: FeatureText, chosen: Sequence[str] | None, source: str) -> tuple[ndarray, list[str]]:
    """Rows × features, and what these are called: by default all numbers from 1, or 0 if it occurs, to the highest."""
    import numpy as np

    numbers = text.numbers
    rows = len(text)
    if chosen is None:
        low = min(1, int(numbers.min())) if len(numbers) else 1
        columns: Sequence[int] = range(low, int(numbers.max()) + 1) if len(numbers) else ()
    elif text.uniform:  # every row has the same features, so that one that it lacks is lacking, not 0
        there = [str(number) for number in sorted(numbers.tolist())]
        chosen_columns(there, chosen, source)
        columns = [_number(name, source) for name in chosen]
    else:
        columns = [_number(name, source) for name in chosen]
    if chosen is not None and len(set(columns)) < len(chosen):
        twice = next(number for at, number in enumerate(columns) if number in columns[:at])
        raise InputError(f"feature {twice} is named twice", source=source, hint="name each once")
    if rows * len(columns) > MOST_CELLS or len(columns) > MOST_FEATURES:
        raise InputError(
            f"features up to number {columns[-1]:,} in {rows:,} rows would be a matrix of "
            f"{rows * len(columns):,} numbers",
            source=source,
            hint="name the features that are wanted: features=[…] (--features 1,2,…)",
        )
    names = [str(number) for number in columns]
    if text.uniform and list(columns) == numbers.tolist():
        return text.values.reshape(rows, len(columns)), names
    if text.uniform:
        place = {number: at for at, number in enumerate(numbers.tolist())}
        whole = text.values.reshape(rows, len(numbers))
        matrix = np.zeros((rows, len(columns)))
        for at, number in enumerate(columns):
            if number in place:
                matrix[:, at] = whole[:, place[number]]
        return matrix, names
    return _scattered(text, columns), names


def _scattered(text: FeatureText, columns: Sequence[int]) -> ndarray:
    import numpy as np

    matrix = np.zeros((len(text), len(columns)))
    order = np.argsort(np.asarray(columns, np.int64), kind="stable")
    known = np.asarray(columns, np.int64)[order]
    numbers = text.numbers.astype(np.int64)
    at = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    known_feature = known[at] == numbers
    rows = np.repeat(np.arange(len(text)), np.diff(text.begins.astype(np.int64)))
    matrix[rows[known_feature], order[at[known_feature]]] = text.values[known_feature]
    return matrix


def _number(name: str, source: str) -> int:
    if not name.isdecimal() or len(name) > 10:
        raise InputError(
            f"there is no feature {name!r}",
            source=source,
            hint="in LETOR features are called by their numbers",
        )
    return int(name)


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
        from idealist.data.formats.letor import is_features

        lines = Head(opened.head).lines[:5]
        if format == "letor" or (format is None and any(is_features(line) for line in lines)):
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
            from idealist.data.feature_tables import delimited_features

            sign, decimal = form.delimiter(opened), request.decimal
            quickly = delimited_features(
                opened.content(again=True), sign, request.source, decimal, columns=columns, **how
            )
            if quickly is not None:
                return quickly
        return features_of_columns(form.table(opened, request), columns=columns, **how)


def _in_memory(source: Any, columns: Mapping[str, str] | None, how: dict[str, Any]) -> Features:
    if is_frame(source) and hasattr(source, "__arrow_c_stream__"):
        from idealist.data.arrow_tables import require_arrow

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
        from idealist.data.arrow_tables import broken

        raise broken("Arrow", error, source or "the table") from None


def _selected(features: Features, wanted: list[str]) -> Features:
    places = chosen_columns(features.names, wanted, features.source)
    return features.with_columns(features.matrix[:, places], wanted)


def _refuse_fill(fill: float | str | None) -> None:
    number = isinstance(fill, (int, float)) and not isinstance(fill, bool) and abs(fill) <= float_info.max
    if fill is not None and fill != KEEP and not number:
        raise InputError(f"fill must be a finite number or {KEEP!r}, not {fill!r}", hint="for example fill=0")
