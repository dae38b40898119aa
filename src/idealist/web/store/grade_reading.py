"""The grades of a task as they are read from its events."""

from __future__ import annotations

from functools import lru_cache

from idealist.frozen import Frozen
from idealist.web.store.task_reading import TaskReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Row

    from idealist.web.store.database import Database


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
