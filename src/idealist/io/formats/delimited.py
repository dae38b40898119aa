"""What CSV and TSV share: named columns with a delimiter between them."""

from __future__ import annotations

from idealist.data.column_names import DOCUMENT, QUERY, plain_name
from idealist.io.delimited import delimited_parser, delimited_table, header_names
from idealist.io.formats.base import ANYTHING, RANKED, Head
from idealist.io.formats.lines import LineFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.collection import Collection
    from idealist.data.columns import Columns
    from idealist.io.destinations import Destination
    from idealist.io.formats.base import Progress
    from idealist.io.line_text import LineText
    from idealist.io.opening import Opened
    from idealist.io.request import ReadRequest

SIGNS = ("\t", ",", ";", "|")


class Delimited(LineFormat):
    """Named columns; `delimiters` are the signs between them that a format has."""

    carries = ANYTHING
    options = ("columns", "encoding", "decimal")
    writes = RANKED
    delimiters: tuple[str, ...]

    def recognises(self, head: Head) -> bool:
        delimiter = delimiter_of(head.first)
        if delimiter not in self.delimiters or b"\0" in head.start:
            return False
        names = split_names(head.first, delimiter)
        plain = {plain_name(name) for name in names}
        queries, documents = ({plain_name(name) for name in common} for common in (QUERY, DOCUMENT))
        stated = set(head.columns.values()) & set(names)
        return bool(stated) or bool(plain & queries and plain & documents)

    def may_be(self, head: Head) -> bool:
        """Any text is a table, be it of one column."""
        if head.kind != "table" or b"\0" in head.start or not head.lines or head.text[:1] in (b"{", b"["):
            return False
        return (delimiter_of(head.first) or ",") in self.delimiters

    def delimiter(self, opened: Opened) -> str:
        """The one that the first line states, or else uses."""
        if opened.delimiter is not None:
            return opened.delimiter
        used = delimiter_of(Head(opened.head).first) if len(self.delimiters) > 1 else None
        return used or self.delimiters[0]

    def column_names(self, opened: Opened, part: str | None) -> list[str] | None:
        return header_names(opened.head, self.delimiter(opened), opened.source)

    def parser(self, opened: Opened, request: ReadRequest) -> LineText | None:
        return delimited_parser(
            opened.head,
            request.kind,
            delimiter=self.delimiter(opened),
            columns=request.columns,
            source=opened.source,
            decimal=request.decimal,
        )

    def table(self, opened: Opened, request: ReadRequest) -> Columns:
        delimiter = self.delimiter(opened)
        return delimited_table(opened.content(), delimiter, opened.source, request.decimal)

    def write(
        self, collection: Collection, destination: Destination, force: bool, progress: Progress | None
    ) -> None:
        from idealist.io.text_writing import write_text

        write_text(
            collection,
            destination,
            layout=self.name,
            first_line=self.delimiters[0].join(("query", "document", collection.number)) + "\n",
            misfit=f"{self.label} as it is read here cannot carry ids that are empty, have line ends in them, or "
            "are not UTF-8",
            force=force,
            progress=progress,
        )


def delimiter_of(line: bytes) -> str | None:
    """What columns stand apart by, in the line that names them."""
    text = line.decode("utf-8", "replace")
    best = max(SIGNS, key=text.count)
    return best if best in text else None


def split_names(line: bytes, delimiter: str) -> list[str]:
    """The names of columns in such a line, as far as that is needed to recognise them."""
    return [name.strip().strip('"') for name in line.decode("utf-8", "surrogateescape").split(delimiter)]
