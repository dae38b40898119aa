"""idealist measures: what can be measured."""

from __future__ import annotations

from idealist.cli.options import add_result, write_view
from idealist.errors import InputError
from idealist.show.reference_pages import measures_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

SUMMARY = "list the measures, or describe one"
EPILOG = """examples:
  idealist measures            all of them, family by family
  idealist measures diversity  one family
  idealist measures nDCG       one measure: definition, parameters, bounds, citation, example
  idealist measures --backends which of them are explained, on tensors, losses, SQL"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="a family, or a measure by any name it has")
    parser.add_argument(
        "--backends", action="store_true", help="list what each measure runs on besides the native core"
    )
    add_result(parser, about="output format; markdown is the reference page")


def run(arguments: argparse.Namespace) -> int:
    if arguments.backends:
        if arguments.name is not None:
            raise InputError("--backends lists all measures", hint="leave the name out")
        from idealist.cli.backends import backends_view

        write_view(backends_view(), arguments.format)
        return 0
    write_view(measures_view(arguments.name), arguments.format)
    return 0
