"""The list of formats, which of them a source is in, and what help and documentation say of them: `python -m idealist.data.format_list FILE` writes the table there."""

from __future__ import annotations

import os
from importlib import import_module

from idealist.base.named import one_of
from idealist.data.compression import ENDINGS, without_ending
from idealist.data.formats.format import Head
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from idealist.data.formats.format import Format


UNPACK, PICKLE, SAVE = (
    "unpack it",
    "load it in Python, and give what it holds to Run or Judgments",
    "save it as Parquet or CSV",
)
PAGE = "was it fetched whole, without an error?"
UNREAD = (
    (b"PK\x03\x04", "zip data", UNPACK),
    (b"\x93NUMPY", "a NumPy array", "load it, and give it to Run.from_matrix"),
    (b"\x80\x04\x95", "a pickle", PICKLE),
    (b"\x80\x05\x95", "a pickle", PICKLE),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)", "save it as .xlsx or CSV"),
    (b"7z\xbc\xaf", "7z data", UNPACK),
    (b"Rar!", "rar data", UNPACK),
    (b"\x89HDF", "HDF5 data", SAVE),
    (b"Obj\x01", "Avro data", SAVE),
    (b"%PDF", "a PDF", ""),
    (b"<!DOCTYPE", "a web page", PAGE),
    (b"<html", "a web page", PAGE),
)


def refuse_unread(head: Head, source: str, formats: str) -> None:
    """Raises for what is none of the formats."""
    for start, title, advice in UNREAD:
        if head.start.startswith(start):
            hint = "; ".join(text for text in (advice, formats) if text)
            raise InputError(f"this is {title}, which cannot be read", source=source, hint=hint)


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
    format: Format = import_module(f"idealist.data.formats.{module}").FORMAT
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


READ = ["format", "what is read", "as", "options"]
WRITTEN = ["format", "ending", "what is written"]
TABLE_OF = "<!-- formats: {} -->\n"  # stands before each of the tables


def reading_table() -> str:
    """The formats that are read, in Markdown."""
    rows = []
    for format in formats():
        options = [*([f"`::{format.part.upper()}`"] if format.part else []), *map(_code, format.options)]
        rows.append([_code(format.name), format.about, ", ".join(format.carries), " ".join(options)])
    return _markdown(READ, rows)


def writing_table() -> str:
    """The formats that are written, in Markdown."""
    rows = [
        [_code(format.name), " ".join(map(_code, format.written_endings)) or "stated", format.written]
        for format in formats()
        if format.writes
    ]
    return _markdown(WRITTEN, rows)


def written_lines() -> str:
    """The formats that are written, for the help of a command."""
    written = [format for format in formats() if format.writes]
    names = ", ".join(f"{format.name}{_restrictions(format.writes, format.loses)}" for format in written)
    endings = " ".join(ending for format in written for ending in format.written_endings)
    packed = " ".join(ENDINGS)
    return f"  formats           {names}\n  endings           {endings}\n  compressed text   {packed}"


def _restrictions(kinds: Sequence[str], loses: str) -> str:
    words = [*(kinds if len(kinds) == 1 else ()), *(["--lossy"] if loses else [])]
    return f" ({', '.join(words)})" if words else ""


def _code(text: str) -> str:
    return f"`{text}`"


def _markdown(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(
        f"|{'|'.join(f' {cell} ' if cell != '---' else cell for cell in line)}|\n" for line in lines
    )


def with_tables(page: str) -> str:
    """A page of documentation with its tables of formats as they are now."""
    for verb, table in (("read", reading_table()), ("written", writing_table())):
        mark = TABLE_OF.format(verb)
        before, _, after = page.partition(mark)
        lines_after = after.split("\n")
        while lines_after and lines_after[0].startswith("|"):
            lines_after.pop(0)
        page = f"{before}{mark}{table}" + "\n".join(lines_after)
    return page


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        page = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(with_tables(page))


if __name__ == "__main__":
    import sys

    main(sys.argv[1])
