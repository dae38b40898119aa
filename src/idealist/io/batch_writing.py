"""Runs and judgments as tables with types, written one behind the other: Parquet and Arrow IPC."""

from __future__ import annotations

import sys

from idealist.data.column_names import NUMBER_NAMES
from idealist.errors import InputError
from idealist.io.arrow import require_arrow
from idealist.io.sources import STREAM
from idealist.io.targets import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.io.destinations import Destination
    from idealist.io.formats.frames import FrameFormat


def write_batches(
    tables: Iterable[Any],
    format: FrameFormat,
    destination: Destination,
    kind: str,
    *,
    name: str,
    force: bool = False,
) -> None:
    """Tables of the columns query, document and score or grade, one behind the other, as one file."""
    pyarrow = require_arrow("a Parquet or Arrow file")
    types = {"query": pyarrow.string(), "document": pyarrow.string(), NUMBER_NAMES[kind]: pyarrow.float64()}
    schema = pyarrow.schema(
        [pyarrow.field(column, type, nullable=False) for column, type in types.items()],
        metadata={"idealist.kind": kind, "idealist.name": name.encode("utf-8", "replace")},
    )
    if destination.path == STREAM:
        sys.stdout.flush()
        _write(tables, format, pyarrow.PythonFile(sys.stdout.buffer, "w"), destination, schema)
        sys.stdout.flush()
        return
    with Target(destination.path, force=force) as path, pyarrow.OSFile(path, "wb") as sink:
        _write(tables, format, sink, destination, schema)


def _write(
    tables: Iterable[Any], format: FrameFormat, sink: Any, destination: Destination, schema: Any
) -> None:
    with format.writer(sink, schema) as writer:
        for table in tables:
            require_text(table, destination)
            format.write_rows(writer, table.replace_schema_metadata(schema.metadata))


def require_text(table: Any, destination: Destination) -> None:
    """Bytes that are no UTF-8 go through TREC text, but no table has them."""
    try:
        table.validate(full=True)
    except require_arrow("a table").ArrowInvalid:
        raise InputError(
            f"{destination.target}: {destination.format.name} carries text only, and some id is not UTF-8",
            hint="TREC text carries any bytes",
        ) from None
