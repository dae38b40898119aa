"""Votes and grades as events that are added and never changed."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import and_, select, update

from idealist.errors import InputError
from idealist.web.store.clock import now
from idealist.web.store.database import insert_new
from idealist.web.store.tables import assignments, events, items, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Connection

    from idealist.web.store.database import Database

KINDS = ("grade", "vote", "skip", "undo", "adjudicate")
# An answer ends the work of a rater on an item; an undo takes it back.
ANSWERS = ("grade", "vote", "skip")


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
