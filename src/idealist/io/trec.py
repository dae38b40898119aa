"""TREC text: judgments (`query iteration document grade`) and runs (`query Q0 document rank score system`)."""

from __future__ import annotations

import os
import stat
import time
from itertools import chain

from idealist import kernels
from idealist.data import Judgments, Run, UnreadRun
from idealist.data.streaming import Matched, match_windows
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    T = TypeVar("T")

COLUMNS = {
    "judgments": ("query", "iteration", "document", "grade"),
    "run": ("query", "Q0", "document", "rank", "score", "system"),
    "groups": ("query", "group", "document", "grade"),
    "preferences": ("query", "group", "subgroup", "document", "level"),
    "strata": ("query", "iteration", "document", "stratum", "grade"),
}
MORE_OF_DUPLICATES = {
    "judgments": "; if the second column names subtopics, read_groups and measures of subtopics take them",
}
BLOCK = 1 << 20
WINDOW_PIECES = 256  # of half a megabyte
HEAD = 4096  # how much of a file that makes no sense is looked at to tell what it is
CLOCK_TICK = 20_000_000  # nanoseconds, generously
GZIP = b"\x1f\x8b\x08"
# What else people have under such names, by its first bytes; asked only when the text makes no sense.
OTHER_FORMATS = {
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x04\x22\x4d\x18": "lz4",
    b"PK\x03\x04": "zip",
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


def read_judgments(path: str | os.PathLike[str], *, threads: int | None = None) -> Judgments:
    """Judgments from a TREC file, plain or gzip."""
    rows = read_rows(path, "judgments", threads)
    return Judgments.from_rows(rows, name=file_name(path), source=os.fspath(path))


def read_run(path: str | os.PathLike[str], *, name: str | None = None, threads: int | None = None) -> Run:
    """A run from a TREC file, plain or gzip, named after the file unless a name is given."""
    rows = read_rows(path, "run", threads)
    return Run.from_rows(rows, name=name or file_name(path), source=os.fspath(path))


class RunFile(UnreadRun):
    """A TREC file of a run, plain or gzip, measured without being kept in memory."""

    source: str

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.source = os.fspath(path)
        self.name = file_name(path)

    def read(self) -> Run:
        return read_run(self.source)

    def rankings(self, judgments: Judgments, options: kernels.MatchOptions, threads: int) -> Matched:
        def use(descriptor: int, size: int | None) -> Matched:
            if size is None:
                rows = _rows(descriptor, size, self.source, "run", threads)
                native = kernels.match(rows, judgments.rows, options, threads)
                return Matched(native, rows.query_count(), len(rows))

            def refuse(rows: kernels.Rows | kernels.Partitions) -> None:
                refuse_bad_rows(rows, os.pread(descriptor, HEAD, 0), self.source, "run")

            return match_windows(
                lambda: file_windows(descriptor, size, "run"), judgments, options, threads, refuse=refuse
            )

        return _opened(self.source, use)


def file_windows(descriptor: int, size: int, layout: str) -> Iterator[kernels.Window]:
    """The rows of a regular file, so many pieces at a time."""
    pieces = kernels.piece_count(size)
    for begin in range(0, pieces, WINDOW_PIECES):
        yield kernels.file_window(descriptor, size, layout, begin, begin + WINDOW_PIECES)


def file_name(path: str | os.PathLike[str]) -> str:
    """What is read from a file is named after it."""
    name = os.path.basename(os.fspath(path)).removesuffix(".gz")
    return os.path.splitext(name)[0] or name


def read_rows(path: str | os.PathLike[str], layout: str, threads: int | None) -> kernels.Rows:
    """The rows of a file in one of the layouts of COLUMNS; whatever is wrong with it is an InputError."""
    source = os.fspath(path)
    count = kernels.thread_count(threads)
    return _opened(source, lambda descriptor, size: _rows(descriptor, size, source, layout, count))


def fields(key: str) -> list[str]:
    """The columns that a row's id is made of, where a layout takes several."""
    return [one.decode("utf-8", "surrogateescape") for one in key.encode("utf-8", "surrogateescape").split()]


def read_rows_of(
    path: str | os.PathLike[str], layouts: Sequence[str], threads: int | None
) -> tuple[str, kernels.Rows]:
    """The rows of a file in one of several layouts, told apart by the columns of the first line; the first
    layout, if it has as many as none of them."""
    source = os.fspath(path)
    count = kernels.thread_count(threads)

    def use(descriptor: int, size: int | None) -> tuple[str, kernels.Rows]:
        if size is None:
            blocks = _decompressed(_blocks(descriptor), source)
            head, blocks = _peeked(blocks, lambda text: b"\n" in text.lstrip() or len(text) > BLOCK)
        else:
            head, blocks = os.pread(descriptor, BLOCK, 0), None
        columns = len(head.lstrip().partition(b"\n")[0].split())
        layout = next((one for one in layouts if len(COLUMNS[one]) == columns), layouts[0])
        return layout, _rows(descriptor, size, source, layout, count, blocks)

    return _opened(source, use)


def plain_text(source: str, use: Callable[[int, int], T]) -> T:
    """What `use` makes of the open file and its size; what is compressed, a pipe or standard input (-) is
    written out to a temporary file first, so that it can be read more than once."""

    def spooled(descriptor: int, size: int | None) -> T:
        if size is not None:
            return use(descriptor, size)
        from tempfile import TemporaryFile

        with TemporaryFile() as file:
            for block in _decompressed(_blocks(descriptor), source):
                file.write(block)
            file.flush()
            return use(file.fileno(), file.tell())

    return _opened("/dev/stdin" if source == "-" else source, spooled)


def _rows(
    descriptor: int,
    size: int | None,
    source: str,
    layout: str,
    threads: int,
    blocks: Iterator[bytes] | None = None,
) -> kernels.Rows:
    if size is None:
        rows, head = _fed(blocks or _decompressed(_blocks(descriptor), source), layout, threads)
    else:
        rows, head = kernels.read_file(descriptor, size, layout, threads), os.pread(descriptor, HEAD, 0)
    refuse_bad_rows(rows, head, source, layout)
    return rows


def _opened(source: str, use: Callable[[int, int | None], T]) -> T:
    """What `use` makes of the open file and its size, which is None for what must be read in order: pipes
    and compressed files. Whatever keeps it from being read is an InputError."""
    try:
        descriptor = os.open(source, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError) as error:
        raise _unreadable(source, error) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return use(descriptor, None)
        before = _settled_state(descriptor)
        result = use(descriptor, None if os.pread(descriptor, len(GZIP), 0) == GZIP else before.st_size)
        after = os.fstat(descriptor)
        if (before.st_size, before.st_ctime_ns) != (after.st_size, after.st_ctime_ns):
            raise _changed(source)
        return result
    except kernels.FileChanged:
        raise _changed(source) from None
    except OSError as error:
        raise _unreadable(source, error) from None
    finally:
        os.close(descriptor)


def _settled_state(descriptor: int) -> os.stat_result:
    """The file's state, once it is older than a tick of the file system's clock: another change within the
    same tick would not be noticed."""
    state = os.fstat(descriptor)
    age = time.time_ns() - state.st_ctime_ns
    if 0 <= age < CLOCK_TICK:
        time.sleep((CLOCK_TICK - age) / 1e9)
        state = os.fstat(descriptor)
    return state


def _unreadable(source: str, error: OSError | ValueError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError("there is no such file", source=source, hint="check the path")
    if isinstance(error, IsADirectoryError):
        return InputError("this is a directory, not a file", source=source, hint="name a file in it")
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(f"cannot be read: {reason}", source=source)


def _changed(source: str) -> InputError:
    return InputError("the file changed while it was read", source=source, hint="read it again")


def _blocks(descriptor: int) -> Iterator[bytes]:
    while block := os.read(descriptor, BLOCK):
        yield block


def _fed(blocks: Iterator[bytes], layout: str, threads: int) -> tuple[kernels.Rows, bytes]:
    """What comes in order only: pipes and compressed files."""
    head, blocks = _peeked(blocks, _tells_format)
    feed = kernels.Feed(layout)
    for block in blocks:
        feed.add(block)
    return feed.finish(threads), head


def _decompressed(blocks: Iterator[bytes], source: str) -> Iterator[bytes]:
    head, blocks = _peeked(blocks, _tells_format)
    return _gunzipped(blocks, source) if head.startswith(GZIP) else blocks


def _peeked(blocks: Iterator[bytes], enough: Callable[[bytes], bool]) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, until there are enough, and all of them again."""
    head = b""
    for block in blocks:
        head += block
        if enough(head):
            break
    return head, chain([head], blocks)


def _tells_format(head: bytes) -> bool:
    return len(head) >= 8


def _gunzipped(blocks: Iterator[bytes], source: str) -> Iterator[bytes]:
    """Every member of a gzip file, one after the other."""
    import zlib

    member = zlib.decompressobj(wbits=31)
    begun = False
    try:
        for block in blocks:
            while block:
                if not begun:
                    block = block.lstrip(b"\0")  # padding between members
                    begun = bool(block)
                yield member.decompress(block, BLOCK)
                while member.unconsumed_tail and not member.eof:
                    yield member.decompress(member.unconsumed_tail, BLOCK)
                block = member.unused_data
                if member.eof:
                    member, begun = zlib.decompressobj(wbits=31), False
    except zlib.error as error:
        raise InputError(
            f"the gzip data is damaged: {error}", source=source, hint="fetch or compress the file again"
        ) from None
    if begun:
        raise InputError(
            "the gzip data ends too early: the file was cut short",
            source=source,
            hint="fetch or compress the file again",
        )


def _expected(layout: str) -> str:
    kind = layout if layout in ("run", "judgments") else f"judgments with {layout}"
    return f"a line of TREC {kind}: {' '.join(COLUMNS[layout])}"


def refuse_bad_rows(rows: kernels.Rows | kernels.Partitions, head: bytes, source: str, layout: str) -> None:
    if rows.problem is not None:
        _refuse_other_formats(head, source)
        raise _bad_line(rows.problem, source, layout, binary=b"\0" in head[:HEAD])
    if isinstance(rows, kernels.Partitions):
        return
    if rows.duplicate is not None:
        query, key, first, second, count = rows.duplicate
        raise InputError(
            f"{_what(key, layout)} is there twice for query {query!r}, "
            f"first on line {first}{_more(count, 'duplicate')}",
            source=source,
            line=second,
            hint="keep one of the two lines" + MORE_OF_DUPLICATES.get(layout, ""),
        )
    if len(rows) == 0:
        raise InputError("the file is empty", source=source, hint=_expected(layout))


def _what(key: str, layout: str) -> str:
    """What a row is about: its document and, where a layout takes more columns, what they say."""
    if layout in ("run", "judgments"):
        return f"document {key!r}"
    names = COLUMNS[layout]
    first = 2 if layout == "strata" else 1
    named = dict(zip(names[first:], fields(key), strict=False))
    document = named.pop("document")
    return f"document {document!r} of " + ", ".join(f"{name} {text!r}" for name, text in named.items())


def _refuse_other_formats(head: bytes, source: str) -> None:
    for magic, name in OTHER_FORMATS.items():
        if head.startswith(magic):
            raise InputError(
                f"this is {name} data, not TREC text",
                source=source,
                hint="decompress or convert it first; gzip is read as it is",
            )


def _bad_line(
    problem: tuple[str, int, int, str, int], source: str, layout: str, *, binary: bool
) -> InputError:
    kind, line, columns, text, count = problem
    number = COLUMNS[layout][4 if layout == "run" else -1]
    hint = _expected(layout)
    if binary or kind == "binary":
        message = "this is binary data, not text"
    elif kind == "columns":
        message = f"expected {len(COLUMNS[layout])} columns, found {columns}: {text!r}"
        other = "judgments" if layout == "run" else "run"
        if columns == len(COLUMNS[other]):
            hint = f"this looks like {'a run' if other == 'run' else other}; judgments come first, runs after them"
    elif kind == "too-long":
        message = "the line is longer than a megabyte"
    elif kind == "not-finite":
        message = f"the {number} is infinite: {text!r}"
    else:
        message = f"the {number} is not a number: {text!r}"
    return InputError(message + _more(count, "bad line"), source=source, line=line, hint=hint)


def _more(count: int, what: str) -> str:
    if count < 2:
        return ""
    return f" (and {count - 1:,} more {what}{'s' if count > 2 else ''})"
