"""Segments of queries: a table with a column of queries and one of segments, a mapping, or a column of profiles."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.data.column_names import QUERY
from idealist.data.columns import Columns
from idealist.data.profiles import Profiles
from idealist.data.segments import QuerySegments, segment_name, segments_by_query
from idealist.errors import InputError
from idealist.io.tables import holds_columns, read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SEGMENT = "segment"


def query_segments(
    segments: Any, segment_by: str | None, profiles: Profiles | None = None
) -> dict[str, str] | None:
    """The segment of every query, by the segments that are given, or by a column of the profiles; None where neither is
    asked for."""
    if segments is not None:
        return read_segments(segments, column=segment_by)
    if segment_by is None:
        return None
    if profiles is None:
        raise InputError(
            f"segment_by names the column {segment_by!r}, but no table with segments was given",
            hint="give the segments, or profiles (--segments FILE, --profiles FILE)",
        )
    return read_segments(profiles, column=segment_by)


def read_segments(source: Any, *, column: str | None = None) -> dict[str, str]:
    """The segment of every query: from a table (a file in any format of tables, a frame, a dict of columns, a list of
    records), a mapping from queries to names, or profiles. `column` names the column of segments; without it, it is
    called segment.

    >>> read_segments({"q1": "new", "q2": "old"})
    {'q1': 'new', 'q2': 'old'}
    >>> read_segments({"query": ["q1", "q2"], "country": ["CH", "AT"]}, column="country")
    {'q1': 'CH', 'q2': 'AT'}
    """
    if isinstance(source, QuerySegments) and column is None:
        return source
    if isinstance(source, Profiles):
        return source.column(column or SEGMENT)
    if isinstance(source, Mapping) and not holds_columns(source):
        if column is not None:
            raise InputError(
                f"the column {column!r} was named, but the segments are not a table",
                hint="leave the column out",
            )
        return segments_by_query(source.items())
    if isinstance(source, (list, tuple)) and not all(isinstance(entry, Mapping) for entry in source):
        raise InputError(
            f"segments must be a mapping from queries to names, or a table, not {source!r:.60}",
            hint='{"q1": "new users"}, or the path of a table',
        )
    return _from_table(read_table(source).of("segments"), column)


def _from_table(table: Columns, column: str | None) -> dict[str, str]:
    segment_column = table.named(column or SEGMENT)
    cells = table.columns[segment_column]
    if not any(map(segment_name, cells)):  # it says nothing of any query
        return {}
    segments = QuerySegments()
    segments.source = table.source
    for row, query in enumerate(table.ids(table.named(*QUERY))):
        segment = segment_name(cells[row])
        if not segment:
            raise table.wrong(f"{segment_column} is empty", row, hint="fill it in, or leave the row out")
        if segments.setdefault(query, segment) != segment:
            raise table.wrong(f"query {query!r} is in two segments", row, hint="keep one of the two rows")
    return segments
