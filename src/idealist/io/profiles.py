"""Tables of users."""

from __future__ import annotations

from idealist.data.profiles import Profiles
from idealist.io.tables import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_profiles(source: Any) -> Profiles:
    """User profiles from a CSV, TSV, JSONL or Parquet file, a frame, a dict of columns or a list of records:
    a column query or user, then any of k, gain, discount, patience, weight and columns that name segments."""
    return source if isinstance(source, Profiles) else Profiles(read_table(source))
