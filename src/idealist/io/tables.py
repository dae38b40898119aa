"""Tables of any columns: CSV, TSV, JSON, JSONL, Parquet, Arrow and Excel files, compressed or not, tables of
databases, frames, dicts of columns, lists of records."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist.data.columns import Columns
from idealist.data.numbers import known_decimal
from idealist.errors import InputError
from idealist.io.arrow import require_arrow
from idealist.io.encoding import decoded
from idealist.io.opening import Opened
from idealist.io.reading import split_part
from idealist.io.workbooks import workbook_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_table(
    source: Any,
    *,
    encoding: str | None = None,
    decimal: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Columns:
    """The columns of a table: a path, any frame that speaks Arrow (polars, pandas, pyarrow, …), a mapping
    from names to columns, or a sequence of records. `encoding` is that of a file that is not UTF-8, `decimal` the
    sign before fractions in its numbers: a point, or ",". `columns` maps our names of columns to those that the table
    has, as in `{"item": "sku"}`."""
    table = _read(source, encoding, decimal)
    return table if columns is None else table.renamed(columns)


def _read(source: Any, encoding: str | None, decimal: str | None) -> Columns:
    if isinstance(source, Columns):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _file(os.fspath(source), encoding, known_decimal(decimal))
    if hasattr(source, "__arrow_c_stream__"):
        return _from_arrow(require_arrow("a frame").table(source), None)
    if isinstance(source, Mapping):
        return Columns(source)
    if hasattr(source, "columns") and hasattr(source, "__getitem__"):  # pandas before 2.2
        return Columns({str(name): source[name].tolist() for name in source.columns})
    if hasattr(source, "__iter__") and not isinstance(source, bytes):
        return _records(list(source), None, None)
    raise InputError(
        f"a table is a file, a frame, a dict of columns or a list of records, not {type(source).__name__}"
    )


def _file(source: str, encoding: str | None, decimal: str) -> Columns:
    path, part = split_part(source)
    with Opened(path, encoding) as opened:
        form = _binary(opened.head, path)
        if form in ("sqlite", "duckdb"):
            from idealist.io.databases import database_table

            return database_table(opened, form, part)
        content = opened.content()
    if form == "xlsx":
        return workbook_table(content, part, path)
    if part is not None:
        raise InputError(
            f"there is no {part!r} in it", source=path, hint="workbooks have sheets, databases tables"
        )
    if form is not None:
        return _arrow(content, path, form)
    if b"\0" in content:
        raise _no_text(path)
    text = decoded(content, path)
    if not text.strip():
        raise InputError("the file is empty", source=path, hint="the first line names the columns")
    if text.lstrip()[0] == "[":
        return _json_list(text, path)
    if text.lstrip()[0] == "{":
        return _json_lines(text, path)
    return _separated(text, path, opened.delimiter, decimal)


def _binary(head: bytes, path: str) -> str | None:
    """The format of what is not text."""
    from idealist.io.formats import FORMATS, Head

    if head.startswith(b"PAR1"):
        return "parquet"
    start = Head(head)
    form = next((one.name for one in FORMATS.values() if one.binary and one.tells(start)), None)
    if form is None and b"\0" in head:
        raise _no_text(path)
    return form


def _no_text(path: str) -> InputError:
    return InputError(
        "this is not text",
        source=path,
        hint="CSV, TSV, JSON, JSONL, Parquet, Arrow, Excel, SQLite or DuckDB is read",
    )


def _separated(text: str, path: str, delimiter: str | None, decimal: str) -> Columns:
    import csv
    from io import StringIO

    first = next(line for line in text.split("\n") if line.strip())
    comma = delimiter or max(",\t;|", key=first.count)
    rows = csv.reader(StringIO(text, newline=""), delimiter=comma, strict=True)
    try:
        names = [name.strip() for name in next(row for row in rows if row)]
        begin = last = rows.line_num
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"two columns are called {twice!r}", source=path, line=begin)
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for row in rows:
            if not any(cell.strip() for cell in row):  # spreadsheets write such rows below the last one
                continue
            if len(row) != len(names):
                raise InputError(
                    f"expected {len(names)} column{'s' * (len(names) > 1)}, found {len(row)}",
                    source=path,
                    line=rows.line_num,
                    hint=f"the first line names {', '.join(names)}",
                )
            last = rows.line_num
            for name, cell in zip(names, row, strict=True):
                columns[name].append(cell.strip())
    except csv.Error as error:
        raise InputError(f"this is not CSV: {error}", source=path, line=rows.line_num) from None
    # Blank lines or quoted line ends would shift the numbers of the lines behind them.
    exact = last == begin + len(next(iter(columns.values())))
    return Columns(columns, source=path, first_line=begin + 1 if exact else None, decimal=decimal)


def _json_lines(text: str, path: str) -> Columns:
    import json

    records, at = [], 0
    for at, line in enumerate(text.rstrip("\n").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_without_repeats)
        except (ValueError, RecursionError) as error:
            raise InputError(f"this is not JSON: {error}", source=path, line=at) from None
        if not isinstance(record, dict):
            raise InputError("every line is one JSON object", source=path, line=at, hint='{"query": "q1", …}')
        records.append(record)
    return _records(records, path, 1 if len(records) == at else None)


def _json_list(text: str, path: str) -> Columns:
    import json

    try:
        records = json.loads(text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON: {error.msg}", source=path, line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON: {error}", source=path) from None
    return _records(records, path, None)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a name is there twice in one object")
    return record


def _records(records: list[Any], source: str | None, first_line: int | None) -> Columns:
    names: dict[str, None] = {}
    for row, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise InputError(f"record {row + 1} is not a mapping from column to value: {record!r}")
        names.update(dict.fromkeys(record))
    columns = {str(name): [record.get(name) for record in records] for name in names}
    return Columns(columns, source=source, first_line=first_line)


def _arrow(content: bytes, path: str, form: str) -> Columns:
    about = {"parquet": "Parquet", "arrow": "Arrow"}[form]
    arrow = require_arrow(f"{path}: {about} data")
    import pyarrow.ipc
    import pyarrow.parquet

    data = arrow.BufferReader(content)
    try:
        if form == "parquet":
            table = pyarrow.parquet.read_table(data)
        else:
            opens = pyarrow.ipc.open_file if content.startswith(b"ARROW1") else pyarrow.ipc.open_stream
            table = opens(data).read_all()
            table.validate(full=True)  # offsets that lead outside would be followed
    except (OSError, ValueError) as error:
        raise InputError(f"the {about} file cannot be read: {error}", source=path) from None
    return _from_arrow(table, path)


def _from_arrow(table: Any, path: str | None) -> Columns:
    names = table.column_names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two columns are called {twice!r}", source=path)
    return Columns(table.to_pydict(), source=path)
