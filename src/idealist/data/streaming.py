"""Runs of any size against judgments: rows are ranked while they come, and not kept."""

from __future__ import annotations

from errno import EDQUOT, EFBIG, ENOSPC

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.base.system import most_open_files
from idealist.base.wording import count_of
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

    from idealist.data.judgments import Judgments

# What may be kept in memory when rows must be seen together: about half a gigabyte.
MOST_ROWS = 8_000_000
# On disk; each is read into memory by itself.
PARTS = 256
FULL = (ENOSPC, EFBIG, EDQUOT)
# A window of a frame or of batches.
WINDOW_ROWS = 1 << 20


class Matched(Frozen):
    """The rest of a run after matching: its rankings of the judged queries, and how much there was."""

    rankings: kernels.Rankings
    queries: int
    rows: int
    notes: tuple[str, ...] = ()


def match_rows(
    rows: kernels.Rows, judgments: Judgments, options: kernels.MatchOptions, threads: int
) -> Matched:
    """Rankings of a run that is in memory."""
    rankings = kernels.match(rows, judgments.rows, options, threads)
    return Matched(rankings, rows.query_count(), len(rows), _note_infinite(kernels.infinite_rows(rows)))


def _note_infinite(scores: int) -> tuple[str, ...]:
    if not scores:
        return ()
    return (
        f"{count_of(scores, 'infinite score')}, as numbers beyond 1.8e308 are read: those of a query tie",
    )


def match_windows(
    windows: Callable[[], Iterator[kernels.Window]],
    judgments: Judgments,
    options: kernels.MatchOptions,
    threads: int,
    *,
    refuse: Callable[[kernels.Rows | kernels.Partitions], None],
    regrouped: Callable[[], kernels.Window] | None = None,
    source: str | None = None,
) -> Matched:
    """Rankings from windows, which can be had more than once. `refuse` raises what is wrong with rows;
    `regrouped` gives the rows of all windows query by query, where they are in memory already.

    A run whose queries lie together is read once, in bounded memory. Any other is kept in memory if it is
    small, and else sorted out on disk.
    """
    stream = kernels.Stream(judgments.rows, options, threads)
    all(map(stream.add, windows()))
    if stream.stopped == "scattered" and regrouped is not None:
        stream = kernels.Stream(judgments.rows, options, threads)
        stream.add(regrouped())
    if (finished := stream.finish()) is not None and finished[2]:
        return Matched(*finished, _note_infinite(stream.infinite))
    # A bad row, a document that appears twice, or queries that do not lie together.
    gathering = kernels.Gathering(threads)
    for window in windows():
        gathering.add(window)
        if len(gathering) > MOST_ROWS:
            break
    else:
        rows = gathering.rows(threads)
        refuse(rows)
        return match_rows(rows, judgments, options, threads)
    del gathering
    return _match_on_disk(windows, judgments, options, threads, refuse, source)


def _match_on_disk(
    windows: Callable[[], Iterator[kernels.Window]],
    judgments: Judgments,
    options: kernels.MatchOptions,
    threads: int,
    refuse: Callable[[kernels.Rows | kernels.Partitions], None],
    source: str | None,
) -> Matched:
    from contextlib import ExitStack

    with ExitStack() as files:
        opened = [files.enter_context(temporary_file()) for _ in range(part_count())]
        parts = kernels.Partitions([file.fileno() for file in opened], threads)
        for window in windows():
            with room_on_disk():
                parts.add(window)
            refuse(parts)
        with room_on_disk():
            parts.finish()
        stream = kernels.Stream(judgments.rows, options, threads)
        for file in opened:
            rows = kernels.read_part(file.fileno(), threads)
            _refuse_twice(rows, source)
            stream.add_queries(rows)
    finished = stream.finish()
    assert finished is not None, "no part stops a stream"
    note = f"the rows of a query do not lie together: {finished[2]:,} rows were sorted out on disk first"
    return Matched(*finished, (note, *_note_infinite(stream.infinite)))


def _refuse_twice(rows: kernels.Rows, source: str | None) -> None:
    """Raises for duplicates, without the line, which is not known any more."""
    if rows.duplicate is not None:
        query, document, *_ = rows.duplicate
        raise InputError(
            f"document {document!r} appears twice for query {query!r}",
            source=source,
            hint="keep one of the two; `idealist check` finds them all",
            code="duplicate",
        )


def part_count() -> int:
    """As many files as may be open, with some to spare."""
    allowed = most_open_files()
    return PARTS if allowed is None else max(8, min(PARTS, allowed // 2))


def temporary_file() -> IO[bytes]:
    """A file without a name: nothing is left of it, whatever happens."""
    from tempfile import TemporaryFile

    try:
        return TemporaryFile(prefix="idealist-")
    except OSError as error:
        raise InputError(
            f"no temporary file can be made: {error.strerror or error}",
            hint="TMPDIR names a folder with room for as much as is read",
        ) from None


class room_on_disk:
    """A context in which a full disk is an error about temporary files, not about what is read."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and error.errno in FULL:
            raise InputError(
                f"temporary files cannot be written: {error.strerror}",
                hint="TMPDIR names a folder with room for as much as is read",
            ) from None
