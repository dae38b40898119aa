"""Tables of any columns: files in every format that carries them, frames, dicts of columns, lists of records."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist.data.columns import Columns
from idealist.errors import InputError
from idealist.io.arrow import require_arrow, table_of_arrow
from idealist.io.detection import detect_format, open_request
from idealist.io.json_text import records_table
from idealist.io.request import ReadRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
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
