"""A source, opened once: a file, a pipe or standard input, plain or compressed."""

from __future__ import annotations

import os
import stat
import sys
import time
from itertools import chain

from idealist import kernels
from idealist.errors import InputError
from idealist.io.compression import compression_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Self

STDIN = "-"
BLOCK = 1 << 20
HEAD = 1 << 16  # how much of a source is looked at to tell what it is
CLOCK_TICK = 20_000_000  # nanoseconds, generously


class Opened:
    """An open source, for a `with` statement. Whatever keeps it from being read is an InputError.

    `head` is how it begins, decompressed. `size` is that of a plain regular file, which the native core reads
    by itself from `descriptor`; it is None for what comes in order only: pipes and compressed files.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.source = "standard input" if path == STDIN else path
        self.descriptor = -1
        self.size: int | None = None
        self.compression: str | None = None
        self.head = b""
        self._before: os.stat_result | None = None
        self._coming: Iterator[bytes] | None = None

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
            if error is None and self._before is not None:
                before, after = self._before, os.fstat(self.descriptor)
                if (before.st_size, before.st_ctime_ns) != (after.st_size, after.st_ctime_ns):
                    raise _changed(self.source)
        finally:
            os.close(self.descriptor)
        if isinstance(error, kernels.FileChanged):
            raise _changed(self.source) from None
        if isinstance(error, OSError):
            raise _unreadable(self.source, error) from None

    def blocks(self) -> Iterator[bytes]:
        """All of it, decompressed, in order; what is not a plain file can be had once."""
        if self.size is not None:
            return _blocks_of_file(self.descriptor)
        coming, self._coming = self._coming, None
        assert coming is not None, "it was read already"
        return coming

    def content(self) -> bytes:
        return b"".join(self.blocks())

    def lines(self) -> Iterator[bytes]:
        """Its lines, without their ends."""
        begun: list[bytes] = []  # of a line that has not ended
        for block in self.blocks():
            whole, end, rest = block.rpartition(b"\n")
            if end:
                yield from b"".join([*begun, whole]).split(b"\n")
                begun = []
            begun.append(rest)
        last = b"".join(begun)
        if last:
            yield last

    def look_further(self, enough: Callable[[bytes], bool]) -> None:
        """Makes `head` longer until it is enough, or a block."""
        if self.size is not None:
            self.head = os.pread(self.descriptor, BLOCK, 0)
        else:
            self.head, self._coming = _peeked(self.blocks(), lambda head: len(head) >= BLOCK or enough(head))

    def _begin(self) -> None:
        state = os.fstat(self.descriptor)
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError
        if stat.S_ISREG(state.st_mode) and os.lseek(self.descriptor, 0, os.SEEK_CUR) == 0:
            self._before = _settled_state(self.descriptor)
            self.head = os.pread(self.descriptor, HEAD, 0)
            self.compression = compression_of(self.head)
            if self.compression is None:
                self.size = self._before.st_size
                return
            blocks = _blocks_of_file(self.descriptor)
        else:
            self.head, blocks = _peeked(_blocks_in_order(self.descriptor), _long_enough)
            self.compression = compression_of(self.head)
        if self.compression is not None:
            from idealist.io.compression import decompressed

            blocks = decompressed(blocks, self.compression, self.source)
            self.head, blocks = _peeked(blocks, _long_enough)
        self._coming = blocks


def _descriptor(path: str) -> int:
    if path != STDIN:
        return os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    if sys.stdin is None:
        raise ValueError("it is closed")
    return os.dup(0)


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


def _blocks_in_order(descriptor: int) -> Iterator[bytes]:
    while block := os.read(descriptor, BLOCK):
        yield block


def _blocks_of_file(descriptor: int) -> Iterator[bytes]:
    at = 0
    while block := os.pread(descriptor, BLOCK, at):
        at += len(block)
        yield block


def _long_enough(head: bytes) -> bool:
    return len(head) >= HEAD


def _peeked(blocks: Iterator[bytes], enough: Callable[[bytes], bool]) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, until there are enough, and all of them again."""
    head = b""
    for block in blocks:
        head += block
        if enough(head):
            break
    return head, chain([head], blocks)
