"""idealist serve: who it refuses, what it prints, and maintenance from the command line."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import BUFFERED, NO_WEB, Command

from idealist.cli import main
from idealist.cli.installation import requirements_by_extra
from idealist.web.serving import NEEDED

needs_web = pytest.mark.skipif(bool(NO_WEB), reason="the extra web is not installed")
PASSWORD = {"IDEALIST_PASSWORD": "correct horse battery"}
Serve = Callable[..., tuple[int, str, str]]


@pytest.fixture
def serve(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Serve:
    """Runs `idealist serve` here, where it does not come to serving: exit code, output and errors."""

    def run(*arguments: object, **environment: str) -> tuple[int, str, str]:
        for name, value in {"IDEALIST_DATA": str(tmp_path), **environment}.items():
            monkeypatch.setenv(name, value)
        code = main(["serve", *map(str, arguments)])
        return (code, *capsys.readouterr())

    return run


@pytest.mark.skipif(not NO_WEB, reason="the extra web is installed")
def test_without_its_libraries_it_says_what_to_install(idealist: Command) -> None:
    done = idealist("serve", "--demo")
    assert done.returncode == 2
    assert "the workbench needs" in done.stderr
    assert "pip install 'idealist[web]'" in done.stderr


def test_libraries_have_the_names_that_pip_knows() -> None:
    asked = {re.match(r"[\w-]+", requirement)[0] for requirement in requirements_by_extra()["web"]}  # type: ignore[index]
    assert set(NEEDED) <= asked


@needs_web
def test_it_prints_its_address_answers_there_and_stops(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "idealist", "serve", "--port", "0", "--db", str(tmp_path / "shop.db")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=BUFFERED
    ) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        address = line.removeprefix("Idealist workbench: ").strip()
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{address}projects", timeout=60) as answer:
            assert b"No projects yet" in answer.read()
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)
    assert (tmp_path / "shop.db").exists()


@needs_web
def test_the_demo_is_opened_from_the_package() -> None:
    command = [sys.executable, "-m", "idealist", "serve", "--demo", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=BUFFERED
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("Idealist workbench: ").strip()
        with urllib.request.urlopen(f"{address}api/projects", timeout=60) as answer:
            assert b'"name":"Shop"' in answer.read()
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)


@needs_web
def test_it_does_not_listen_elsewhere_without_an_admin(serve: Serve, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "shop.db")
    code, _, errors = serve(*db, "--host", "0.0.0.0", "--port", "0")
    assert code == 2
    assert "0.0.0.0 can be reached by others, and this workbench has no admin" in " ".join(errors.split())
    assert "--add-admin NAME" in errors
    assert "10 to 200 characters" in serve(*db, "--add-admin", "ann", IDEALIST_PASSWORD="short")[2]
    assert serve(*db, "--add-admin", "ann", **PASSWORD)[:2] == (0, "ann may log in as admin\n")
    assert "somebody is called 'ann' already" in serve(*db, "--add-admin", "ann", **PASSWORD)[2]


@needs_web
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--name", "bench.example.org"], "as it is reached as bench.example.org"),
        (["--https"], "as it is reached through a proxy"),
        (["--trusted-proxy", "172.30.0.0/16"], "as it is reached through a proxy"),
        (["--login"], "people must log in, and this workbench has no admin"),
    ],
)
def test_who_comes_through_a_proxy_must_log_in(
    serve: Serve, options: list[str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once that asked nobody to log in: whoever reached the proxy was admin."""
    code, _, errors = serve("--port", "0", *options)
    assert code == 2
    assert reason in " ".join(errors.split())
    assert serve("--add-admin", "ann", **PASSWORD)[0] == 0
    served: list[bool] = []

    def served_once(workbench: Any, opened: socket.socket) -> None:
        served.append(workbench.settings.login)
        opened.close()

    monkeypatch.setattr("idealist.cli.commands.serve.serve", served_once)
    for asked in (options, []):
        assert serve("--port", "0", *asked)[0] == 0
    assert served == [True, False]


@needs_web
def test_backup_and_restore(serve: Serve, tmp_path: Path) -> None:
    db, other, zipped = tmp_path / "shop.db", tmp_path / "other.db", tmp_path / "shop.zip"
    serve("--db", db, "--add-admin", "ann", **PASSWORD)
    assert serve("--db", db, "--backup", zipped)[1] == f"{zipped}: backup of {db}\n"
    assert "--force replaces it" in serve("--db", db, "--backup", zipped)[2]
    assert serve("--db", other, "--restore", zipped)[0] == 0
    assert "somebody is called 'ann' already" in serve("--db", other, "--add-admin", "ann", **PASSWORD)[2]
    assert "this workbench is in use" in serve("--db", db, "--restore", zipped)[2]


@needs_web
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "70000"], "--port must be 0 to 65535, not 70000"),
        (["--largest-upload", "0"], "--largest-upload must be 1 or more"),
        (["--db", "mysql://a@b/c"], "mysql:// is not a database"),
        (["--demo", "--db", "x.db"], "--demo has a database of its own"),
        (["--demo", "--host", "0.0.0.0"], "--demo is for this machine alone"),
        (["--demo", "--name", "bench.example"], "--demo is for this machine alone"),
        (["--demo", "--login"], "--demo is for this machine alone"),
        (["--oidc-issuer", "https://login.example.org"], "takes both --oidc-issuer and --oidc-client"),
        (["--trusted-proxy", "proxy"], "'proxy' is not an address or a network"),
        (["--host", "203.0.113.7"], "can be reached by others"),
    ],
)
def test_wrong_usage(serve: Serve, options: list[str], message: str) -> None:
    code, _, errors = serve(*options)
    assert code == 2
    assert message in errors


@needs_web
def test_a_port_that_is_taken_is_named(serve: Serve) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, errors = serve("--port", port)
    assert code == 2
    assert f"127.0.0.1, port {port}: cannot listen there" in errors


@needs_web
@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(serve: Serve, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    code, _, errors = serve("--db", tmp_path / "sub" / "shop.db")
    tmp_path.chmod(0o700)
    assert code == 2
    assert "cannot be made" in errors


def test_the_demo_has_the_shop(shop: Path) -> None:
    demo = Path(__file__).parents[2] / "src" / "idealist" / "web" / "demo" / "files"
    for name in ("shop.qrels", "a.run", "b.run", "votes.csv"):
        assert (demo / name).read_bytes() == (shop / name).read_bytes(), "examples/shop/make.py writes both"
