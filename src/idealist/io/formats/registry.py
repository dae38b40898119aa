"""The list of formats, and which of them a source is in."""

from __future__ import annotations

import os
from importlib import import_module

from idealist.errors import InputError
from idealist.io.compression import ENDINGS, without_ending
from idealist.io.formats.base import Head
from idealist.io.formats.unread import refuse_unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.io.formats.base import Format

# The modules of the formats, in the order they are asked: the first that recognises a source has it. What has first
# bytes of its own comes before what is told by its lines.
MODULES = (
    "trec",
    "parquet",
    "arrow",
    "sqlite",
    "duckdb",
    "xlsx",
    "movielens",
    "tsv",
    "csv",
    "rank_eval",
    "jsonl",
    "json",
    "letor",
    "msmarco",
    "beir",
)


def formats() -> Iterator[Format]:
    """All formats, each imported when it is asked for."""
    for name in MODULES:
        yield _imported(name)


def _imported(module: str) -> Format:
    format: Format = import_module(f"idealist.io.formats.{module}").FORMAT
    return format


def format_named(name: str) -> Format:
    """A format by its name."""
    if name not in MODULES:
        raise InputError(f"there is no format {name!r}", hint=f"one of {', '.join(sorted(MODULES))}")
    return _imported(name)


def folder_format() -> Format:
    """The format of folders."""
    return next(format for format in formats() if format.is_folder)


def detect(head: Head, path: str, source: str) -> Format | None:
    """The format of a source that begins so; by the ending of its name where that does not tell; None where
    neither does. What is surely in no format that is read is an InputError."""
    # Any columns are a table; a run or judgments in a format that carries none is said to be that.
    possible = (format for format in formats() if head.kind != "table" or "table" in format.carries)
    asked = []
    for format in possible:
        if format.recognises(head):
            return format
        asked.append(format)
    refuse_unread(head, source, listed(head.kind))
    if (likely := next((format for format in asked if format.may_be(head)), None)) is not None:
        return likely
    name = without_ending(os.path.basename(path)).lower()
    by_name = next((format for format in asked if format.endings and name.endswith(format.endings)), None)
    if by_name is not None and by_name.is_binary and head.start:
        raise InputError(
            f"this is not {by_name.label}, though its name says so",
            source=source,
            hint="was it fetched whole?",
        )
    return by_name if head.lines else None


def is_binary(start: bytes) -> bool:
    """Whether data that begins so is in a format that says itself how its text is written."""
    head = Head(start)
    return any(format.is_binary and format.recognises(head) for format in formats())


def listed(kind: str | None = None) -> str:
    """All that is read, or read as one kind, in one line."""
    labels = [format.label for format in formats() if kind is None or kind in format.carries]
    packed = ", ".join(ENDINGS.values())
    return f"formats: {', '.join(labels)}; plain or compressed ({packed})"
