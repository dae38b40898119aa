"""Segments of queries: new and old users, head and tail queries, countries, …"""

from __future__ import annotations

from idealist.data.numbers import as_id, given_twice
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


class QuerySegments(dict[str, str]):
    """The segment of every query, as a table has it, and the name of that table for errors."""

    source: str | None = None


def segment_name(value: Any) -> str:
    """The name of a segment as text; empty where there is none.

    >>> segment_name("new"), segment_name(2024), segment_name(True), segment_name(float("nan"))
    ('new', '2024', 'True', '')
    """
    if _is_missing(value):
        return ""
    return as_id(value if isinstance(value, str) else str(value), "the name of a segment")


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas' NA is neither equal to itself nor unequal
        return True


def segments_by_query(pairs: Iterable[tuple[Any, Any]]) -> dict[str, str]:
    """The segment of every query that has one, from pairs of a query and a name.

    >>> segments_by_query([("q1", "new"), (2, "old"), ("q3", None)])
    {'q1': 'new', '2': 'old'}
    """
    segments: dict[str, str] = {}
    for query, value in pairs:
        name = as_id(query, "a segment: a query's id")
        segment = segment_name(value)
        if segment and segments.setdefault(name, segment) != segment:
            raise given_twice(f"the segment of query {name!r}")
    return segments


def segment_of(query: str, segments: Mapping[str, str]) -> str:
    """The segment of a query; an error if it has none."""
    if query not in segments:
        source = segments.source if isinstance(segments, QuerySegments) else None
        raise InputError(
            f"query {query!r} has no segment", source=source, hint="give the segment of every query"
        )
    return segments[query]
