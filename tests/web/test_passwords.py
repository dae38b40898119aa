"""Passwords are changed by who knows the old one, or by a link of an admin that is good for one change."""

from __future__ import annotations

import re
from unittest.mock import patch

import pytest
from support.browsing import Browsing

from idealist import InputError
from idealist.web.access import sessions
from idealist.web.access.accounts import add_user, disable
from idealist.web.access.sessions import (
    LINK_FOR,
    MOST_OF_NAME,
    add_token,
    log_in,
    reset_password,
    reset_person,
    reset_token,
)
from idealist.web.base.database import now
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench

OLD, NEW = "correct horse battery", "another long password"


@pytest.fixture
def admin(public_bench: Workbench) -> Browsing:
    for name, role in (("ada", "admin"), ("ben", "rater")):
        add_user(public_bench.database, name, OLD, role)
    browser = Browsing(public_bench)
    browser.log_in("ada", OLD)
    return browser


def change(browser: Browsing, current: str, new: str, repeated: str | None = None) -> str:
    fields = {"current": current, "password": new, "repeated": new if repeated is None else repeated}
    return str(browser.send("/account/password", "/account", **fields).text)


def test_ones_own_password(public_bench: Workbench, admin: Browsing) -> None:
    elsewhere = Browsing(public_bench)
    elsewhere.log_in("ada", OLD)
    assert "the two passwords differ" in change(admin, OLD, NEW, "yet another one")
    assert "a password has 10 to 200 characters" in change(admin, OLD, "short")
    assert "the current password is wrong" in change(admin, "a wrong guess", NEW)
    assert "The password is changed" in change(admin, OLD, NEW)
    admin.page("/account")  # this session goes on
    assert elsewhere.get("/account", follow_redirects=False).status_code == 303  # the other has ended
    with pytest.raises(InputError, match="the name or the password is wrong"):
        log_in(public_bench.database, "ada", OLD, "here")
    log_in(public_bench.database, "ada", NEW, "here")


def test_guesses_at_the_current_password_are_counted(admin: Browsing) -> None:
    for _ in range(MOST_OF_NAME):
        change(admin, "a wrong guess", NEW)
    assert "too many failed logins" in change(admin, OLD, NEW)


def test_a_link_is_good_for_one_new_password(public_bench: Workbench, admin: Browsing) -> None:
    page = admin.send("/users/2/password-link", "/users").text
    found = re.search(r"http://[^<]+(/passwords/[^<]+)</code>", page)
    assert found is not None
    ben = Browsing(public_bench)
    session = Browsing(public_bench)
    session.log_in("ben", OLD)
    assert "For ben." in ben.page(found[1])
    assert "differ" in ben.send(found[1], found[1], password=NEW, repeated=OLD).text
    ben.send(found[1], found[1], password=NEW, repeated=NEW)
    assert "ben" in ben.page("/account")
    assert session.get("/account", follow_redirects=False).status_code == 303
    again = Browsing(public_bench).get(found[1])
    assert again.status_code == 422
    assert "this link is not valid" in again.text


def test_links_that_are_not_good(public_bench: Workbench, admin: Browsing) -> None:
    database, secret = public_bench.database, public_bench.secret
    token = reset_token(secret, database, 2, by=1)
    user, expires, seal = token.split(".")
    later = f"{user}.{int(expires) + 1}.{seal}"
    other = f"1.{expires}.{seal}"
    for wrong in (later, other, f"{user}.{expires}.{seal[:-1]}0x", "", "2", "x.y.z", f"{'9' * 40}.1.x"):
        with pytest.raises(InputError, match="this link is not valid"):
            reset_person(secret, database, wrong)
    with patch.object(sessions, "now", lambda: now() + LINK_FOR + 1), pytest.raises(InputError):
        reset_person(secret, database, token)
    assert reset_person(secret, database, token).name == "ben"
    disable(database, 2, by=1)
    with pytest.raises(InputError, match="this link is not valid"):
        reset_password(secret, database, token, NEW)
    with pytest.raises(InputError, match="there is no user 2 with a password"):
        reset_token(secret, database, 2, by=1)


def test_by_the_api(public_bench: Workbench, admin: Browsing) -> None:
    tokens = {
        name: {"authorization": f"Bearer {add_token(public_bench.database, number, 'test')}"}
        for name, number in (("ada", 1), ("ben", 2))
    }
    client = Browsing(public_bench).client
    link = client.post("/api/users/2/password-link", headers=tokens["ada"]).json()["path"]
    assert "For ben." in Browsing(public_bench).page(link)
    assert client.post("/api/users/1/password-link", headers=tokens["ben"]).status_code == 403
    new = {"current": OLD, "new": NEW}
    assert client.put("/api/account/password", json=new, headers=tokens["ben"]).status_code == 204
    # The token ended with the password.
    assert client.put("/api/account/password", json=new, headers=tokens["ben"]).status_code == 401
    log_in(public_bench.database, "ben", NEW, "here")


def test_on_loopback_there_is_none(bench: Workbench) -> None:
    browser = Browsing(bench)
    assert "Current password" not in browser.page("/account")
    sent = browser.send("/account/password", "/account", current="", password=NEW, repeated=NEW)
    assert "there is no password to change" in sent.text


def test_a_project_gets_another_name(bench: Workbench) -> None:
    browser = Browsing(bench)
    for name in ("first", "second"):
        create_project(bench.database, name)
    page = browser.send("/projects/1", "/projects/1", name=" The  shop ", about="in autumn").text
    assert "<h1>The shop</h1>" in page
    assert "in autumn" in page
    taken = browser.send("/projects/1", "/projects/1", name="second", about="")
    assert taken.status_code == 422
    assert "there is a project called" in taken.text
    assert browser.send("/projects/1", "/projects/1", name=" ", about="").status_code == 422
    browser.client.headers["x-form-token"] = browser.token("/projects/1")
    assert browser.client.put("/api/projects/1", json={"name": "third"}).json()["name"] == "third"
    assert browser.client.put("/api/projects/9", json={"name": "x"}).status_code == 404
