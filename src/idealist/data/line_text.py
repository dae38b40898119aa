"""Text of one row a line: measured while it is read, and what may be wrong with it in words."""

from __future__ import annotations

from idealist import kernels
from idealist.base.values import EXACT_HINT, INEXACT, decimal_hint
from idealist.base.wording import and_more
from idealist.data.encoding import not_utf8
from idealist.data.formats.format import BYTE_ORDER_MARK, Format
from idealist.data.opening import rows_of
from idealist.data.streaming import match_windows
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol

    from idealist.data import Judgments
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest
    from idealist.data.streaming import Matched

    Problem = tuple[str, int, int, str, int]

    class Source(Protocol):
        """Something open: how it begins, all of it in order and, for a plain file, where to find it."""

        @property
        def head(self) -> bytes: ...
        @property
        def descriptor(self) -> int: ...
        @property
        def size(self) -> int | None: ...
        def blocks(self) -> Iterator[bytes]: ...

    class ReadResult(Protocol):
        """The rows and errors of a text that is read line by line."""

        @property
        def problem(self) -> Problem | None: ...


class LineFormat(Format):
    """A format whose rows are lines, which `parser` knows how to read."""

    def parser(self, opened: Opened, request: ReadRequest) -> LineText | None:
        """How its lines are read; None where a source of this format is not in lines."""
        raise NotImplementedError

    def whole_rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        """The rows of a source that is not in lines."""
        raise NotImplementedError

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        text = self.parser(opened, request)
        if text is None:
            return self.whole_rows(opened, request, threads)
        return text.rows(opened, threads, duplicates=request.allow_duplicates)

    def match(
        self,
        opened: Opened,
        request: ReadRequest,
        judgments: Judgments,
        options: kernels.MatchOptions,
        threads: int,
    ) -> Matched:
        text = self.parser(opened, request)
        if text is None:
            return super().match(opened, request, judgments, options, threads)
        return text.match(opened, judgments, options, threads)


NOTHING = ("nan", "null", "none", "na")  # what tables have in the place of a number
QUOTES = {
    "open-quote": "a quoted field does not end before its line does: {text!r}",
    "behind-quote": "text stands behind the quote that ends a field: {text!r}",
}


