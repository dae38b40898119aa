"""Tables of users."""

from __future__ import annotations

from idealist.data.profiles import Profiles
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.types import GivenTable


def read_profiles(
    source: Profiles | GivenTable,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Profiles:
    """User profiles from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a list of records:
    a column query or user, then any of k, gain, discount, patience, weight and columns that name segments.
    `encoding`, `decimal` and `columns` are those of read_table."""
    if isinstance(source, Profiles):
        return source
    return Profiles(
        read_table(source, columns=columns, format=format, encoding=encoding, decimal=decimal).of("profiles")
    )
