"""What help and documentation say of the formats, from the formats: `python -m idealist.io.format_listing FILE` writes
the tables of docs/data.md into it again."""

from __future__ import annotations

from idealist.io.compression import ENDINGS
from idealist.io.formats.registry import formats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
