"""Votes and grades: nothing lost, nothing twice, nothing changed."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from sqlalchemy import func, insert, select, update
from support.standing_events import standing_events

from idealist import InputError
from idealist.web.base.database import Database, now, url_of
from idealist.web.base.schema import events, items, users
from idealist.web.judging.tasks import add_event, add_task, tasks_of_rater
from idealist.web.projects.projects import create_project

RATERS, ITEMS = 5, 8


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = Database(url_of(database_url))
    with opened.writing() as connection:
        for number in range(RATERS):
            connection.execute(insert(users).values(name=f"rater{number}", role="rater", created=now()))
    yield opened
    opened.close()


@pytest.fixture
def raters(database: Database) -> list[int]:
    with database.reading() as connection:
        return list(connection.execute(select(users.c.id).order_by(users.c.id)).scalars())


@pytest.fixture
def task(database: Database, raters: list[int]) -> int:
    project = create_project(database, "shop")
    contents = [{"content": {"document": f"d{at}"}} for at in range(ITEMS)]
    return add_task(database, project, kind="grades", name="lipstick", contents=contents, raters=raters)


@pytest.fixture
def numbers(database: Database, task: int) -> list[int]:
    with database.reading() as connection:
        return list(connection.execute(select(items.c.id).where(items.c.task_id == task)).scalars())


def grade(database: Database, item: int, user: int, grade: int, id: str | None = None) -> str:
    made = id or str(uuid4())
    add_event(database, id=made, item=item, user=user, kind="grade", content={"grade": grade}, made=now())
    return made


def stored(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.execute(select(func.count()).select_from(events)).scalar_one())


def test_sending_again_changes_nothing(database: Database, numbers: list[int], raters: list[int]) -> None:
    id = grade(database, numbers[0], raters[0], 3)
    grade(database, numbers[0], raters[0], 3, id)
    assert stored(database) == 1
    with pytest.raises(InputError, match="sent before with another content"):
        grade(database, numbers[0], raters[0], 2, id)
    assert stored(database) == 1


def test_the_last_answer_that_was_not_undone_stands(
    database: Database, task: int, numbers: list[int], raters: list[int]
) -> None:
    first = grade(database, numbers[0], raters[0], 3)
    second = grade(database, numbers[0], raters[0], 1)
    grade(database, numbers[0], raters[1], 2)

    def grades() -> list[tuple[int, int]]:
        return [(row.user_id, row.content["grade"]) for row in standing_events(database, task)]

    assert grades() == [(raters[0], 1), (raters[1], 2)]
    undo = {"item": numbers[0], "user": raters[0], "kind": "undo", "content": {}, "made": now()}
    add_event(database, id=str(uuid4()), about=second, **undo)  # type: ignore[arg-type]
    assert sorted(grades()) == sorted([(raters[0], 3), (raters[1], 2)])
    add_event(database, id=str(uuid4()), about=first, **undo)  # type: ignore[arg-type]
    assert grades() == [(raters[1], 2)]
    assert stored(database) == 5  # nothing was taken out


def test_an_adjudication_stands_beside_the_answers(
    database: Database, task: int, numbers: list[int], raters: list[int]
) -> None:
    about = grade(database, numbers[0], raters[0], 3)
    facts = {
        "item": numbers[0],
        "user": raters[0],
        "kind": "adjudicate",
        "content": {"grade": 0},
        "made": now(),
    }
    add_event(database, id=str(uuid4()), about=about, **facts)  # type: ignore[arg-type]
    assert [row.kind for row in standing_events(database, task)] == ["grade", "adjudicate"]


def test_nobody_undoes_the_answer_of_another(
    database: Database, numbers: list[int], raters: list[int]
) -> None:
    theirs = grade(database, numbers[0], raters[1], 3)
    undo = {"item": numbers[0], "user": raters[0], "kind": "undo", "content": {}, "made": now()}
    with pytest.raises(InputError, match="to take back"):
        add_event(database, id=str(uuid4()), about=theirs, **undo)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"id": "7"}, "not the id"), ({"kind": "like"}, "not a kind"), ({"item": 10**6}, "no item")],
)
def test_bad_events_are_refused(
    database: Database, numbers: list[int], raters: list[int], changed: dict[str, object], message: str
) -> None:
    facts = {
        "id": str(uuid4()),
        "item": numbers[0],
        "user": raters[0],
        "kind": "grade",
        "content": {},
        "made": 0,
    }
    with pytest.raises(InputError, match=message):
        add_event(database, **{**facts, **changed})  # type: ignore[arg-type]
    assert stored(database) == 0


def test_an_item_that_was_withdrawn_takes_no_answer(
    database: Database, numbers: list[int], raters: list[int]
) -> None:
    with database.writing() as connection:
        connection.execute(update(items).where(items.c.id == numbers[0]).values(withdrawn=now()))
    with pytest.raises(InputError, match="withdrawn"):
        grade(database, numbers[0], raters[0], 3)


def test_raters_at_once_lose_nothing_and_count_nothing_twice(
    database: Database, task: int, numbers: list[int], raters: list[int]
) -> None:
    """Everybody judges everything at the same time, and sends every answer twice, also at the same time."""
    work = [(item, rater, str(uuid4())) for item in numbers for rater in raters]
    with ThreadPoolExecutor(2 * RATERS) as pool:
        list(pool.map(lambda one: grade(database, one[0], one[1], 2, one[2]), work + work))
    assert stored(database) == RATERS * ITEMS
    for rater in raters:
        (assigned,) = tasks_of_rater(database, rater)
        assert (assigned.id, assigned.done, assigned.items) == (task, ITEMS, ITEMS)
