"""Logs of impressions, as commands read them."""

from __future__ import annotations

from idealist.cli.sources import add_text, sources_of, table_of
from idealist.cli.table_columns import stated_columns
from idealist.data.impressions import NAMES
from idealist.io.impressions import read_impressions

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.data.impressions import Impressions

LOG = "a log of impressions: a table in any format, FILE::TABLE, or - for standard input"


def add_log_columns(parser: argparse.ArgumentParser) -> None:
    """How the one table of a command is read."""
    group = parser.add_argument_group("formats (detected from the content, compressed or not)")
    group.add_argument(
        "--columns",
        metavar="OURS=THEIRS,…",
        help=f"names of your columns for {', '.join(NAMES)}, such as query=term",
    )
    group.add_argument(
        "--input-format", metavar="FORMAT", help="csv, jsonl, … (default: detected from the content)"
    )
    add_text(group)


def read_log(path: str, arguments: argparse.Namespace) -> Impressions:
    options = sources_of(arguments).replace(columns=None)
    return read_impressions(
        table_of(path, options, "clicks", main=True), columns=stated_columns(arguments.columns)
    )
