"""Names of what is read or written: a file, `-`, FILE::PART, a pattern that stands for several files, the id of a
data set."""

from __future__ import annotations

import os

from idealist.base.frozen import Frozen
from idealist.data.compression import without_ending
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PART_MARK = "::"
STREAM = "-"  # standard input, or standard output
PATTERN_SIGNS = "*?["
DATA_SET = "ir_datasets:"  # before the id of a data set of that library
ADDRESSES = ("http://", "https://")  # of workbenches


class Source(Frozen):
    """A source or target as it was named: the path of a file, a folder or a stream and, behind ::, the part of it
    that is meant (the table of a database, the sheet of a workbook, the split of a BEIR folder)."""

    text: str
    path: str
    part: str | None = None
    # Of a part of a workbench and of a data set, whose path is a file with that part alone.
    stored_name: str | None = None

    @property
    def name(self) -> str:
        """The name of what is read from it: the part or, without one, the file without its endings.

        >>> parse_source("runs/bm25.run.gz").name, parse_source("shop.duckdb::clicks").name
        ('bm25', 'clicks')
        """
        if self.text == STREAM:
            return "stdin"
        if self.stored_name:
            return self.stored_name
        if self.part:
            return self.part
        name = without_ending(os.path.basename(self.path.rstrip(os.sep)))
        return os.path.splitext(name)[0] or name


def split_source(source: str | os.PathLike[str]) -> Source:
    """A source or target, taken apart. A file whose own name has :: in it is that file.

    >>> split_source("shop.duckdb::clicks").part
    'clicks'
    """
    text = os.fspath(source)
    if PART_MARK not in text:
        return Source(text, text)
    path, _, part = text.rpartition(PART_MARK)
    return Source(text, text) if not path or os.path.exists(text) else Source(text, path, part)


def is_data_set(source: str | os.PathLike[str]) -> bool:
    """Whether this is the id of a data set, and no file that happens to be called so.

    >>> is_data_set("ir_datasets:vaswani"), is_data_set("vaswani.qrels")
    (True, False)
    """
    text = os.fspath(source)
    return text.startswith(DATA_SET) and not os.path.exists(text)


def is_elsewhere(source: str) -> bool:
    """Whether this is no path, so that it means the same in every folder: a data set, or the address of a workbench."""
    return source.startswith(ADDRESSES) or is_data_set(source)


def parse_source(source: str | os.PathLike[str]) -> Source:
    """Parses the name of what is read: a part of a workbench is the file that it is stored in. A data set has no file until it is
    known what is read of it (`ReadRequest`).

    >>> parse_source("shop.duckdb::clicks").path
    'shop.duckdb'
    >>> parse_source("ir_datasets:vaswani").name
    'vaswani'
    """
    parsed = split_source(source)
    if is_data_set(parsed.text):
        return Source(parsed.text, parsed.text, None, parsed.path.removeprefix(DATA_SET))
    if parsed.part is None and not parsed.text.startswith(ADDRESSES):
        return parsed
    from idealist.data.workbench_files import stored_part

    stored = stored_part(parsed.path, parsed.part or "")
    return parsed if stored is None else Source(parsed.text, stored[0], None, stored[1])


def origin_of(source: Any) -> dict[str, str]:
    """The name and the source of what was read from a file, as the arguments `name` and `source`; nothing of what
    was in memory.

    >>> origin_of("shop/judged.qrels"), origin_of({"q": {"a": 1}})
    ({'name': 'judged', 'source': 'shop/judged.qrels'}, {})
    """
    if not isinstance(source, (str, os.PathLike)):
        return {}
    parsed = parse_source(source)
    return {"name": parsed.name, "source": parsed.text}


def expanded(paths: Sequence[str]) -> list[str]:
    """The files that paths and patterns stand for; those of a pattern in order of their names."""
    files: list[str] = []
    for path in paths:
        if not any(sign in path for sign in PATTERN_SIGNS) or os.path.exists(path):
            files.append(path)
            continue
        from glob import glob

        matches = sorted(glob(path, recursive=True))
        if not matches and PART_MARK not in path:
            raise InputError(f"{path!r} matches no file", hint="check the pattern")
        files += matches or [path]
    return files


def one_of(paths: Sequence[str]) -> list[str]:
    """The same, where each path or pattern is to stand for one file."""
    files = expanded(paths)
    if len(files) > len(paths):
        raise InputError(
            f"{paths[0]!r} stands for {len(files)} files, but this takes one",
            hint=", ".join(files[:5]) + (", …" if len(files) > 5 else ""),
        )
    return files
