"""Raters of a task that is under way: who is added gets all items or a share of what is left, who is taken off hands
over what they have not done."""

from __future__ import annotations

import random
import secrets

from sqlalchemy import and_, delete, func, insert, select

from idealist.errors import InputError
from idealist.web.access.members import add_raters
from idealist.web.base.audit import record
from idealist.web.base.database import in_parts
from idealist.web.base.schema import assignments, items, task_raters, users
from idealist.web.judging.task_making import SIDES, draw_queues, possible_raters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from sqlalchemy import Connection

    from idealist.web.judging.tasks import Task
    from idealist.web.workbench import Workbench

    Queue = list[tuple[int, str | None]]

SHARES = ("all", "rest")


def add_rater(
    workbench: Workbench,
    task: Task,
    rater: int,
    *,
    share: str = "all",
    seed: int | None = None,
    user: int | None = None,
) -> int:
    """Adds a rater, and gives how many items they got: all of the task, or with `share` "rest" an equal share of what
    the others have not done, from the ends of their queues, query by query. Items with a known answer are for
    everybody."""
    if share not in SHARES:
        raise InputError(f"{share!r} is not a share", hint=f"name one of: {', '.join(SHARES)}")
    if rater not in {person.id for person in possible_raters(workbench)}:
        raise InputError(f"there is no rater {rater}, or they were disabled", hint="choose another")
    with workbench.database.writing() as connection:
        raters = _raters(connection, task)
        if rater in raters:
            raise InputError("this rater judges the task already", hint="choose another")
        wanted = select(items.c.id, items.c.content, items.c.hidden)
        current = wanted.where(items.c.task_id == task.id, items.c.withdrawn.is_(None))
        shown = {row.id: row for row in connection.execute(current.order_by(items.c.place))}
        done = and_(assignments.c.task_id == task.id, assignments.c.user_id == rater)
        judged = set(connection.execute(select(assignments.c.item_id).where(done)).scalars())
        chosen = [number for number in shown if number not in judged]
        if share == "rest":
            known = {number for number in chosen if "expected" in shown[number].hidden}
            rest = _taken_over(connection, task, shown, judged | known, len(raters))
            chosen = [number for number in chosen if number in known or number in rest]
        connection.execute(insert(task_raters).values(task_id=task.id, user_id=rater))
        add_raters(connection, task.project_id, [rater])
        queue = _queue(task, [shown[number] for number in chosen], seed)
        _append(connection, task, rater, queue)
        _record(connection, "rater added", task, rater, user)
        return len(queue)


def remove_rater(
    workbench: Workbench, task: Task, rater: int, *, seed: int | None = None, user: int | None = None
) -> int:
    """Takes a rater off a task, and gives how many of their items went to others: each to the one with the fewest left
    who does not have it. What they have answered stays."""
    drawn = random.Random(secrets.randbelow(2**31) if seed is None else seed)
    with workbench.database.writing() as connection:
        raters = _raters(connection, task)
        if rater not in raters:
            raise InputError("this rater does not judge the task", hint="reload the page")
        if len(raters) == 1:
            raise InputError(
                "this is the only rater of the task", hint="add another first, or close the task"
            )
        mine = and_(
            assignments.c.task_id == task.id, assignments.c.user_id == rater, assignments.c.done.is_(False)
        )
        left = select(assignments.c.item_id, items.c.content).join(items, items.c.id == assignments.c.item_id)
        rows = list(connection.execute(left.where(mine).order_by(assignments.c.place)))
        others = sorted(raters - {rater})
        has = _assigned_items(connection, task, others)
        load = _left(connection, task, others)
        connection.execute(delete(assignments).where(mine))
        connection.execute(
            delete(task_raters).where(task_raters.c.task_id == task.id, task_raters.c.user_id == rater)
        )
        given: dict[int, Queue] = {other: [] for other in others}
        for _, group in _by_query(rows):
            able = [other for other in others if not has[other] & set(group)]
            if able:
                taker = min(drawn.sample(able, len(able)), key=lambda other: load[other])
                load[taker] += len(group)
                given[taker] += [(number, _side(task, drawn)) for number in group]
        for other, queue in given.items():
            _append(connection, task, other, queue)
        _record(connection, "rater removed", task, rater, user)
        return sum(map(len, given.values()))


