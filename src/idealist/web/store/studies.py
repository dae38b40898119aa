"""Side-by-side studies: tasks of kind `sides`, and the votes and adjudications that stand in them."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import func, select

from idealist.data.vote_words import NUMBERS, WORDS, normal
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.web.store.events import standing_events
from idealist.web.store.tables import assignments, events, items, tasks, users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


class Answer(Frozen):
    """A vote that stands, from the candidate's side; `side` is where the candidate was shown to this rater, `seconds`
    how long they looked, where that is known."""

    event: str
    item: int
    rater: str
    vote: int
    side: str
    made: int
    seconds: float | None = None


class StudyItem(Frozen):
    """What was voted on: the two lists as they are stored, and what raters do not see."""

    id: int
    query: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    candidate_side: str
    segment: str | None
    weight: float | None
    expected: int | None


class StudyData(Frozen):
    """The items of a study that have votes, the votes, the adjudications, and how many votes most queries will have."""

    items: tuple[StudyItem, ...]
    answers: tuple[Answer, ...]
    adjudications: tuple[Answer, ...]
    votes_per_query: int | None


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
    standing = standing_events(database, study.id)
    voted = select(events.c.item_id).where(events.c.task_id == study.id, events.c.kind == "vote")
    wanted = select(items).where(items.c.id.in_(voted), items.c.withdrawn.is_(None)).order_by(items.c.place)
    shown = select(assignments.c.user_id, assignments.c.item_id, assignments.c.side)
    with database.reading() as connection:
        known = {row.id: _item(row, study) for row in connection.execute(wanted)}
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
        side = row.content.get("side") or sides.get((row.user_id, row.item_id)) or item.candidate_side
        vote = known_vote(row.content.get("vote"))
        seconds = row.content.get("seconds")
        answer = Answer(row.id, row.item_id, names[row.user_id], vote, side, row.made, seconds)
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


def known_vote(word: object) -> int:
    """A stored vote, from the candidate's side, as a number from −3 to 3.

    >>> known_vote("good"), known_vote(-2)
    (1, -2)
    """
    vote = {**WORDS, **NUMBERS}.get(normal(word))
    if vote is None:
        raise InputError(f"{word!r} is not a vote", hint="good, same or bad, or a number from −3 to 3")
    return vote


def _item(row: Any, study: Study) -> StudyItem:
    content, hidden = row.content, row.hidden
    expected = hidden.get("expected")
    weight = hidden.get("weight")
    return StudyItem(
        row.id,
        str(content["query"]),
        tuple(content.get("left") or ()),
        tuple(content.get("right") or ()),
        "left" if hidden.get("left") == study.candidate else "right",
        hidden.get("segment") or None,
        None if weight is None else float(weight),
        None if expected in (None, "") else known_vote(expected),
    )
