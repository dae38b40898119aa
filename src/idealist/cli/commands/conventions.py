"""idealist conventions: what the well-known tools do where the definition leaves a choice."""

from __future__ import annotations

from idealist.cli.options import add_result, write_view
from idealist.conventions import PRESETS
from idealist.show.convention_tables import preset_view, presets_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "list the conventions of the well-known tools, or describe one tool's"
EPILOG = """examples:
  idealist conventions
  idealist conventions lightgbm
  idealist evaluate shop.qrels a.run -m nDCG@10 --conventions lightgbm"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tool", metavar="TOOL", nargs="?", help=f"one tool (default: all of them): {', '.join(PRESETS)}"
    )
    add_result(parser, about="output format; markdown without TOOL is the reference page")


def run(arguments: argparse.Namespace) -> int:
    view = presets_view() if arguments.tool is None else preset_view(arguments.tool)
    write_view(view, arguments.format)
    return 0
