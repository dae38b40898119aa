"""Runs and judgments to files, databases and standard output, so that reading gives the same back."""

from __future__ import annotations

from idealist import kernels
from idealist.data import Judgments
from idealist.data.run import as_run
from idealist.errors import InputError
from idealist.io.destinations import destination_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from idealist.data.collection import Collection
    from idealist.data.run import RunLike
    from idealist.io.destinations import Destination
    from idealist.io.formats.base import Progress
    from idealist.types import GivenJudgments

    Path = str | os.PathLike[str]


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
    """What a format cannot carry is lost only if that was allowed."""
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
