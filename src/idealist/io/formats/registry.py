"""The list of formats, and which of them a source is in."""

from __future__ import annotations

import os
from importlib import import_module

from idealist.errors import InputError
from idealist.io.compression import ENDINGS, without_ending
from idealist.io.formats.base import Head
from idealist.io.formats.unread import refuse_unread
from idealist.named import one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from idealist.io.formats.base import Format

# The modules of the formats, in the order they are asked: the first that recognises a source has it. What has bytes of
# zero in it is no text, and is asked for among the binary ones alone.
TEXT: tuple[str, ...] = (
    "trec",
    "movielens",
    "tsv",
    "csv",
    "rank_eval",
    "jsonl",
    "json",
    "letor",
    "msmarco",
)
BINARY: tuple[str, ...] = ("parquet", "arrow", "sqlite", "duckdb", "xlsx")
FOLDERS: tuple[str, ...] = ("beir",)


def names() -> tuple[str, ...]:
    """The names of all formats, which are those of their modules."""
    return (*TEXT, *BINARY, *FOLDERS)


def formats(modules: tuple[str, ...] | None = None) -> Iterator[Format]:
    """All formats, or those of some modules, each imported when it is asked for."""
    for name in names() if modules is None else modules:
        yield _imported(name)


def _imported(module: str) -> Format:
    format: Format = import_module(f"idealist.io.formats.{module}").FORMAT
    return format


def format_named(name: str) -> Format:
    """A format by its name."""
    if name not in names():
        raise InputError(f"there is no format {name!r}", hint=one_of(name, sorted(names())))
    return _imported(name)


def folder_format() -> Format:
    """The format of folders."""
    return _imported(FOLDERS[0])


def detect(head: Head, path: str, source: str) -> Format | None:
    """The format of a source that begins so; by the ending of its name where that does not tell; None where
    neither does. What is surely in no format that is read is an InputError."""
    modules = BINARY if b"\0" in head.start else (*TEXT, *BINARY)
    for format in formats(modules):
        if _is_possible(format, head) and format.recognises(head):
            return format
    refuse_unread(head, source, listed(head.kind))
    possible = [format for format in formats((*BINARY, *TEXT)) if _is_possible(format, head)]
    if (likely := next((format for format in possible if format.may_be(head)), None)) is not None:
        return likely
    name = without_ending(os.path.basename(path)).lower()
    by_name = next((format for format in possible if format.endings and name.endswith(format.endings)), None)
    if by_name is not None and by_name.name in BINARY and head.start:
        raise InputError(
            f"this is not {by_name.label}, though its name says so",
            source=source,
            hint="was it fetched whole?",
        )
    return by_name if head.lines else None


def _is_possible(format: Format, head: Head) -> bool:
    """A table is in a format that carries tables; of a run or judgments in a format that does not carry them, it is said
    what they are."""
    return head.kind != "table" or "table" in format.carries


def is_binary(start: bytes) -> bool:
    """Whether data that begins so is in a format that says itself how its text is written."""
    head = Head(start)
    return any(format.recognises(head) for format in formats(BINARY))


def listed(kind: str | None = None) -> str:
    """All that is read, or read as one kind, in one line."""
    labels = [format.label for format in formats() if kind is None or kind in format.carries]
    packed = ", ".join(ENDINGS.values())
    return f"formats: {', '.join(labels)}; plain or compressed ({packed})"
