"""idealist conventions: what the well-known tools do where the definition leaves a choice."""

from __future__ import annotations

import sys

from idealist.cli.options import rendered
from idealist.conventions import PRESETS
from idealist.reporting import FORMATS
from idealist.reporting.presets import preset_table, presets_page, presets_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "list the conventions of the well-known tools, or describe one tool's"
EPILOG = """examples:
  idealist conventions
  idealist conventions lightgbm
  idealist evaluate shop.qrels a.run -m nDCG@10 --conventions lightgbm"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", metavar="TOOL", nargs="?", help=", ".join(PRESETS))
    parser.add_argument(
        "--format",
        choices=tuple(FORMATS),
        default="table",
        help="default: table; markdown: the reference page",
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.tool is None and arguments.format == "markdown":
        sys.stdout.write(presets_page())
        return 0
    table = presets_table() if arguments.tool is None else preset_table(arguments.tool)
    sys.stdout.write(rendered(table, arguments.format))
    return 0
