"""Runs and judgments as files: tab-separated text, grouped by query, named by the SHA-256 of its bytes.

Queries stand in bytewise order of their ids, so that the rows of one are found by bisection, in a file of any size, and
the readers of `io` measure the whole file while they read it. Documents of a query keep the order they came in, which
some conventions for ties look at.
"""

from __future__ import annotations

import csv
import hashlib
import mmap
import os
import re
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from idealist.base.system import close_to_others, sync_to_disk
from idealist.data import Judgments, Run
from idealist.data.writing import write_judgments, write_run
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

ENDING = ".tsv"
# The beginnings of the names of folders that are there for a while, and when they are not of work that is going on.
TEMPORARY = ("upload-", "writing-", "export-", "grades-")
SECRET = "secret"  # the file that the server keeps its own key in
ABANDONED = 24 * 3600  # seconds
LONGEST_FILE_NAME = 200  # bytes; most file systems take 255
OURS = re.compile(rf"[0-9a-f]{{2}}|{SECRET}|(?:{'|'.join(TEMPORARY)}).*")
FIRST_FIELD = re.compile(rb'(?:"(?:[^"]|"")*"|[^\t]*)\t')


def fitting_name(name: str) -> str:
    """The end of a file's name, as much of it as file systems take, which count bytes.

    >>> fitting_name("shop.run"), len(fitting_name("中" * 300 + ".run"))
    ('shop.run', 69)
    """
    return name.encode("utf-8", "replace")[-LONGEST_FILE_NAME:].decode("utf-8", "ignore")


class StoredFiles:
    """The folder of the files. They are never changed: what is there is whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._close_to_others()
        except OSError as error:
            raise InputError(
                f"{error.filename or folder}: this folder of files cannot be made, or closed to others: {error.strerror}",
                hint="name another one with --files",
            ) from None
        self._remove_abandoned()

    def _close_to_others(self) -> None:
        """Other users of this machine may read nothing of what is there. A folder that holds other things too stays open."""
        for inner in self.folder.glob("??"):
            if inner.is_dir() and OURS.fullmatch(inner.name):
                for path in (*inner.iterdir(), inner):
                    close_to_others(path)
        if all(OURS.fullmatch(entry.name) for entry in self.folder.iterdir()):
            close_to_others(self.folder)

    def _remove_abandoned(self) -> None:
        """What a server that was killed has left of uploads and downloads. Others may use the folder now: theirs are
        younger."""
        for prefix in TEMPORARY:
            for left in self.folder.glob(f"{prefix}*"):
                with suppress(OSError):  # another server may remove it too
                    if time.time() - left.stat().st_mtime > ABANDONED:
                        shutil.rmtree(left)

    def path(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / f"{sha256}{ENDING}"

    def store(self, collection: Run | Judgments) -> str:
        """Writes a run or judgments, unless the same is there already, and gives the name."""
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="writing-") as folder:
            written = Path(folder) / f"content{ENDING}"
            write = write_run if isinstance(collection, Run) else write_judgments
            try:
                write(collection, written)  # type: ignore[operator]
            except InputError as error:
                message = error.message.removeprefix(f"{written}: ")
                raise InputError(
                    f"this cannot be stored: {message}",
                    hint="give queries and documents ids of one line of text",
                ) from None
            return self.keep(written)

    def keep(self, written: Path) -> str:
        """Moves a file that was written in this folder to its place, by its content."""
        with open(written, "rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        close_to_others(written)
        sync_to_disk(written)
        target = self.path(sha256)
        target.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            os.replace(written, target)
        except PermissionError:  # on Windows, while somebody reads the same content there
            if not target.exists():
                raise
        return sha256

    def rows_of(self, sha256: str, query: str) -> dict[str, float]:
        """The documents of one query with their scores or grades, in stored order; empty if it is not there."""
        with open(self.path(sha256), "rb") as file:
            return _rows_of(file, query)

    def queries_of(self, sha256: str) -> tuple[str, ...]:
        """The queries of a file in order; of a large one, a fraction is read."""
        with (
            open(self.path(sha256), "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text,
        ):
            queries, at, step = list[str](), text.find(b"\n") + 1, 1 << 10
            while at < len(text):
                field = FIRST_FIELD.match(text, at)
                assert field is not None
                # Runs have the same queries: their names are kept once.
                queries.append(sys.intern(_fields(field[0])[0]))
                end = _end_of(text, at, field[0], step)
                at, step = end, end - at
        return tuple(queries)


def _end_of(text: mmap.mmap, start: int, field: bytes, step: int) -> int:
    """Where the lines that begin with a field end: found by steps that double, then by bisection."""
    low = high = start
    while high < len(text) and _line_begins(text, high, field):
        low, high, step = high, min(high + step, len(text)), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        if _line_begins(text, middle, field):
            low = middle
        else:
            high = middle
    return _next_line(text, high)


def _line_begins(text: mmap.mmap, position: int, field: bytes) -> bool:
    start = _next_line(text, position)
    return text[start : start + len(field)] == field


def _next_line(text: mmap.mmap, position: int) -> int:
    """The beginning of the first line that begins at a position or behind it; the end, if there is none."""
    return text.find(b"\n", position - 1) + 1 or len(text)


def _rows_of(file: BinaryIO, query: str) -> dict[str, float]:
    sought = query.encode("utf-8", "surrogateescape")
    file.seek(0, os.SEEK_END)
    file.readline()
    low, high = 0, file.tell()
    # The first line whose query is the one sought, or greater, begins at low or later, and at high or before.
    while low < high:
        middle = (low + high) // 2
        line = _line_from(file, middle)
        if line and _fields(line)[0].encode("utf-8", "surrogateescape") < sought:
            low = middle + 1
        else:
            high = middle
    rows: dict[str, float] = {}
    line = _line_from(file, low)
    while line:
        found, document, number = _fields(line)
        if found != query:
            break
        rows[document] = float(number)
        line = file.readline()
    return rows


def _line_from(file: BinaryIO, position: int) -> bytes:
    """The first line, but for the titles, that begins at a position or behind it."""
    file.seek(max(position - 1, 0))
    file.readline()  # the rest of a line; the titles, at the beginning
    return file.readline()


def _fields(line: bytes) -> list[str]:
    text = line.decode("utf-8", "surrogateescape").rstrip("\n")
    return text.split("\t") if '"' not in text else next(csv.reader([text], delimiter="\t"))
