"""What stands in a side-by-side study, read once: afterwards only the events that came since."""

from __future__ import annotations

from collections import Counter
from threading import Lock

from sqlalchemy import func, select

from idealist.frozen import Frozen
from idealist.io.studies import StudyData, answer_of, item_of
from idealist.web.store.tables import assignments, events, items, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Connection, Row

    from idealist.io.studies import Answer, StudyItem
    from idealist.web.store.database import Database

TOGETHER = 500  # ids of one question to the database
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


class StudyReader:
    """The events of a study as far as they were read. An answer stands unless it was undone, or its rater gave another
    one on the item later; of an item the last adjudication stands."""

    def __init__(self, task: int, candidate: str) -> None:
        self.task = task
        self.candidate = candidate
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self.state = TaskState()
        self._items: dict[int, StudyItem | None] = {}  # None: withdrawn
        self._assigned: dict[int, dict[int, str | None]] = {}  # the sides of an item, by rater
        self._names: dict[int, str] = {}
        self._given: dict[tuple[int, int, bool], list[tuple[int, str, Answer | None]]] = {}
        self._undone: set[str] = set()

    def quick(self, state: TaskState) -> bool:
        """Whether little is left to read until this state."""
        same_items = (self.state.withdrawn, self.state.assigned) == (state.withdrawn, state.assigned)
        return state.events <= FEW or (same_items and state.events - self.state.events <= FEW)

    def read(self, database: Database) -> tuple[TaskState, StudyData]:
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
        self._read_items(connection, list({row.item_id for row in rows} - set(self._items)))
        raters = list({row.user_id for row in rows} - set(self._names))
        for part in _parts(raters):
            named = select(users.c.id, users.c.name).where(users.c.id.in_(part))
            self._names |= {row.id: row.name for row in connection.execute(named)}
        for row in rows:
            self._add(row)
        if rows:
            self.state = self.state.replace(events=self.state.events + len(rows), last=rows[-1].number)

    def _read_items(self, connection: Connection, numbers: list[int]) -> None:
        columns = items.c.id, items.c.content, items.c.hidden, items.c.withdrawn
        for part in _parts(numbers):
            for row in connection.execute(select(*columns).where(items.c.id.in_(part))):
                shown = item_of(row.id, row.content, row.hidden, self.candidate)
                self._items[row.id] = None if row.withdrawn is not None else shown
            sides = select(assignments.c.user_id, assignments.c.item_id, assignments.c.side)
            for user, item, side in connection.execute(sides.where(assignments.c.item_id.in_(part))):
                self._assigned.setdefault(item, {})[user] = side

    def _add(self, row: Row[Any]) -> None:
        item = self._items[row.item_id]
        if row.kind == "undo":
            self._undone.add(row.about)
        elif item is not None:
            answer = None  # a skip: it stands in the place of a vote, and says nothing
            if row.kind in ("vote", "adjudicate"):
                answer = answer_of(
                    item,
                    event=row.id,
                    rater=self._names[row.user_id],
                    content=row.content,
                    side=self._assigned.get(row.item_id, {}).get(row.user_id),
                    made=row.made,
                )
            key = row.item_id, row.user_id, row.kind == "adjudicate"
            self._given.setdefault(key, []).append((row.number, row.id, answer))

    def _standing(self) -> StudyData:
        standing: list[tuple[int, bool, Answer]] = []
        for (_, _, decided), given in self._given.items():
            for number, id, answer in reversed(given):
                if id not in self._undone:
                    if answer is not None:
                        standing.append((number, decided, answer))
                    break
        standing.sort(key=lambda entry: entry[0])
        answers = tuple(answer for _, decided, answer in standing if not decided)
        decisions = {answer.item: answer for _, decided, answer in standing if decided}
        voted = {answer.item for answer in answers}
        shown = [item for number, item in sorted(self._items.items()) if number in voted]
        return StudyData(
            tuple(item for item in shown if item is not None),
            answers,
            tuple(answer for item, answer in decisions.items() if item in voted),
            self._votes_per_query(voted),
        )

    def _votes_per_query(self, voted: set[int]) -> int | None:
        """How many votes a query gets when all raters are done: the number that most have; known answers do not
        count."""
        by_query: Counter[str] = Counter()
        for number in voted:
            item = self._items[number]
            if item is not None and item.expected is None:
                by_query[item.query] += len(self._assigned.get(number, {}))
        # The least of those that are equally frequent, whatever the order in which items came.
        counts = Counter(count for count in by_query.values() if count)
        return min(counts, key=lambda count: (-counts[count], count)) if counts else None


def _parts(numbers: Sequence[int]) -> list[Sequence[int]]:
    return [numbers[at : at + TOGETHER] for at in range(0, len(numbers), TOGETHER)]
