"""What CSV and TSV share: columns with a delimiter between them.

Ids are taken as they stand, blanks and all, as the csv module, pandas and polars take them; blanks around a
number do not count. A field that begins with a double quote ends with one, on the same line, and two inside mean
one.
"""

from __future__ import annotations

from idealist import kernels
from idealist.base.wording import count_of
from idealist.data.column_names import DOCUMENT, QUERY, find_roles, plain_name, refuse_repeats
from idealist.data.columns import Columns
from idealist.data.encoding import binary_hint, decoded, not_utf8
from idealist.data.formats.format import ANYTHING, RANKED, Head
from idealist.data.line_text import LineFormat, LineText, first_lines, shown_names
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.data.collection import Collection
    from idealist.data.formats.format import Progress
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest
    from idealist.data.writing import Destination


OLD_MAC = "write them with newlines, as `tr '\\r' '\\n' < FILE > COPY` does"


BLANKS = " "  # any number of blanks, of any kind
TWO_COLONS = "::"
UNQUOTED = (BLANKS, TWO_COLONS)
QUOTING = "a quote within a field is doubled, and the field stands in quotes"


def delimited_parser(
    head: bytes,
    kind: str,
    *,
    delimiter: str,
    names: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    source: str,
    decimal: str = ".",
) -> LineText:
    """How to read text that begins with `head`: the columns are called `names` or, without them, what the
    first line says; `columns` says which is which where they have no common names. The delimiter is a
    character, `::`, or a blank for any number of blanks; `decimal` is the sign before fractions."""
    header = names is None
    if names is None:
        names = header_names(head, delimiter, source)
        refuse_repeats([name for name in names if name], source, 1)
    roles = find_roles(names, kind, columns, source=source)
    query, document, number = positions = list(roles.values())
    parser = kernels.delimited_lines(
        "" if delimiter == BLANKS else delimiter,
        delimiter not in UNQUOTED,
        header,
        len(names),
        query,
        document,
        number,
        "rank" in roles,
        kind == "judgments" or "rank" in roles,
        decimal,
    )
    return LineText(
        parser,
        source=source,
        roles=list(roles),
        fields=[f"the {role}" for role in roles],
        positions=positions,
        columns=len(names),
        expected=("the first line names " if header else "a line has ") + shown_names(names),
        ranked=names[roles["rank"]] if header and "rank" in roles else None,
        head=head,
        decimal=decimal,
    )


def bare_delimiter(first: bytes) -> str:
    """Detects the delimiter of text whose first line, given here, names none of them.

    >>> bare_delimiter(b"1::31::2.5::1260759144"), bare_delimiter(b"q1 d1 1")
    ('::', ' ')
    """
    return next((sign for sign in ("\t", TWO_COLONS, ",", BLANKS) if sign.encode() in first), "\t")


def header_names(head: bytes, delimiter: str, source: str) -> list[str]:
    """The names of columns in the first line that is not blank.

    >>> header_names(b'qid,"doc, id",score\\nq1,d1,2.5\\n', ",", "a.csv")
    ['qid', 'doc, id', 'score']
    """
    import csv

    lines = first_lines(head, 1)
    if not lines:
        raise InputError(
            "the file is empty", source=source, hint="the first line names the columns", code="no-rows"
        )
    if b"\0" in lines[0]:
        raise InputError(
            "this is binary data, not text",
            source=source,
            line=1,
            hint=binary_hint(head, "give a table as text: CSV or TSV"),
            code="binary",
        )
    try:
        line = lines[0].decode().rstrip("\r")
    except UnicodeDecodeError:
        raise not_utf8(1, head, source) from None
    if "\r" in line:
        raise InputError(
            "the lines end in carriage returns alone, as on old Macs",
            source=source,
            line=1,
            hint=OLD_MAC,
            code="line-ends",
        )
    if delimiter == BLANKS:
        return line.split()
    if delimiter == TWO_COLONS:
        return [name.strip() for name in line.split(delimiter)]
    try:
        (names,) = csv.reader([line], delimiter=delimiter, strict=True)
    except (csv.Error, ValueError) as error:
        raise InputError(f"this is not CSV: {error}", source=source, line=1, hint=QUOTING) from None
    return [name.strip() for name in names]


def delimited_table(content: bytes, delimiter: str, source: str, decimal: str = ".") -> Columns:
    """All columns of such text, as they stand there; the first line names them."""
    import csv
    from io import StringIO

    if b"\0" in content:
        raise InputError(
            "this is binary data, not text",
            source=source,
            hint=binary_hint(content, "is it the right file?"),
            code="binary",
        )
    text = decoded(content, source)
    if not text.strip():
        raise InputError(
            "the file is empty", source=source, hint="the first line names the columns", code="no-rows"
        )
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip() for name in next(row for row in rows if row)]
        begin = last = rows.line_num
        refuse_repeats(names, source, begin)
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for row in rows:
            if not any(cell.strip() for cell in row):  # spreadsheets write such rows below the last one
                continue
            if len(row) != len(names):
                raise InputError(
                    f"expected {count_of(len(names), 'column')}, found {len(row)}",
                    source=source,
                    line=rows.line_num,
                    hint=f"the first line names {', '.join(names)}",
                    code="columns",
                )
            last = rows.line_num
            for name, cell in zip(names, row, strict=True):
                columns[name].append(cell.strip())
    except csv.Error as error:
        raise InputError(
            f"this is not CSV: {error}", source=source, line=rows.line_num, hint=QUOTING
        ) from None
    # Blank lines or quoted line ends would shift the numbers of the lines behind them.
    exact = last == begin + len(next(iter(columns.values())))
    return Columns(columns, source=source, first_line=begin + 1 if exact else None, decimal=decimal)


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
        from idealist.data.targets import write_text

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
    """Detects the delimiter in the line that names the columns."""
    text = line.decode("utf-8", "replace")
    best = max(SIGNS, key=text.count)
    return best if best in text else None


def split_names(line: bytes, delimiter: str) -> list[str]:
    """The names of columns in such a line, as far as that is needed to recognise them."""
    return [name.strip().strip('"') for name in line.decode("utf-8", "surrogateescape").split(delimiter)]
