"""Parquet and Arrow IPC, as frames that are read batch by batch."""

from __future__ import annotations

from idealist.data.columns import find_roles
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType
    from typing import Any

    from idealist.io.opening import Opened


def frame_of(opened: Opened, format: str, kind: str, columns: Mapping[str, str] | None) -> Batches:
    """A frame of the columns that a run or judgments need, in no more memory than a batch takes."""
    arrow = require_arrow(f"{opened.source}: {'Parquet' if format == 'parquet' else 'Arrow'} data")
    about = "Parquet" if format == "parquet" else "Arrow"
    # A plain file is read piece by piece, and not mapped: it may be cut while it is read. What comes in order
    # only is kept whole.
    plain = opened.size is not None and opened.path != "-"
    try:
        content = arrow.OSFile(opened.path) if plain else arrow.BufferReader(opened.content())
        if format == "parquet":
            return _of_parquet(content, kind, columns, opened)
        return _of_ipc(content, kind, columns, opened.source)
    except (arrow.ArrowException, OSError) as error:
        raise _broken(about, error, opened.source) from None


def _of_parquet(content: Any, kind: str, columns: Mapping[str, str] | None, opened: Opened) -> Batches:
    import pyarrow.parquet

    source = opened.source

    # Not buffered ahead: that would keep all of the file in memory.
    file = pyarrow.parquet.ParquetFile(content, buffer_size=1 << 20, pre_buffer=False)
    roles = find_roles(file.schema_arrow.names, kind, columns, source=source)
    needed = [file.schema_arrow.names[at] for at in roles.values()]
    schema = pyarrow.schema([file.schema_arrow.field(name) for name in sorted(set(needed), key=needed.index)])

    def batches() -> Iterator[Any]:
        done, whole = 0, max(1, file.metadata.num_rows)
        for batch in file.iter_batches(columns=schema.names):
            yield batch.select(schema.names)
            done += batch.num_rows
            if opened.progress is not None and opened.size is not None:
                opened.progress(opened.size * done // whole, opened.size)

    return Batches(schema, batches, "Parquet", source)


def _of_ipc(content: Any, kind: str, columns: Mapping[str, str] | None, source: str) -> Batches:
    import pyarrow.ipc

    def opened() -> tuple[Any, Iterator[Any]]:
        content.seek(0)
        if content.read(6) == b"ARROW1":
            file = pyarrow.ipc.open_file(content)
            return file.schema, (file.get_batch(at) for at in range(file.num_record_batches))
        content.seek(0)
        stream = pyarrow.ipc.open_stream(content)
        return stream.schema, stream

    whole, _ = opened()
    roles = find_roles(whole.names, kind, columns, source=source)
    needed = sorted({whole.names[at] for at in roles.values()})
    schema = pyarrow.schema([whole.field(name) for name in needed])
    return Batches(schema, lambda: (_sound(batch.select(needed)) for batch in opened()[1]), "Arrow", source)


def _sound(batch: Any) -> Any:
    """A batch as it stood in a file, once it is known that no offset in it leads outside."""
    batch.validate(full=True)
    return batch


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
            raise _broken(self._about, self._error, self._source) from None
        if isinstance(error, (pyarrow.ArrowException, OSError)):
            raise _broken(self._about, error, self._source) from None


def _broken(about: str, error: BaseException, source: str) -> InputError:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return InputError(
        f"the {about} data cannot be read: {lines[0] if lines else type(error).__name__}",
        source=source,
        hint="the file may be cut short or damaged: fetch or write it again",
    )


def require_arrow(what: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependency(f"{what} needs pyarrow", hint="pip install 'idealist[tables]'") from None
    return pyarrow
