"""Tasks of raters, their items, and the events that answer them."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Integer, and_, delete, func, insert, select, update

from idealist.base.frozen import Frozen
from idealist.errors import InputError
from idealist.web.access.members import add_raters, task_is_reached
from idealist.web.base.audit import record
from idealist.web.base.database import insert_new, now
from idealist.web.base.schema import assignments, events, items, task_raters, tasks, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Connection, Row

    from idealist.web.base.database import Database

KINDS = ("grade", "vote", "skip", "undo", "adjudicate")
# An answer ends the work of a rater on an item; an undo takes it back.
ANSWERS = ("grade", "vote", "skip")


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


def add_event(
    database: Database,
    *,
    id: str,
    item: int,
    user: int,
    kind: str,
    content: dict[str, Any],
    made: int,
    about: str | None = None,
) -> bool:
    """Adds an event; False where it was there already, so that a browser may send again what it is not sure of.

    An id that is there with another content is an error: an event is never changed.
    """
    _require_id(id)
    if kind not in KINDS:
        raise InputError(f"{kind!r} is not a kind of event", hint=f"name one of: {', '.join(KINDS)}")
    with database.writing() as connection:
        row = connection.execute(
            select(items.c.task_id, items.c.withdrawn, tasks.c.open)
            .join(tasks, tasks.c.id == items.c.task_id)
            .where(items.c.id == item)
        ).first()
        if row is None:
            raise InputError(f"there is no item {item}", hint="reload the page")
        facts = {"item_id": item, "user_id": user, "kind": kind, "content": content, "about": about}
        if (stored := _stored(connection, id)) is not None:
            if any(stored[field] != value for field, value in facts.items()):
                raise InputError(f"event {id} was sent before with another content", hint="reload the page")
            return False
        target = None
        if kind in ("undo", "adjudicate"):
            target = _target_kind(connection, about, item, user if kind == "undo" else None)
        # Raters answer while a task is open; what they disagree on is often decided when it is closed.
        decision = "adjudicate" in (kind, target)
        if row.withdrawn is not None or not (row.open or decision):
            raise InputError(
                "this item was withdrawn, and takes no more answers", hint="go on with the next one"
            )
        event = {"id": id, "task_id": row.task_id, "made": made, "received": now(), **facts}
        added = insert_new(connection, events, event)  # two tabs may send the same event at once
        # The undo of an adjudication leaves one's own answer as it is.
        if added and (kind in ANSWERS or (target in ANSWERS and kind == "undo")):
            mine = and_(assignments.c.item_id == item, assignments.c.user_id == user)
            connection.execute(update(assignments).where(mine).values(done=kind != "undo"))
        return added


def _require_id(id: str) -> None:
    try:
        UUID(id)
    except ValueError:
        raise InputError(
            f"{id!r} is not the id of an event", hint="a UUID, as crypto.randomUUID() makes it"
        ) from None


def _stored(connection: Connection, id: str) -> dict[str, Any] | None:
    row = connection.execute(select(events).where(events.c.id == id)).mappings().first()
    return None if row is None else dict(row)


def _target_kind(connection: Connection, about: str | None, item: int, user: int | None) -> str:
    """The kind of the event that another is about. An undo is of one's own event; both are of an event of the same
    item."""
    wanted = select(events.c.kind).where(events.c.id == about, events.c.item_id == item)
    if user is not None:
        wanted = wanted.where(events.c.user_id == user)
    kind = connection.execute(wanted).scalar()
    if kind is None:
        raise InputError(f"there is no event {about!r} of this item to take back", hint="reload the page")
    return str(kind)
