"""Which tasks a person may see."""

from __future__ import annotations

from sqlalchemy import Integer, func, select

from idealist.frozen import Frozen
from idealist.web.store.tables import assignments, task_raters, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.web.store.database import Database


class AssignedTask(Frozen):
    """A task of a rater, and how far it is."""

    id: int
    kind: str
    name: str
    done: int
    items: int


def tasks_of_rater(database: Database, user: int) -> list[AssignedTask]:
    """The open tasks that a person is assigned to."""
    progress = (
        select(
            assignments.c.task_id,
            func.sum(assignments.c.done.cast(Integer)).label("done"),
            func.count().label("item_count"),
        )
        .where(assignments.c.user_id == user)
        .group_by(assignments.c.task_id)
        .subquery()
    )
    wanted = (
        select(tasks.c.id, tasks.c.kind, tasks.c.name, progress.c.done, progress.c.item_count)
        .join(task_raters, task_raters.c.task_id == tasks.c.id)
        .outerjoin(progress, progress.c.task_id == tasks.c.id)
        .where(task_raters.c.user_id == user, tasks.c.open)
        .order_by(tasks.c.id)
    )
    with database.reading() as connection:
        return [
            AssignedTask(row.id, row.kind, row.name, int(row.done or 0), row.item_count or 0)
            for row in connection.execute(wanted)
        ]
