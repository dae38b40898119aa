"""What stands in a task, read once: afterwards only the events that came since."""

from __future__ import annotations

from threading import Lock

from sqlalchemy import func, select

from idealist.frozen import Frozen
from idealist.web.store.database import in_parts
from idealist.web.store.tables import assignments, events, items, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Connection, Row

    from idealist.web.store.database import Database

FEW = 1_000  # events that are read while a page is made


class TaskState(Frozen):
    """How far a task is: how many events it has, the number of the last, how many items are withdrawn, which never
    falls either, and how many items are assigned to raters."""

    events: int = 0
    last: int = 0
    withdrawn: int = 0
    assigned: int = 0

    def covers(self, other: TaskState) -> bool:
        """Whether this is not older than another."""
        return self.events >= other.events and self.withdrawn >= other.withdrawn


def task_state(database: Database, task: int) -> TaskState:
    with database.reading() as connection:
        return _state(connection, task)


def _state(connection: Connection, task: int) -> TaskState:
    counted = select(func.count(), func.coalesce(func.max(events.c.number), 0))
    withdrawn = select(func.count()).where(items.c.task_id == task, items.c.withdrawn.is_not(None))
    assigned = select(func.count()).where(assignments.c.task_id == task)
    count, last = connection.execute(counted.where(events.c.task_id == task)).one()
    return TaskState(
        count, last, connection.execute(withdrawn).scalar_one(), connection.execute(assigned).scalar_one()
    )


class TaskReader:
    """The events of a task as far as they were read. An answer stands unless it was undone, or its rater gave another
    one on the item later; of an item the last adjudication stands. A kind of task says what its items, its answers
    and its data are."""

    def __init__(self, task: int) -> None:
        self.task = task
        self._lock = Lock()
        self._forget()

    def item(self, row: Any) -> Any:
        raise NotImplementedError

    def answer(self, item: Any, row: Row[Any], rater: str, side: str | None) -> Any:
        """A grade, a vote or an adjudication."""
        raise NotImplementedError

    def data(self, answers: Sequence[Any], decisions: Sequence[Any]) -> Any:
        """What stands: answers and adjudications in the order in which they came."""
        raise NotImplementedError

    def _forget(self) -> None:
        self.state = TaskState()
        self.items: dict[int, Any] = {}  # None: withdrawn
        self.sides: dict[int, dict[int, str | None]] = {}  # of an item, by rater
        self._names: dict[int, str] = {}
        self._given: dict[tuple[int, int, bool], list[tuple[int, str, Any]]] = {}
        self._undone: set[str] = set()

    def quick(self, state: TaskState) -> bool:
        """Whether little is left to read until this state."""
        same_items = (self.state.withdrawn, self.state.assigned) == (state.withdrawn, state.assigned)
        return state.events <= FEW or (same_items and state.events - self.state.events <= FEW)

    def read(self, database: Database) -> tuple[TaskState, Any]:
        """What stands now."""
        with self._lock, database.reading() as connection:
            now = _state(connection, self.task)
            if (now.withdrawn, now.assigned) != (self.state.withdrawn, self.state.assigned):
                self._forget()
            try:
                self._read_newer(connection)
                # Of two writers, the one with the lower number may be the later to finish: then all is read again.
                if self.state.events < now.events:
                    self._forget()
                    self._read_newer(connection)
            except BaseException:
                self._forget()
                raise
            self.state = self.state.replace(withdrawn=now.withdrawn, assigned=now.assigned)
            return self.state, self._standing()

    def _read_newer(self, connection: Connection) -> None:
        wanted = select(events).where(events.c.task_id == self.task, events.c.number > self.state.last)
        rows = list(connection.execute(wanted.order_by(events.c.number)))
        self._read_items(connection, list({row.item_id for row in rows} - set(self.items)))
        raters = list({row.user_id for row in rows} - set(self._names))
        for part in in_parts(raters):
            named = select(users.c.id, users.c.name).where(users.c.id.in_(part))
            self._names |= {row.id: row.name for row in connection.execute(named)}
        for row in rows:
            self._add(row)
        if rows:
            self.state = self.state.replace(events=self.state.events + len(rows), last=rows[-1].number)

    def _read_items(self, connection: Connection, numbers: list[int]) -> None:
        columns = items.c.id, items.c.content, items.c.hidden, items.c.withdrawn
        for part in in_parts(numbers):
            for row in connection.execute(select(*columns).where(items.c.id.in_(part))):
                self.items[row.id] = None if row.withdrawn is not None else self.item(row)
            sides = select(assignments.c.user_id, assignments.c.item_id, assignments.c.side)
            for user, item, side in connection.execute(sides.where(assignments.c.item_id.in_(part))):
                self.sides.setdefault(item, {})[user] = side

    def _add(self, row: Row[Any]) -> None:
        item = self.items[row.item_id]
        if row.kind == "undo":
            self._undone.add(row.about)
        elif item is not None:
            side = self.sides.get(row.item_id, {}).get(row.user_id)
            skipped = row.kind == "skip"
            # A skip stands in the place of an answer, and says nothing.
            answer = None if skipped else self.answer(item, row, self._names[row.user_id], side)
            key = row.item_id, row.user_id, row.kind == "adjudicate"
            self._given.setdefault(key, []).append((row.number, row.id, answer))

    def _standing(self) -> Any:
        standing: list[tuple[int, bool, Any]] = []
        for (_, _, decided), given in self._given.items():
            for number, id, answer in reversed(given):
                if id not in self._undone:
                    if answer is not None:
                        standing.append((number, decided, answer))
                    break
        standing.sort(key=lambda entry: entry[0])
        answers = [answer for _, decided, answer in standing if not decided]
        answered = {answer.item for answer in answers}
        decisions = {answer.item: answer for _, decided, answer in standing if decided}
        return self.data(answers, [answer for item, answer in decisions.items() if item in answered])
