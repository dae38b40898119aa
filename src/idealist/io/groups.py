"""Judgments by group: `query group document grade`, where the group is a subtopic or a group of judges."""

from __future__ import annotations

import os
from collections.abc import Mapping

from idealist.data.grouped import GroupedJudgments
from idealist.io.judgment_tables import read_keyed
from idealist.io.sources import parse_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_groups(
    source: Any,
    *,
    weights: Mapping[Any, Mapping[Any, Any]] | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    threads: int | None = None,
) -> GroupedJudgments:
    """Judgments by subtopic, or by judgment group: TREC text whose second column names the group, or a table (any that
    read_table reads) with the columns query, group, document and grade. `weights` are those of GroupedJudgments, the
    other arguments those of read_judgments.

    >>> read_groups({"query": ["q", "q"], "group": ["1", "2"], "document": ["a", "a"], "grade": [1, 0]})
    <GroupedJudgments 'judgments': 1 query, 2 groups>
    """
    if isinstance(source, GroupedJudgments):
        return source
    _, keyed = read_keyed(
        source,
        ("groups",),
        columns=columns,
        format=format,
        encoding=encoding,
        decimal=decimal,
        threads=threads,
    )
    queries = {query: _by_group(rows) for query, rows in keyed.items()}
    if not isinstance(source, (str, os.PathLike)):
        return GroupedJudgments(queries, weights=weights)
    parsed = parse_source(source)
    return GroupedJudgments(queries, weights=weights, name=parsed.name, source=parsed.text)


def _by_group(rows: Mapping[tuple[str, ...], float]) -> dict[str, dict[str, float]]:
    groups: dict[str, dict[str, float]] = {}
    for (group, document), grade in rows.items():
        groups.setdefault(group, {})[document] = grade
    return groups
