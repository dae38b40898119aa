"""Texts of queries and documents, by project and id."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from idealist.web.store.database import in_parts
from idealist.web.store.tables import documents, queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from sqlalchemy import Connection, Table

    from idealist.web.store.database import Database

BATCH = 1_000  # rows of one statement

PARTS = ("title", "text", "url", "image")


def replace_contents(
    connection: Connection, table: Table, project: int, rows: Iterable[dict[str, Any]]
) -> None:
    """Puts rows in the place of what the project has in `queries` or `documents`."""
    connection.execute(delete(table).where(table.c.project_id == project))
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append({"project_id": project, **row})
        if len(batch) == BATCH:
            connection.execute(insert(table), batch)
            batch = []
    if batch:
        connection.execute(insert(table), batch)


def documents_of(database: Database, project: int, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Title, text, URL and image of those of the documents that are known."""
    known: dict[str, dict[str, str]] = {}
    with database.reading() as connection:
        for part in in_parts(ids):
            wanted = select(documents).where(
                documents.c.project_id == project, documents.c.document.in_(part)
            )
            for row in connection.execute(wanted):
                known[row.document] = {name: getattr(row, name) for name in PARTS}
    return known


def query_texts(database: Database, project: int, ids: Sequence[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    with database.reading() as connection:
        for part in in_parts(ids):
            wanted = select(queries.c.query, queries.c.text).where(
                queries.c.project_id == project, queries.c.query.in_(part)
            )
            texts |= {row.query: row.text for row in connection.execute(wanted)}
    return texts


def segments_of(database: Database, project: int) -> dict[str, str]:
    """The segment of every query that has one."""
    wanted = select(queries.c.query, queries.c.segment).where(
        queries.c.project_id == project, queries.c.segment.is_not(None), queries.c.segment != ""
    )
    with database.reading() as connection:
        return {row.query: row.segment for row in connection.execute(wanted)}
