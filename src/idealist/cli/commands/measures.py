"""idealist measures: what can be measured."""

from __future__ import annotations

from idealist.cli.options import add_format, write_view
from idealist.reporting.measures import measures_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "list the measures, or describe one"
EPILOG = """examples:
  idealist measures            all of them, family by family
  idealist measures diversity  one family
  idealist measures nDCG       one measure: definition, parameters, bounds, citation, example"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="a family, or a measure by any name it has")
    add_format(parser, about="output format; markdown is the reference page")


def run(arguments: argparse.Namespace) -> int:
    write_view(measures_view(arguments.name), arguments.format)
    return 0
