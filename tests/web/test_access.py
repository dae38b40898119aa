"""Every path of the server by role: what a rater, a stranger and another site are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.browsing import Browsing

from idealist.web import app
from idealist.web.access.accounts import add_user
from idealist.web.access.members import set_member
from idealist.web.access.sessions import add_token
from idealist.web.base.server_settings import Settings
from idealist.web.demo import add_demo
from idealist.web.workbench import Workbench

PASSWORD = "correct horse battery"
# What people without a role, and raters, may ask for; all else takes an analyst or an admin.
OPEN = {
    ("GET", "/login"),
    ("POST", "/login"),
    ("GET", "/login/provider"),
    ("GET", "/login/provider/back"),
    ("GET", "/invitations/{token}"),
    ("POST", "/invitations/{token}"),
    ("GET", "/passwords/{token}"),
    ("POST", "/passwords/{token}"),
    ("POST", "/language"),
    ("GET", "/api/openapi.json"),
    ("GET", "/{path:path}"),
}
RATERS = {
    ("GET", "/"),
    ("POST", "/logout"),
    ("GET", "/account"),
    ("GET", "/account/provider"),
    ("POST", "/account/password"),
    ("PUT", "/api/account/password"),
    ("POST", "/account/tokens"),
    ("POST", "/account/tokens/{token:int}/revoke"),
    ("GET", "/tasks"),
    ("GET", "/tasks/{task:int}"),
    ("GET", "/api/tasks"),
    ("GET", "/api/tasks/{task}/items"),
    ("GET", "/api/tasks/{task}/last"),
    ("POST", "/api/items/{item}/events"),
    ("POST", "/api/items/{item}/later"),
}


# What of a project takes an owner.
OWNERS = {
    ("POST", "/projects/{project:int}/members"),
    ("POST", "/projects/{project:int}/members/{user:int}/remove"),
    ("POST", "/projects/{project:int}/remove"),
    ("PUT", "/api/projects/{project}/members/{user}"),
    ("DELETE", "/api/projects/{project}/members/{user}"),
    ("DELETE", "/api/projects/{project}"),
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    folder = tmp_path_factory.mktemp("access")
    workbench = Workbench(Settings(str(folder / "bench.db"), folder / "files"))
    add_demo(workbench)
    workbench.close()
    workbench = Workbench(Settings(str(folder / "bench.db"), folder / "files", host="0.0.0.0", login=True))
    add_user(workbench.database, "ann", PASSWORD, "admin")
    add_user(workbench.database, "ben", PASSWORD, "rater")
    for name, role in (("cai", "analyst"), ("dora", "rater"), ("eve", "owner")):
        person = add_user(workbench.database, name, PASSWORD, "analyst")
        set_member(workbench.database, 1, person.id, role, by=1)
    add_user(workbench.database, "finn", PASSWORD, "analyst")
    yield workbench
    workbench.close()


def routes(bench: Workbench) -> list[tuple[str, str]]:
    """Every method and path that the server answers: of pages, and of the API as it describes itself."""
    inner: Any = app.application(bench).app  # type: ignore[attr-defined]
    pages = {
        (method, route.path)
        for route in inner.router.routes
        for method in (getattr(route, "methods", None) or ())
        if method not in ("HEAD", "OPTIONS")
    }
    described = inner.openapi()["paths"].items()
    return sorted(pages | {(method.upper(), path) for path, methods in described for method in methods})


def address(path: str) -> str:
    """A path with something in it that is there in the demo."""
    return re.sub(r"\{[^}]*\}", "1", path)


def test_the_walk_is_over_all_paths(bench: Workbench) -> None:
    walked = set(routes(bench))
    assert walked >= OPEN | RATERS
    assert sum(path.startswith("/api/") for _, path in walked) > 30
    assert sum(method != "GET" for method, _ in walked) > 30
    assert {path for _, path in walked} >= {"/users", "/projects/{project:int}/sources", "/api/projects"}


def test_a_rater_is_refused_all_but_the_tasks(bench: Workbench) -> None:
    browser = Browsing(bench, follow_redirects=False)
    browser.log_in("ben", PASSWORD)
    token = browser.token("/account")
    for method, path in routes(bench):
        if (method, path) in OPEN | RATERS:
            continue
        answer = browser.client.request(
            method, address(path), data={"form_token": token}, headers={"x-form-token": token}
        )
        assert answer.status_code == 403, (method, path, answer.status_code)


def test_a_token_of_a_rater_is_refused_too(bench: Workbench) -> None:
    client = TestClient(app.application(bench), base_url="http://127.0.0.1")
    with bench.database.reading() as connection:
        number = connection.exec_driver_sql("SELECT id FROM users WHERE name = 'ben'").scalar_one()
    token = add_token(bench.database, number, "walk")
    for method, path in routes(bench):
        if not path.startswith("/api/") or (method, path) in OPEN | RATERS:
            continue
        answer = client.request(method, address(path), headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 403, (method, path, answer.status_code)


def of_projects(bench: Workbench) -> list[tuple[str, str]]:
    return [(method, path) for method, path in routes(bench) if "{project" in path]


def asked_as(bench: Workbench, name: str, method: str, path: str) -> int:
    browser = Browsing(bench, follow_redirects=False)
    browser.log_in(name, PASSWORD)
    token = browser.token("/account")
    answer = browser.client.request(
        method, address(path), data={"form_token": token}, headers={"x-form-token": token}
    )
    return int(answer.status_code)


@pytest.mark.parametrize(("name", "refused"), [("finn", 404), ("dora", 403)])
def test_who_is_not_in_a_project_finds_nothing_of_it(bench: Workbench, name: str, refused: int) -> None:
    """An analyst of the workbench, who is not in the project (finn), or only to judge (dora)."""
    browser = Browsing(bench, follow_redirects=False)
    browser.log_in(name, PASSWORD)
    token = browser.token("/account")
    walked = of_projects(bench)
    assert len(walked) > 60
    for method, path in walked:
        answer = browser.client.request(
            method, address(path), data={"form_token": token}, headers={"x-form-token": token}
        )
        assert answer.status_code == refused, (method, path, answer.status_code)
    assert "Shop" not in browser.page("/projects")
    assert browser.get("/api/projects").json() == []


def test_what_takes_an_owner_is_refused_to_an_analyst(bench: Workbench) -> None:
    walked = set(of_projects(bench))
    assert walked >= OWNERS
    for method, path in sorted(OWNERS):
        assert asked_as(bench, "cai", method, path) == 403, (method, path)


def test_an_analyst_and_an_owner_reach_every_page(bench: Workbench) -> None:
    for name in ("cai", "eve"):
        browser = Browsing(bench, follow_redirects=False)
        browser.log_in(name, PASSWORD)
        for method, path in of_projects(bench):
            if method == "GET":
                # The demo has no 1 of some things; what is left out of an address is told (422).
                assert browser.get(address(path)).status_code in (200, 404, 422), path
        for path in ("", "/evaluate", "/members", "/history", "/sources/1", "/tasks/1"):
            assert browser.get(f"/projects/1{path}").status_code == 200, path


def test_a_project_that_is_not_ones_own_is_not_brought_back(bench: Workbench) -> None:
    for name in ("cai", "finn", "eve"):  # it is there: not even its owner brings it back
        status = asked_as(bench, name, "POST", "/projects/1/restore")
        assert status == (422 if name == "eve" else 404), name


def test_what_is_not_assigned_is_not_there(bench: Workbench) -> None:
    """Ben has no task: the one of the demo does not exist for him."""
    browser = Browsing(bench)
    browser.log_in("ben", PASSWORD)
    token = browser.token("/account")
    for method, path in sorted(RATERS):
        if "{task" in path or "{item" in path:
            event = {"id": "0" * 20, "kind": "vote", "content": {"choice": 1}, "made": 1}
            answer = browser.client.request(
                method,
                address(path),
                json=event if path.endswith("events") else None,
                headers={"x-form-token": token},
            )
            assert answer.status_code == 404, (method, path, answer.status_code, answer.text)


def test_who_is_not_logged_in_sees_nothing(bench: Workbench) -> None:
    client = TestClient(app.application(bench), base_url="http://127.0.0.1", follow_redirects=False)
    for method, path in routes(bench):
        if (method, path) in OPEN:
            continue
        answer = client.request(method, address(path))
        if method == "GET" and not path.startswith("/api/"):
            assert answer.status_code == 303, (path, answer.status_code)
            assert answer.headers["location"].startswith("/login"), path
        else:
            assert answer.status_code == 401, (method, path, answer.status_code)


def test_nothing_is_changed_without_the_token_of_a_form(bench: Workbench) -> None:
    """Not by an admin's browser either, which another site sends here with its cookie."""
    browser = Browsing(bench, follow_redirects=False)
    browser.log_in("ann", PASSWORD)
    right = browser.token("/account")
    tried = 0
    for method, path in routes(bench):
        if method == "GET":
            continue
        for headers, token in (
            ({}, ""),
            ({}, "0" * 64),
            ({"origin": "http://evil.example"}, right),
            ({"sec-fetch-site": "cross-site"}, right),
        ):
            sent = {**headers, "x-form-token": token}
            answer = browser.client.request(
                method, address(path), data={"form_token": token, "name": "x"}, headers=sent
            )
            assert answer.status_code == 403, (method, path, headers, answer.status_code)
            tried += 1
    assert tried > 100


