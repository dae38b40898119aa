"""Times in tables: numbers, or dates as ISO 8601 writes them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.data.columns import Columns

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
