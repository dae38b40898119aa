"""Logging in by OpenID Connect, at a small provider that the test starts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select
from support.browsing import Browsing
from support.oidc_provider import CLIENT, SECRET, FakeProvider, oidc_provider

from idealist import InputError, MissingDependency
from idealist.web import serving
from idealist.web.access import oidc
from idealist.web.access.accounts import add_user, disable, invite, list_users
from idealist.web.base.database import now
from idealist.web.base.schema import users
from idealist.web.base.server_settings import Settings
from idealist.web.workbench import Workbench

pytest.importorskip("authlib")
PASSWORD = "correct horse battery"


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with oidc_provider() as fake:
        yield fake


@pytest.fixture
def bench(
    database_url: str, tmp_path: Path, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workbench]:
    monkeypatch.setenv("IDEALIST_OIDC_SECRET", f"{SECRET}\n")
    settings = Settings(
        database_url, tmp_path / "files", login=True, oidc_issuer=provider.issuer, oidc_client=CLIENT
    )
    workbench = Workbench(settings)
    add_user(workbench.database, "ada", PASSWORD, "admin")
    yield workbench
    workbench.close()


def there(browser: Browsing, path: str) -> str:
    """To the provider: the address that the browser is sent to."""
    answer = browser.get(path, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def at_the_provider(provider: FakeProvider, address: str) -> str:
    """What the person does there: the path that they come back to, with its query."""
    query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    back = urlsplit(provider.authorize(query))
    return f"{back.path}?{back.query}"


def log_in(browser: Browsing, provider: FakeProvider, path: str = "/login/provider") -> Any:
    return browser.get(at_the_provider(provider, there(browser, path)), follow_redirects=False)


def invitation(bench: Workbench, role: str = "analyst") -> str:
    return f"/login/provider?invitation={invite(bench.database, role, by=1)}"


def test_without_a_provider_there_is_nothing(public_bench: Workbench) -> None:
    browser = Browsing(public_bench)
    assert "/login/provider" not in browser.page("/login")
    for path in ("/login/provider", "/login/provider/back"):
        assert browser.get(path).status_code == 404


def test_an_invitation_makes_somebody_who_then_logs_in(bench: Workbench, provider: FakeProvider) -> None:
    link = f"/invitations/{invite(bench.database, 'analyst', by=1)}"
    browser = Browsing(bench)
    page = browser.page(link)
    assert "Log in by 127.0.0.1" in page
    answer = log_in(browser, provider, link.replace("/invitations/", "/login/provider?invitation="))
    assert answer.headers["location"] == "/"
    assert "Ann Example" in browser.page("/projects")
    assert browser.get(link).status_code == 422  # it was good for one
    again = Browsing(bench)
    answer = log_in(again, provider, "/login/provider?next=/projects")
    assert answer.headers["location"] == "/projects"
    assert "Ann Example" in again.page("/projects")
    assert {user.name for user in list_users(bench.database)} == {"Ann Example", "ada"}
    assert again.get("/users").status_code == 403
    assert "Change the password" not in again.page("/account")  # there is none


def test_nobody_gets_in_without_an_invitation(bench: Workbench, provider: FakeProvider) -> None:
    browser = Browsing(bench)
    answer = log_in(browser, provider)
    assert answer.status_code == 422
    assert "nobody here is connected with this account (Ann Example)" in unescape(answer.text)
    assert [user.name for user in list_users(bench.database)] == ["ada"]
    used = browser.get("/login/provider?invitation=none", follow_redirects=False)
    assert "this invitation is not valid" in used.text


def test_who_has_a_password_connects_the_account(bench: Workbench, provider: FakeProvider) -> None:
    browser = Browsing(bench)
    browser.log_in("ada", PASSWORD)
    assert "Connect" in browser.page("/account")
    assert log_in(browser, provider, "/account/provider").headers["location"] == "/account"
    assert "You can log in there" in browser.page("/account")
    other = Browsing(bench)
    assert log_in(other, provider).headers["location"] == "/"
    assert "ada" in other.page("/users")
    # Somebody else cannot be the same one.
    add_user(bench.database, "bob", PASSWORD, "rater")
    bob = Browsing(bench)
    bob.log_in("bob", PASSWORD)
    assert "somebody else is connected" in log_in(bob, provider, "/account/provider").text


def test_a_connection_that_was_begun_by_another_is_not_made(bench: Workbench, provider: FakeProvider) -> None:
    """A thief who sends ada the address with which they came back themselves."""
    add_user(bench.database, "bob", PASSWORD, "rater")
    ada, bob = Browsing(bench), Browsing(bench)
    ada.log_in("ada", PASSWORD)
    bob.log_in("bob", PASSWORD)
    back = at_the_provider(provider, there(bob, "/account/provider"))
    assert ada.get(back).status_code == 422  # she did not begin it
    ada.client.cookies.set("idealist_login", bob.client.cookies["idealist_login"], path="/login")
    assert ada.get(back).status_code == 404
    with bench.database.reading() as connection:
        assert set(connection.execute(select(users.c.subject)).scalars()) == {None}


def test_who_is_disabled_stays_out(bench: Workbench, provider: FakeProvider) -> None:
    log_in(Browsing(bench), provider, invitation(bench))
    number = next(user.id for user in list_users(bench.database) if user.name == "Ann Example")
    disable(bench.database, number, by=1)
    assert "this account is disabled" in log_in(Browsing(bench), provider).text


def test_people_of_one_name_are_told_apart(bench: Workbench, provider: FakeProvider) -> None:
    for number in range(3):
        provider.person = {"sub": f"u-{number}", "name": "ada"}
        log_in(Browsing(bench), provider, invitation(bench, "rater"))
    assert [user.name for user in list_users(bench.database)] == ["ada", "ada 2", "ada 3", "ada 4"]


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": ["another", CLIENT], "azp": "another"},
        {"nonce": "old"},
        {"nonce": None},
        {"exp": int(time.time()) - 3_600},
        {"exp": None},
        {"sub": None},
    ],
)
def test_a_token_that_is_not_for_this_login_is_refused(
    bench: Workbench, provider: FakeProvider, claims: dict[str, Any]
) -> None:
    path = invitation(bench)
    provider.claims = claims
    answer = log_in(Browsing(bench), provider, path)
    assert answer.status_code == 422
    assert "cannot be believed" in answer.text
    assert len(list_users(bench.database)) == 1
    provider.claims = {}
    assert log_in(Browsing(bench), provider, path).status_code == 303  # the invitation was not used up


def test_a_token_that_the_provider_did_not_sign_is_refused(bench: Workbench, provider: FakeProvider) -> None:
    from joserfc.jwk import OctKey, RSAKey

    for key, algorithm in (
        (RSAKey.generate_key(2048, {"kid": "first"}), "RS256"),
        (OctKey.generate_key(256, {"kid": "first"}), "HS256"),  # a secret that is shared signs nothing
    ):
        provider.key, provider.algorithm = key, algorithm
        answer = log_in(Browsing(bench), provider, invitation(bench))
        assert "cannot be believed" in answer.text, algorithm


def test_an_answer_that_was_not_asked_for_is_refused(bench: Workbench, provider: FakeProvider) -> None:
    browser = Browsing(bench)
    back = at_the_provider(provider, there(browser, invitation(bench)))
    code = back.partition("code=")[2].partition("&")[0]
    for path in (
        "/login/provider/back",
        "/login/provider/back?state=x&code=y",
        f"/login/provider/back?code={code}",
    ):
        answer = browser.get(path, follow_redirects=False)
        assert answer.status_code == 422, path
        assert "was not begun here" in answer.text
    stranger = Browsing(bench)
    assert "was not begun here" in stranger.get(back).text
    stranger.client.cookies.set("idealist_login", browser.client.cookies["idealist_login"][:-1] + "x")
    assert "was not begun here" in stranger.get(back).text
    assert provider.tokens == 0
    assert browser.get(back, follow_redirects=False).status_code == 303
    assert browser.get(back, follow_redirects=False).status_code == 422  # not twice


def test_a_login_that_took_too_long(
    bench: Workbench, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browsing(bench)
    back = at_the_provider(provider, there(browser, invitation(bench)))
    late = now() + 11 * 60_000
    monkeypatch.setattr(oidc, "now", lambda: late)
    assert "took too long" in browser.get(back).text


def test_what_the_provider_says_is_told_without_the_secret(bench: Workbench, provider: FakeProvider) -> None:
    browser = Browsing(bench)
    state = parse_qs(urlsplit(there(browser, "/login/provider")).query)["state"][0]
    answer = browser.get(
        "/login/provider/back",
        params={"state": state, "error": "access_denied", "error_description": f"<b>no {SECRET}"},
    )
    assert "did not let you in: &lt;b&gt;no [key]" in answer.text
    bench.provider._secret = "wrong secret"  # type: ignore[union-attr]
    refused = log_in(Browsing(bench), provider)
    assert "invalid_grant" in refused.text
    assert "wrong secret" not in refused.text


def test_a_provider_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IDEALIST_OIDC_SECRET", raising=False)
    with oidc_provider() as gone:
        issuer = gone.issuer
    settings = Settings(
        str(tmp_path / "b.db"), tmp_path / "files", login=True, oidc_issuer=issuer, oidc_client="x"
    )
    workbench = Workbench(settings)
    answer = Browsing(workbench).get("/login/provider")
    assert answer.status_code == 422
    assert "127.0.0.1 does not answer as it should" in answer.text
    workbench.close()


def test_what_is_asked_for_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert serving.checked_issuer("", "") == ""
    assert serving.checked_issuer("https://login.example.org/", "x") == "https://login.example.org"
    for issuer, client, message in (
        ("https://login.example.org", "", "takes both"),
        ("", "x", "takes both"),
        ("http://login.example.org", "x", "must be https"),
        ("https://a:b@login.example.org", "x", "more than a host"),
    ):
        with pytest.raises(InputError, match=message):
            serving.checked_issuer(issuer, client)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="authlib and requests"):
        serving.checked_issuer("https://login.example.org", "x")