def _raters(connection: Connection, task: Task) -> set[int]:
    wanted = select(task_raters.c.user_id).where(task_raters.c.task_id == task.id)
    return set(connection.execute(wanted).scalars())


def _taken_over(
    connection: Connection, task: Task, shown: dict[int, Any], not_these: set[int], raters: int
) -> set[int]:
    """Takes items from those who have most left, the last queries of their queues first, until the new one has as
    many as the others."""
    waiting = and_(assignments.c.task_id == task.id, assignments.c.done.is_(False))
    wanted = select(assignments.c.user_id, assignments.c.item_id).where(waiting)
    queues: dict[int, list[tuple[str, int]]] = {}
    for user, number in connection.execute(wanted.order_by(assignments.c.place)):
        if number in shown and number not in not_these:
            queues.setdefault(user, []).append((shown[number].content["query"], number))
    goal = sum(map(len, queues.values())) // (raters + 1)
    taken: dict[int, int] = {}  # items, and whose they were
    while len(taken) < goal:
        able = {user: queue for user, queue in queues.items() if queue}
        if not able:
            break
        user = max(able, key=lambda rater: (len(able[rater]), -rater))
        query, group = able[user][-1][0], list[int]()
        while able[user] and able[user][-1][0] == query:
            group.append(able[user].pop()[1])
        if not any(number in taken for number in group):
            taken |= dict.fromkeys(group, user)
    for user in set(taken.values()):
        numbers = [number for number, owner in taken.items() if owner == user]
        for part in in_parts(numbers):
            theirs = and_(assignments.c.user_id == user, assignments.c.item_id.in_(part))
            connection.execute(delete(assignments).where(theirs))
    return set(taken)


def _queue(task: Task, rows: Sequence[Any], seed: int | None) -> Queue:
    """The queue of a new rater, drawn as when a task is made."""
    known = [row.id for row in rows if "expected" in row.hidden]
    groups = [group for _, group in _by_query([row for row in rows if "expected" not in row.hidden])]
    return draw_queues(
        groups,
        [0],
        1,
        seed=secrets.randbelow(2**31) if seed is None else seed,
        for_all=known,
        sided=task.kind == "sides",
        in_order=task.settings.get("labels") == "order",
    )[0]


def _side(task: Task, drawn: random.Random) -> str | None:
    return drawn.choice(SIDES) if task.kind == "sides" else None


def _by_query(rows: Iterable[Any]) -> list[tuple[str, list[int]]]:
    groups: dict[str, list[int]] = {}
    for row in rows:
        groups.setdefault(row.content["query"], []).append(row[0])
    return list(groups.items())


def _assigned_items(connection: Connection, task: Task, raters: Sequence[int]) -> dict[int, set[int]]:
    has: dict[int, set[int]] = {rater: set() for rater in raters}
    wanted = select(assignments.c.user_id, assignments.c.item_id).where(assignments.c.task_id == task.id)
    for user, number in connection.execute(wanted):
        if user in has:
            has[user].add(number)
    return has


def _left(connection: Connection, task: Task, raters: Sequence[int]) -> dict[int, int]:
    """How many items each rater has not done."""
    waiting = and_(assignments.c.task_id == task.id, assignments.c.done.is_(False))
    counted = select(assignments.c.user_id, func.count()).where(waiting).group_by(assignments.c.user_id)
    counts = {row[0]: int(row[1]) for row in connection.execute(counted)}
    return dict.fromkeys(raters, 0) | counts


def _append(connection: Connection, task: Task, rater: int, queue: Queue) -> None:
    """Puts items at the end of a rater's queue."""
    mine = and_(assignments.c.task_id == task.id, assignments.c.user_id == rater)
    last = connection.execute(select(func.max(assignments.c.place)).where(mine)).scalar()
    begin = 0 if last is None else last + 1
    rows = [
        {
            "user_id": rater,
            "item_id": number,
            "task_id": task.id,
            "place": begin + at,
            "side": side,
            "done": False,
        }
        for at, (number, side) in enumerate(queue)
    ]
    if rows:
        connection.execute(insert(assignments), rows)


def _record(connection: Connection, action: str, task: Task, rater: int, user: int | None) -> None:
    name = connection.execute(select(users.c.name).where(users.c.id == rater)).scalar_one()
    content = {"task": task.id, "name": task.name, "rater": name}
    record(connection, action, content, project=task.project_id, user=user)
