"""Runs and judgments as text, to files and standard output, compressed or not."""

from __future__ import annotations

import sys

from idealist import kernels
from idealist.errors import InputError, MissingDependency
from idealist.io.sources import STREAM
from idealist.io.targets import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any

    from idealist.data.collection import Collection
    from idealist.io.destinations import Destination
    from idealist.io.formats.base import Progress

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
