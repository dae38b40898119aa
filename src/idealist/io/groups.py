"""TREC text with groups: `query group document grade`, where the group is a subtopic or a group of judges."""

from __future__ import annotations

import os

from idealist.data.grouped import GroupedJudgments
from idealist.io.trec import fields, file_name, read_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist import kernels


def read_groups(
    path: str | os.PathLike[str],
    *,
    weights: Mapping[Any, Mapping[Any, Any]] | None = None,
    encoding: str | None = None,
    threads: int | None = None,
) -> GroupedJudgments:
    """Judgments by subtopic, or by judgment group, from a TREC file, plain or gzip: the second column names
    the group. `weights` are those of GroupedJudgments, `encoding` is that of read_judgments."""
    rows = read_rows(path, "groups", threads, encoding)
    queries = {query: _by_group(rows, query) for query in rows.queries()}
    return GroupedJudgments(queries, weights=weights, name=file_name(path), source=os.fspath(path))


def _by_group(rows: kernels.Rows, query: str) -> dict[str, dict[str, float]]:
    groups: dict[str, dict[str, float]] = {}
    for key, grade in (rows.documents(query) or {}).items():
        group, document = fields(key)
        groups.setdefault(group, {})[document] = grade
    return groups
