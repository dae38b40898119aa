"""Side-by-side studies: tasks of kind `sides`, and the votes and adjudications that stand in them."""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy import func, select

from idealist.frozen import Frozen
from idealist.web.store.study_reading import StudyReader
from idealist.web.store.tables import assignments, items, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.io.studies import StudyData
    from idealist.web.store.database import Database


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
