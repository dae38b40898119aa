"""Cells that are numbers with a way of their own to be written: all digits for machines, a few for people."""

from __future__ import annotations

from idealist.errors import visible
from idealist.wording import p_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.reporting.table import Cell
    from idealist.statistics.interval import Interval

GAP = 2  # blanks between cells that stand side by side


class ShownNumber(float):
    """A number that says itself how people see it."""

    def shown(self) -> str:
        raise NotImplementedError


class Signed(ShownNumber):
    """A difference, with its sign.

    >>> Signed(0.125).shown(), Signed(-1.5, 2).shown()
    ('+0.1250', '-1.50')
    """

    def __new__(cls, number: float, digits: int = 4) -> Signed:
        made = super().__new__(cls, number)
        made.digits = digits
        return made

    digits: int

    def shown(self) -> str:
        return f"{self + 0.0:+.{self.digits}f}"


class PValue(ShownNumber):
    """A p-value.

    >>> PValue(2.5e-9).shown()
    '<0.0001'
    """

    def shown(self) -> str:
        return p_text(float(self))


def whole(number: float) -> float:
    """A number without decimals as an int, so that it is shown without them."""
    return int(number) if number == int(number) else number


def difference_cell(number: float | None, digits: int = 4) -> Cell:
    """A difference; nothing where it is unknown."""
    return None if number is None or number != number else Signed(number, digits)


def p_cell(p: float | None) -> Cell:
    """A p-value; nothing where there is none."""
    return None if p is None or p != p else PValue(p)


def interval_cell(interval: Interval | None) -> Cell:
    """Both ends of an interval; nothing where there is none."""
    return None if interval is None else (interval.low, interval.high)


def number_cell(number: float | None) -> Cell:
    """A number; nothing where it is undefined, and a whole one where it may be infinite or a count.

    >>> number_cell(float("nan")), number_cell(float("inf")), number_cell(0.5)
    (None, '∞', 0.5)
    """
    if number is None or number != number:
        return None
    return "∞" if number == float("inf") else number


def count_cell(count: float) -> Cell:
    """A count: whole where it is whole.

    >>> count_cell(3.0), count_cell(3.5)
    (3, 3.5)
    """
    return int(count) if count == int(count) else float(count)


def ends_of(interval: Interval | None) -> tuple[float | None, float | None]:
    """Both ends of an interval for columns of their own."""
    return (None, None) if interval is None else (interval.low, interval.high)


def cell_text(cell: Cell) -> str:
    """Four decimals for a float, a range for two of them, nothing for None.

    >>> cell_text(-0.00001), cell_text((0.5, 1.0)), cell_text(7), cell_text(None)
    ('0.0000', '[0.5000, 1.0000]', '7', '')
    """
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        return f"[{cell_text(cell[0])}, {cell_text(cell[1])}]"
    if isinstance(cell, ShownNumber):
        return cell.shown()
    return f"{cell + 0.0:.4f}".replace("-0.0000", "0.0000") if isinstance(cell, float) else visible(str(cell))


def text_width(text: str) -> int:
    """The places that a text takes in a terminal, where letters of Chinese, Japanese and Korean take two."""
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
