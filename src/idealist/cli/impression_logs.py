"""Logs of impressions, as commands read them."""

from __future__ import annotations

from idealist.cli.sources import add_table_columns, sources_of, table_of
from idealist.cli.table_columns import stated_columns
from idealist.clicks.impressions import NAMES, read_impressions

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from idealist.clicks.impressions import Impressions

LOG = "a log of impressions: a table in any format, FILE::TABLE, or - for standard input"


def add_log_columns(parser: argparse.ArgumentParser) -> None:
    add_table_columns(parser, ", ".join(NAMES), "query=term")


def read_log(path: str, arguments: argparse.Namespace) -> Impressions:
    options = sources_of(arguments).replace(columns=None)
    return read_impressions(
        table_of(path, options, "clicks", main=True), columns=stated_columns(arguments.columns)
    )
