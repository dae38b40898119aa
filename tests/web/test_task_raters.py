"""Raters who join a task or leave it: every item keeps its number of raters, and no answer is lost."""

from __future__ import annotations

from collections import Counter
from uuid import uuid4

import pytest
from sqlalchemy import select
from support.browsing import Browsing
from support.standing_events import standing_events

from idealist import InputError
from idealist.web.access.accounts import rater_without_login
from idealist.web.base.database import now
from idealist.web.base.schema import assignments, history
from idealist.web.judging.rater_queue import NotAssigned, answer, next_items
from idealist.web.judging.task_making import make_grade_task, make_side_task
from idealist.web.judging.task_raters import add_rater, remove_rater
from idealist.web.judging.tasks import Task, progress_of, task_of
from idealist.web.workbench import Workbench


@pytest.fixture
def people(shop_bench: Workbench) -> list[int]:
    return [rater_without_login(shop_bench.database, name).id for name in ("Ann", "Ben", "Cleo")]


def grade_task(bench: Workbench, raters: list[int], overlap: int = 1) -> Task:
    number = make_grade_task(
        bench, 1, name="grades", runs=["a", "b"], depth=10, raters=raters, overlap=overlap, seed=1
    )
    task = task_of(bench.database, number)
    assert task is not None
    return task


def assigned(bench: Workbench, task: Task) -> list[tuple[int, int, bool]]:
    """Who has which item, and whether it is done."""
    columns = assignments.c.user_id, assignments.c.item_id, assignments.c.done
    with bench.database.reading() as connection:
        rows = connection.execute(select(*columns).where(assignments.c.task_id == task.id))
        return [(row.user_id, row.item_id, row.done) for row in rows]


def judge(bench: Workbench, task: Task, rater: int, count: int) -> None:
    for item in next_items(bench, task, rater, count=count):
        grade = {"grade": 1}
        answer(bench, id=str(uuid4()), item=item["id"], user=rater, kind="grade", content=grade, made=now())


def left(bench: Workbench, task: Task) -> dict[str, int]:
    return {rater.name: rater.items - rater.done for rater in progress_of(bench.database, task.id)}


def test_a_rater_of_all_items(shop_bench: Workbench, people: list[int]) -> None:
    ann, ben, _ = people
    task = grade_task(shop_bench, [ann])
    before = assigned(shop_bench, task)
    assert add_rater(shop_bench, task, ben, seed=3) == len(before) == 130
    per_item = Counter(item for _, item, _ in assigned(shop_bench, task))
    assert set(per_item.values()) == {2}
    queries = [item["query"] for item in next_items(shop_bench, task, ben, count=20)]
    runs = [query for at, query in enumerate(queries) if at == 0 or queries[at - 1] != query]
    assert len(runs) == len(set(runs))  # the documents of a query follow each other


def test_a_rater_of_a_share_of_the_rest(shop_bench: Workbench, people: list[int]) -> None:
    ann, ben, cleo = people
    task = grade_task(shop_bench, [ann, ben], overlap=1)
    judge(shop_bench, task, ann, 10)
    got = add_rater(shop_bench, task, cleo, share="rest", seed=3)
    after = assigned(shop_bench, task)
    assert set(Counter(item for _, item, _ in after).values()) == {1}  # taken over, not doubled
    assert sum(done for _, _, done in after) == 10
    rest = left(shop_bench, task)
    assert rest["Cleo"] == got
    assert sum(rest.values()) == 120
    assert 120 // 3 <= got < 120 // 3 + 10  # a third, and at most the rest of a query


def test_who_is_taken_off_hands_over_what_is_left(shop_bench: Workbench, people: list[int]) -> None:
    ann, ben, cleo = people
    task = grade_task(shop_bench, people, overlap=2)
    judge(shop_bench, task, ann, 5)
    owed = left(shop_bench, task)["Ann"]
    assert remove_rater(shop_bench, task, ann, seed=3) == owed
    after = assigned(shop_bench, task)
    assert set(Counter(item for _, item, _ in after).values()) == {2}  # as many raters an item as before
    assert {user for user, _, done in after if not done} == {ben, cleo}
    assert sum(left(shop_bench, task).values()) == 2 * 130 - 5
    assert len(standing_events(shop_bench.database, task.id)) == 5  # what was answered stays
    done = next(item for user, item, finished in after if user == ann and finished)
    with pytest.raises(NotAssigned):
        answer(
            shop_bench, id=str(uuid4()), item=done, user=ann, kind="grade", content={"grade": 2}, made=now()
        )
    assert add_rater(shop_bench, task, ann, seed=4) == 130 - 5  # back again: what they did is not asked again
    with shop_bench.database.reading() as connection:
        actions = connection.execute(select(history.c.action).order_by(history.c.id)).scalars().all()
    assert actions[-2:] == ["rater removed", "rater added"]


def test_sides_are_drawn_and_known_answers_are_for_everybody(
    shop_bench: Workbench, people: list[int]
) -> None:
    ann, ben, _ = people
    number = make_side_task(
        shop_bench, 1, name="sides", baseline="a", candidate="b", raters=[ann], known=3, seed=1
    )
    task = task_of(shop_bench.database, number)
    assert task is not None
    items = len(assigned(shop_bench, task)) - 3
    assert add_rater(shop_bench, task, ben, share="rest", seed=2) == items // 2 + 3
    with shop_bench.database.reading() as connection:
        mine = assignments.c.task_id == number, assignments.c.user_id == ben
        sides = connection.execute(select(assignments.c.side).where(*mine)).scalars().all()
    assert set(sides) == {"left", "right"}


def test_what_cannot_be_changed_says_why(shop_bench: Workbench, people: list[int]) -> None:
    ann, ben, _ = people
    task = grade_task(shop_bench, [ann])
    for rater, share, message in (
        (ann, "all", "judges the task already"),
        (999, "all", "there is no rater 999"),
        (ben, "half", "'half' is not a share"),
    ):
        with pytest.raises(InputError, match=message):
            add_rater(shop_bench, task, rater, share=share)
    for rater, message in ((ann, "the only rater"), (ben, "does not judge the task")):
        with pytest.raises(InputError, match=message):
            remove_rater(shop_bench, task, rater)


def test_by_page_and_by_the_api(shop_bench: Workbench, people: list[int]) -> None:
    ann, ben, cleo = people
    task = grade_task(shop_bench, [ann])
    browser, page = Browsing(shop_bench), f"/projects/1/tasks/{task.id}"
    sent = browser.send(f"{page}/raters", page, rater=str(ben), share="rest", offline="")
    assert "Ben" in sent.text
    nobody = browser.send(f"{page}/raters", page, rater="", share="all", offline="")
    assert nobody.status_code == 422
    assert "choose a rater, or name one" in nobody.text
    browser.send(f"{page}/raters", page, rater="", share="all", offline="Dora")
    assert set(left(shop_bench, task)) == {"Ann", "Ben", "Dora"}
    browser.send(f"{page}/raters/{ann}/remove", page)
    assert set(left(shop_bench, task)) == {"Ben", "Dora"}
    browser.client.headers["x-form-token"] = browser.token(page)
    record = browser.client.post(f"/api{page}/raters", json={"rater": cleo}).json()
    assert [rater["name"] for rater in record["raters"]] == ["Ben", "Cleo", "Dora"]
    assert browser.client.delete(f"/api{page}/raters/{cleo}").status_code == 200
    assert browser.client.delete(f"/api{page}/raters/{cleo}").status_code == 422
