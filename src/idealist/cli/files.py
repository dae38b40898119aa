"""Files that commands write: whole or not at all, and never over another by accident."""

from __future__ import annotations

from idealist.cli.messages import say
from idealist.data.targets import Target, refuse_existing, refuse_inputs, refuse_unwritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = [
    "deliver",
    "refuse_existing",
    "refuse_inputs",
    "refuse_unwritable",
    "rows_text",
    "write_file",
]


def write_file(path: str, text: str | bytes, *, force: bool = False) -> None:
    """Writes under another name beside it and renames: whoever looks sees the old file or the whole new one."""
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    with Target(path, force=force) as place, open(place, "wb") as opened:
        opened.write(content)


def deliver(text: str, path: str | None, about: str, *, force: bool) -> None:
    """To standard output, or to a file, and then says `about` it to whoever looks."""
    import sys

    if path is None:
        sys.stdout.write(text)
        return
    write_file(path, text, force=force)
    say(f"{path}: {about}")


def rows_text(titles: Sequence[str], rows: Sequence[Sequence[Any]], format: str) -> str:
    """A table as CSV or JSONL."""
    if format == "csv":
        from idealist.show import Table

        return Table(list(titles), [list(row) for row in rows]).to_csv()
    import json

    records = (dict(zip(titles, row, strict=True)) for row in rows)
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
