"""Results whose fields are all there is to show: a row each, a column for each field."""

from __future__ import annotations

from idealist.reporting.cells import ends_of, interval_cell
from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View
from idealist.statistics.interval import Interval
from idealist.wording import interval_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.frozen import Frozen
    from idealist.reporting.table import Cell

MOST_ROWS = 40  # that people see; machines have all


def row_view(item: Frozen) -> View:
    """One of them by itself."""
    return rows_view([item])


def rows_view(items: Sequence[Frozen]) -> View:
    """The fields of every row, under their names."""
    if not items:
        return View(lambda: [Lines(("none",))], rows=lambda: Table([], []))
    left = len(items) - MOST_ROWS
    lines = (f"… and {left:,} more; to_frame and to_csv have all",) if left > 0 else ()
    return View(lambda: [_shown(items[:MOST_ROWS]), Lines(lines)], rows=lambda: _rows(items))


def _shown(items: Sequence[Frozen]) -> Table:
    """For people: an interval in one column, named by how sure it is."""
    fields = items[0].fields
    sure = next(
        (value.confidence for item in items for value in _values(item) if isinstance(value, Interval)), None
    )
    titles = [interval_title(sure) if field == "interval" else field.replace("_", " ") for field in fields]
    return Table(titles, [[_cell(value) for value in _values(item)] for item in items])


def _rows(items: Sequence[Frozen]) -> Table:
    """For machines: both ends of an interval in columns of their own."""
    titles: list[str] = []
    for field in items[0].fields:
        titles += ["low", "high"] if field == "interval" else [field]
    rows: list[list[Cell]] = []
    for item in items:
        cells: list[Cell] = []
        for field, value in zip(item.fields, _values(item), strict=True):
            cells += ends_of(value) if field == "interval" else [_plain(value)]
        rows.append(cells)
    return Table(titles, rows)


def _values(item: Frozen) -> list[Any]:
    return [getattr(item, field) for field in item.fields]


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return interval_cell(value) if isinstance(value, Interval) else _plain(value)


def _plain(value: Any) -> Cell:
    if isinstance(value, tuple):  # names of systems
        return " – ".join(map(str, value))
    plain: Cell = None if value != value else value
    return plain
