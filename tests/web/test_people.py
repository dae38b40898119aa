"""Who is let in, to what, and from where."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import select, update
from support.browsing import Browsing

from idealist import InputError
from idealist.web.access.accounts import accept, add_user, disable, has_admin, invite, list_users, set_role
from idealist.web.access.members import set_member
from idealist.web.access.protection import POLICY
from idealist.web.access.sessions import (
    MOST_OF_ADDRESS,
    MOST_OF_NAME,
    TooManyFailures,
    add_token,
    change_password,
    log_in,
    person_of_session,
    person_of_token,
    revoke_token,
)
from idealist.web.base.schema import api_tokens, sessions, users
from idealist.web.workbench import Workbench

PASSWORD = "correct horse battery"
ADMIN_PAGES = ("/users",)
ANALYST_PAGES = ("/projects", "/projects/1", "/projects/1/evaluate", "/projects/1/explain")
RATER_PAGES = ("/tasks", "/account")


def test_on_loopback_nobody_logs_in(bench: Workbench) -> None:
    browser = Browsing(bench)
    assert "No projects yet" in browser.page("/projects")
    assert browser.get("/", follow_redirects=False).headers["location"] == "/projects"


def test_elsewhere_every_page_asks_for_a_login(public_bench: Workbench) -> None:
    browser = Browsing(public_bench)
    for path in (*ADMIN_PAGES, *ANALYST_PAGES, *RATER_PAGES, "/"):
        answer = browser.get(path, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/login?next={path}")
    assert browser.get("/api/projects").status_code == 401


def test_logging_in_and_out(public_bench: Workbench) -> None:
    add_user(public_bench.database, "ann", PASSWORD, "admin")
    browser = Browsing(public_bench)
    wrong = browser.log_in("ann", "wrong")
    assert wrong.status_code == 422
    assert "the name or the password is wrong" in wrong.text
    unknown = browser.log_in("nobody", "wrong")
    assert "the name or the password is wrong" in unknown.text
    assert browser.log_in("ann", PASSWORD).url.path == "/projects"
    assert "People" in browser.page("/users")
    session = browser.client.cookies["idealist_session"]
    browser.send("/logout", "/projects")
    assert browser.get("/projects", follow_redirects=False).status_code == 303
    assert person_of_session(public_bench.database, session) is None  # a copy of the cookie is worth nothing


@pytest.mark.parametrize("page", ["//evil.example/", "https://evil.example/", "/\\evil.example"])
def test_a_login_leads_nowhere_else(public_bench: Workbench, page: str) -> None:
    add_user(public_bench.database, "ann", PASSWORD, "admin")
    browser = Browsing(public_bench, follow_redirects=False)
    answer = browser.send("/login", "/login", name="ann", password=PASSWORD, next=page)
    assert answer.headers["location"] == "/"


def test_failed_logins_are_bounded_by_name_and_by_address(public_bench: Workbench) -> None:
    database = public_bench.database
    add_user(database, "ann", PASSWORD, "admin")
    for at in range(MOST_OF_NAME):
        with pytest.raises(InputError, match="wrong"):
            log_in(database, "ann", "wrong", f"10.0.0.{at}")
    with pytest.raises(TooManyFailures):  # even with the right password
        log_in(database, "ann", PASSWORD, "10.0.1.1")
    for at in range(MOST_OF_ADDRESS):
        with pytest.raises(InputError, match="wrong"):
            log_in(database, f"guess{at}", "wrong", "10.9.9.9")
    with pytest.raises(TooManyFailures):
        log_in(database, "another", "wrong", "10.9.9.9")
    assert Browsing(public_bench).log_in("ann", PASSWORD).status_code == 429


def test_failures_are_counted_before_passwords_are_looked_at(
    public_bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 wrong logins at once: as many are tried as one after the other."""
    database = public_bench.database
    add_user(database, "ann", PASSWORD, "admin")
    together, tried = Barrier(40), list[str]()

    def slow(stored: str | None, password: str) -> bool:
        tried.append(password)
        time.sleep(0.2)  # as argon2 does
        return password == PASSWORD

    def guess(number: int) -> str:
        together.wait(60)
        try:
            return log_in(database, "ann", f"guess {number}", f"10.0.0.{number}")
        except (InputError, TooManyFailures) as error:
            return type(error).__name__

    monkeypatch.setattr("idealist.web.access.sessions.password_fits", slow)
    with ThreadPoolExecutor(40) as threads:
        said = list(threads.map(guess, range(40)))
    assert len(tried) == MOST_OF_NAME
    assert said.count("TooManyFailures") == 40 - MOST_OF_NAME


def test_a_right_password_is_not_counted(public_bench: Workbench) -> None:
    person = add_user(public_bench.database, "ann", PASSWORD, "admin")
    for _ in range(2 * MOST_OF_NAME):
        log_in(public_bench.database, "ann", PASSWORD, "10.0.0.1")
        change_password(public_bench.database, person, PASSWORD, PASSWORD, address="10.0.0.1")


def test_pages_by_role(public_bench: Workbench) -> None:
    from idealist.web.projects.projects import create_project

    create_project(public_bench.database, "shop")
    may = {"rater": RATER_PAGES, "analyst": (*RATER_PAGES, *ANALYST_PAGES)}
    may["admin"] = (*may["analyst"], *ADMIN_PAGES)
    for role, pages in may.items():
        person = add_user(public_bench.database, role, PASSWORD, role)
        set_member(
            public_bench.database, 1, person.id, "rater" if role == "rater" else "analyst", by=person.id
        )
        browser = Browsing(public_bench)
        browser.log_in(role, PASSWORD)
        for path in (*RATER_PAGES, *ANALYST_PAGES, *ADMIN_PAGES):
            assert browser.get(path).status_code == (200 if path in pages else 403), (role, path)
        assert browser.get("/api/projects").status_code == (403 if role == "rater" else 200)


