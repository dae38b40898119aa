"""Conventions beside numbers, those of the well-known tools, and why two tools differ."""

from __future__ import annotations

from idealist.conventions import CHOICES, DEFAULT, PRESETS, parse_conventions
from idealist.measures.measure_parameters import PARAMETERS, parameter
from idealist.show.cells import difference_cell, number_cell
from idealist.show.table import Table
from idealist.show.view import Lines, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.evaluation import ConventionSearch, ToolDifference, TriedConventions
    from idealist.evaluation.aggregates import QueryChange
    from idealist.show.table import Cell


ALL = "`idealist conventions idealist` lists them"


def conventions_line(conventions: Conventions, shown: Mapping[str, str] | None = None) -> str:
    """The choices that are not the default ones, and how to see all. `shown` has other words for some of them.
    Parameters stand in the names of the measures that have them.

    >>> conventions_line(DEFAULT)
    'conventions: default (`idealist conventions idealist` lists them)'
    >>> conventions_line(DEFAULT.replace(ties="averaged", missing="skip"))
    'conventions: ties averaged · missing skip, otherwise default (`idealist conventions idealist` lists them)'
    """
    chosen = {**conventions.to_dict(), **(shown or {})}
    different = [f"{name} {choice}" for name, choice in chosen.items() if choice != getattr(DEFAULT, name)]
    if not different:
        return f"conventions: default ({ALL})"
    return f"conventions: {' · '.join(different)}, otherwise default ({ALL})"


def conventions_table(conventions: Conventions) -> Table:
    """Every choice in force, in words."""
    rows: list[list[Cell]] = [
        [about, getattr(conventions, field), known[getattr(conventions, field)]]
        for field, (about, known) in CHOICES.items()
    ]
    rows += [
        [f"{name} of measures that state none", str(value), None]
        for name, value in conventions.parameters.items()
    ]
    return Table(["what", "choice", "meaning"], rows)


def presets_view() -> View:
    """The tools side by side; in Markdown, the reference page."""
    table = presets_table()
    return View(lambda: [table], rows=lambda: table, page=presets_page)


def preset_view(tool: str) -> View:
    """Every choice of one tool."""
    table = preset_table(tool)
    return View(lambda: [table], rows=lambda: table)


def presets_page() -> str:
    """The reference page: the tools side by side, what is true of each, and what every choice means."""
    tools = [
        f"- **{name}**: {preset.about}." + (f" Besides: {preset.remark}." if preset.remark else "")
        for name, preset in PRESETS.items()
    ]
    choices = [
        f"- **{name}**, {about}: "
        + "; ".join(f"`{choice}` {meaning}" for choice, meaning in meanings.items())
        for name, (about, meanings) in CHOICES.items()
    ]
    parameters = [f"- **{name}**: {PARAMETERS[name].meaning}" for name in _parameters()]
    parts = [
        "# Conventions",
        "The choices that change a number, and how the well-known tools make them; [why tools disagree](tools.md) shows"
        " them on data. `idealist evaluate --conventions lightgbm` measures as LightGBM does, `idealist why --between"
        " trec_eval-9 lightgbm` shows what each choice is worth. `idealist conventions --format markdown` prints this"
        " page.",
        "## Choices",
        _side_by_side(list(CHOICES)).to_markdown().strip(),
        "\n".join(choices),
        "## Parameters of measures",
        "Some tools have parameters of their own. They are for measures that state none, whether these are"
        " texts or objects: under lightgbm, `nDCG@10` and `NDCG(k=10)` have the gain exp, and `nDCG(gain=linear)@10`"
        ' and `NDCG(k=10, gain="linear")` do not. `idealist conventions TOOL` has those for one measure alone, too,'
        " such as `RBP.p`.",
        _side_by_side(_parameters()).to_markdown().strip(),
        "\n".join(parameters),
        "## Tools",
        "What else is true of each:",
        "\n".join(tools),
    ]
    return "\n\n".join(parts) + "\n"


def _parameters() -> list[str]:
    """The parameters of measures for which some tool has a value of its own."""
    stated = {name for preset in PRESETS.values() for name in preset.conventions.parameters}
    return [name for name in PARAMETERS if name in stated]


def presets_table() -> Table:
    """A row for every tool; a cell is empty where it does as we do."""
    return _side_by_side([*CHOICES, *_parameters()])


def _side_by_side(choices: list[str]) -> Table:
    rows: list[list[Cell]] = []
    for name, preset in PRESETS.items():
        chosen = _chosen(preset.conventions)
        cells: list[Cell] = [chosen.get(choice, "–") for choice in choices]
        if rows:
            cells = [None if cell == ours else cell for cell, ours in zip(cells, rows[0][1:], strict=True)]
        rows.append([name, *cells])
    notes = ["an empty cell: as in the first row"]
    if "–" in rows[0]:
        notes.append("a dash: as the measure says")
    return Table(["tool", *choices], rows, below=["", "; ".join(notes)], rules={1})


def _chosen(conventions: Conventions) -> dict[str, str]:
    parameters = {name: parameter(name).text(value) for name, value in _read(conventions).items()}
    return {**conventions.to_dict(), **parameters}


def _read(conventions: Conventions) -> dict[str, Any]:
    return {name: parameter(name).read(value) for name, value in conventions.parameters.items()}


def preset_table(tool: str) -> Table:
    """Every choice of one tool, and what it means."""
    conventions = parse_conventions(tool)
    rows: list[list[Cell]] = [
        [name, choice, CHOICES[name][1][choice] if name in CHOICES else parameter(name).meaning]
        for name, choice in _chosen(conventions).items()
    ]
    below = []
    if (preset := PRESETS.get(tool)) is not None:
        below = ["", f"{tool}: {preset.about}", *([f"besides: {preset.remark}"] if preset.remark else [])]
    return Table(["choice", tool, "meaning"], rows, below=below)


MOST_QUERIES = 2
MOST_FINDINGS = 10


def difference_view(difference: ToolDifference, *, by_query: bool = False) -> View:
    """The worth of every choice, one after the other; with `by_query`, every query that moves."""
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
