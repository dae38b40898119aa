"""What holds of the events of a task, by one query: beside the package's own reading, which adds up what is new."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, func, select

from idealist.web.base.database import Database
from idealist.web.base.schema import events


def standing_events(database: Database, task: int) -> list[Row[Any]]:
    """The answers and adjudications that hold: in order, without those that were undone, the last of each rater and
    item."""
    undone = select(events.c.about).where(events.c.task_id == task, events.c.kind == "undo")
    last = (
        select(func.max(events.c.number))
        .where(events.c.task_id == task, events.c.kind != "undo", events.c.id.not_in(undone))
        .group_by(events.c.item_id, events.c.user_id, events.c.kind == "adjudicate")
    )
    with database.reading() as connection:
        return list(
            connection.execute(select(events).where(events.c.number.in_(last)).order_by(events.c.number))
        )
