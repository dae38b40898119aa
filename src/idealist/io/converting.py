"""From one format to another: in bounded memory from TREC text to Parquet and Arrow, in memory otherwise."""

from __future__ import annotations

import os

from idealist import kernels
from idealist.conventions import DEFAULT
from idealist.data import Judgments, Run
from idealist.data.options import match_options
from idealist.data.streaming import match_windows
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.io import trec
from idealist.io.destinations import destination_of
from idealist.io.kinds import head_of
from idealist.io.writing import refuse_loss, require_tag, write_judgments, write_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from idealist.io.destinations import Destination

    Progress = Callable[[int, int], None]

PIECES = 64  # of half a megabyte, that are written at a time


class Converted(Frozen):
    """What was converted: a run or judgments, and how much of it."""

    kind: str
    name: str
    rows: int
    queries: int


def convert(
    source: str,
    target: str,
    kind: str,
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
    lossy: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Converted:
    """Writes what is in `source` to `target`; `kind` says whether it is a run or judgments."""
    place = destination_of(target, kind, to_format)
    refuse_loss(place, lossy)
    _refuse_itself(source, place)
    if is_streamed(source, place, kind, from_format):
        return _stream(source, place, kind, name or trec.file_name(source), force, progress)
    collection = _read(source, kind, from_format, columns, name)
    if isinstance(collection, Run):
        if place.format.name == "trec":
            require_tag(collection.name)
        write_run(collection, target, format=to_format, force=force, lossy=lossy, progress=progress)
    else:
        write_judgments(collection, target, format=to_format, force=force, progress=progress)
    return Converted(kind, collection.name, len(collection.rows), len(collection))


def is_streamed(source: str, place: Destination, kind: str, from_format: str | None = None) -> bool:
    """Whether the source is never in memory as a whole. Progress is then told in bytes, and else in queries."""
    return place.format.kind == "table" and from_format in (None, "trec") and is_trec_file(source, kind)


def _read(
    source: str, kind: str, format: str | None, columns: Mapping[str, str] | None, name: str | None
) -> Run | Judgments:
    """The one place that says how sources are read."""
    from idealist import io

    if kind == "run":
        return io.read_run(source, format=format, columns=columns, name=name)
    return io.read_judgments(source, format=format, columns=columns, name=name)


def _refuse_itself(source: str, place: Destination) -> None:
    if os.path.isfile(source) and os.path.exists(place.path) and os.path.samefile(source, place.path):
        raise InputError(f"{source}: a file is not converted onto itself", hint="name another target")


def is_trec_file(source: str, kind: str) -> bool:
    """Whether a regular file, plain or compressed, begins as TREC text does."""
    if not os.path.isfile(source):
        return False
    try:
        return trec.is_trec(head_of(source), kind)
    except InputError:  # reading says it again
        return False


def _stream(
    source: str, place: Destination, kind: str, name: str, force: bool, progress: Progress | None
) -> Converted:
    """Window by window; what is compressed goes to a temporary file first. It is read twice, which costs little: once for whatever is wrong with it, so that
    bad lines and duplicates are found before anything is written, and once to write it."""
    from idealist.io.table_writing import write_batches

    threads = kernels.available_threads()

    def use(descriptor: int, size: int) -> Converted:
        def refuse(rows: kernels.Rows | kernels.Partitions) -> None:
            trec.refuse_bad_rows(rows, os.pread(descriptor, trec.HEAD, 0), source, kind)

        nothing = Judgments({})
        found = match_windows(
            lambda: trec.file_windows(descriptor, size, kind),
            nothing,
            match_options(DEFAULT),
            threads,
            refuse=refuse,
        )
        tables = _unchanged(_tables(descriptor, size, kind, threads, progress), descriptor, source)
        write_batches(tables, place, kind, name=name, force=force)
        return Converted(kind, name, found.rows, found.queries)

    return trec.plain_text(source, use)


def _tables(descriptor: int, size: int, kind: str, threads: int, progress: Progress | None) -> Iterator[Any]:
    from idealist.io.table_writing import arrow

    reader = arrow().RecordBatchReader
    number = "score" if kind == "run" else "grade"
    pieces = kernels.piece_count(size)
    for begin in range(0, pieces, PIECES):
        gathering = kernels.Gathering(threads)
        gathering.add(kernels.file_window(descriptor, size, kind, begin, begin + PIECES))
        yield reader.from_stream(_Gathered(gathering.arrow(number))).read_all()
        if progress is not None:
            progress(size * min(begin + PIECES, pieces) // pieces, size)


def _unchanged(tables: Iterator[Any], descriptor: int, source: str) -> Iterator[Any]:
    """The same tables, but an error at the end if the file is another than at the beginning: before what was
    written takes the target's place."""
    before = os.fstat(descriptor)
    yield from tables
    after = os.fstat(descriptor)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise InputError("the file changed while it was read", source=source, hint="convert it again")


class _Gathered:
    """A stream of Arrow as an object that speaks it."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._capsule
