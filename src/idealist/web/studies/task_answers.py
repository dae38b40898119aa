"""The votes and grades that stand in a task, read once: afterwards only the events that came since."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from threading import Lock

from sqlalchemy import func, select

from idealist.base.frozen import Frozen
from idealist.data.workbench_files import StudyData, answer_of, item_of
from idealist.web.base.database import in_parts
from idealist.web.base.schema import assignments, events, items, tasks, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Connection, Row

    from idealist.data.workbench_files import Answer, StudyItem
    from idealist.web.base.database import Database


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


class GradedItem(Frozen):
    """A document that was graded for a query."""

    id: int
    query: str
    document: str


class GradeAnswer(Frozen):
    """A grade that stands, or the decision on an item; `seconds` is how long the rater looked, where that is known."""

    event: str
    item: int
    rater: str
    grade: int
    made: int
    seconds: float | None = None


class GradeData(Frozen):
    """The items of a task that have grades, the grades, and the adjudications."""

    items: tuple[GradedItem, ...]
    answers: tuple[GradeAnswer, ...]
    adjudications: tuple[GradeAnswer, ...]


class GradeReader(TaskReader):
    """Grades of documents."""

    def item(self, row: Any) -> GradedItem:
        return GradedItem(row.id, str(row.content["query"]), str(row.content["document"]))

    def answer(self, item: GradedItem, row: Row[Any], rater: str, side: str | None) -> GradeAnswer:
        content = row.content
        return GradeAnswer(row.id, item.id, rater, content["grade"], row.made, content.get("seconds"))

    def data(self, answers: Sequence[GradeAnswer], decisions: Sequence[GradeAnswer]) -> GradeData:
        graded = {answer.item for answer in answers}
        shown = tuple(item for number, item in sorted(self.items.items()) if number in graded)
        return GradeData(shown, tuple(answers), tuple(decisions))


@lru_cache(maxsize=8)
def grade_reader(database: Database, task: int) -> GradeReader:
    """What was read of a task before."""
    return GradeReader(task)


def grade_data(database: Database, task: int) -> GradeData:
    """All that stands in a task of grades: the last grade of each rater and item, the last adjudication of an item."""
    data: GradeData = grade_reader(database, task).read(database)[1]
    return data


class StudyReader(TaskReader):
    """Votes from the side of the candidate."""

    def __init__(self, task: int, candidate: str) -> None:
        self.candidate = candidate
        super().__init__(task)

    def item(self, row: Any) -> StudyItem:
        return item_of(row.id, row.content, row.hidden, self.candidate)

    def answer(self, item: StudyItem, row: Row[Any], rater: str, side: str | None) -> Answer:
        return answer_of(item, event=row.id, rater=rater, content=row.content, side=side, made=row.made)

    def data(self, answers: Sequence[Answer], decisions: Sequence[Answer]) -> StudyData:
        voted = {answer.item for answer in answers}
        shown = tuple(item for number, item in sorted(self.items.items()) if number in voted)
        return StudyData(shown, tuple(answers), tuple(decisions), self._votes_per_query(shown))

    def _votes_per_query(self, shown: Sequence[StudyItem]) -> int | None:
        """How many votes a query gets when all raters are done: the number that most have; known answers do not
        count."""
        by_query: Counter[str] = Counter()
        for item in shown:
            if item.expected is None:
                by_query[item.query] += len(self.sides.get(item.id, {}))
        # The least of those that are equally frequent, whatever the order in which items came.
        counts = Counter(count for count in by_query.values() if count)
        return min(counts, key=lambda count: (-counts[count], count)) if counts else None


class Study(Frozen):
    """A study as pages and the API show it. `systems` are the baseline and the candidate; `votes` counts the items that
    raters have answered, of those that are `assigned`."""

    id: int
    name: str
    systems: tuple[str, ...]
    open: bool
    created: int
    items: int
    votes: int
    assigned: int

    @property
    def candidate(self) -> str:
        return self.systems[-1]

    @property
    def baseline(self) -> str:
        return self.systems[0]


def list_studies(database: Database, project: int, number: int | None = None) -> list[Study]:
    """The side-by-side tasks of a project, the newest first; or the one of a number."""
    wanted = select(tasks).where(tasks.c.project_id == project, tasks.c.kind == "sides")
    if number is not None:
        wanted = wanted.where(tasks.c.id == number)
    counted_items = select(items.c.task_id, func.count()).where(items.c.withdrawn.is_(None))
    done = func.count().filter(assignments.c.done)
    counted_votes = select(assignments.c.task_id, done, func.count())
    with database.reading() as connection:
        rows = connection.execute(wanted.order_by(tasks.c.id.desc())).all()
        ids = [row.id for row in rows]
        per_task = counted_items.where(items.c.task_id.in_(ids)).group_by(items.c.task_id)
        item_counts = {row[0]: row[1] for row in connection.execute(per_task)}
        votes = {
            task: (answered, assigned)
            for task, answered, assigned in connection.execute(
                counted_votes.where(assignments.c.task_id.in_(ids)).group_by(assignments.c.task_id)
            )
        }
    return [
        Study(
            row.id,
            row.name,
            tuple(row.settings.get("systems") or ("A", "B")),
            row.open,
            row.created,
            item_counts.get(row.id, 0),
            *votes.get(row.id, (0, 0)),
        )
        for row in rows
    ]


def study_of(database: Database, project: int, number: int) -> Study | None:
    return next(iter(list_studies(database, project, number)), None)


def study_data(database: Database, study: Study) -> StudyData:
    """All that stands in a study: one vote of each rater on an item, the last adjudication of an item. Items that
    were withdrawn do not count."""
    data: StudyData = study_reader(database, study).read(database)[1]
    return data


def study_reader(database: Database, study: Study) -> StudyReader:
    """What was read of a study before."""
    return _reader(database, study.id, study.candidate)


@lru_cache(maxsize=8)
def _reader(database: Database, task: int, candidate: str) -> StudyReader:
    return StudyReader(task, candidate)
