"""Runs and judgments to files, databases and standard output, so that reading gives the same back."""

from __future__ import annotations

import os
import sys

from idealist import kernels
from idealist.data import Judgments
from idealist.data.run import as_run
from idealist.errors import InputError, MissingDependency
from idealist.io.destinations import STDOUT, destination_of
from idealist.io.targets import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO, Any

    from idealist.data.collection import Collection
    from idealist.data.run import RunLike
    from idealist.io.destinations import Destination

    Progress = Callable[[int, int], None]
    Path = str | os.PathLike[str]

BLOCK = 1 << 24
# The first line, where a format has one; {} is what the number is called.
HEADERS = {
    "csv": "query,document,{}\n",
    "tsv": "query\tdocument\t{}\n",
    "beir": "query-id\tcorpus-id\tscore\n",
}
LAYOUTS = {"csv": "csv", "tsv": "tsv", "beir": "tsv", "json": "json", "jsonl": "jsonl", "msmarco": "msmarco"}
# Why an id does not fit.
MISFITS = {
    "trec": "TREC text cannot carry ids that are empty or have blanks in them",
    "msmarco": "MS MARCO's runs cannot carry ids that are empty, have blanks in them, or are not UTF-8",
    "csv": "CSV as it is read here cannot carry ids that are empty, have line ends in them, or are not UTF-8",
    "tsv": "TSV as it is read here cannot carry ids that are empty, have line ends in them, or are not UTF-8",
    "beir": "TSV as it is read here cannot carry ids that are empty, have line ends in them, or are not UTF-8",
}
ANOTHER = "choose another format: Parquet carries any text, and JSON any that is not empty"


def write_run(
    run: RunLike,
    target: Path,
    *,
    format: str | None = None,
    force: bool = False,
    lossy: bool = False,
    progress: Progress | None = None,
) -> None:
    """Writes a run to a file, a table of a database (FILE::TABLE), or standard output (`-`).

    The format is told by the ending (.run .csv .tsv .json .jsonl .parquet .arrow .sqlite .duckdb; text may be
    compressed: .gz .bz2 .xz .zst .lz4) unless `format` names it. A file is written whole or not at all; one that
    is there already is replaced only by `force`. `lossy` allows formats that cannot carry everything.
    """
    _write(as_run(run), target, format, force, lossy, progress)


def write_judgments(
    judgments: Any,
    target: Path,
    *,
    format: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> None:
    """Writes judgments; everything is as for `write_run`."""
    kept = judgments if isinstance(judgments, Judgments) else Judgments(judgments)
    _write(kept, target, format, force, False, progress)


def _write(
    collection: Collection,
    target: Path,
    format: str | None,
    force: bool,
    lossy: bool,
    progress: Progress | None,
) -> None:
    place = destination_of(target, collection.kind, format)
    refuse_loss(place, lossy)
    if place.format.name != "json" and not lossy:
        _refuse_empty(collection, place)
    if place.format.kind == "database":
        from idealist.io.table_writing import write_to_database

        write_to_database(collection, place, force=force)
    elif place.format.kind == "table":
        from idealist.io.table_writing import write_batches

        write_batches(_batches(collection), place, collection.kind, name=collection.name, force=force)
    else:
        _write_text(_blocks(collection, place, progress), place, force)


def refuse_loss(place: Destination, lossy: bool) -> None:
    """What a format cannot carry is lost only if that was allowed."""
    if place.format.loses and not lossy:
        raise InputError(
            f"{place.target}: {place.format.loses} would be lost", hint="--lossy (lossy=True) allows that"
        )


def _refuse_empty(collection: Collection, place: Destination) -> None:
    """Queries without documents, which have no row."""
    counts = kernels.row_counts(collection.rows)
    if (empty := next((at for at, count in enumerate(counts) if not count), None)) is not None:
        raise InputError(
            f"{place.target}: query {collection.keys()[empty]!r} has no documents, and would be lost",
            hint="JSON carries it; leave it out, or choose that",
        )


def _batches(collection: Collection) -> Iterator[Any]:
    from idealist.io.table_writing import arrow

    yield arrow().RecordBatchReader.from_stream(collection).read_all()


def _blocks(collection: Collection, place: Destination, progress: Progress | None) -> Iterator[bytes]:
    """The text, so many queries at a time."""
    name, number = place.format.name, collection.number
    layout, word = LAYOUTS.get(name, f"trec-{collection.kind}"), number
    if layout == "trec-run":
        word = require_tag(collection.name)
    yield HEADERS.get(name, "").format(number).encode()
    if name == "json":
        yield b"{"
    threads, query, queries = kernels.available_threads(), 0, len(collection)
    while query < queries:
        text, query, refused = collection.rows.text(query, BLOCK, layout, word, threads)
        if refused is not None:
            raise _misfit(refused, name, place)
        yield text
        if progress is not None:
            progress(query, queries)
    if name == "json":
        yield b"\n}\n"


def require_tag(name: str) -> str:
    """The name that a TREC run carries in its last column."""
    if not name or any(character.isspace() or character == "\0" for character in name):
        raise InputError(
            f"the run is called {name!r}, and TREC text cannot carry a name with blanks",
            hint="give it another name (--name TAG)",
        )
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InputError(f"the run's name {name!r} is not text", hint="give it another name") from None
    return name


def _misfit(refused: tuple[str, str, str], name: str, place: Destination) -> InputError:
    what, query, document = refused
    if what == "number":
        return InputError(
            f"{place.target}: query {query!r}, document {document!r}: JSON has no infinite numbers",
            hint="choose another format, such as CSV or Parquet",
        )
    where = f"query {query!r}" if what == "query" else f"query {query!r}, document {document!r}"
    why = MISFITS.get(name, "JSON carries ids that are text, and this is empty or not UTF-8")
    return InputError(f"{place.target}: {where}: {why}", hint=ANOTHER if name in MISFITS else "")


def _write_text(blocks: Iterator[bytes], place: Destination, force: bool) -> None:
    if place.path == STDOUT:
        output = _standard_output()
        for block in blocks:
            output.write(block)
        output.flush()
        return
    with Target(place.path, force=force) as path, _opened(path, place.compression) as opened:
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
