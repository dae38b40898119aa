"""Results of engines, runs that were fetched from search engines, and numbers of other libraries beside ours."""

from __future__ import annotations

from idealist.base.wording import and_more, count_of, count_queries
from idealist.show.cells import Signed, p_cell
from idealist.show.convention_tables import conventions_line
from idealist.show.table import Table
from idealist.show.view import Lines, View, rows_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.show.table import Cell
    from idealist.show.view import Block


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


def fetched_view(result: Any) -> View:
    """How many lists there are and where they come from; what to know of them below."""
    run = result.run
    lists = sorted(len(documents) for documents in run.to_dict().values())
    cells: dict[str, Cell] = {
        "run": run.name,
        "queries": len(run),
        "documents": sum(lists),
        "shortest list": lists[0],
        "longest list": lists[-1],
        "asked now": result.asked,
        "from before": result.resumed,
    }
    lines = [f"{result.engine.engine}: {result.engine.address}"]
    if result.empty:
        names = f"{result.empty[0]!r}{and_more(len(result.empty))}"
        lines.append(f"note: {count_queries(len(result.empty))} without documents, not in the run: {names}")
    if result.tied:
        lines.append(
            f"note: {count_of(result.tied, 'list')} with equal scores, whose order is then that of the convention for ties "
            "(--scores rank keeps the order of the engine)"
        )
    return View(
        lambda: [Table(list(cells), [list(cells.values())]), Lines(tuple(lines))],
        rows=lambda: Table(list(cells), [list(cells.values())]),
        record=lambda: {**cells, "empty": list(result.empty), "tied": result.tied, "notes": lines[1:]},
        beside=lines,
    )


def metric_difference_view(result: Any) -> View:
    """Both numbers, and the reasons below."""
    table = Table(
        ["", "measure", "value"],
        [[result.library, result.metric, result.theirs], ["idealist", result.measure, result.ours]],
    )
    reasons = result.reasons or ("both are the same",)
    record = {name: getattr(result, name) for name in type(result).fields}
    return View(
        lambda: [table, Lines(tuple(reasons))],
        rows=lambda: table,
        record=lambda: {**record, "reasons": list(result.reasons)},
        beside=list(reasons),
    )
