"""Tasks of raters: made, and shown to those who are assigned."""

from __future__ import annotations

from sqlalchemy import Integer, func, insert, select

from idealist.frozen import Frozen
from idealist.web.store.clock import now
from idealist.web.store.tables import assignments, items, task_raters, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


def add_task(
    database: Database,
    project: int,
    *,
    kind: str,
    name: str,
    contents: list[dict[str, Any]],
    raters: list[int],
    settings: dict[str, Any] | None = None,
    guidelines: str = "",
    user: int | None = None,
    queues: dict[int, list[tuple[int, str | None]]] | None = None,
) -> int:
    """Makes a task of items, each with `content` and `hidden`.

    `queues` gives each rater items, by their index, in order, each with the side that is drawn for it; without it every
    rater gets all items in this order.
    """
    with database.writing() as connection:
        facts = {"kind": kind, "name": name, "guidelines": guidelines, "settings": settings or {}}
        made = insert(tasks).values(project_id=project, open=True, created=now(), created_by=user, **facts)
        task = int(connection.execute(made.returning(tasks.c.id)).scalar_one())
        rows = [
            {"task_id": task, "place": place, "content": entry["content"], "hidden": entry.get("hidden", {})}
            for place, entry in enumerate(contents)
        ]
        if rows:
            connection.execute(insert(items), rows)
        wanted = select(items.c.id).where(items.c.task_id == task).order_by(items.c.place)
        numbers = connection.execute(wanted).scalars().all()
        for rater in raters:
            connection.execute(insert(task_raters).values(task_id=task, user_id=rater))
            queue = [(at, None) for at in range(len(numbers))] if queues is None else queues[rater]
            assigned = [
                {
                    "user_id": rater,
                    "item_id": numbers[at],
                    "task_id": task,
                    "place": place,
                    "side": side,
                    "done": False,
                }
                for place, (at, side) in enumerate(queue)
            ]
            if assigned:
                connection.execute(insert(assignments), assigned)
        return task
