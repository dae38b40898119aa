"""Runs, judgments and tables through pyarrow: read and written batch by batch."""

from __future__ import annotations

import sys

from idealist.data.column_names import NUMBER_NAMES, refuse_repeats
from idealist.data.columns import Columns
from idealist.data.frames import Frame
from idealist.data.source_names import STREAM
from idealist.data.targets import Target
from idealist.data.triples import require_some
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType
    from typing import Any

    from idealist import kernels
    from idealist.data import Judgments
    from idealist.data.formats.columnar import FrameFormat
    from idealist.data.reading import ReadRequest
    from idealist.data.streaming import Matched
    from idealist.data.writing import Destination


class Batches:
    """Batches of a file, one at a time, for whatever reads Arrow streams, and again for whoever asks again.
    What goes wrong with one is kept: the reader of a stream is told its text alone."""

    def __init__(self, schema: Any, batches: Callable[[], Iterator[Any]], about: str, source: str) -> None:
        self._schema, self._batches = schema, batches
        self._about, self._source = about, source
        self._error: BaseException | None = None

    def _watched(self) -> Iterator[Any]:
        try:
            yield from self._batches()
        except GeneratorExit:  # no more of them are needed
            raise
        except BaseException as error:  # Ctrl-C, too: Arrow would make an error of its own of it
            self._error = error
            raise

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        import pyarrow

        reader = pyarrow.RecordBatchReader.from_batches(self._schema, self._watched())
        return reader.__arrow_c_stream__(requested_schema)

    def __enter__(self) -> Batches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import pyarrow

        if isinstance(self._error, KeyboardInterrupt):
            raise self._error
        if self._error is not None:
            raise broken(self._about, self._error, self._source) from None
        if isinstance(error, (pyarrow.ArrowException, OSError)):
            raise broken(self._about, error, self._source) from None


def broken(about: str, error: BaseException, source: str) -> InputError:
    """The message of pyarrow about data that cannot be read, in one line."""
    if isinstance(error, UnicodeDecodeError):
        return InputError(
            f"a name or a text in it is not UTF-8: {error.object[:40]!r}",
            source=source,
            hint=f"{about} has all text in UTF-8: write the file again with other text",
            code="not-utf8",
        )
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return InputError(
        f"the {about} data cannot be read: {lines[0] if lines else type(error).__name__}",
        source=source,
        hint="the file may be cut short or damaged: fetch or write it again",
    )


def require_arrow(purpose: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependency(f"{purpose} needs pyarrow", hint="pip install 'idealist[tables]'") from None
    return pyarrow


def table_of_arrow(table: Any, source: str | None) -> Columns:
    """All columns of a table of pyarrow."""
    try:
        refuse_repeats(table.column_names, source)
        return Columns(table.to_pydict(), source=source)
    except UnicodeDecodeError as error:
        raise broken("Arrow", error, source or "the table") from None


def rows_of_batches(batches: Any, request: ReadRequest, source: str, threads: int) -> kernels.Rows:
    """The rows of a run or of judgments, in memory."""
    frame = Frame(batches, request.kind, columns=request.columns, source=source)
    rows = frame.rows(threads, duplicates=request.allow_duplicates)
    require_some(len(rows), request.kind, source)
    return rows


def match_batches(
    batches: Any,
    request: ReadRequest,
    source: str,
    judgments: Judgments,
    options: kernels.MatchOptions,
    threads: int,
) -> Matched:
    """The rankings that a run gives, measured while it is read."""
    frame = Frame(batches, request.kind, columns=request.columns, source=source)
    matched = frame.match(judgments, options, threads)
    require_some(matched.rows, request.kind, source)
    return matched


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
