"""Sheets of Excel workbooks (.xlsx): the first row that is not empty names the columns."""

from __future__ import annotations

import re

from idealist.data.column_names import refuse_repeats
from idealist.data.columns import Columns
from idealist.data.formats.format import ANYTHING, Format
from idealist.data.triples import rows_of_table
from idealist.errors import InputError, MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from idealist import kernels
    from idealist.data.formats.format import Head
    from idealist.data.opening import Opened
    from idealist.data.reading import ReadRequest

# A zip archive, one of whose first entries is the workbook's.
ARCHIVE = b"PK\x03\x04"
LEADING_ZEROS = re.compile("00+")  # a format such as 0000, which shows 7 as 0007
ENTRIES = (b"[Content_Types].xml", b"xl/", b"_rels/.rels", b"docProps/")


class Workbook(Format):
    name = "xlsx"
    label = "Excel"
    about = "a sheet of an Excel workbook: `shop.xlsx`, or `shop.xlsx::runs` where several sheets have something in them"
    carries = ANYTHING
    endings = (".xlsx", ".xlsm")
    options = ("columns",)
    part = "sheet"

    def recognises(self, head: Head) -> bool:
        """It begins with the name of one of its parts."""
        return head.start.startswith(ARCHIVE) and head.start[30:64].startswith(ENTRIES)

    def column_names(self, opened: Opened, part: str | None) -> list[str] | None:
        return workbook_table(opened.content(again=True), part, opened.source).names

    def rows(self, opened: Opened, request: ReadRequest, threads: int) -> kernels.Rows:
        table = self.table(opened, request)
        return rows_of_table(
            table, request.kind, request.columns, threads, duplicates=request.allow_duplicates
        )

    def table(self, opened: Opened, request: ReadRequest) -> Columns:
        return workbook_table(opened.content(), request.part, opened.source)


FORMAT = Workbook()


def workbook_table(content: bytes, sheet: str | None, source: str) -> Columns:
    """The columns of a sheet: of the one that is named, or of the only one that has anything in it."""
    workbook = _opened(content, source)
    try:
        name = _chosen(workbook, sheet, source)
        source = source if sheet is None else f"{source}::{name}"
        rows = [(at, row) for at, row in enumerate(_cells(workbook[name]), 1) if _filled(row)]
    finally:
        workbook.close()
    if not rows:
        raise InputError(
            "this sheet is empty", source=source, hint="its first row names the columns", code="no-rows"
        )
    (begin, head), *body = rows
    names = {at: cell for at, cell in enumerate(head) if cell}
    refuse_repeats(list(names.values()), source, begin)
    columns: dict[str, list[Any]] = {str(name): [] for name in names.values()}
    for number, row in body:
        stray = next((cell for at, cell in enumerate(row) if cell is not None and at not in names), None)
        if stray is not None:
            raise InputError(
                f"{stray!r} stands in a column without a name", source=source, line=number, hint="name it"
            )
        for at, name in names.items():
            columns[str(name)].append(row[at] if at < len(row) else None)
    # Empty rows between others would shift the numbers of those behind them.
    exact = not body or body[-1][0] == begin + len(body)
    return Columns(columns, source=source, first_line=begin + 1 if exact else None)


def _opened(content: bytes, source: str) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise MissingDependency(
            f"{source}: this is an Excel workbook, which needs openpyxl",
            hint="pip install 'idealist[tables]', or save the sheet as CSV",
        ) from None
    from io import BytesIO

    try:
        # Values, and not the formulas that gave them.
        return openpyxl.load_workbook(BytesIO(content), read_only=True, data_only=True)
    except Exception as error:  # whatever the parsers of archives and XML raise
        raise InputError(
            f"the Excel workbook cannot be read: {error or type(error).__name__}",
            source=source,
            hint="the file may be cut short or damaged: fetch or save it again",
        ) from None


def _chosen(workbook: Any, sheet: str | None, source: str) -> str:
    # A chart has a sheet of its own, without cells.
    names: list[str] = [worksheet.title for worksheet in workbook.worksheets]
    if sheet in names:
        return str(sheet)
    if sheet is not None:
        raise InputError(
            f"there is no sheet {sheet!r}", source=source, hint=f"its sheets are {', '.join(names)}"
        )
    filled: list[str] = [name for name in names if any(map(_filled, _cells(workbook[name])))]
    if len(filled) > 1:
        raise InputError(
            f"several sheets have content: {', '.join(filled)}",
            source=source,
            hint=f"name one, as in {source}::{filled[0]}",
        )
    return (filled or names)[0]


def _cells(sheet: Any) -> Iterator[list[Any]]:
    """Its rows. Text without blanks around it, None for nothing; a number that is whole is one for ids, too, with the
    zeros before it that the sheet shows."""
    for row in sheet.iter_rows():
        yield [_shown(cell) for cell in row]


def _shown(cell: Any) -> Any:
    value = _plain(cell.value)
    if type(value) is int and value >= 0 and LEADING_ZEROS.fullmatch(cell.number_format):
        return str(value).zfill(len(cell.number_format))
    return value


def _filled(row: list[Any]) -> bool:
    return any(cell is not None for cell in row)


def _plain(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell.strip() or None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= 2.0**53:
        return int(cell)
    return cell
