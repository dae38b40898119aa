"""Who did what, in all projects and beside them."""

from __future__ import annotations

from sqlalchemy import insert, select

from idealist.base.frozen import Frozen
from idealist.web.base.database import now
from idealist.web.base.schema import history, projects, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Connection

    from idealist.web.base.database import Database

PAGE = 100


class AuditLine(Frozen):
    """Something that was done: by whom (None: by the server itself), and in which project (None: in none)."""

    id: int
    action: str
    content: dict[str, Any]
    at: int
    person: str | None
    project: str | None


def audit_lines(
    database: Database,
    *,
    person: int | None = None,
    project: int | None = None,
    before: int | None = None,
    count: int = PAGE,
) -> list[AuditLine]:
    """What was done, the newest first; by a person, in a project, before another line, where that is asked for."""
    wanted = (
        select(
            history.c.id,
            history.c.action,
            history.c.content,
            history.c.at,
            users.c.name.label("person"),
            projects.c.name.label("project"),
        )
        .outerjoin(users, users.c.id == history.c.user_id)
        .outerjoin(projects, projects.c.id == history.c.project_id)
        .order_by(history.c.id.desc())
        .limit(count)
    )
    for column, value in ((history.c.user_id, person), (history.c.project_id, project)):
        if value is not None:
            wanted = wanted.where(column == value)
    if before is not None:
        wanted = wanted.where(history.c.id < before)
    with database.reading() as connection:
        return [AuditLine(*row) for row in connection.execute(wanted)]


def who_acted(database: Database) -> dict[int, str]:
    """Everybody who did something, by name."""
    acted = select(history.c.user_id).distinct()
    wanted = select(users.c.id, users.c.name).where(users.c.id.in_(acted)).order_by(users.c.name)
    with database.reading() as connection:
        return {row.id: row.name for row in connection.execute(wanted)}


def record(
    connection: Connection,
    action: str,
    content: dict[str, Any],
    *,
    project: int | None = None,
    user: int | None = None,
) -> None:
    """Adds a line to the history, within the transaction of what it tells of."""
    connection.execute(
        insert(history).values(project_id=project, user_id=user, action=action, content=content, at=now())
    )
