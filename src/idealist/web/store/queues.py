"""The queue of a rater: what comes next, what is put off, what was answered last; and tasks as analysts see them."""

from __future__ import annotations

from sqlalchemy import Integer, and_, delete, func, select, update

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.web.store.clock import now
from idealist.web.store.events import ANSWERS
from idealist.web.store.projects import record
from idealist.web.store.tables import assignments, events, items, task_raters, tasks, users

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


class QueuedItem(Frozen):
    """An item that is assigned to a rater; `side` is where the candidate is shown to them."""

    id: int
    place: int
    side: str | None
    content: dict[str, Any]
    hidden: dict[str, Any]


QUEUED = (items.c.id, assignments.c.place, assignments.c.side, items.c.content, items.c.hidden)


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
    wanted = select(*COLUMNS).join(task_raters, assigned).where(tasks.c.id == number)
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else Task(*row)


def tasks_of_project(database: Database, project: int) -> list[Task]:
    """All tasks of a project, the newest first."""
    wanted = select(*COLUMNS).where(tasks.c.project_id == project).order_by(tasks.c.id.desc())
    with database.reading() as connection:
        return [Task(*row) for row in connection.execute(wanted)]


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


def pending(database: Database, task: int, user: int, *, after: int, count: int) -> list[QueuedItem]:
    """The next items of a rater behind a place of their queue; those withdrawn are left out."""
    wanted = (
        select(*QUEUED)
        .join(items, items.c.id == assignments.c.item_id)
        .where(
            assignments.c.task_id == task,
            assignments.c.user_id == user,
            assignments.c.done.is_(False),
            assignments.c.place > after,
            items.c.withdrawn.is_(None),
        )
        .order_by(assignments.c.place)
        .limit(count)
    )
    with database.reading() as connection:
        return [QueuedItem(*row) for row in connection.execute(wanted)]


def queued_item(database: Database, item: int, user: int) -> tuple[Task, QueuedItem] | None:
    """An item that is assigned to a person, with its task."""
    wanted = (
        select(*COLUMNS, *QUEUED)
        .join(items, items.c.task_id == tasks.c.id)
        .join(assignments, assignments.c.item_id == items.c.id)
        .join(task_raters, and_(task_raters.c.task_id == tasks.c.id, task_raters.c.user_id == user))
        .where(items.c.id == item, assignments.c.user_id == user)
    )
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else (Task(*row[: len(COLUMNS)]), QueuedItem(*row[len(COLUMNS) :]))


def was_withdrawn(database: Database, item: int, user: int) -> bool:
    """Whether an item was withdrawn from a task of this rater."""
    assigned = and_(task_raters.c.task_id == items.c.task_id, task_raters.c.user_id == user)
    wanted = select(items.c.withdrawn).join(task_raters, assigned).where(items.c.id == item)
    with database.reading() as connection:
        return connection.execute(wanted).scalar() is not None


def postpone(database: Database, item: int, user: int) -> int:
    """Puts an item at the end of the rater's queue, and gives its new place; an item that is answered stays."""
    mine = and_(assignments.c.item_id == item, assignments.c.user_id == user)
    with database.writing() as connection:
        row = connection.execute(select(assignments).where(mine)).one()
        behind = select(func.max(assignments.c.place)).where(
            assignments.c.task_id == row.task_id, assignments.c.user_id == user, assignments.c.done.is_(False)
        )
        last = connection.execute(behind).scalar()
        if row.done or last is None or last == row.place:
            return int(row.place)
        connection.execute(update(assignments).where(mine).values(place=last + 1))
        return int(last) + 1


def last_answer(database: Database, task: int, user: int) -> tuple[str, int] | None:
    """The id and the item of the rater's last answer that was not undone; None where there is none."""
    undone = select(events.c.about).where(
        events.c.task_id == task, events.c.user_id == user, events.c.kind == "undo"
    )
    wanted = (
        select(events.c.id, events.c.item_id)
        .join(items, items.c.id == events.c.item_id)
        .where(
            events.c.task_id == task,
            events.c.user_id == user,
            events.c.kind.in_(ANSWERS),
            events.c.id.not_in(undone),
            items.c.withdrawn.is_(None),
        )
        .order_by(events.c.number.desc())
        .limit(1)
    )
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else (row.id, row.item_id)


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
