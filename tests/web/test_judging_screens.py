"""Answers of raters, who see nothing of the systems and nothing of others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from support.browsing import Browsing
from support.rater_tasks import LOCAL, PASSWORD, grade_task, rows, side_task
from support.standing_events import standing_events

from idealist import InputError, read_judgments
from idealist.web.access.accounts import add_user
from idealist.web.access.sessions import add_token
from idealist.web.judging.rater_queue import answer, next_items
from idealist.web.judging.task_making import make_side_task
from idealist.web.judging.tasks import task_of, withdraw_item
from idealist.web.projects.project_sources import source_of
from idealist.web.workbench import Workbench


@pytest.fixture
def client(shop_bench: Workbench) -> Any:
    browser = Browsing(shop_bench)
    browser.client.headers["x-form-token"] = browser.token("/projects")
    return browser.client


def vote(client: Any, item: int, content: dict[str, Any], kind: str = "vote", **facts: Any) -> Any:
    event = {"id": str(uuid4()), "kind": kind, "content": content, "made": 1, **facts}
    return client.post(f"/api/items/{item}/events", json=event)


def test_nothing_betrays_the_systems(shop_bench: Workbench, client: Any) -> None:
    """Neither names of runs, nor ids of documents, nor which items have a known answer."""
    task = side_task(shop_bench, known=3)
    page = client.get(f"/tasks/{task}").text
    data = re.search(r'id="judging-data">(.*?)</script>', page, re.S)
    assert data is not None
    assert set(json.loads(data[1])) == {"task", "user", "done", "all", "token", "texts"}
    shown = client.get(f"/api/tasks/{task}/items?count=20").json()
    assert len(shown) == 20
    for item in shown:
        assert set(item) == {"id", "place", "query", "documents", "left", "right", "label"}
        assert item["documents"] is item["label"] is None
        for document in [*item["left"], *item["right"]]:
            assert set(document) == {"title", "text", "url", "image"}
    assert not re.search(r"\bp\d{3}\b|expected|hidden|\bsystems?\b", json.dumps(shown) + data[1])


def test_a_vote_is_stored_from_the_candidates_side(shop_bench: Workbench, client: Any) -> None:
    task = side_task(shop_bench)
    sides = {row.id: row.side for row in rows(shop_bench, task)}
    hidden = {row.id: row for row in rows(shop_bench, task)}
    shown = client.get(f"/api/tasks/{task}/items?count=8").json()
    for item in shown:
        assert vote(client, item["id"], {"choice": 2, "seconds": 3.5}).json() == {"added": True}
    for event in standing_events(shop_bench.database, task):
        side = sides[event.item_id]
        assert event.content == {"vote": 2 if side == "right" else -2, "side": side, "seconds": 3.5}
    # What was shown on the candidate's side is the candidate's list.
    known = {item["id"]: item for item in shown}
    for number, item in known.items():
        assert len(item[sides[number]]) == len(hidden[number].content["right"])
    assert len({sides[number] for number in known}) == 2


def test_both_good_and_both_bad_are_apart_from_same(shop_bench: Workbench, client: Any) -> None:
    task = side_task(shop_bench)
    chosen = [0, "both-good", "both-bad"]
    shown = client.get(f"/api/tasks/{task}/items").json()
    for item, choice in zip(shown, chosen, strict=False):
        assert vote(client, item["id"], {"choice": choice}).json() == {"added": True}
    stored = [event.content for event in standing_events(shop_bench.database, task)]
    assert [(content["vote"], content.get("both")) for content in stored] == [
        (0, None),
        (0, "good"),
        (0, "bad"),
    ]


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("vote", {"choice": 4}, "is not a vote"),
        ("vote", {"choice": True}, "is not a vote"),
        ("vote", {"vote": "splendid"}, "is not a vote"),
        ("grade", {"grade": 2}, "not an answer to this task"),
        ("vote", {"choice": 1, "reasons": ["Weather"]}, "not reasons of this task"),
        ("vote", {"choice": 1, "note": "x" * 2_001}, "a note has at most 2,000"),
        ("vote", {"choice": 1, "note": ["x"]}, "a note has at most 2,000"),
    ],
)
def test_answers_that_are_none(
    shop_bench: Workbench, client: Any, kind: str, content: dict[str, Any], message: str
) -> None:
    task = side_task(shop_bench, reasons=["Order"])
    item = client.get(f"/api/tasks/{task}/items").json()[0]["id"]
    answer = vote(client, item, content, kind)
    assert answer.status_code == 422
    assert message in answer.json()["detail"]
    assert standing_events(shop_bench.database, task) == []


@pytest.mark.parametrize("grade", [-1, 4, 2.5, "2", None, True])
def test_grades_that_are_none(shop_bench: Workbench, client: Any, grade: object) -> None:
    task = grade_task(shop_bench, highest=3)
    item = client.get(f"/api/tasks/{task}/items").json()[0]["id"]
    assert vote(client, item, {"grade": grade}, "grade").status_code == 422


def test_an_answer_is_undone_and_given_again(shop_bench: Workbench, client: Any) -> None:
    task = grade_task(shop_bench)
    assert client.get(f"/api/tasks/{task}/last").json() is None
    first, second = client.get(f"/api/tasks/{task}/items?count=2").json()
    for item in (first, second):
        vote(client, item["id"], {"grade": 3}, "grade")
    last = client.get(f"/api/tasks/{task}/last").json()
    assert last["item"]["id"] == second["id"]
    assert vote(client, second["id"], {}, "undo", about=last["id"]).json() == {"added": True}
    assert client.get(f"/api/tasks/{task}/last").json()["item"]["id"] == first["id"]
    assert client.get(f"/api/tasks/{task}/items?count=1").json() == [second]


def test_later_is_the_end_of_the_queue(shop_bench: Workbench, client: Any) -> None:
    task = side_task(shop_bench, queries=3)
    first, second, third = client.get(f"/api/tasks/{task}/items").json()
    place = client.post(f"/api/items/{first['id']}/later").json()["place"]
    assert place > third["place"]
    queue = client.get(f"/api/tasks/{task}/items").json()
    assert [item["id"] for item in queue] == [second["id"], third["id"], first["id"]]
    assert client.post(f"/api/items/{first['id']}/later").json()["place"] == place  # it is there already


def test_a_withdrawn_item_is_not_asked_for(shop_bench: Workbench, client: Any) -> None:
    task = side_task(shop_bench)
    first, second = client.get(f"/api/tasks/{task}/items?count=2").json()
    before = next(known for known in client.get("/api/tasks").json() if known["id"] == task)["items"]
    assert client.delete(f"/api/projects/1/tasks/{task}/items/{first['id']}").status_code == 204
    assert client.get(f"/api/tasks/{task}/items?count=1").json()[0]["id"] == second["id"]
    answer = vote(client, first["id"], {"choice": 1})
    assert (answer.status_code, answer.json()["hint"]) == (422, "go on with the next one")
    after = next(known for known in client.get("/api/tasks").json() if known["id"] == task)["items"]
    assert after == before - 1
    with pytest.raises(InputError, match="withdrawn before"):
        withdraw_item(shop_bench.database, task, first["id"], user=LOCAL)


def test_a_closed_task_takes_no_answers(shop_bench: Workbench, client: Any) -> None:
    task = side_task(shop_bench)
    item = client.get(f"/api/tasks/{task}/items").json()[0]["id"]
    assert client.put(f"/api/projects/1/tasks/{task}/open?open=false").json()["open"] is False
    assert client.get(f"/api/tasks/{task}/items").json() == []
    assert vote(client, item, {"choice": 1}).status_code == 422
    client.put(f"/api/projects/1/tasks/{task}/open?open=true")
    assert vote(client, item, {"choice": 1}).json() == {"added": True}


def test_raters_see_their_own_tasks_alone(public_bench: Workbench, shop: Path) -> None:
    ann, ben, cleo = (
        add_user(public_bench.database, name, PASSWORD, role)
        for name, role in (("ann", "analyst"), ("ben", "rater"), ("cleo", "rater"))
    )
    client = Browsing(public_bench).client
    tokens = {
        person.name: {"authorization": f"Bearer {add_token(public_bench.database, person.id, 'x')}"}
        for person in (ann, ben, cleo)
    }
    client.post("/api/projects", json={"name": "shop"}, headers=tokens["ann"])
    for name in ("a.run", "b.run"):
        files = {"file": (name, (shop / name).read_bytes())}
        client.post("/api/projects/1/sources", files=files, headers=tokens["ann"])
    new = {"name": "Which?", "baseline": "a", "candidate": "b", "raters": [ben.id]}
    assert client.post("/api/projects/1/tasks/sides", json=new, headers=tokens["ben"]).status_code == 403
    made = client.post("/api/projects/1/tasks/sides", json=new, headers=tokens["ann"])
    assert made.status_code == 201, made.text
    task = made.json()["id"]
    assert [rater["name"] for rater in made.json()["raters"]] == ["ben"]
    item = client.get(f"/api/tasks/{task}/items", headers=tokens["ben"]).json()[0]["id"]
    for path in (f"/api/tasks/{task}/items", f"/api/tasks/{task}/last"):
        assert client.get(path, headers=tokens["cleo"]).status_code == 404
    assert client.post(f"/api/items/{item}/later", headers=tokens["cleo"]).status_code == 404
    event = {"id": str(uuid4()), "kind": "vote", "content": {"choice": 1}, "made": 1}
    assert client.post(f"/api/items/{item}/events", json=event, headers=tokens["cleo"]).status_code == 404
    for path in ("/api/projects/1/tasks", "/api/projects"):
        assert client.get(path, headers=tokens["ben"]).status_code == 403
    browser = Browsing(public_bench)
    browser.log_in("cleo", PASSWORD)
    browser.page(f"/tasks/{task}", 404)
    browser.page("/projects/1/tasks", 403)


def test_a_rater_cannot_vote_for_the_candidate_unseen(public_bench: Workbench, shop: Path) -> None:
    """A vote from the candidate's side, which programs of analysts may send, would need no look at the lists."""
    database = public_bench.database
    add_user(database, "ann", PASSWORD, "admin")
    ben = add_user(database, "ben", PASSWORD, "rater").id
    admin, rater = Browsing(public_bench), Browsing(public_bench)
    admin.log_in("ann", PASSWORD)
    admin.send("/projects", "/projects", name="Shop")
    for name in ("a.run", "b.run"):
        admin.upload(1, name, (shop / name).read_bytes())
    make_side_task(public_bench, 1, name="Which?", baseline="a", candidate="b", raters=[ben], queries=3)
    rater.log_in("ben", PASSWORD)
    headers = {"x-form-token": rater.token("/account")}
    (item, *_) = rater.get("/api/tasks/1/items").json()
    event = {"id": "11111111-2222-4333-8444-555555555555", "kind": "vote", "made": 1}
    address = f"/api/items/{item['id']}/events"
    refused = rater.client.post(address, json={**event, "content": {"vote": "good"}}, headers=headers)
    assert refused.status_code == 403
    taken = rater.client.post(address, json={**event, "content": {"choice": 1}}, headers=headers)
    assert taken.json() == {"added": True}


