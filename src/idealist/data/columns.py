"""Named columns of equal length, as they come from a table in a file or a frame, and times in them."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.base.values import EXACT_HINT, INEXACT, as_id, as_number, decimal_hint, loses_digits, with_point
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def quoted(option: str) -> str:
    """The value of an option as a shell takes it: in quotes where it has spaces or other signs of a shell.

    >>> quoted("query=Search Term,grade=stars")
    "'query=Search Term,grade=stars'"
    """
    from shlex import quote

    return quote(option)


def is_blank(cell: Any) -> bool:
    """Whether there is nothing in a cell of a table.

    >>> is_blank(None), is_blank(" "), is_blank(float("nan")), is_blank(0)
    (True, True, True, False)
    """
    return cell is None or cell != cell or (isinstance(cell, str) and not cell.strip())


def is_frame(source: object) -> bool:
    """Whether something is a table of columns: it speaks Arrow, or is a frame from before that.

    >>> is_frame({"q": {"d": 1}})
    False
    """
    if type(source) is dict:
        return False
    if hasattr(source, "__arrow_c_stream__"):
        return True
    if isinstance(source, Mapping) or not hasattr(source, "__getitem__"):
        return False
    return hasattr(source, "collect") or hasattr(source, "columns")  # a lazy one, or pandas before 2.2


class Columns:
    """A table by columns. `first_line` is the line of the file the first row stood on, if it was a file;
    `decimal` the sign before fractions in numbers that are text. `contents` is what the table is of (votes, items, …),
    for hints."""

    def __init__(
        self,
        columns: Mapping[str, Sequence[Any]],
        *,
        source: str | None = None,
        first_line: int | None = None,
        decimal: str = ".",
        contents: str = "",
    ) -> None:
        self.contents = contents
        self._used: set[str] = set()  # the columns that were looked up, and are not free to be another
        self.source = source
        self.decimal = decimal
        self.first_line = first_line
        self.columns: dict[str, list[Any]] = {}
        for name, values in columns.items():
            if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
                raise self.wrong(f"the column {name!r} is {values!r}, not a list of values")
            self.columns[str(name)] = list(values)
        lengths = {name: len(values) for name, values in self.columns.items()}
        if len(set(lengths.values())) > 1:
            length_texts = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise self.wrong(f"the columns differ in length: {length_texts}")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    @property
    def names(self) -> list[str]:
        return list(self.columns)

    def wrong(self, message: str, row: int | None = None, *, hint: str = "", code: str = "") -> InputError:
        """An error about the table, or about one of its rows, that says where it is."""
        if row is None or self.first_line is None:
            message = message if row is None else f"row {row + 1}: {message}"
            return InputError(message, source=self.source, hint=hint, code=code)
        return InputError(message, source=self.source, line=self.first_line + row, hint=hint, code=code)

    def where(self, row: int) -> str:
        """Where a row stands, in words.

        >>> Columns({"query": ["a"]}).where(0), Columns({"query": ["a"]}, first_line=2).where(0)
        ('in row 1', 'on line 2')
        """
        return f"in row {row + 1}" if self.first_line is None else f"on line {self.first_line + row}"

    def renamed(self, columns: Mapping[str, str]) -> Columns:
        """Renames columns: the table with our names for the columns that `columns` maps them to."""
        for ours, theirs in columns.items():
            if theirs not in self:
                raise self.wrong(
                    f"there is no column {theirs!r}, which columns names as the {ours}",
                    hint=f"there are {', '.join(self.columns) or 'no columns'}",
                )
            if ours in self and ours != theirs and ours not in columns.values():
                raise self.wrong(
                    f"there is a column {ours!r}, but columns names {theirs!r} as the {ours}",
                    hint="rename one of them, or leave it out of columns",
                )
        names = {theirs: ours for ours, theirs in columns.items()}
        cells = {names.get(name, name): values for name, values in self.columns.items()}
        return Columns(
            cells,
            source=self.source,
            first_line=self.first_line,
            decimal=self.decimal,
            contents=self.contents,
        )

    def of(self, contents: str) -> Columns:
        """The same table, known to be of votes, of items, …"""
        table = Columns.__new__(Columns)
        table.__dict__.update(self.__dict__, contents=contents, _used=set())
        return table

    def find(self, *names: str) -> str | None:
        """Finds the first of these names that is a column, in any case of letters; None if none is."""
        lower = {name.lower(): name for name in reversed(self.columns)}
        for name in names:
            column = name if name in self.columns else lower.get(name.lower())
            if column is not None:
                self._used.add(column)
                return column
        return None

    def named(self, *names: str) -> str:
        """The column by one of these names; an error if there is none."""
        column = self.find(*names)
        if column is not None:
            return column
        columns_text = f"there are {', '.join(self.columns) or 'no columns'}"
        if len(names) > 1:  # a column of ours, which may be called otherwise
            free = next((name for name in self.columns if name not in self._used), "NAME")
            option = f"{self.contents}.{names[0]}" if self.contents not in ("", "votes") else names[0]
            columns_text += f"; name it: --columns {quoted(f'{option}={free}')}, or columns={{{names[0]!r}: {free!r}}} in Python"
        raise self.wrong(f"there is no column {names[0]!r}", hint=columns_text)

    def lacks(self, missing: Sequence[str], needed: str, *, remark: str = "") -> InputError:
        """An error about columns that are not there, where none of the others can be guessed to be meant; `needed` says
        which columns such a table has."""
        stated = ",".join(f"{role}=NAME" for role in missing)
        return self.wrong(
            f"there is no column {missing[0]!r}",
            hint=f"there are {', '.join(self.columns) or 'no columns'}{remark}; {needed}; if yours are called otherwise, name "
            f"them: --columns {stated}, or columns={dict.fromkeys(missing, 'NAME')} in Python",
        )

    def ids(self, name: str) -> list[str]:
        """A column of ids: text or whole numbers."""
        return [self.id(name, row) for row in range(len(self))]

    def id(self, name: str, row: int) -> str:
        id_text: str = self._read(as_id, self.columns[name][row], name, row)
        return id_text

    def numbers(self, name: str) -> list[float]:
        """A column of numbers, which may be written as text."""
        return [self.number(name, row) for row in range(len(self))]

    def number(self, name: str, row: int, *, exact: bool = False, finite: bool = True) -> float:
        """With `exact`, whole numbers in text must be below 2**53, or such that a float holds them."""
        value = self.columns[name][row]
        if isinstance(value, str) and value:
            text = value
            try:
                value = float(with_point(text, self.decimal))
            except ValueError:
                hint = decimal_hint(value, self.decimal)
                raise self.wrong(
                    f"{name} is {value!r}, not a number", row, hint=hint, code="not-a-number"
                ) from None
            if exact and loses_digits(text, value):
                raise self.wrong(f"{name} is {text[:80]}, {INEXACT}", row, hint=EXACT_HINT)
        number: float = self._read(lambda v, title: as_number(v, title, finite=finite), value, name, row)
        return number

    def texts(self, name: str) -> list[str]:
        return ["" if value is None else str(value) for value in self.columns[name]]

    def _read(self, read: Any, value: Any, name: str, row: int) -> Any:
        if value is None or value == "":
            raise self.wrong(f"{name} is empty", row, hint="fill it in, or leave the row out", code="empty")
        try:
            return read(value, name)
        except InputError as error:
            raise self.wrong(error.message, row, hint=error.hint, code=error.code) from None


MOMENT = "a number, or ISO 8601 such as 2026-05-01T12:30:00"


def as_moment(table: Columns, name: str, row: int, *, hint: str = MOMENT) -> float:
    """The time in a cell, in seconds; one without a zone is taken as UTC, so that the order is the same on every machine.

    >>> from idealist.data.columns import Columns
    >>> as_moment(Columns({"time": ["1970-01-01T00:01:00"]}), "time", 0)
    60.0
    """
    from datetime import UTC, datetime

    cell = table.columns[name][row]
    try:
        cell = cell.isoformat() if hasattr(cell, "isoformat") else cell
        try:
            number = float(cell)
        except ValueError:
            moment = datetime.fromisoformat(str(cell).strip())
            number = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        if abs(number) < float("inf"):
            return number
    except (TypeError, ValueError):
        pass
    raise table.wrong(f"{name} is {cell!r}, not a time", row, hint=hint)
