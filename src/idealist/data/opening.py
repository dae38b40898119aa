"""A source, opened once: a file, a pipe or standard input, plain or compressed."""

from __future__ import annotations

import os
import stat
import sys
import time

from idealist import kernels
from idealist.base.system import change_time, open_standard_input, open_to_read, read_at
from idealist.data.compression import compression_of
from idealist.data.encoding import binary_hint, checked, encoding_of, known_encoding, transcoded
from idealist.data.formats.format import BYTE_ORDER_MARK, HEAD
from idealist.data.source_names import STREAM
from idealist.data.streaming import FULL, room_on_disk, temporary_file
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType
    from typing import Any, Self

    from idealist.data.line_text import Source


VARIABLE = "IDEALIST_PIPE_LIMIT"
DEFAULT = 2.0  # GiB, some 50 million lines of a run


def bounded(blocks: Iterable[bytes], source: str) -> Iterator[bytes]:
    """The blocks of a pipe, decompressed, until they are more than IDEALIST_PIPE_LIMIT allows."""
    limit = pipe_limit()
    size = 0
    for block in blocks:
        size += len(block)
        if size > limit * (1 << 30):
            raise InputError(
                f"more than {limit:g} GiB came in a pipe, which may have no end",
                source=source,
                hint=f"save it to a file first: files may be larger; or set {VARIABLE} to more GiB",
            )
        yield block


def pipe_limit() -> float:
    """In GiB."""
    stated = os.environ.get(VARIABLE, "")
    try:
        limit = float(stated) if stated else DEFAULT
    except ValueError:
        limit = -1.0
    if not limit > 0:
        raise InputError(f"{VARIABLE} is {stated!r}, not a number of GiB", hint=f"for example {VARIABLE}=8")
    return limit


BLOCK = 1 << 20
WINDOW_PIECES = 64  # of half a megabyte
WINDOW = 1 << 23  # of text that comes in order
MOST_KEPT = 1 << 26  # of a pipe in memory
TEXT = "a run or judgments: TREC text, CSV, TSV, JSON, JSONL, Parquet and others, compressed or not"
MOST_WHOLE = 1 << 30  # of what is read as a whole
LONGEST_LINE = 1 << 26  # of text whose lines are read one by one
CLOCK_TICK = 20_000_000  # nanoseconds, generously


