"""Tasks of the demo's project, and who is assigned to what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from idealist.web.workbench import Workbench

PASSWORD = "correct horse battery"
LOCAL = 1  # the person at the loopback address
PROJECT = 1


def side_task(bench: Workbench, **changed: Any) -> int:
    from idealist.web.judging.task_making import make_side_task

    facts: dict[str, Any] = {
        "name": "Which?",
        "baseline": "a",
        "candidate": "b",
        "raters": [LOCAL],
        "seed": 7,
    }
    return make_side_task(bench, PROJECT, **{**facts, **changed})


def grade_task(bench: Workbench, **changed: Any) -> int:
    from idealist.web.judging.task_making import make_grade_task

    facts: dict[str, Any] = {"name": "Grades", "runs": ["a", "b"], "depth": 3, "raters": [LOCAL], "seed": 7}
    return make_grade_task(bench, PROJECT, **{**facts, "again": True, **changed})


def rows(bench: Workbench, task: int) -> list[Any]:
    from sqlalchemy import select

    from idealist.web.base.schema import assignments, items

    wanted = (
        select(items, assignments.c.side, assignments.c.user_id, assignments.c.place.label("queued"))
        .join(assignments, assignments.c.item_id == items.c.id)
        .where(items.c.task_id == task)
        .order_by(assignments.c.user_id, assignments.c.place)
    )
    with bench.database.reading() as connection:
        return list(connection.execute(wanted))
