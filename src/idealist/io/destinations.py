"""Where runs and judgments can be written to, and in which formats."""

from __future__ import annotations

import os

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.io.reading import PART

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

STDOUT = "-"
BOTH = ("run", "judgments")
# What a compressed file is called besides its own name, and what compresses it.
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd", ".lz4": "lz4"}


class Writable(Frozen):
    """A format that can be written: what it carries, how its files end, and whether it is text, a table that
    compresses itself, or a database."""

    name: str
    carries: tuple[str, ...]
    endings: tuple[str, ...]
    kind: str = "text"
    # What it cannot carry, if anything.
    loses: str = ""


WRITABLE: Mapping[str, Writable] = {
    one.name: one
    for one in (
        Writable("trec", BOTH, (".run", ".trec", ".qrels", ".txt")),
        Writable("csv", BOTH, (".csv",)),
        Writable("tsv", BOTH, (".tsv",)),
        Writable("json", BOTH, (".json",)),
        Writable("jsonl", BOTH, (".jsonl", ".ndjson")),
        Writable("parquet", BOTH, (".parquet", ".pq"), "table"),
        Writable("arrow", BOTH, (".arrow", ".feather", ".ipc"), "table"),
        Writable("sqlite", BOTH, (".sqlite", ".sqlite3", ".db"), "database"),
        Writable("duckdb", BOTH, (".duckdb", ".ddb"), "database"),
        Writable("msmarco", ("run",), (), loses="MS MARCO's runs have ranks, but no scores: the scores"),
        Writable("beir", ("judgments",), ()),
    )
}


class Destination(Frozen):
    """A target, taken apart: the file, the table of a database, the format, and what compresses it."""

    target: str
    path: str
    part: str | None
    format: Writable
    compression: str | None


def _compressed_ending(path: str) -> str:
    return next((one for one in COMPRESSIONS if path.lower().endswith(one)), "")


def format_by_ending(path: str) -> str | None:
    """The format that a file's name says, whatever compresses it.

    >>> format_by_ending("bm25.csv.gz"), format_by_ending("bm25")
    ('csv', None)
    """
    file = path.rpartition(PART)[0] or path
    plain = file[: len(file) - len(_compressed_ending(file))].lower()
    return next((one.name for one in WRITABLE.values() if plain.endswith(one.endings or "\0")), None)


def destination_of(target: str | os.PathLike[str], kind: str, format: str | None = None) -> Destination:
    """Where `target` is: a path, FILE::TABLE of a database, or `-` (standard output). The format is told by the
    ending, unless it is stated; standard output has TREC text if nothing is said.

    >>> place = destination_of("bm25.run.gz", "run")
    >>> place.format.name, place.compression
    ('trec', 'gzip')
    """
    text = os.fspath(target)
    if format is not None and format not in WRITABLE:
        raise InputError(f"{format!r} is no format that is written", hint=f"one of {', '.join(WRITABLE)}")
    path, mark, part = text.rpartition(PART)
    if not mark or not path:
        path, part = text, ""
    ending = _compressed_ending(path)
    found = format or format_by_ending(path)
    if found is None and text == STDOUT:
        found = "trec"
    if found is None:
        endings = ", ".join(f"{one.endings[0]} ({one.name})" for one in WRITABLE.values() if one.endings)
        raise InputError(
            f"{text}: the ending says no format", hint=f"state the format, or let it end with {endings}"
        )
    place = Destination(text, path, part or None, WRITABLE[found], COMPRESSIONS.get(ending))
    _refuse_misfits(place, kind)
    return place


def _refuse_misfits(place: Destination, kind: str) -> None:
    name = place.format.name
    if kind not in place.format.carries:
        raise InputError(
            f"{place.target}: {name} carries {place.format.carries[0]}, not {'a run' if kind == 'run' else kind}"
        )
    if place.format.kind == "database":
        if place.part is None:
            raise InputError(
                f"{place.target}: which table?", hint=f"name one, as in {place.path}{PART}{kind}"
            )
        if place.path == STDOUT:
            raise InputError("a database cannot be written to standard output", hint="name a file")
    elif place.part is not None:
        raise InputError(
            f"{place.target}: only databases have tables, and this is {name}",
            hint=f"leave {PART}{place.part} out",
        )
    if place.compression and place.format.kind != "text":
        raise InputError(
            f"{place.target}: {name} is not compressed from outside",
            hint="leave the last ending out; Parquet and Arrow compress their columns by themselves",
        )
