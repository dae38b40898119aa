"""The options that name the segments of queries."""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add_segments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--segments",
        metavar="FILE",
        help="a table with the columns query and segment (--segment-by names another column)",
    )


def require_segments(column: str | None, segments: str | None, profiles: str | None) -> None:
    """Raises where --segment-by has no table."""
    if column is not None and profiles is None and segments is None:
        raise InputError(
            "--segment-by names a column of --segments or --profiles", hint="give --segments FILE too"
        )
