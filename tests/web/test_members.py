"""Projects have members: who sees one, who works in it, who decides."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.browsing import Browsing

from idealist import InputError
from idealist.web.access.accounts import add_user, disable, set_role
from idealist.web.access.members import list_members, remove_member, role_in, set_member
from idealist.web.access.sessions import add_token
from idealist.web.judging.rater_queue import queued_item
from idealist.web.judging.tasks import add_task, task_of_rater, tasks_of_rater
from idealist.web.projects.projects import create_project, list_projects
from idealist.web.projects.removing import remove_project, restore_project
from idealist.web.workbench import Workbench

PASSWORD = "correct horse battery"


@pytest.fixture
def people(public_bench: Workbench) -> dict[str, Any]:
    """An admin, two analysts and a rater; the project 1 is bob's."""
    roles = {"ann": "admin", "bob": "analyst", "cai": "analyst", "dan": "rater"}
    made = {name: add_user(public_bench.database, name, PASSWORD, role) for name, role in roles.items()}
    assert create_project(public_bench.database, "shop", user=made["bob"].id) == 1
    return made


def logged_in(bench: Workbench, name: str) -> Browsing:
    browser = Browsing(bench)
    browser.log_in(name, PASSWORD)
    return browser


def test_who_makes_a_project_owns_it(public_bench: Workbench, people: dict[str, Any]) -> None:
    database = public_bench.database
    assert [role_in(database, 1, person.id) for person in people.values()] == ["owner", "owner", None, None]
    assert role_in(database, 2, people["ann"].id) is None
    assert [project.name for project in list_projects(database, people["bob"].id)] == ["shop"]
    assert list_projects(database, people["cai"].id) == []


def test_an_owner_lets_others_in_by_the_page(public_bench: Workbench, people: dict[str, Any]) -> None:
    bob, cai = logged_in(public_bench, "bob"), logged_in(public_bench, "cai")
    assert cai.get("/projects/1").status_code == 404
    page = "/projects/1/members"
    bob.send(page, page, user=str(people["cai"].id), role="analyst")
    assert "cai" in bob.page(page)
    assert "shop" in cai.page("/projects")
    assert cai.get("/projects/1").status_code == 200
    assert "Let in" not in cai.page(page)  # she sees who is in it, and changes nothing
    assert "Remove the project" not in cai.page("/projects/1")
    bob.send(f"{page}/{people['cai'].id}/remove", page)
    assert cai.get("/projects/1").status_code == 404


def test_by_the_api(public_bench: Workbench, people: dict[str, Any]) -> None:
    client = Browsing(public_bench).client
    heads = {
        name: {"authorization": f"Bearer {add_token(public_bench.database, person.id, 'x')}"}
        for name, person in people.items()
    }
    path = f"/api/projects/1/members/{people['cai'].id}"
    assert client.get("/api/projects/1", headers=heads["cai"]).status_code in (404, 405)
    assert client.put(path, json={"role": "owner"}, headers=heads["cai"]).status_code == 404
    assert client.put(path, json={"role": "analyst"}, headers=heads["bob"]).status_code == 204
    assert client.get("/api/projects/1/sources", headers=heads["cai"]).status_code == 200
    assert client.put(path, json={"role": "owner"}, headers=heads["cai"]).status_code == 403
    assert client.delete("/api/projects/1", headers=heads["cai"]).status_code == 403
    listed = client.get("/api/projects/1/members", headers=heads["cai"]).json()
    assert [(member["name"], member["role"]) for member in listed] == [("bob", "owner"), ("cai", "analyst")]
    assert client.delete(path, headers=heads["bob"]).status_code == 204
    assert client.get("/api/projects/1/sources", headers=heads["cai"]).status_code == 404
    assert client.get(f"/api/projects/{10**30}/sources", headers=heads["cai"]).status_code == 404


def test_the_last_owner_stays(public_bench: Workbench, people: dict[str, Any]) -> None:
    database, bob, cai = public_bench.database, people["bob"].id, people["cai"].id
    with pytest.raises(InputError, match="the only owner"):
        remove_member(database, 1, bob, by=bob)
    with pytest.raises(InputError, match="the only owner"):
        set_member(database, 1, bob, "analyst", by=bob)
    set_member(database, 1, cai, "owner", by=bob)
    set_member(database, 1, bob, "analyst", by=bob)
    assert [(member.name, member.role) for member in list_members(database, 1)] == [
        ("bob", "analyst"),
        ("cai", "owner"),
    ]


def test_nobody_is_more_in_a_project_than_in_the_workbench(
    public_bench: Workbench, people: dict[str, Any]
) -> None:
    database, bob, dan = public_bench.database, people["bob"].id, people["dan"].id
    with pytest.raises(InputError, match="dan is a rater of this workbench"):
        set_member(database, 1, dan, "analyst", by=bob)
    set_member(database, 1, dan, "rater", by=bob)
    set_member(database, 1, people["cai"].id, "owner", by=bob)
    set_role(database, people["cai"].id, "rater", by=people["ann"].id)
    assert role_in(database, 1, people["cai"].id) == "rater"
    disable(database, people["cai"].id, by=people["ann"].id)
    with pytest.raises(InputError, match="disabled"):
        set_member(database, 1, people["cai"].id, "rater", by=bob)
    with pytest.raises(InputError, match="'boss' is not a role"):
        set_member(database, 1, dan, "boss", by=bob)


def test_who_judges_a_task_is_in_its_project_as_long_as_they_judge(
    public_bench: Workbench, people: dict[str, Any]
) -> None:
    database, dan = public_bench.database, people["dan"].id
    content = [{"content": {"query": "q", "document": "d"}}]
    task = add_task(
        database, 1, kind="grades", name="t", contents=content, raters=[dan], user=people["bob"].id
    )

    def reached() -> list[bool]:
        return [
            task_of_rater(database, task, dan) is not None,
            bool(tasks_of_rater(database, dan)),
            queued_item(database, 1, dan) is not None,
        ]

    assert role_in(database, 1, dan) == "rater"
    assert reached() == [True] * 3
    remove_project(database, 1)
    assert reached() == [False] * 3
    restore_project(database, 1)
    assert reached() == [True] * 3
    remove_member(database, 1, dan, by=people["bob"].id)
    assert reached() == [False] * 3
    rater = logged_in(public_bench, "dan")
    assert rater.get(f"/tasks/{task}").status_code == 404


def test_who_did_what(public_bench: Workbench, people: dict[str, Any]) -> None:
    bob = logged_in(public_bench, "bob")
    page = "/projects/1/members"
    bob.send(page, page, user=str(people["cai"].id), role="analyst")
    bob.send("/account/tokens", "/account", name="nightly <b>", days="30")
    assert bob.get("/audit").status_code == 403
    ann = logged_in(public_bench, "ann")
    shown = ann.page("/audit")
    for words in ("Token made", "nightly <b>", "Member", "cai", "Project created", "shop", "Logged in"):
        assert words in shown, words
    assert "nightly &lt;b&gt;" in ann.get("/audit").text
    of_bob = ann.page(f"/audit?person={people['bob'].id}")
    assert "Token made" in of_bob
    assert set(re.findall(r'class="who">(\w+)<', of_bob)) == {"bob"}
    assert "Token made" not in ann.page("/audit?project=1")
    lines = ann.get("/api/audit?project=1").json()
    assert [line["action"] for line in lines] == ["member set", "project created"]
    assert {line["person"] for line in lines} == {"bob"}
    first = ann.get("/api/audit").json()[-1]["id"]
    assert ann.get(f"/api/audit?before={first}").json() == []
