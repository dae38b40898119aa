"""Files that are written whole or not at all, and runs and judgments as text in them."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager

from idealist import kernels
from idealist.base.system import has_ended, host_name, sync_to_disk
from idealist.data.source_names import STREAM, parse_source
from idealist.data.streaming import FULL
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import IO, Any

    from idealist.data.collection import Collection
    from idealist.data.formats.format import Progress
    from idealist.data.writing import Destination


FOLDER = ".idealist-"  # how the folders begin that unfinished files are in
A_DAY = 86_400.0  # seconds


def refuse_existing(path: str | None, force: bool) -> None:
    """Before the work starts: a file that is there already stays unless it may be replaced."""
    if path is not None and os.path.lexists(path) and not force:
        raise InputError(f"{path}: the file exists already", hint="--force replaces it")


def refuse_unwritable(path: str) -> None:
    """Before hours of work: the folder that a file goes to is there, and the file is no folder."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder", hint="name a file in it")
    if os.path.exists(path) and not os.path.isfile(path):
        return  # a device or a pipe
    if not os.path.isdir(folder):
        raise InputError(f"{path}: there is no folder {folder}", hint="make it first")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path}: the folder {folder} cannot be written to", hint="name another place")


def refuse_inputs(path: str | None, inputs: Iterable[str | None]) -> None:
    """Refuses to write over what is read, even by force."""
    for source in inputs:
        file = None if source is None else parse_source(source).path
        if path and file and os.path.exists(path) and os.path.exists(file) and os.path.samefile(path, file):
            raise InputError(f"{path}: this is one of the inputs", hint="name another file to write")


