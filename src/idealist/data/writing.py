"""Runs and judgments written to files, databases and standard output, so that reading gives the same back."""

from __future__ import annotations

from idealist import kernels
from idealist.base.frozen import Frozen
from idealist.data import Judgments
from idealist.data.compression import ENDINGS, without_ending
from idealist.data.format_list import formats
from idealist.data.reading import WHAT
from idealist.data.run import as_run
from idealist.data.source_names import PART_MARK, STREAM, split_source
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from idealist.data.collection import Collection
    from idealist.data.formats.format import Format, Progress
    from idealist.data.run import RunLike
    from idealist.data.source_names import Source
    from idealist.types import GivenJudgments

    Path = str | os.PathLike[str]


class Destination(Frozen):
    """A target, taken apart: the file, the table of a database, the format, and what compresses it."""

    target: str
    path: str
    part: str | None
    format: Format
    compression: str | None


def written_formats() -> dict[str, Format]:
    """The formats that can be written, by name."""
    return {format.name: format for format in formats() if format.writes}


def format_by_ending(path: str) -> str | None:
    """The format that a file's name says, whatever compresses it.

    >>> format_by_ending("bm25.csv.gz"), format_by_ending("bm25")
    ('csv', None)
    """
    plain = without_ending(split_source(path).path.lower())
    return next(
        (name for name, format in written_formats().items() if plain.endswith(format.written_endings)), None
    )


def destination_of(target: str | os.PathLike[str], kind: str, format: str | None = None) -> Destination:
    """Where `target` is: a path, FILE::TABLE of a database, or `-` (standard output). The format is told by the
    ending, unless it is stated; standard output has TREC text if nothing is said.

    >>> destination = destination_of("bm25.run.gz", "run")
    >>> destination.format.name, destination.compression
    ('trec', 'gzip')
    """
    source = split_source(target)
    if source.part is not None:
        refuse_workbench(source)
    written = written_formats()
    if format is not None and format not in written:
        raise InputError(
            f"{format!r} is not a format that is written", hint=f"name one of: {', '.join(written)}"
        )
    name = format or format_by_ending(source.text)
    if name is None and source.path == STREAM:
        name = "trec"
    if name is None:
        endings = ", ".join(
            f"{written_format.endings[0]} ({written_format.name})"
            for written_format in written.values()
            if written_format.endings
        )
        raise InputError(
            f"{source.text}: the ending names no format",
            hint=f"state the format, or let it end with {endings}",
        )
    ending = next((ending for ending in ENDINGS if source.path.lower().endswith(ending)), "")
    destination = Destination(
        source.text, source.path, source.part or None, written[name], ENDINGS.get(ending)
    )
    _refuse_misfits(destination, kind)
    return destination


def refuse_workbench(target: Source) -> None:
    """The database of a workbench is read by commands, and written by its server alone."""
    from idealist.data.workbench_files import is_workbench

    if is_workbench(target.path):
        raise InputError(
            f"{target.text}: this is the database of a workbench",
            hint="write a file, and add it on the page of its project",
        )


def _refuse_misfits(destination: Destination, kind: str) -> None:
    format, target = destination.format, destination.target
    if kind not in format.writes:
        raise InputError(f"{target}: {format.name} carries {format.writes[0]}, not {WHAT[kind]}")
    if format.part == "table":
        if destination.part is None:
            raise InputError(
                f"{target}: a database needs the name of a table",
                hint=f"name one, as in {destination.path}{PART_MARK}{kind}",
            )
        if destination.path == STREAM:
            raise InputError("a database cannot be written to standard output", hint="name a file")
    elif destination.part is not None:
        raise InputError(
            f"{target}: only databases have tables, and this is {format.name}",
            hint=f"leave {PART_MARK}{destination.part} out",
        )
    if destination.compression and not format.is_text:
        raise InputError(
            f"{target}: {format.name} files are not compressed as a whole",
            hint="leave the last ending out; Parquet and Arrow compress their columns by themselves",
        )


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
    judgments: GivenJudgments,
    target: Path,
    *,
    format: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> None:
    """Writes judgments; everything is as for `write_run`."""
    judgments_read = judgments if isinstance(judgments, Judgments) else Judgments(judgments)
    _write(judgments_read, target, format, force, False, progress)


def _write(
    collection: Collection,
    target: Path,
    format: str | None,
    force: bool,
    lossy: bool,
    progress: Progress | None,
) -> None:
    destination = destination_of(target, collection.kind, format)
    refuse_loss(destination, lossy)
    if not destination.format.keeps_empty_queries and not lossy:
        _refuse_empty(collection, destination)
    destination.format.write(collection, destination, force, progress)


def refuse_loss(destination: Destination, lossy: bool) -> None:
    """Raises where a format cannot carry something, unless that was allowed."""
    if destination.format.loses and not lossy:
        raise InputError(
            f"{destination.target}: {destination.format.loses} would be lost",
            hint="--lossy (lossy=True) allows that",
        )


def _refuse_empty(collection: Collection, destination: Destination) -> None:
    """Queries without documents, which have no row."""
    counts = kernels.row_counts(collection.rows)
    if (empty := next((at for at, count in enumerate(counts) if not count), None)) is not None:
        raise InputError(
            f"{destination.target}: query {collection.keys()[empty]!r} has no documents, and would be lost",
            hint="JSON carries it; leave it out, or choose that",
        )
