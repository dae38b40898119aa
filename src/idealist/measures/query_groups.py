"""Queries that belong together: the sessions and topics that a table of profiles names."""

from __future__ import annotations

from idealist.base.values import as_count
from idealist.conventions import other_choices
from idealist.data.needs import PROFILES
from idealist.errors import InputError
from idealist.kernels import Values
from idealist.measures.measure import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from idealist.data import Rankings

UNDEFINED = float("nan")


class OfQueryGroups(Measure):
    """What measures of queries that belong together have in common: one number per group of queries. The first query of a
    group has it and the others have none, so that means, differences and their tests count groups."""

    needs = PROFILES
    # The column of the profiles that names the groups.
    grouped_by: ClassVar[str] = "session"

    def of_groups(self, rankings: Rankings, groups: list[list[int]]) -> list[float]:
        """The number of every group, given the numbers of its queries in their order; nan where it is undefined."""
        raise TypeError(f"{type(self).__name__} does not say how it is computed")

    def groups(self, rankings: Rankings) -> list[list[int]]:
        """The queries of every group, in the order they were asked."""
        place = positions(rankings, self.grouped_by)
        named = query_groups(rankings, self.grouped_by).values()
        return [sorted(members, key=place.__getitem__) for members in named]

    def values(self, rankings: Rankings) -> Values:
        groups = self.groups(rankings)
        numbers = [UNDEFINED] * len(rankings)
        for members, number in zip(groups, self.of_groups(rankings, groups), strict=True):
            numbers[members[0]] = number
        return Values(numbers)

    def values_with_conventions(self, rankings: Rankings) -> Values:
        """The values of groups under the conventions for what is undefined; nan for all queries but the first of each."""
        values = list(self.measured(rankings))
        empty = rankings.conventions.empty
        first = [members[0] for members in self.groups(rankings)]
        undefined = [at for at in first if values[at] != values[at]]
        rankings.undefined[self] = len(undefined)
        if undefined and empty not in ("zero", "one", "skip"):
            raise InputError(
                f"{self} is undefined for the {self.grouped_by} of query {rankings.native.name(undefined[0])!r}",
                hint=other_choices("empty"),
            )
        for at in undefined:
            values[at] = {"zero": 0.0, "one": 1.0}.get(empty, UNDEFINED)
        return Values(values)


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
    return rankings.view(_positions, column)


def _positions(rankings: Rankings, column: str) -> list[int]:
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
