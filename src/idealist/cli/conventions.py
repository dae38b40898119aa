"""idealist conventions: what the well-known tools do where the definition leaves a choice."""

from __future__ import annotations

import sys

from idealist.cli.options import rendered
from idealist.conventions import CHOICES, PRESETS, parse_conventions
from idealist.measures.parameters import PARAMETERS
from idealist.report import FORMATS, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.report.table import Cell

SUMMARY = "list the conventions of the well-known tools, or describe one tool's"
EPILOG = """examples:
  idealist conventions
  idealist conventions lightgbm
  idealist evaluate shop.qrels a.run -m nDCG@10 --conventions lightgbm"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", metavar="TOOL", nargs="?", help=", ".join(PRESETS))
    parser.add_argument("--format", choices=tuple(FORMATS), default="table", help="default: table")


def run(arguments: argparse.Namespace) -> int:
    table = _listed() if arguments.tool is None else _described(arguments.tool)
    sys.stdout.write(rendered(table, arguments.format))
    return 0


def _listed() -> Table:
    """A row for every tool; a cell is empty where it does as we do."""
    tools = {name: one.conventions for name, one in PRESETS.items()}
    choices = list(CHOICES) + [
        name for name in PARAMETERS if any(name in one.parameters for one in tools.values())
    ]
    rows: list[list[Cell]] = []
    for name, conventions in tools.items():
        cells: list[Cell] = [conventions.to_dict().get(choice, "–") for choice in choices]
        if rows:
            cells = [None if cell == ours else cell for cell, ours in zip(cells, rows[0][1:], strict=True)]
        rows.append([name, *cells])
    below = ["", "an empty cell: as in the first row; a dash: as the measure says"]
    return Table(["tool", *choices], rows, below=below, rules={1})


def _described(tool: str) -> Table:
    conventions = parse_conventions(tool)
    rows: list[list[Cell]] = [
        [name, choice, CHOICES[name][1][choice] if name in CHOICES else PARAMETERS[name].meaning]
        for name, choice in conventions.to_dict().items()
    ]
    found = PRESETS[tool]
    below = ["", f"{tool}: {found.about}", *([f"besides: {found.remark}"] if found.remark else [])]
    return Table(["choice", tool, "meaning"], rows, below=below)