class LineText:
    """Text of one row a line: `parser` reads its lines, `refuse` says what is wrong with them.

    `fields` are what query, document and number are called there, `roles` what we call them; a problem names
    them by `places`. `expected` says what a line is, `head` is how the text begins, `decimal` the sign before
    fractions.
    """

    def __init__(
        self,
        parser: kernels.LineParser,
        *,
        source: str,
        roles: Sequence[str],
        fields: Sequence[str],
        positions: Sequence[int] = (0, 1, 2),
        columns: int = 0,
        expected: str,
        ranked: str | None = None,
        head: bytes = b"",
        decimal: str = ".",
    ) -> None:
        self.parser = parser
        self.source = source
        self.roles = roles
        self.fields = dict(zip(positions, fields, strict=True))
        self.columns = columns
        self.expected = expected
        self.head = head
        self.decimal = decimal
        # The column that a run without scores is ranked by, where that should be said.
        self.ranked = None if ranked is None else f"there is no column of scores: ranked by {ranked!r}"

    def rows(self, opened: Source, threads: int, *, duplicates: bool = False) -> kernels.Rows:
        """All rows of an open source; whatever is wrong with them is an InputError. With `duplicates`, documents
        may be there twice."""
        rows = rows_of(opened, self.parser, threads)
        self.refuse(rows)
        self.refuse_as_a_whole(rows, duplicates=duplicates)
        return rows

    def match(
        self, opened: Opened, judgments: Judgments, options: kernels.MatchOptions, threads: int
    ) -> Matched:
        """The rankings that a run gives, measured while it is read."""

        def refuse(rows: kernels.Rows | kernels.Partitions) -> None:
            self.refuse(rows)
            if isinstance(rows, kernels.Rows):
                self.refuse_as_a_whole(rows)

        matched = match_windows(
            lambda: opened.windows(self.parser),
            judgments,
            options,
            threads,
            refuse=refuse,
            source=self.source,
        )
        return matched if self.ranked is None else matched.replace(notes=(*matched.notes, self.ranked))

    def refuse(self, result: ReadResult) -> None:
        """Raises what is wrong with a line, if anything is."""
        if result.problem is not None:
            kind, line, _, text, count = result.problem
            if kind == "not-utf8":
                sample = self.head.rpartition(b"\n")[0] + b"\n" + text.encode("utf-8", "surrogateescape")
                raise not_utf8(line, sample, self.source)
            message, hint = self._problem(result.problem)
            raise InputError(
                message + and_more(count, "bad line"),
                source=self.source,
                line=line,
                hint=hint or self.expected,
                code=kind,
            )

    def refuse_as_a_whole(self, rows: kernels.Rows, *, duplicates: bool = False) -> None:
        """Raises what is wrong with the lines together: a document twice, or nothing there."""
        if rows.duplicate is not None and not duplicates:
            query, document, first, second, count = rows.duplicate
            raise InputError(
                f"document {document!r} appears twice for query {query!r}, "
                f"first on line {first}{and_more(count, 'duplicate')}",
                source=self.source,
                line=second,
                hint="keep one of the two lines",
                code="duplicate",
            )
        if len(rows) == 0:
            raise InputError("the file has no rows", source=self.source, hint=self.expected, code="no-rows")

    def _problem(self, problem: Problem) -> tuple[str, str]:
        """A message and, where there is more to say than what a line should be, a hint."""
        kind, _, position, text, _ = problem
        field = self.fields.get(position, "")
        number = self.roles[2]
        if kind == "columns":
            return f"expected {self.columns} columns, found {position}: {text!r}", ""
        if kind in QUOTES:
            return QUOTES[kind].format(text=text), "quotes are closed on their line, and doubled inside"
        if kind == "empty":
            return f"{field} is empty", "fill it in, or leave the row out"
        if kind == "missing":
            return f"there is no {field!r} in this object", ""
        if kind == "not-a-number":
            hint = decimal_hint(text, self.decimal)
            if not hint and number == "grade" and text.isalpha() and text.lower() not in NOTHING:
                hint = "grades are numbers, such as 0 (not relevant) to 3 (perfect): write them in the place of words"
            return f"the {number} is not a number: {text!r}", hint
        if kind == "not-finite":
            return f"the {number} is infinite: {text!r}", "give a finite number"
        if kind == "not-exact":
            return f"the {number} is {text}, {INEXACT}", EXACT_HINT
        if kind == "too-long":
            return "the line is longer than a megabyte", ""
        if kind == "binary":
            return "this is binary data, not text", ""
        return json_problem(kind, position, text, field)


def json_problem(kind: str, column: int, text: str, field: str = "") -> tuple[str, str]:
    """A message and a hint for problems that only JSON can have."""
    if kind == "repeated":
        return f"the name {text!r} appears twice in one object", "keep one of the two"
    if kind == "not-an-id":
        return f"{field} is {text}, not an id", "ids are strings or whole numbers"
    if kind == "no-text":
        return f"the id {text!r} holds a character that is not valid text", "half of a surrogate pair is not"
    if kind == "too-deep":
        return f"column {column}: values are nested too deeply", ""
    expected, _, actual = text.partition("\n")
    actual_text = repr(actual) if actual else "the end of the line"
    return f"column {column}: expected {expected}, found {actual_text}", ""


def first_lines(head: bytes, count: int) -> list[bytes]:
    """The first lines that are not blank."""
    lines = (line for line in head.removeprefix(BYTE_ORDER_MARK).split(b"\n") if line.strip())
    return [line for _, line in zip(range(count), lines, strict=False)]


def shown_names(names: Sequence[str]) -> str:
    """Names in a message; what cannot be shown is spelled out.

    >>> shown_names(["qid", "", "a\\tb"])
    "qid, '', 'a\\\\tb'"
    """
    return ", ".join(name if name and name.isprintable() else repr(name) for name in names)
