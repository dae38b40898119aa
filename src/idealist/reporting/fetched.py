"""A run that was fetched from a search engine."""

from __future__ import annotations

from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View
from idealist.wording import and_more, count_of, count_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.reporting.table import Cell


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