def test_grades_become_judgments(shop_bench: Workbench, shop: Path, client: Any) -> None:
    """The median of the raters, the lower of two in the middle; other documents keep their grades."""
    raters = [LOCAL, *(add_user(shop_bench.database, name, PASSWORD, "rater").id for name in ("ann", "ben"))]
    task = grade_task(shop_bench, raters=raters, overlap=3, highest=4)
    path = f"/api/projects/1/tasks/{task}/grades"
    assert client.post(path).status_code == 422  # there are none yet
    numbers = sorted({row.id for row in rows(shop_bench, task)})[:3]
    given = {numbers[0]: (4, 0, 3), numbers[1]: (1, 2), numbers[2]: (None, 4)}
    for item, grades in given.items():
        for rater, grade in zip(raters, grades, strict=False):
            kind, content = ("skip", {}) if grade is None else ("grade", {"grade": grade})
            facts: dict[str, Any] = {"item": item, "user": rater, "kind": kind, "content": content, "made": 1}
            assert answer(shop_bench, id=str(uuid4()), **facts)
    places = {row.id: (row.content["query"], row.content["document"]) for row in rows(shop_bench, task)}
    expected = {places[numbers[0]]: 3, places[numbers[1]]: 1, places[numbers[2]]: 4}
    found = client.get(path).json()
    assert {(q, d): grade for q, documents in found.items() for d, grade in documents.items()} == expected
    before = read_judgments(shop / "shop.qrels").to_dict()
    source = source_of(shop_bench.database, client.post(path).json()["source"])
    assert source is not None
    after = read_judgments(shop_bench.files.path(source.stored)).to_dict()
    for (query, document), grade in expected.items():
        before.setdefault(query, {})[document] = grade
    assert after == before
    assert (source.name, source.kind) == ("shop", "judgments")
    assert client.get(f"/api/projects/1/tasks/{1}/grades").status_code == 422  # votes are not grades
    page = f"/projects/1/tasks/{task}"
    sent = Browsing(shop_bench).send(f"{page}/grades", page)
    assert sent.status_code == 200


def test_the_next_items_come_from_an_index(shop_bench: Workbench) -> None:
    """Whatever the number of items, few are read: the plan of the query names the index and sorts nothing."""
    number = side_task(shop_bench)
    task = task_of(shop_bench.database, number)
    assert task is not None
    said: list[str] = []
    from sqlalchemy import event

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        said.append(statement)

    event.listen(shop_bench.database.engine, "before_cursor_execute", note)
    next_items(shop_bench, task, LOCAL)
    event.remove(shop_bench.database.engine, "before_cursor_execute", note)
    statement = next(text for text in said if "assignments" in text)
    with shop_bench.database.reading() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", (number, 1, -1, 10, 0)).all()
    steps = " ".join(row[3] for row in plan)
    assert "ix_assignments_next" in steps
    assert "SCAN" not in steps
    assert "TEMP B-TREE" not in steps
