"""Summaries and comparisons of engines: a row per system and measure, and what to know below."""

from __future__ import annotations

from idealist.reporting.cells import Signed, p_cell
from idealist.reporting.conventions import conventions_line
from idealist.reporting.rows import rows_view
from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.reporting.table import Cell
    from idealist.reporting.view import Block


def cluster_view(result: Any) -> View:
    """The rows of a `ClusterSummary` or a `ClusterComparison`, its notes, and the conventions."""
    table = rows_view(result)
    segmented = bool(result.task.by)
    lines = (*(f"note: {note}" for note in result.notes), conventions_line(result.task.conventions))

    def blocks() -> list[Block]:
        return [
            *(_shown(block, segmented) if isinstance(block, Table) else block for block in table.blocks),
            Lines(lines),
        ]

    def all_rows() -> Table:
        return _columns(table.rows(), segmented)

    def record() -> dict[str, Any]:
        rows = all_rows()
        return {
            "rows": [dict(zip(rows.titles, row, strict=True)) for row in rows.rows],
            "notes": list(result.notes),
            "conventions": result.task.conventions.to_dict(),
        }

    return View(blocks, rows=all_rows, record=record)


def evaluation_view(result: Any) -> View:
    """An evaluation on an engine is shown by its summary."""
    return cluster_view(result.summary)


def _shown(table: Table, segmented: bool) -> Table:
    """P-values and differences as other tables have them."""
    rows = [[_cell(title, cell) for title, cell in zip(table.titles, row, strict=True)] for row in table.rows]
    return _columns(Table(table.titles, rows), segmented)


def _columns(table: Table, segmented: bool) -> Table:
    """Without the column of segments, where there are none."""
    if segmented or "segment" not in table.titles:
        return table
    at = table.titles.index("segment")
    return Table(
        [*table.titles[:at], *table.titles[at + 1 :]],
        [[*row[:at], *row[at + 1 :]] for row in table.rows],
    )


def _cell(title: str, cell: Cell) -> Cell:
    if not isinstance(cell, float):
        return cell
    return p_cell(cell) if title == "p value" else Signed(cell) if title == "difference" else cell
