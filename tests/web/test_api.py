"""The API does what the pages do, for programs with tokens."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from support.browsing import Browsing

from idealist import evaluate, explain, read_judgments, read_run
from idealist.web.access.accounts import add_user
from idealist.web.access.sessions import add_token
from idealist.web.base.schema import items
from idealist.web.judging.tasks import tasks_of_rater
from idealist.web.workbench import Workbench

PASSWORD = "correct horse battery"


def headers(bench: Workbench, role: str) -> dict[str, str]:
    person = add_user(bench.database, role, PASSWORD, role)
    return {"authorization": f"Bearer {add_token(bench.database, person.id, 'test')}"}


def test_a_whole_evaluation_by_token(public_bench: Workbench, shop: Path) -> None:
    client = Browsing(public_bench).client
    client.headers |= headers(public_bench, "analyst")
    project = client.post("/api/projects", json={"name": "shop"}).json()["id"]
    for name in ("shop.qrels", "a.run", "b.run"):
        answer = client.post(
            f"/api/projects/{project}/sources", files={"file": (name, (shop / name).read_bytes())}
        )
        assert answer.status_code == 201, answer.text
    assert [s["name"] for s in client.get(f"/api/projects/{project}/sources").json()] == ["shop", "a", "b"]

    found = client.get(f"/api/projects/{project}/evaluation", params={"measure": ["nDCG@10", "AP"]}).json()
    expected = evaluate(shop / "shop.qrels", [shop / "a.run", shop / "b.run"], ["nDCG@10", "AP"])
    values = {(value["run"], value["measure"]): value["value"] for value in found["values"]}
    assert values == {(s, m): expected.mean(m, s) for s in ("a", "b") for m in ("nDCG@10", "AP")}

    asked = {"run": "a", "query": "lipstick", "measure": "AP"}
    found = client.get(f"/api/projects/{project}/explanation", params=asked).json()
    by_hand = explain(read_judgments(shop / "shop.qrels"), read_run(shop / "a.run"), "AP", query="lipstick")
    assert found["value"] == by_hand.value
    assert client.delete(f"/api/projects/{project}/sources/2").status_code == 204
    assert len(client.get(f"/api/projects/{project}/sources").json()) == 2


def test_errors_say_what_to_do(public_bench: Workbench) -> None:
    client = Browsing(public_bench).client
    client.headers |= headers(public_bench, "analyst")
    client.post("/api/projects", json={"name": "shop"})
    bad = client.post(
        "/api/projects/1/sources", files={"file": ("bad.run", b"q Q0 d 1 nine a\n")}, data={"kind": "run"}
    )
    assert bad.status_code == 422
    assert "bad.run, line 1" in bad.json()["detail"]
    assert client.get("/api/projects/1/evaluation").json() == {
        "detail": "the project has no judgments",
        "hint": "add some",
    }
    missing = client.get("/api/projects/7/sources")
    assert (missing.status_code, missing.json()) == (404, {"detail": "there is no project 7"})
    assert client.post("/api/projects", json={"about": "x"}).status_code == 422


def test_who_may_call(public_bench: Workbench) -> None:
    client = Browsing(public_bench).client
    assert client.get("/api/projects").status_code == 401
    assert client.get("/api/projects", headers={"authorization": "Bearer idl_no"}).status_code == 401
    rater = headers(public_bench, "rater")
    assert client.get("/api/projects", headers=rater).status_code == 403
    assert client.get("/api/tasks", headers=rater).json() == []


def test_on_loopback_what_changes_something_takes_a_token_too(bench: Workbench) -> None:
    """A page of another site can make the browser of the person at this machine send anything here."""
    browser = Browsing(bench)
    assert browser.client.get("/api/projects").json() == []
    assert browser.client.post("/api/projects", json={"name": "x"}).status_code == 403
    token = {"x-form-token": browser.token("/projects")}
    evil = {**token, "origin": "http://evil.example"}
    assert browser.client.post("/api/projects", json={"name": "x"}, headers=evil).status_code == 403
    assert browser.client.post("/api/projects", json={"name": "x"}, headers=token).status_code == 201


def test_votes_are_taken_of_those_assigned_and_once(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    client = browser.client
    client.headers["x-form-token"] = browser.token("/projects")
    grades, task = sorted(client.get("/api/tasks").json(), key=lambda task: task["kind"])
    assert (grades["kind"], grades["done"], grades["items"]) == ("grades", 0, 35)
    assert (task["kind"], task["done"], task["items"]) == ("sides", 21, 42)
    with shop_bench.database.reading() as connection:
        item = connection.execute(items.select().order_by(items.c.place.desc())).first()
    assert item is not None
    vote = {"id": str(uuid4()), "kind": "vote", "content": {"vote": "good"}, "made": 1}
    for added in (True, False):
        assert client.post(f"/api/items/{item.id}/events", json=vote).json() == {"added": added}
    (again,) = (one for one in client.get("/api/tasks").json() if one["kind"] == "sides")
    assert again["done"] == 22
    other = add_user(shop_bench.database, "ben", PASSWORD, "rater")
    token = {"authorization": f"Bearer {add_token(shop_bench.database, other.id, 'x')}"}
    assert tasks_of_rater(shop_bench.database, other.id) == []
    chosen = vote | {"content": {"choice": 1}}
    assert client.post(f"/api/items/{item.id}/events", json=chosen, headers=token).status_code == 404


def test_it_is_described(bench: Workbench) -> None:
    described = Browsing(bench).get("/api/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    operations = [operation for path in described["paths"].values() for operation in path.values()]
    assert operations
    for operation in operations:
        assert operation["description"]
        assert operation["security"] == [{"HTTPBearer": []}]
        assert operation["responses"].keys() >= {"401", "403", "404", "422"}
    assert set(described["paths"]) == {path for path in described["paths"] if path.startswith("/api/")}


def test_a_project_that_is_not_there_is_said_by_every_path(bench: Workbench) -> None:
    """With some value for what must be asked, of the project alone or of something that it would have."""
    client = Browsing(bench).client
    some = {"string": "x", "integer": "1", "number": "1", "array": "x"}
    answered: dict[str, str] = {}
    for path, operations in client.get("/api/openapi.json").json()["paths"].items():
        if "{project}" in path and "get" in operations:
            wanted = [part for part in operations["get"]["parameters"] if part["required"]]
            asked = {part["name"]: some[part["schema"]["type"]] for part in wanted if part["in"] == "query"}
            parts = {part["name"]: some[part["schema"]["type"]] for part in wanted if part["in"] == "path"}
            answer = client.get(path.format(**{**parts, "project": 7}), params=asked)
            assert answer.status_code == 404, path
            answered[path] = answer.json()["detail"]
    assert len(answered) > 20
    assert set(answered.values()) == {"there is no project 7"}


@pytest.mark.parametrize("path", ["/docs", "/redoc"])
def test_pages_that_load_scripts_from_elsewhere_are_not_there(bench: Workbench, path: str) -> None:
    assert Browsing(bench).get(path).status_code == 404
