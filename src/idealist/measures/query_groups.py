"""Queries that belong together: the sessions and topics that a table of profiles names."""

from __future__ import annotations

from idealist.data.needs import PROFILES
from idealist.data.values import as_count
from idealist.errors import InputError
from idealist.measures.base import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from idealist.conventions import Conventions
    from idealist.data import Rankings


class OfQueryGroups(Measure):
    """What measures of queries that belong together have in common: one number per group of queries, and their mean."""

    needs = PROFILES
    aggregate = "pooled"


def query_groups(rankings: Rankings, column: str) -> dict[str, list[int]]:
    """The queries of every group, by their number; the column of the profiles names the groups."""
    groups: dict[str, list[int]] = {}
    profiles, queries = rankings.table(PROFILES), rankings.queries
    for at, name in enumerate(profiles.texts(column, queries)):
        if not name:
            raise InputError(
                f"query {queries[at]!r} has no {column}",
                source=profiles.source,
                hint=f"fill in the column {column}; a query by itself has a {column} of its own",
            )
        groups.setdefault(name, []).append(at)
    return groups


def positions(rankings: Rankings, column: str) -> list[int]:
    """The position of every query in its group, 1 for the first; no two queries of a group have the same."""
    profiles, queries = rankings.table(PROFILES), rankings.queries
    profiles.texts("position", queries[:0])  # says that there is no such column
    found: list[int | None] = profiles.settings("position", queries, _position)
    for query, position in zip(queries, found, strict=True):
        if position is None:
            raise InputError(
                f"query {query!r} has no position",
                source=profiles.source,
                hint=f"1 is the first query of its {column}",
            )
    for name, members in query_groups(rankings, column).items():
        by_position: dict[int | None, int] = {}
        for at in members:
            if (other := by_position.setdefault(found[at], at)) != at:
                raise InputError(
                    f"the queries {queries[other]!r} and {queries[at]!r} of {column} {name!r} both have position {found[at]}",
                    source=profiles.source,
                    hint="number the queries in the order they were asked",
                )
    return [position for position in found if position is not None]


def _position(cell: Any) -> int:
    is_whole = isinstance(cell, float) and cell.is_integer()  # frames write a column with gaps as floats
    return as_count(int(cell) if is_whole else cell, "position", text=True)


def mean_of_groups(values: Iterable[float], conventions: Conventions, measure: Measure) -> float:
    """The mean over groups of queries; what is undefined counts as the conventions say of empty queries."""
    instead = {"zero": 0.0, "one": 1.0}.get(conventions.empty)
    counted: list[float] = []
    for value in values:
        if value == value:
            counted.append(value)
        elif instead is not None:
            counted.append(instead)
        elif conventions.empty == "error":
            raise InputError(
                f"{measure} is undefined for a group of queries",
                hint="choose empty=zero, empty=one or empty=skip to go on",
            )
    return sum(counted) / len(counted) if counted else float("nan")