def test_an_invitation_makes_one_user(public_bench: Workbench) -> None:
    add_user(public_bench.database, "ann", PASSWORD, "admin")
    admin = Browsing(public_bench)
    admin.log_in("ann", PASSWORD)
    page = admin.send("/users/invitations", "/users", role="rater").text
    found = re.search(r"http://127\.0\.0\.1:8765(/invitations/[\w-]+)", page)
    assert found is not None
    link = found[1]
    assert link not in admin.page("/users")  # shown once

    guest = Browsing(public_bench)
    assert "rater" in guest.page(link)
    differ = guest.send(link, link, name="ben", password=PASSWORD, repeated="other words here")
    assert "the two passwords differ" in differ.text
    short = guest.send(link, link, name="ben", password="short", repeated="short")
    assert "10 to 200 characters" in short.text
    taken = guest.send(link, link, name="ann", password=PASSWORD, repeated=PASSWORD)
    assert "is called 'ann' already" in taken.text.replace("&#39;", "'")
    assert guest.send(link, link, name="ben", password=PASSWORD, repeated=PASSWORD).url.path == "/tasks"
    assert guest.get(link).status_code == 422
    assert [user.name for user in list_users(public_bench.database)] == ["ann", "ben"]


def test_an_old_invitation_is_not_valid(bench: Workbench) -> None:
    from idealist.web.base.schema import invitations

    person = add_user(bench.database, "ann", PASSWORD, "admin")
    token = invite(bench.database, "analyst", by=person.id)
    with bench.database.writing() as connection:
        connection.execute(update(invitations).values(expires=0))
    with pytest.raises(InputError, match="not valid"):
        accept(bench.database, token, "ben", PASSWORD)


def test_the_last_admin_stays(bench: Workbench) -> None:
    ann = add_user(bench.database, "ann", PASSWORD, "admin")
    with pytest.raises(InputError, match="only admin"):
        disable(bench.database, ann.id, by=1)
    with pytest.raises(InputError, match="only admin"):
        set_role(bench.database, ann.id, "rater", by=1)
    ben = add_user(bench.database, "ben", PASSWORD, "admin")
    session = log_in(bench.database, "ben", PASSWORD, "x")
    disable(bench.database, ben.id, by=ann.id)
    assert person_of_session(bench.database, session) is None
    with pytest.raises(InputError, match="wrong"):
        log_in(bench.database, "ben", PASSWORD, "x")
    assert has_admin(bench.database)


def test_nothing_secret_is_stored_as_it_is(bench: Workbench) -> None:
    person = add_user(bench.database, "ann", PASSWORD, "admin")
    session = log_in(bench.database, "ann", PASSWORD, "x")
    token = add_token(bench.database, person.id, "nightly")
    with bench.database.reading() as connection:
        password = connection.execute(select(users.c.password).where(users.c.id == person.id)).scalar_one()
        kept = {
            *connection.execute(select(sessions.c.token)).scalars(),
            *connection.execute(select(api_tokens.c.token)).scalars(),
        }
    assert password.startswith("$argon2id$")
    assert session not in kept
    assert token not in kept
    assert person_of_token(bench.database, token) == person
    revoke_token(bench.database, person.id, 1)
    assert person_of_token(bench.database, token) is None


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}],
)
def test_forms_of_other_sites_change_nothing(bench: Workbench, headers: dict[str, str]) -> None:
    browser = Browsing(bench)
    form = {"form_token": browser.token("/projects"), "name": "shop"}
    assert browser.client.post("/projects", data=form, headers=headers).status_code == 403
    assert browser.client.post("/projects", data={"name": "shop"}).status_code == 403
    assert browser.client.post("/projects", data={**form, "form_token": "0" * 64}).status_code == 403
    assert "No projects yet" in browser.page("/projects")


def test_a_form_token_is_of_one_session(public_bench: Workbench) -> None:
    add_user(public_bench.database, "ann", PASSWORD, "admin")
    first, second = Browsing(public_bench), Browsing(public_bench)
    first.log_in("ann", PASSWORD)
    second.log_in("ann", PASSWORD)
    stolen = {"form_token": first.token("/projects"), "name": "shop"}
    assert second.client.post("/projects", data=stolen).status_code == 403


def test_other_names_of_the_server_are_refused(bench: Workbench) -> None:
    browser = Browsing(bench)
    assert browser.get("/projects", headers={"host": "evil.example"}).status_code == 421
    assert browser.get("/projects", headers={"host": "localhost:1"}).status_code == 200


def test_every_answer_carries_the_policy(bench: Workbench) -> None:
    browser = Browsing(bench)
    for path in ("/projects", "/static/idealist.css", "/api/projects", "/nowhere"):
        headers = browser.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in POLICY


def test_requests_are_bounded(bench: Workbench) -> None:
    browser = Browsing(bench)
    assert browser.client.post("/projects", content=b"x" * (1 << 20 | 1)).status_code == 413

    def pieces() -> Iterator[bytes]:  # a request that does not say its size
        for _ in range(40):
            yield b"name=" + b"x" * (1 << 15)

    answer = browser.client.post(
        "/projects", content=pieces(), headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert answer.status_code == 413
