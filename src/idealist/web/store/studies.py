"""Side-by-side studies: tasks of kind `sides`, and the votes and adjudications that stand in them."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from sqlalchemy import func, select

from idealist.frozen import Frozen
from idealist.io.studies import Answer, StudyData, answer_of, item_of
from idealist.web.store.events import standing_events
from idealist.web.store.tables import assignments, events, items, tasks, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.io.studies import StudyItem
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
    # Events are only added, so the last one says whether anything has changed since it was read before.
    last = select(func.max(events.c.number)).where(events.c.task_id == study.id)
    withdrawn = select(func.count()).where(items.c.task_id == study.id, items.c.withdrawn.is_not(None))
    with database.reading() as connection:
        state = connection.execute(last).scalar(), connection.execute(withdrawn).scalar_one()
    return _study_data(database, study, state)


@lru_cache(maxsize=8)
def _study_data(database: Database, study: Study, state: tuple[int | None, int]) -> StudyData:
    standing = standing_events(database, study.id)
    voted = select(events.c.item_id).where(events.c.task_id == study.id, events.c.kind == "vote")
    wanted = select(items).where(items.c.id.in_(voted), items.c.withdrawn.is_(None)).order_by(items.c.place)
    shown = select(assignments.c.user_id, assignments.c.item_id, assignments.c.side)
    with database.reading() as connection:
        known = {
            row.id: item_of(row.id, row.content, row.hidden, study.candidate)
            for row in connection.execute(wanted)
        }
        sides = {
            (row.user_id, row.item_id): row.side
            for row in connection.execute(shown.where(assignments.c.item_id.in_(voted)))
        }
        raters = {row.user_id for row in standing}
        named = select(users.c.id, users.c.name).where(users.c.id.in_(raters))
        names = {row.id: row.name for row in connection.execute(named)}
    answers: list[Answer] = []
    adjudications: dict[int, Answer] = {}
    for row in standing:
        if row.kind not in ("vote", "adjudicate") or row.item_id not in known:
            continue
        item = known[row.item_id]
        answer = answer_of(
            item,
            event=row.id,
            rater=names[row.user_id],
            content=row.content,
            side=sides.get((row.user_id, row.item_id)),
            made=row.made,
        )
        if row.kind == "vote":
            answers.append(answer)
        else:
            adjudications[row.item_id] = answer
    voted_on = {answer.item for answer in answers}
    return StudyData(
        tuple(item for item in known.values() if item.id in voted_on),
        tuple(answers),
        tuple(answer for item, answer in adjudications.items() if item in voted_on),
        _votes_per_query(known, [item for _, item in sides]),
    )


def _votes_per_query(known: dict[int, StudyItem], assigned: list[int]) -> int | None:
    """How many votes a query gets when all raters are done: the number that most have; known answers do not count."""
    by_query = Counter(
        known[item].query for item in assigned if item in known and known[item].expected is None
    )
    return Counter(by_query.values()).most_common(1)[0][0] if by_query else None
