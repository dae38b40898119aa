"""Lists of results of one kind: a row each, a column for each field."""

from __future__ import annotations

from idealist.report.table import Table
from idealist.report.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.frozen import Frozen
    from idealist.report.table import Cell


MOST_ROWS = 40  # that people see; machines have all


def rows_view(found: Sequence[Frozen]) -> View:
    """The fields of every row, under their names."""
    titles = list(found[0].fields) if found else []
    shown = Table(titles, [[_cell(getattr(one, field)) for field in titles] for one in found[:MOST_ROWS]])
    left = len(found) - MOST_ROWS
    lines = (f"… and {left:,} more; to_frame and to_csv have all",) if left > 0 else ()
    return View(
        [shown, Lines(lines)] if found else [Lines(("none",))],
        rows=lambda: Table(titles, [[_plain(getattr(one, field)) for field in titles] for one in found]),
    )


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _plain(value)


def _plain(value: Any) -> Cell:
    if isinstance(value, tuple):  # names of systems
        return " – ".join(map(str, value))
    plain: Cell = None if value != value else value
    return plain
