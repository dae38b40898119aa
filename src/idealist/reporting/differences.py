"""Why two tools differ: the walk from one's conventions to the other's, and the conventions behind a number."""

from __future__ import annotations

from idealist.reporting.cells import difference_cell, number_cell
from idealist.reporting.table import Table
from idealist.reporting.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.evaluation.changes import QueryChange
    from idealist.presets import ConventionSearch, ToolDifference, TriedConventions
    from idealist.reporting.table import Cell

MOST_QUERIES = 2
MOST_FINDINGS = 10


def difference_view(difference: ToolDifference, *, by_query: bool = False) -> View:
    """What every choice is worth, one after the other; with `by_query`, every query that moves."""
    table = _query_table(difference) if by_query else _walk_table(difference)
    if by_query:
        lines = [f"{difference.measure}; an empty cell: the query is left out"]
    else:
        lines = ["each choice is made after those above it; what it is worth depends on them"]
        if any(step.refused is not None for step in difference.steps):
            lines.append("what is refused stays as it was; the tool would print no number")
    return View(
        lambda: [table, Lines(tuple(lines))],
        rows=lambda: table,
        record=lambda: _walk_record(difference),
    )


def search_view(search: ConventionSearch) -> View:
    """The choices that give the observed number, the fewest first, or what comes nearest."""
    findings = search.matches[:MOST_FINDINGS]
    rows: list[list[Cell]] = [[finding.value, _choices(finding)] for finding in findings]
    observed = repr(search.observed)
    lines = [f"tools whose conventions give {observed}: {', '.join(search.tools) or 'none'}"]
    if len(search.matches) > len(findings):
        lines.append(f"{len(search.matches) - len(findings):,} more that need as many choices, or more")
    if not search.matches:
        near = search.nearest
        rows = [[repr(round(near.value, 10)), _choices(near)]]
        lines.append(f"nothing gives {observed}; this is the nearest of {search.tried:,} that were tried")
        lines.append("the data may differ: other documents, other queries, another cut-off")
    table = Table([search.measure, "choices that differ from the default"], rows)
    return View(
        lambda: [table, Lines(tuple(lines))], rows=lambda: table, record=lambda: _search_record(search)
    )


def _walk_table(difference: ToolDifference) -> Table:
    rows: list[list[Cell]] = [[difference.before, None, None, difference.value, None, difference.n, None]]
    for step in difference.steps:
        refused = step.refused is not None
        moved = f"refused: {step.refused}" if refused else _moved(step.moved)
        change = None if refused else difference_cell(step.change)
        rows.append([step.choice, step.before, step.after, step.value, change, step.n, moved])
    n = difference.steps[-1].n if difference.steps else difference.n
    rows.append(
        [
            difference.after,
            None,
            None,
            difference.last,
            difference_cell(difference.last - difference.value),
            n,
            None,
        ]
    )
    titles = ["choice", "from", "to", difference.measure, "change", "n", "queries that move, most first"]
    return Table(titles, rows, rules={1, len(rows) - 1})


def _moved(moves: tuple[QueryChange, ...]) -> str:
    if not moves:
        return "none"
    shown = ", ".join(
        f"{move.query} {_value(move.before)} → {_value(move.after)}" for move in moves[:MOST_QUERIES]
    )
    return f"{len(moves):,}: {shown}" + (", …" if len(moves) > MOST_QUERIES else "")


def _value(value: float) -> str:
    return "out" if value != value else f"{value:.4f}"


def _query_table(difference: ToolDifference) -> Table:
    rows: list[list[Cell]] = [
        [
            *(step.choice, step.before, step.after, move.query),
            *(number_cell(move.before), number_cell(move.after), difference_cell(move.change)),
        ]
        for step in difference.steps
        for move in step.moved
    ]
    return Table(["choice", "from", "to", "query", "before", "after", "change"], rows)


def _walk_record(difference: ToolDifference) -> dict[str, Any]:
    return {
        "measure": difference.measure,
        "from": {"conventions": difference.before, "value": difference.value, "n": difference.n},
        "to": {"conventions": difference.after, "value": difference.last},
        "steps": [
            {
                "choice": step.choice,
                "from": step.before,
                "to": step.after,
                "value": step.value,
                "n": step.n,
                "change": step.change,
                "refused": step.refused,
                "moved": [
                    {
                        "query": move.query,
                        "before": number_cell(move.before),
                        "after": number_cell(move.after),
                    }
                    for move in step.moved
                ],
            }
            for step in difference.steps
        ],
    }


def _choices(finding: TriedConventions) -> str:
    return " · ".join(f"{name} {choice}" for name, choice in finding.choices.items()) or "none"


def _search_record(search: ConventionSearch) -> dict[str, Any]:
    def record(finding: TriedConventions) -> dict[str, Any]:
        return {"value": finding.value, "choices": dict(finding.choices)}

    return {
        "measure": search.measure,
        "observed": search.observed,
        "tolerance": search.tolerance,
        "tools": list(search.tools),
        "found": [record(finding) for finding in search.matches],
        "nearest": record(search.nearest),
        "tried": search.tried,
    }