def test_get_changes_nothing(bench: Workbench) -> None:
    """A link on another site can make a browser ask for any page."""
    browser = Browsing(bench, follow_redirects=False)
    browser.log_in("ann", PASSWORD)
    tables = (
        "projects",
        "sources",
        "tasks",
        "items",
        "assignments",
        "events",
        "users",
        "api_tokens",
        "sessions",
    )

    def counted() -> list[int]:
        with bench.database.reading() as connection:
            return [
                connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one() for name in tables
            ]

    before = counted()
    for method, path in routes(bench):
        if method == "GET":
            answer = browser.get(address(path))
            assert answer.status_code < 500, (path, answer.status_code)
    assert counted() == before


@pytest.mark.parametrize("secure", [True, False])
def test_cookies_and_headers(tmp_path: Path, secure: bool) -> None:
    workbench = Workbench(
        Settings(str(tmp_path / "bench.db"), tmp_path / "files", host="0.0.0.0", login=True, secure=secure)
    )
    add_user(workbench.database, "ann", PASSWORD, "admin")
    browser = Browsing(workbench, follow_redirects=False)
    cookie = browser.log_in("ann", PASSWORD).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie or "samesite=strict" in cookie
    assert ("secure" in cookie) == secure
    for path in ("/login", "/projects", "/static/idealist.css", "/nowhere", "/api/projects"):
        headers = browser.get(path).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
    workbench.close()


def test_what_browsers_may_keep(bench: Workbench) -> None:
    """Pages never; a file as long as its address has the same version; a module that others import, if it is the same."""
    client = Browsing(bench).client
    assert client.get("/projects").headers["cache-control"] == "no-store"
    assert client.get("/static/js/times.js").headers["cache-control"] == "no-cache"
    (versioned,) = re.findall(r'src="(/static/js/page[^"]+)"', client.get("/projects").text)
    assert "cache-control" not in client.get(versioned).headers
    known = {"if-none-match": client.get("/static/js/times.js").headers["etag"]}
    assert client.get("/static/js/times.js", headers=known).status_code == 304