class Opened:
    """An open source, for a `with` statement. Whatever keeps it from being read is an InputError.

    `head` is how it begins, decompressed. `size` is that of a plain regular file, which the native core reads
    by itself from `descriptor`; it is None for what comes in order only: pipes, compressed files, and text that
    is not UTF-8 or whose first line names a delimiter. `encoding` is that of text without a mark; what is read is
    UTF-8, but for data that `is_binary`. `delimiter` is what a first line such as sep=; says, which is blank in what is read.
    """

    def __init__(
        self, path: str, encoding: str | None = None, *, is_binary: Callable[[bytes], bool] | None = None
    ) -> None:
        self.path = path
        self._is_binary = is_binary
        self._stated = None if encoding is None else known_encoding(encoding)
        self.encoding: str | None = None
        self.delimiter: str | None = None
        self.source = "standard input" if path == STREAM else path
        self.descriptor = -1
        self.size: int | None = None
        self.compression: str | None = None
        self.head = b""
        # Called with how much was read, and how much there is, where that is known; as much, at the end.
        self.progress: Callable[[int, int], None] | None = None
        self._before: os.stat_result | None = None
        self._pipe: Pipe | None = None

    def __enter__(self) -> Self:
        try:
            self.descriptor = _descriptor(self.path)
        except (OSError, ValueError) as error:
            raise _unreadable(self.source, error) from None
        try:
            self._begin()
        except BaseException as error:
            os.close(self.descriptor)
            if isinstance(error, OSError):
                raise _unreadable(self.source, error) from None
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self.require_unchanged()
        finally:
            os.close(self.descriptor)
            if self._pipe is not None:
                self._pipe.close()
            if self.progress is not None:
                self.progress(1, 1)
        if isinstance(error, kernels.FileChanged):
            raise _changed(self.source) from None
        if isinstance(error, OSError) and not _is_of_output(error):
            raise _unreadable(self.source, error) from None

    def require_unchanged(self) -> None:
        """Raises if a file is another than when it was opened."""
        if self._before is not None:
            before, after = self._before, os.fstat(self.descriptor)
            if (before.st_size, change_time(before)) != (after.st_size, change_time(after)):
                raise _changed(self.source)

    def take_as_it_is(self) -> None:
        """After a change that was made here: it is not taken for somebody else's."""
        self._before = _settled_state(self.descriptor)

    def blocks(self, *, again: bool = False) -> Iterator[bytes]:
        """All of it, decompressed, in order. A pipe can be had once, unless it was asked for `again` each time."""
        raw = self._blocks_of_file() if self._pipe is None else self._pipe.blocks(again)
        if self.compression is not None:
            from idealist.data.compression import decompressed

            raw = decompressed(raw, self.compression, self.source)
        if self._pipe is not None:
            raw = bounded(raw, self.source)
        if self.encoding is not None:
            raw = transcoded(raw, self.encoding, self.source)
        return raw if self.delimiter is None else _without_first_line(raw)

    def windows(self, lines: str | kernels.LineParser) -> Iterator[kernels.Window]:
        """Its rows, in windows that bound the memory they take, for whoever asks, and again."""
        if self.size is not None:
            pieces = kernels.piece_count(self.size)
            for begin in range(0, pieces, WINDOW_PIECES):
                yield kernels.file_window(self.descriptor, self.size, lines, begin, begin + WINDOW_PIECES)
                if self.progress is not None:
                    done = min(pieces, begin + WINDOW_PIECES)
                    self.progress(self.size * done // pieces, self.size)
            return
        cutter = kernels.TextCutter(lines)
        waiting: list[bytes] = []
        for block in text_only(self.blocks(again=True), self.source):
            waiting.append(block)
            if sum(map(len, waiting)) >= WINDOW:
                if (window := cutter.cut(b"".join(waiting))) is not None:
                    yield window
                waiting.clear()
        for last in (cutter.cut(b"".join(waiting)), cutter.finish()):
            if last is not None:
                yield last

    def content(self, *, again: bool = False) -> bytes:
        """All of it; with `again`, it can be asked for once more, whatever it comes from."""
        return content_of(self, self.blocks(again=again))

    def lines(self) -> Iterator[bytes]:
        """Its lines, without their ends; text that is not UTF-8 is an error."""
        begun: list[bytes] = []  # of a line that has not ended
        waiting = 0  # its length
        for block in checked(self.blocks(), self.source):
            complete, end, unfinished = block.rpartition(b"\n")
            if end:
                yield from b"".join([*begun, complete]).split(b"\n")
                begun = []
            begun.append(unfinished)
            waiting = len(unfinished) if end else waiting + len(unfinished)
            if waiting > LONGEST_LINE or b"\0" in unfinished:
                raise InputError(
                    "this is binary data, not text",
                    source=self.source,
                    hint=binary_hint(unfinished, TEXT),
                    code="binary",
                )
        last = b"".join(begun)
        if last:
            yield last

    def look_further(self, enough: Callable[[bytes], bool]) -> None:
        """Makes `head` longer until it is enough, or a block."""
        self.head = _first(self.blocks(again=True), lambda head: len(head) >= BLOCK or enough(head))

    def _begin(self) -> None:
        state = os.fstat(self.descriptor)
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError
        if stat.S_ISREG(state.st_mode) and os.lseek(self.descriptor, 0, os.SEEK_CUR) == 0:
            self._before = _settled_state(self.descriptor)
            self.head = read_at(self.descriptor, HEAD, 0)
        else:
            self._pipe = Pipe(self.descriptor)
            self.head = _first(self._pipe.blocks(again=True), _long_enough)
        self.compression = compression_of(self.head)
        if self.compression is not None:
            self.head = _first(self.blocks(again=True), _long_enough)
        self.encoding = encoding_of(self.head, self._stated, self._is_binary)
        if self.encoding is not None:
            self.head = _first(self.blocks(again=True), _long_enough)
        self.delimiter = stated_delimiter(self.head)
        if self.delimiter is not None:
            self.head = _first(self.blocks(again=True), _long_enough)
        if self._before is not None and (self.compression, self.encoding, self.delimiter) == (None,) * 3:
            self.size = self._before.st_size

    def _blocks_of_file(self) -> Iterator[bytes]:
        assert self._before is not None, "a regular file"
        at = 0
        while block := read_at(self.descriptor, BLOCK, at):
            at += len(block)
            yield block
            if self.progress is not None:
                self.progress(at, self._before.st_size)


class Pipe:
    """A source that comes in order only. What was read is kept while it may be asked for again: in memory as long as it
    is little, then on disk."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._kept = bytearray()
        self._file: Any = None
        self._size = 0  # of what was kept
        self._keeps = True

    def close(self) -> None:
        """Gives up what was kept on disk."""
        if self._file is not None:
            self._file.close()

    def blocks(self, again: bool) -> Iterator[bytes]:
        assert self._keeps, "it was read already"
        self._keeps = again
        at = 0
        while block := self._block(at):
            yield block
            at += len(block)

    def _block(self, at: int) -> bytes:
        if at < self._size:
            if self._file is not None:
                return read_at(self._file.fileno(), BLOCK, at)
            return bytes(self._kept[at : at + BLOCK])
        block = os.read(self._descriptor, BLOCK)
        if self._keeps:
            self._keep(block)
        return block

    def _keep(self, block: bytes) -> None:
        self._size += len(block)
        if self._file is None:
            self._kept += block
            if self._size <= MOST_KEPT:
                return
            self._file, block = temporary_file(), bytes(self._kept)
            self._kept = bytearray()
        with room_on_disk():
            self._file.write(block)
            self._file.flush()


def content_of(opened: Source, given_blocks: Iterator[bytes] | None = None) -> bytes:
    """All of it in memory, for formats that cannot be read piece by piece, up to a limit; `given_blocks` are
    its blocks, if they are asked for already."""
    blocks, size = [], 0
    for block in opened.blocks() if given_blocks is None else given_blocks:
        blocks.append(block)
        size += len(block)
        if size > MOST_WHOLE:
            raise InputError(
                f"this is more than {MOST_WHOLE >> 30} GiB, in a format that is read as a whole",
                source=getattr(opened, "source", None),
                hint="write it as JSONL, CSV, TREC text or Parquet in a plain file: those are read piece by piece",
            )
    return b"".join(blocks)


def text_only(blocks: Iterator[bytes], source: str | None) -> Iterator[bytes]:
    """Blocks until one is no text: what comes in order may have no end, and what cannot be read is not kept."""
    lines = 0
    for block in blocks:
        if b"\0" in block:
            # The first byte that no text has, which may stand before the first zero.
            position = next(at for at, byte in enumerate(block) if byte < 9)
            line = lines + block.count(b"\n", 0, position) + 1
            raise InputError(
                "this is binary data, not text",
                source=source,
                line=line,
                hint=binary_hint(block, TEXT),
                code="binary",
            )
        lines += block.count(b"\n")
        yield block


def rows_of(opened: Source, lines: str | kernels.LineParser, threads: int) -> kernels.Rows:
    """All rows of an open source of text, whatever is wrong with them."""
    if opened.size is not None:
        return kernels.read_file(opened.descriptor, opened.size, lines, threads)
    feed = kernels.Feed(lines)
    blocks = opened.blocks()
    for block in text_only(blocks, opened.source) if isinstance(opened, Opened) else blocks:
        feed.add(block)
    return feed.finish(threads)


def _descriptor(path: str) -> int:
    if path != STREAM:
        return open_to_read(path)
    if sys.stdin is None:
        raise ValueError("it is closed")
    return open_standard_input()


def _settled_state(descriptor: int) -> os.stat_result:
    """The file's state, once it is older than a tick of the file system's clock: another change within the
    same tick would not be noticed."""
    state = os.fstat(descriptor)
    age = time.time_ns() - change_time(state)
    if 0 <= age < CLOCK_TICK:
        time.sleep((CLOCK_TICK - age) / 1e9)
        state = os.fstat(descriptor)
    return state


def no_such_file(source: str) -> InputError:
    """The error for a file that does not exist: one of a similar name may be meant."""
    from difflib import get_close_matches

    folder, name = os.path.split(source)
    try:
        near = get_close_matches(name, os.listdir(folder or "."), n=1, cutoff=0.75)
    except OSError:
        return InputError("there is no such file", source=source, hint=f"there is no folder {folder}")
    hint = f"did you mean {os.path.join(folder, near[0])}?" if near else "check the path"
    return InputError("there is no such file", source=source, hint=hint)


def _unreadable(source: str, error: OSError | ValueError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return no_such_file(source)
    if isinstance(error, IsADirectoryError):
        return InputError("this is a folder, not a file", source=source, hint="name a file in it")
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(f"cannot be read: {reason}", source=source)


def _is_of_output(error: OSError) -> bool:
    """Whether an error is about what is written, and not about what is read."""
    return isinstance(error, BrokenPipeError) or error.errno in FULL


def _changed(source: str) -> InputError:
    return InputError("the file changed while it was read", source=source, hint="read it again")


def stated_delimiter(head: bytes) -> str | None:
    """The delimiter that a first line states, as spreadsheets write it.

    >>> stated_delimiter(b"sep=;\\r\\nquery;document\\r\\n")
    ';'
    """
    first = head[:12].removeprefix(BYTE_ORDER_MARK).partition(b"\n")[0].rstrip(b"\r")
    return chr(first[4]) if len(first) == 5 and first[:4].lower() == b"sep=" else None


def _without_first_line(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Blocks whose first line is blank, so that the others keep their numbers. It is a short one."""
    begun = b""
    for block in blocks:
        begun += block
        if b"\n" in begun:
            yield b"\n" + begun.partition(b"\n")[2]
            break
    yield from blocks


def _long_enough(head: bytes) -> bool:
    return len(head) >= HEAD


def _first(blocks: Iterator[bytes], enough: Callable[[bytes], bool]) -> bytes:
    """The first bytes, until there are enough."""
    head = b""
    for block in blocks:
        head += block
        if enough(head):
            break
    return head
