"""The queue of a rater: what comes next, what is put off, what was answered last."""

from __future__ import annotations

from sqlalchemy import and_, func, select, update

from idealist.frozen import Frozen
from idealist.web.store.events import ANSWERS
from idealist.web.store.members import task_is_reached
from idealist.web.store.tables import assignments, events, items, task_raters, tasks
from idealist.web.store.tasks import COLUMNS, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.web.store.database import Database


class QueuedItem(Frozen):
    """An item that is assigned to a rater; `side` is where the candidate is shown to them."""

    id: int
    place: int
    side: str | None
    content: dict[str, Any]
    hidden: dict[str, Any]


QUEUED = (items.c.id, assignments.c.place, assignments.c.side, items.c.content, items.c.hidden)


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
        .where(items.c.id == item, assignments.c.user_id == user, task_is_reached(user))
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
