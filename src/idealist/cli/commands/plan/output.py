"""Where the samples and pools of `idealist plan` are written."""

from __future__ import annotations

from idealist.cli.options import add_seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add_output(parser: argparse.ArgumentParser, kinds: tuple[str, ...]) -> None:
    add_seed(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="write there, not to standard output")
    parser.add_argument("--force", action="store_true", help="replace a file that is there already")
    parser.add_argument("--format", choices=kinds, default="csv", help="default: csv")
