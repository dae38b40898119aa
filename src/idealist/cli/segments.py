"""Segments of queries, from a table or a column of the profiles."""

from __future__ import annotations

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from idealist.data.profiles import Profiles


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


def read_segments(
    source: Any, *, column: str | None, profiles: Profiles | None = None
) -> dict[str, str] | None:
    """The segment of every query, from a table or a column of the profiles; None where neither is asked for."""
    if source is None:
        return None if column is None or profiles is None else profiles.column(column)
    from idealist.data.columns import QUERY
    from idealist.io import read_table

    table = read_table(source)
    segments: dict[str, str] = {}
    names = table.ids(table.named(column or "segment"))
    for row, query in enumerate(table.ids(table.named(*QUERY))):
        if segments.setdefault(query, names[row]) != names[row]:
            raise table.wrong(f"query {query!r} is in two segments", row, hint="keep one of the two rows")
    return segments