class Target:
    """A file to be written, for a `with` statement, which gives the path to write to: a file in a folder of its
    own beside the target, that takes its place when all went well, and is removed when anything did not. So
    whoever looks sees the old file or the whole new one, which keeps the permissions of the old. The folder is
    nobody else's, so what libraries put beside the file, such as journals, goes with it. What is no regular file,
    such as a device or a pipe, is written to directly."""

    def __init__(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        self.path = os.fspath(path)
        self._target = os.path.realpath(self.path)
        self._folder: str | None = None
        self._before: os.stat_result | None = None
        self._special = self._is_special()
        if not self._special:
            refuse_existing(self.path, force)

    def _is_special(self) -> bool:
        try:
            self._before = os.stat(self._target)
        except (OSError, ValueError):
            return False
        if stat.S_ISDIR(self._before.st_mode):
            raise InputError(f"{self.path} is a folder", hint="name a file in it")
        return not stat.S_ISREG(self._before.st_mode)

    def __enter__(self) -> str:
        if self._special:
            return self._target
        # Not named after the target, whose name may be as long as names can be.
        name = f"{FOLDER}{_machine()}-{os.getpid()}-{os.urandom(8).hex()}"
        folder = os.path.join(os.path.dirname(self._target), name)
        file = os.path.join(folder, "new")
        _remove_abandoned(os.path.dirname(self._target))
        self._folder = folder
        try:
            os.mkdir(folder, 0o700)
        except (OSError, ValueError) as error:
            self._folder = None
            raise self._unwritable(error) from None
        return file

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None and self._folder is not None:
                written = os.path.join(self._folder, "new")
                sync_to_disk(written, self._before)
                os.replace(written, self._target)
        except OSError as failure:
            raise self._unwritable(failure) from None
        finally:
            self._remove()
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise self._unwritable(error) from None

    def __del__(self) -> None:
        """An interrupt can come where no statement looks after the folder: between two, or as `__exit__` begins."""
        if getattr(self, "_folder", None) is not None:
            self._remove()

    def _remove(self) -> None:
        if self._folder is None:
            return
        try:
            os.rmdir(self._folder)
        except OSError:  # something is left in it, or it was never made
            from shutil import rmtree

            rmtree(self._folder, ignore_errors=True)
        self._folder = None

    def _unwritable(self, error: OSError | ValueError) -> InputError:
        reason = getattr(error, "strerror", None) or str(error)
        full = getattr(error, "errno", None) in FULL
        return InputError(
            f"{self.path}: cannot be written: {reason}",
            hint="make room on its disk, or write to another"
            if full
            else "check that its folder exists and is yours",
        )


def _machine() -> str:
    """A short name of this machine that any file name can have in it."""
    from zlib import crc32

    return f"{crc32(host_name().encode('utf-8', 'surrogateescape')):08x}"


def _remove_abandoned(folder: str) -> None:
    """Removes the folders of unfinished files that killed processes of this machine left more than a day ago."""
    import time
    from shutil import rmtree

    begin = f"{FOLDER}{_machine()}-"
    try:
        with os.scandir(folder or ".") as entries:
            abandoned = [
                entry.path
                for entry in entries
                if entry.name.startswith(begin)
                and (process := entry.name.removeprefix(begin).partition("-")[0]).isdecimal()
                and time.time() - entry.stat(follow_symlinks=False).st_mtime > A_DAY
                and has_ended(int(process))
            ]
    except OSError:
        return  # whoever may write to a folder may not be allowed to list it
    for path in abandoned:
        rmtree(path, ignore_errors=True)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A last step that is done or not done, but never reported as failed when it was done: Ctrl-C and SIGTERM
    come too late for it."""
    import signal

    late = (signal.SIGINT, signal.SIGTERM)
    try:
        before = [signal.signal(number, signal.SIG_IGN) for number in late]
    except ValueError:  # handlers belong to the main thread, which alone is interrupted
        yield
        return
    try:
        yield
    finally:
        for number, handler in zip(late, before, strict=True):
            signal.signal(number, handler)


BLOCK = 1 << 24
ANOTHER = "choose another format: Parquet carries any text, and JSON any that is not empty"


def write_text(
    collection: Collection,
    destination: Destination,
    *,
    layout: str,
    word: str | None = None,
    first_line: str = "",
    last_line: str = "",
    misfit: str,
    hint: str = ANOTHER,
    force: bool,
    progress: Progress | None,
) -> None:
    """Writes the rows in a `layout` of the native core, between a first and a last line. `word` is what a line says
    besides: the name of a run or, by default, that of the number. `misfit` says why an id does not fit, `hint` what
    to do about it."""

    def blocks() -> Iterator[bytes]:
        """So many queries at a time."""
        threads, query, queries = kernels.available_threads(), 0, len(collection)
        yield first_line.encode()
        while query < queries:
            text, query, refused = collection.rows.text(
                query, BLOCK, layout, word or collection.number, threads
            )
            if refused is not None:
                raise _misfit(refused, misfit, hint, destination)
            yield text
            if progress is not None:
                progress(query, queries)
        yield last_line.encode()

    _write(blocks(), destination, force)


def _misfit(refused: tuple[str, str, str], misfit: str, hint: str, destination: Destination) -> InputError:
    misfit_kind, query, document = refused
    if misfit_kind == "number":
        return InputError(
            f"{destination.target}: query {query!r}, document {document!r}: JSON has no infinite numbers",
            hint="choose another format, such as CSV or Parquet",
        )
    where = f"query {query!r}" if misfit_kind == "query" else f"query {query!r}, document {document!r}"
    return InputError(f"{destination.target}: {where}: {misfit}", hint=hint)


def _write(blocks: Iterator[bytes], destination: Destination, force: bool) -> None:
    if destination.path == STREAM:
        output = _standard_output()
        for block in blocks:
            output.write(block)
        output.flush()
        return
    with Target(destination.path, force=force) as path, _opened(path, destination.compression) as opened:
        for block in blocks:
            opened.write(block)


def _standard_output() -> IO[bytes]:
    if sys.stdout is None:
        raise InputError("standard output is closed")
    sys.stdout.flush()
    return sys.stdout.buffer


def _opened(path: str, compression: str | None) -> Any:
    if compression is None:
        return open(path, "wb")
    if compression == "gzip":
        import gzip

        return gzip.open(path, "wb", compresslevel=6)
    if compression == "bz2":
        import bz2

        return bz2.open(path, "wb")
    if compression == "xz":
        import lzma

        return lzma.open(path, "wb")
    try:
        import pyarrow
    except ImportError:
        raise MissingDependency(
            f"{compression} needs pyarrow", hint="pip install 'idealist[tables]'"
        ) from None
    return pyarrow.CompressedOutputStream(path, compression)
