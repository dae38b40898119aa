"""Tasks of raters: made, opened and closed, as analysts see them and as those who are assigned; and their items."""

from __future__ import annotations

from sqlalchemy import Integer, and_, delete, func, insert, select, update

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.web.store.clock import now
from idealist.web.store.members import add_raters, task_is_reached
from idealist.web.store.projects import record
from idealist.web.store.tables import assignments, items, task_raters, tasks, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Row

    from idealist.web.store.database import Database


class Task(Frozen):
    """A task as its analysts see it."""

    id: int
    project_id: int
    kind: str
    name: str
    guidelines: str
    settings: dict[str, Any]
    open: bool
    created: int


COLUMNS = [getattr(tasks.c, field) for field in Task.fields]


class AssignedTask(Frozen):
    """A task of a rater, and how far it is."""

    id: int
    kind: str
    name: str
    done: int
    items: int


class RaterProgress(Frozen):
    """How far a rater of a task is."""

    id: int
    name: str
    done: int
    items: int


def task_of(database: Database, number: int) -> Task | None:
    with database.reading() as connection:
        row = connection.execute(select(*COLUMNS).where(tasks.c.id == number)).first()
    return None if row is None else Task(*row)


def task_of_rater(database: Database, number: int, user: int) -> Task | None:
    """A task, if the person is one of its raters."""
    assigned = and_(task_raters.c.task_id == tasks.c.id, task_raters.c.user_id == user)
    wanted = select(*COLUMNS).join(task_raters, assigned).where(tasks.c.id == number, task_is_reached(user))
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else Task(*row)


def tasks_of_project(database: Database, project: int) -> list[Task]:
    """All tasks of a project, the newest first."""
    wanted = select(*COLUMNS).where(tasks.c.project_id == project).order_by(tasks.c.id.desc())
    with database.reading() as connection:
        return [Task(*row) for row in connection.execute(wanted)]


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
        .where(task_raters.c.user_id == user, tasks.c.open, task_is_reached(user))
        .order_by(tasks.c.id)
    )
    with database.reading() as connection:
        return [
            AssignedTask(row.id, row.kind, row.name, int(row.done or 0), row.item_count or 0)
            for row in connection.execute(wanted)
        ]


def progress_of(database: Database, task: int) -> list[RaterProgress]:
    """How far every rater of a task is, by name."""
    mine = and_(assignments.c.task_id == task_raters.c.task_id, assignments.c.user_id == users.c.id)
    wanted = (
        select(
            users.c.id,
            users.c.name,
            func.coalesce(func.sum(assignments.c.done.cast(Integer)), 0),
            func.count(assignments.c.item_id),
        )
        .join(task_raters, task_raters.c.user_id == users.c.id)
        .outerjoin(assignments, mine)
        .where(task_raters.c.task_id == task)
        .group_by(users.c.id, users.c.name)
        .order_by(users.c.name)
    )
    with database.reading() as connection:
        return [RaterProgress(*row) for row in connection.execute(wanted)]


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
        add_raters(connection, project, raters)
        record(connection, "task made", {"task": task, "name": name}, project=project, user=user)
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


def set_open(database: Database, task: int, opened: bool, *, user: int) -> None:
    """Closes a task, so that it takes no more answers, or opens it again."""
    with database.writing() as connection:
        changed = update(tasks).where(tasks.c.id == task).values(open=opened)
        row = connection.execute(changed.returning(tasks.c.project_id, tasks.c.name)).one()
        action = "task opened" if opened else "task closed"
        record(connection, action, {"task": task, "name": row.name}, project=row.project_id, user=user)


def withdraw_item(database: Database, task: int, item: int, *, user: int) -> None:
    """Takes an item out of a task: nobody is asked for it any more. What was answered stays."""
    mine = and_(items.c.id == item, items.c.task_id == task)
    with database.writing() as connection:
        wanted = select(tasks.c.project_id, tasks.c.name).where(tasks.c.id == task)
        row = connection.execute(wanted).one()
        taken = connection.execute(
            update(items).where(mine, items.c.withdrawn.is_(None)).values(withdrawn=now())
        )
        if not taken.rowcount:
            raise InputError(
                f"task {task} has no item {item}, or it was withdrawn before", hint="reload the page"
            )
        waiting = and_(_of_everybody(), assignments.c.item_id == item, assignments.c.done.is_(False))
        connection.execute(delete(assignments).where(waiting))
        content = {"task": task, "item": item, "name": row.name}
        record(connection, "item withdrawn", content, project=row.project_id, user=user)


def _of_everybody() -> Any:
    """Whoever it is assigned to: assignments are found by rater and item, and without a rater all would be read."""
    return assignments.c.user_id.in_(select(users.c.id))


def items_of_task(database: Database, task: int, *, after: int = -1, count: int = 50) -> list[Row[Any]]:
    """Items in the order they were made, a page of them, with how many answers are in for each."""
    done = and_(_of_everybody(), assignments.c.item_id == items.c.id, assignments.c.done)
    answered = select(func.count()).where(done).scalar_subquery().label("answered")
    wanted = (
        select(items.c.id, items.c.place, items.c.content, items.c.withdrawn, answered)
        .where(items.c.task_id == task, items.c.place > after)
        .order_by(items.c.place)
        .limit(count)
    )
    with database.reading() as connection:
        return list(connection.execute(wanted))
