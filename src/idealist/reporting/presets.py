"""The conventions of the well-known tools, side by side and one by one."""

from __future__ import annotations

from idealist.conventions import CHOICES, PRESETS, parse_conventions
from idealist.measures.parameters import PARAMETERS, parameter
from idealist.reporting.table import Table
from idealist.reporting.view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.reporting.table import Cell


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
