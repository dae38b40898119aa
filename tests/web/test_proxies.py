"""Behind a proxy: nobody is let in without a login, and its word is taken where it is trusted."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.requests import Request
from support.browsing import Browsing

from idealist import InputError
from idealist.web.access.accounts import add_user
from idealist.web.access.sessions import MOST_OF_ADDRESS, link_to
from idealist.web.base.server_settings import Settings, checked_proxies, reason_for_login
from idealist.web.serving import address_of, free_socket, server_config
from idealist.web.workbench import Workbench

PASSWORD = "correct horse battery"


@contextmanager
def serving(workbench: Workbench) -> Iterator[str]:
    """As `idealist serve` runs it."""
    opened = free_socket("127.0.0.1", 0)
    server = uvicorn.Server(server_config(workbench))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{opened.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        opened.close()


@pytest.fixture
def behind(tmp_path: Path) -> Workbench:
    """Whoever serves it closes it."""
    workbench = Workbench(
        Settings(str(tmp_path / "bench.db"), tmp_path / "files", names=("bench.example",), login=True)
    )
    add_user(workbench.database, "ann", PASSWORD, "admin")
    return workbench


def log_in(client: httpx2.Client, name: str, password: str, **headers: str) -> Any:
    page = client.get("/login", headers=headers).text
    token = re.search(r'name="form_token" value="([0-9a-f]+)"', page)
    assert token is not None, page
    sent = {"form_token": token[1], "name": name, "password": password}
    return client.post("/login", data=sent, headers=headers)


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("x-forwarded-for", "203.0.113.9"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-host", "bench.example"),
        ("x-real-ip", "203.0.113.9"),
        ("forwarded", "for=203.0.113.9"),
        ("via", "1.1 proxy"),
    ],
)
def test_without_login_what_a_proxy_brings_is_refused(bench: Workbench, header: str, value: str) -> None:
    browser = Browsing(bench)
    assert browser.get("/projects").status_code == 200
    refused = browser.get("/projects", headers={header: value})
    assert refused.status_code == 403
    assert "came through a proxy" in refused.text
    assert "idealist serve --login" in refused.text


def test_without_login_only_addresses_of_this_machine_are_answered(bench: Workbench) -> None:
    browser = Browsing(bench)
    for host in ("127.0.0.1:8765", "localhost", "[::1]:8765"):
        assert browser.get("/projects", headers={"host": host}).status_code == 200
    for host in ("192.0.2.7", "[2001:db8::1]:80", "bench.example"):
        assert browser.get("/projects", headers={"host": host}).status_code == 421


def test_failures_are_counted_by_client_behind_a_proxy(behind: Workbench) -> None:
    """40 failures of one lock out that one, and nobody else."""
    with serving(behind) as address, httpx2.Client(base_url=address) as client:
        thief = {"x-forwarded-for": "203.0.113.66", "x-forwarded-proto": "https"}
        tries = [log_in(client, f"name {at}", "wrong", **thief).status_code for at in range(40)]
        assert tries == [422] * MOST_OF_ADDRESS + [429] * (40 - MOST_OF_ADDRESS)
        ann = {"x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https", "host": "bench.example"}
        assert log_in(client, "ann", PASSWORD, **ann).status_code == 303
        page = client.get("/users", headers=ann).text
        token = re.search(r'name="form_token" value="([0-9a-f]+)"', page)
        assert token is not None
        invited = client.post(
            "/users/invitations", data={"form_token": token[1], "role": "rater"}, headers=ann
        )
        assert "https://bench.example/invitations/" in invited.text


def test_who_is_not_a_trusted_proxy_cannot_say_where_it_comes_from(behind: Workbench) -> None:
    with serving(behind) as address, httpx2.Client(base_url=address) as client:
        # 127.0.0.1 is trusted and says that the request came from 198.51.100.1, whose own word counts for nothing.
        tries = [
            log_in(
                client, f"name {at}", "wrong", **{"x-forwarded-for": f"10.1.1.{at}, 198.51.100.1"}
            ).status_code
            for at in range(MOST_OF_ADDRESS + 1)
        ]
        assert tries[-1] == 429


def test_a_further_proxy_is_trusted_by_its_network(tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "b.db"), tmp_path / "files", login=True, proxies=("198.51.100.0/24",))
    workbench = Workbench(settings)
    with serving(workbench) as address, httpx2.Client(base_url=address) as client:
        tries = [
            log_in(
                client, f"name {at}", "wrong", **{"x-forwarded-for": f"10.1.1.{at}, 198.51.100.1"}
            ).status_code
            for at in range(MOST_OF_ADDRESS + 1)
        ]
        assert set(tries) == {422}


def test_a_proxy_that_is_not_trusted_is_named_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Until it is trusted, all who come through it are counted as one."""
    workbench = Workbench(Settings(str(tmp_path / "b.db"), tmp_path / "files", login=True))
    browser = Browsing(workbench)
    for _ in range(3):
        browser.get("/login", headers={"x-forwarded-for": "203.0.113.9"})
    (said,) = [record.getMessage() for record in caplog.records if "trusted-proxy" in record.getMessage()]
    assert said.endswith("--trusted-proxy testclient")
    workbench.close()


def test_with_https_links_are_https_whatever_the_proxy_says(tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "b.db"), tmp_path / "files", login=True, secure=True)
    workbench = Workbench(settings)
    request = Request(
        {"type": "http", "scheme": "http", "server": ("bench.example", 80), "path": "/", "headers": []}
    )
    assert link_to(workbench, request, "/invitations/x") == "https://bench.example/invitations/x"
    workbench.close()


def test_the_address_that_is_printed_is_that_of_the_proxy(tmp_path: Path) -> None:
    opened = free_socket("127.0.0.1", 0)
    facts: dict[str, Any] = {"database": "x.db", "folder": tmp_path, "names": ("bench.example",)}
    assert address_of(Settings(**facts, secure=True), opened) == "https://bench.example/"
    assert address_of(Settings(**facts), opened) == f"http://bench.example:{opened.getsockname()[1]}/"
    opened.close()


def test_why_people_log_in() -> None:
    assert reason_for_login("127.0.0.1", (), False, ()) is None
    assert reason_for_login("0.0.0.0", (), False, ()) == "0.0.0.0 can be reached by others"
    assert reason_for_login("127.0.0.1", ("bench.example",), False, ()) == "it is reached as bench.example"
    assert reason_for_login("127.0.0.1", (), True, ()) == "it is reached through a proxy"
    assert reason_for_login("127.0.0.1", (), False, ("10.0.0.2/32",)) == "it is reached through a proxy"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("proxy", "'proxy' is not an address or a network"),
        ("10.0.0.1/8", "'10.0.0.1/8' is not an address or a network"),
        ("0.0.0.0/0", "is everybody"),
        ("::/0", "is everybody"),
        ("*", "is not an address"),
    ],
)
def test_proxies_that_cannot_be_trusted(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        checked_proxies([text])
