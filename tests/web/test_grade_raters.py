"""Raters of grades: their agreement by arithmetic, and decisions that count when grades become judgments."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from sqlalchemy import select
from support.browsing import Browsing

from idealist import InputError
from idealist.web.access.accounts import rater_without_login
from idealist.web.base.database import now
from idealist.web.base.schema import items
from idealist.web.judging.tasks import Task, add_event, add_task, set_open, task_of, withdraw_item
from idealist.web.projects.projects import create_project
from idealist.web.studies.graded_tasks import (
    adjudicate_grade,
    grade_agreement,
    grade_disagreements,
    grade_report,
    task_grades,
    withdraw_grade_decision,
)
from idealist.web.studies.task_answers import GradeAnswer, GradeData, GradedItem, grade_data
from idealist.web.workbench import Workbench

RATERS = ("Ann", "Ben")
# Of four documents, two raters differ on the last.
GRADES = {"d0": (0, 0), "d1": (1, 1), "d2": (2, 2), "d3": (0, 2)}


def new_task(bench: Workbench, grades: dict[str, tuple[int | None, ...]] | None = None) -> Task:
    """A task in project 1 of documents of one query, and the grades of Ann, Ben, …"""
    database, grades = bench.database, grades or dict(GRADES)
    project = create_project(database, "grades")
    raters = [rater_without_login(database, name).id for name in RATERS]
    contents = [{"content": {"query": "q", "document": document}} for document in grades]
    number = add_task(
        database,
        project,
        kind="grades",
        name="grading",
        contents=contents,
        raters=raters,
        settings={"highest": 3},
    )
    with database.reading() as connection:
        wanted = select(items.c.id).where(items.c.task_id == number).order_by(items.c.place)
        numbers = connection.execute(wanted).scalars().all()
    for item, given in zip(numbers, grades.values(), strict=True):
        for rater, grade in zip(raters, given, strict=True):
            if grade is not None:
                content = {"grade": grade, "seconds": 4 + grade}
                add_event(
                    database,
                    id=str(uuid4()),
                    item=item,
                    user=rater,
                    kind="grade",
                    content=content,
                    made=now(),
                )
    task = task_of(database, number)
    assert task is not None
    return task


def decide(bench: Workbench, task: Task, item: int, grade: object, id: str = "") -> bool:
    return adjudicate_grade(bench.database, task, item, id=id or str(uuid4()), grade=grade, user=1)


def test_agreement_by_arithmetic(bench: Workbench) -> None:
    """Ordinal α: grades 0, 1 and 2 were given 3, 2 and 3 times, so their middles are 1.5, 4 and 6.5; two coincidences
    are 5 apart. Weighted κ: one miss of 2² against 26/4 by chance."""
    agreement = grade_agreement(grade_data(bench.database, new_task(bench).id))
    assert agreement is not None
    assert (agreement.items, agreement.grades) == (4, 8)
    assert agreement.raw.value == 3 / 4
    expected = 2 * (3 * 2 * 2.5**2 + 2 * 3 * 2.5**2 + 3 * 3 * 5**2)
    assert agreement.alpha.value == pytest.approx(1 - 7 * 2 * 5**2 / expected)
    (pair,) = agreement.pairs
    assert (pair.first, pair.second, pair.n, pair.raw.value) == ("Ann", "Ben", 4, 3 / 4)
    assert pair.kappa.value == pytest.approx(1 - 2**2 / (26 / 4))


def test_without_shared_documents_nothing_is_known_of_agreement(bench: Workbench) -> None:
    task = new_task(bench, {"d0": (1, None), "d1": (None, 2)})
    report = grade_report(grade_data(bench.database, task.id))
    assert report.agreement is None
    assert [(row.rater, row.votes, row.seconds) for row in report.raters] == [("Ann", 1, 5), ("Ben", 1, 6)]
    page = Browsing(bench).whole_page(f"/projects/1/tasks/{task.id}/raters")
    assert "No document has grades of two raters" in page
    assert "Raters do not differ on any item." in page


def test_disagreements_without_a_majority_and_far_apart_come_first() -> None:
    shown = tuple(GradedItem(number, "q", f"d{number}") for number in range(4))
    given = {0: (1, 1, 2), 1: (0, 1), 2: (0, 3), 3: (2, 2)}
    answers = tuple(
        GradeAnswer(f"{item}-{at}", item, f"r{at}", grade, 0)
        for item, grades in given.items()
        for at, grade in enumerate(grades)
    )
    listed = grade_disagreements(GradeData(shown, answers, (GradeAnswer("x", 2, "r9", 1, 0),)))
    assert [(entry.item.id, entry.open, entry.settled) for entry in listed] == [
        (1, True, False),
        (0, True, True),
        (2, False, False),
    ]


def test_a_decision_counts_in_the_judgments_and_can_be_taken_back(bench: Workbench) -> None:
    task = new_task(bench)
    assert task_grades(bench.database, task)["q"]["d3"] == 0  # the lower of the two in the middle
    (entry,) = grade_disagreements(grade_data(bench.database, task.id))
    set_open(bench.database, task.id, False, user=1)  # decided when the task is closed
    id = str(uuid4())
    assert decide(bench, task, entry.item.id, 1, id)
    assert not decide(bench, task, entry.item.id, 1, id)  # sent again
    assert task_grades(bench.database, task)["q"]["d3"] == 1
    before = grade_agreement(grade_data(bench.database, task.id))
    assert before is not None
    assert before.raw.value == 3 / 4  # agreement is that of the raters
    with pytest.raises(InputError, match=r"no event .* of this item to take back"):
        withdraw_grade_decision(bench.database, task, entry.item.id, id=str(uuid4()), user=2)
    assert withdraw_grade_decision(bench.database, task, entry.item.id, id=str(uuid4()), user=1)
    assert task_grades(bench.database, task)["q"]["d3"] == 0
    with pytest.raises(InputError, match="is not adjudicated"):
        withdraw_grade_decision(bench.database, task, entry.item.id, id=str(uuid4()), user=1)


def test_what_cannot_be_decided(bench: Workbench) -> None:
    task = new_task(bench, {"d0": (1, 2), "d1": (None, None)})
    first, second = (entry.id for entry in task_items(bench, task))
    with pytest.raises(InputError, match="9 is not a grade of this task"):
        decide(bench, task, first, 9)
    with pytest.raises(InputError, match="no grades to decide between"):
        decide(bench, task, second, 1)
    withdraw_item(bench.database, task.id, first, user=1)
    with pytest.raises(InputError, match="no grades to decide between"):
        decide(bench, task, first, 1)


def task_items(bench: Workbench, task: Task) -> list[GradedItem]:
    with bench.database.reading() as connection:
        rows = connection.execute(select(items.c.id, items.c.content).where(items.c.task_id == task.id))
        return [GradedItem(row.id, row.content["query"], row.content["document"]) for row in rows]


def test_the_page_and_the_api_say_and_do_the_same(bench: Workbench) -> None:
    task = new_task(bench, {**GRADES, "<script>x</script>": (3, 0)})
    browser, path = Browsing(bench), f"/projects/1/tasks/{task.id}"
    assert f'href="{path}/raters"' in browser.page(path)
    page = browser.whole_page(f"{path}/raters")
    assert "60 %" in page  # 3 of 5
    assert "2 wait for a decision" in page
    assert "<script>x" not in browser.get(f"{path}/raters").text
    address, id = re.findall(r'action="([^"]+adjudicate)".*?name="id" value="([^"]+)"', page, re.DOTALL)[0]
    assert re.findall(r'name="decision" value="(\d)"', page)[:4] == ["0", "1", "2", "3"]
    refused = browser.send(address, f"{path}/raters", id=id, decision="much")
    assert refused.status_code == 422
    assert "is not a grade" in refused.text
    browser.send(address, f"{path}/raters", id=id, decision="2")
    assert "1 wait for a decision" in browser.page(f"{path}/raters")
    browser.client.headers["x-form-token"] = browser.token(path)
    record = browser.get(f"/api{path}/raters").json()
    assert [row["votes"] for row in record["raters"]] == [5, 5]
    assert record["agreement"]["raw"]["value"] == record["pairs"][0]["raw"]["value"] == 3 / 5
    assert {entry["document"]: entry["decision"] for entry in record["disagreements"]} == {
        "<script>x</script>": 2,
        "d3": None,
    }
    undecided = next(entry for entry in record["disagreements"] if entry["decision"] is None)
    api = f"/api{path}/items/{undecided['item']}/adjudication"
    new = {"id": str(uuid4()), "grade": 1}
    assert [browser.client.post(api, json=new).json()["added"] for _ in range(2)] == [True, False]
    assert browser.client.post(f"{api}/undo", json={"id": str(uuid4())}).json() == {"added": True}
    assert browser.client.post(api, json={**new, "grade": 7}).status_code == 422


def test_before_the_first_grade(bench: Workbench) -> None:
    task = new_task(bench, {"d0": (None, None)})
    browser = Browsing(bench)
    assert "No grades yet" in browser.whole_page(f"/projects/1/tasks/{task.id}/raters")
    assert browser.get(f"/api/projects/1/tasks/{task.id}/raters").status_code == 404


def test_votes_have_a_page_of_their_own(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    browser.page("/projects/1/tasks/1/raters", 404)
    assert 'href="/projects/1/studies/1/raters"' in browser.page("/projects/1/tasks/1")
    browser.client.headers["x-form-token"] = browser.token("/projects/1")
    wrong = browser.client.post(
        "/api/projects/1/tasks/1/items/1/adjudication", json={"id": str(uuid4()), "grade": 1}
    )
    assert wrong.status_code == 404
