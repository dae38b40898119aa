"""Requests that no page makes by itself: numbers without bounds, forms sent twice, pages that are left and come back."""

from __future__ import annotations

import re
from html import unescape
from uuid import uuid4

import pytest
from support.browsing import Browsing

from idealist.web.access.accounts import add_user, invite
from idealist.web.access.sessions import add_token
from idealist.web.base.server_settings import SMALL_REQUEST
from idealist.web.judging.rater_queue import pending
from idealist.web.projects.projects import create_project
from idealist.web.workbench import Workbench

PASSWORD = "correct horse battery"
LARGE = "9" * 30


@pytest.mark.parametrize(
    "path",
    [
        f"/projects/{LARGE}",
        f"/projects/1/sources/{LARGE}",
        f"/projects/1/tasks/{LARGE}",
        f"/tasks/{LARGE}",
        "/projects/1/exports/answers?task=²",
        f"/projects/1/exports/answers?task={LARGE}",
    ],
)
def test_a_page_of_no_such_number_is_not_found(shop_bench: Workbench, path: str) -> None:
    assert "There is no such page" in Browsing(shop_bench).page(path, 404)


@pytest.mark.parametrize("path", ["/projects/1/tasks/1?after=", "/projects/1/compare?from="])
@pytest.mark.parametrize("number", ["²", "9" * 5000, "-3"])
def test_a_place_that_is_no_number_is_the_beginning(shop_bench: Workbench, path: str, number: str) -> None:
    Browsing(shop_bench).whole_page(f"{path}{number}")


def test_numbers_that_the_database_has_no_room_for_are_refused(public_bench: Workbench) -> None:
    add_user(public_bench.database, "ann", PASSWORD, "admin")
    create_project(public_bench.database, "shop")
    browser = Browsing(public_bench)
    browser.log_in("ann", PASSWORD)
    answer = browser.get(f"/api/projects/{LARGE}/sources")
    assert answer.status_code in (404, 422)
    assert browser.get(f"/api/projects/1/studies/{LARGE}").status_code in (404, 422)


def test_a_time_that_the_database_has_no_room_for_is_refused(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    (item,) = pending(shop_bench.database, 1, 1, after=-1, count=1)
    event = {"id": str(uuid4()), "kind": "vote", "content": {"choice": 1}, "made": 10**30}
    headers = {"x-form-token": browser.token("/projects")}
    answer = browser.client.post(f"/api/items/{item.id}/events", json=event, headers=headers)
    assert answer.status_code == 422
    assert "a number is too large" in answer.json()["detail"]


def test_a_name_with_a_character_0_is_a_wrong_name(public_bench: Workbench) -> None:
    add_user(public_bench.database, "ann", PASSWORD, "admin")
    assert Browsing(public_bench).log_in("ann\0", PASSWORD).status_code == 422


def test_an_invitation_that_is_accepted_twice_says_that_it_was_used(public_bench: Workbench) -> None:
    admin = add_user(public_bench.database, "ann", PASSWORD, "admin")
    path = f"/invitations/{invite(public_bench.database, 'rater', by=admin.id)}"
    browser = Browsing(public_bench)
    form = {"form_token": browser.token(path), "name": "ben", "password": PASSWORD, "repeated": PASSWORD}
    again = dict(form)
    assert browser.client.post(path, data=form).url.path == "/tasks"
    browser.client.cookies.clear()
    answer = browser.client.post(path, data=again)
    assert answer.status_code == 422
    assert answer.headers["content-type"].startswith("text/html")
    assert "this invitation is not valid" in answer.text


def chosen_address(page: str) -> str:
    """Where the page leads when another language is chosen on it."""
    found = re.search(r'action="/language".*?name="next" value="([^"]*)"', page, re.DOTALL)
    assert found is not None
    return unescape(found[1])


def test_another_language_keeps_what_was_asked(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    address = "/projects/1/lists?baseline=a&system=b&query=cheap-perfume"
    assert chosen_address(browser.get(address).text) == address
    answer = browser.send("/language", address, language="zh", next=chosen_address(browser.get(address).text))
    assert str(answer.url).endswith(address)
    assert 'lang="zh-CN"' in answer.text


def test_another_language_after_a_form_that_was_wrong_is_the_page_of_the_form(shop_bench: Workbench) -> None:
    browser = Browsing(shop_bench)
    data = {"form_token": browser.token("/projects/1")}
    origin = {"referer": "http://127.0.0.1:8765/projects/1?added=1"}
    answer = browser.client.post("/projects/1/sources", data=data, headers=origin)
    assert answer.status_code == 422
    assert chosen_address(answer.text) == "/projects/1?added=1"
    elsewhere = {"referer": "http://evil.example/projects/1"}
    assert (
        chosen_address(browser.client.post("/projects/1/sources", data=data, headers=elsewhere).text) == "/"
    )


def test_after_a_login_comes_the_page_that_was_asked_for(public_bench: Workbench) -> None:
    add_user(public_bench.database, "ann", PASSWORD, "admin")
    create_project(public_bench.database, "shop")
    browser = Browsing(public_bench)
    address = "/projects/1/compare?baseline=a&system=b"
    page = browser.get(address)
    assert page.url.path == "/login"
    found = re.search(r'action="/login".*?name="next" value="([^"]*)"', page.text, re.DOTALL)
    assert found is not None
    answer = browser.send("/login", "/login", name="ann", password=PASSWORD, next=unescape(found[1]))
    assert str(answer.url).endswith(address)


def test_a_part_that_is_asked_for_without_a_session_leads_to_the_login(public_bench: Workbench) -> None:
    browser = Browsing(public_bench, follow_redirects=False)
    headers = {"sec-fetch-mode": "cors", "referer": "http://127.0.0.1:8765/projects/1/compare?baseline=a"}
    answer = browser.get("/projects/1/compare/part", headers=headers)
    assert answer.status_code == 401
    assert answer.headers["hx-redirect"] == "/login?next=/projects/1/compare%3Fbaseline%3Da"


@pytest.mark.parametrize("path", ["/projects/1/sources", "/api/projects/1/sources"])
def test_large_files_are_taken_from_analysts_alone(public_bench: Workbench, path: str) -> None:
    """A stranger is refused before anything is received, and so is an analyst of other projects: what is sent would fill the
    disk meanwhile."""
    rater = add_user(public_bench.database, "ben", PASSWORD, "rater")
    ann = add_user(public_bench.database, "ann", PASSWORD, "analyst")
    other = add_user(public_bench.database, "eve", PASSWORD, "analyst")
    create_project(public_bench.database, "shop", user=ann.id)
    browser = Browsing(public_bench)
    lines = "".join(f"q{n} Q0 d 1 1 s\n" for n in range(80_000))
    assert len(lines) > SMALL_REQUEST
    files = {"file": ("a.run", lines.encode())}
    refused = browser.client.post(path, files=files)
    assert (refused.status_code, "analysts of the project who are logged in" in refused.text) == (401, True)
    for user, status in ((rater.id, 401), (other.id, 401), (ann.id, 201)):
        headers = {"authorization": f"Bearer {add_token(public_bench.database, user, 't')}"}
        assert (
            browser.client.post("/api/projects/1/sources", files=files, headers=headers).status_code == status
        )
    browser.log_in("ann", PASSWORD)
    assert browser.upload(1, "a.run", lines.encode()).status_code == 200
