"""Judgments by group: `query group document grade`, where the group is a subtopic or a group of judges."""

from __future__ import annotations

from collections.abc import Mapping

from idealist.data.grouped import GroupedJudgments
from idealist.io.judgment_tables import NAMES, read_keyed
from idealist.io.sources import origin_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.data.columns import Columns
    from idealist.types import GivenTable

# How much a nugget counts that is written as a word.
IMPORTANCE = {"vital": 1.0, "okay": 0.5}


def read_groups(
    source: GivenTable,
    *,
    weights: Mapping[Any, Mapping[Any, Any]] | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
) -> GroupedJudgments:
    """Judgments by subtopic, or by judgment group: TREC text whose second column names the group, or a table (any that
    read_table reads) with the columns query, group (or nugget), document and grade. `weights` are those of
    GroupedJudgments; a table may have them in a column weight, or importance, where vital is 1 and okay 0.5. The other
    arguments are those of read_judgments.

    >>> read_groups({"query": ["q", "q"], "group": ["1", "2"], "document": ["a", "a"], "grade": [1, 0]})
    <GroupedJudgments 'judgments': 1 query, 2 groups>
    """
    if isinstance(source, GroupedJudgments):
        return source
    tables: list[Columns] = []
    _, keyed = read_keyed(
        source,
        ("groups",),
        columns=columns,
        format=format,
        encoding=encoding,
        decimal=decimal,
        threads=threads,
        also=tables.append,
    )
    queries = {query: _by_group(rows) for query, rows in keyed.items()}
    if weights is None and tables:
        weights = _weights(tables[0])
    return GroupedJudgments(queries, weights=weights, **origin_of(source))


def _by_group(rows: Mapping[tuple[str, ...], float]) -> dict[str, dict[str, float]]:
    groups: dict[str, dict[str, float]] = {}
    for (group, document), grade in rows.items():
        groups.setdefault(group, {})[document] = grade
    return groups


def _weights(table: Columns) -> dict[str, dict[str, float]] | None:
    """What the groups of each query weigh, if the table has a column for that; the rows of a group say the same."""
    column = table.find("weight", "importance")
    if column is None:
        return None
    query_column, group_column = (table.named(*NAMES[name]) for name in ("query", "group"))
    weights: dict[str, dict[str, float]] = {}
    for row, cell in enumerate(table.columns[column]):
        query, group = table.id(query_column, row), table.id(group_column, row)
        weight = IMPORTANCE.get(str(cell).strip().lower())
        weight = table.number(column, row) if weight is None else weight
        if weights.setdefault(query, {}).setdefault(group, weight) != weight:
            raise table.wrong(
                f"{group_column} {group!r} of query {query!r} has the {column} {cell}, and another one above",
                row,
                hint="every row of a group has the same",
            )
    return weights
