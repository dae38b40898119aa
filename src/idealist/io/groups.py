"""TREC text with groups: `query group document grade`, where the group is a subtopic or a group of judges."""

from __future__ import annotations

import os

from idealist.data.grouped import GroupedJudgments
from idealist.errors import InputError
from idealist.io.trec import fields, file_name, read_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist import kernels


def read_groups(path: str | os.PathLike[str], *, threads: int | None = None) -> GroupedJudgments:
    """Judgments by subtopic, or by judgment group, from a TREC file, plain or gzip: the second column names
    the group."""
    rows = read_rows(path, "groups", threads)
    source = os.fspath(path)
    queries = {query: _by_group(rows, query, source) for query in rows.queries()}
    return GroupedJudgments(queries, name=file_name(path), source=source)


def _by_group(rows: kernels.Rows, query: str, source: str) -> dict[str, dict[str, float]]:
    groups: dict[str, dict[str, float]] = {}
    for key, grade in (rows.documents(query) or {}).items():
        group, document = fields(key)
        documents = groups.setdefault(group, {})
        if document in documents:
            raise InputError(
                f"document {document!r} is there twice for query {query!r} and group {group!r}",
                source=source,
                hint="keep one of the two lines",
            )
        documents[document] = grade
    return groups
