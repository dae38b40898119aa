"""What other users of the machine can read of a workbench: nothing, whoever made the files, and whatever the umask is."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import idealist
from idealist import InputError
from idealist.web.access import secrets
from idealist.web.access.accounts import local_person
from idealist.web.base.backup import back_up
from idealist.web.base.server_settings import Settings
from idealist.web.workbench import Workbench

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
OTHER = 54321  # a user who has nothing to do with the server
# Starts the server as another user. Python, its libraries and this checkout may be in folders that only root can read: a copy
# of the package, with its templates, is where everybody can, and what is imported on the way is imported before, by a server of
# root's that is used in the same way, and by the names of our modules.
AS_NOBODY = """
import contextlib, importlib, os, pkgutil, pwd, sys, tempfile
sys.path[:0] = sys.argv[1:]
from pathlib import Path
import idealist
from support.served import served
from web.test_beside_other_users import use
from idealist.cli import main
from idealist.web.base.server_settings import Settings
from idealist.web.serving import prefetch
from idealist.web.workbench import Workbench
with tempfile.TemporaryDirectory() as folder:
    with served(bench := Workbench(Settings(folder + "/a.db", Path(folder) / "files"))) as address:
        use(address)
    bench.close()
prefetch()
for module in pkgutil.walk_packages(idealist.__path__, "idealist.", onerror=lambda name: None):
    if not module.name.endswith("__main__"):
        with contextlib.suppress(ImportError):
            importlib.import_module(module.name)
nobody = pwd.getpwnam("nobody")
os.setgroups([])
os.setgid(nobody.pw_gid)
os.setuid(nobody.pw_uid)
sys.exit(main(["serve", "--port", "0", "--db", "shop.db"]))
"""


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def modes(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): mode(path) for path in sorted(folder.rglob("*"))}


def open_to_others(folder: Path) -> list[str]:
    """What anybody but the owner may do something with."""
    return [name for name, bits in modes(folder).items() if int(bits, 8) & 0o077]


@pytest.fixture
def careless() -> Iterator[None]:
    """The umask that most systems have, by which files can be read by everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def filled(folder: Path) -> Workbench:
    from idealist.web.demo import add_demo

    workbench = Workbench(Settings(str(folder / "bench.db"), folder / "bench.db.files"))
    add_demo(workbench)
    assert workbench.secret
    return workbench


@pytest.mark.usefixtures("careless")
def test_new_files_are_closed_to_others(tmp_path: Path) -> None:
    workbench = filled(tmp_path / "new")
    back_up(workbench.database, workbench.files, tmp_path / "new" / "backup.zip")
    assert mode(tmp_path / "new") == "0o700"
    assert {"bench.db", "bench.db-wal", "bench.db.files/secret", "backup.zip"} <= modes(
        tmp_path / "new"
    ).keys()
    assert len(list((tmp_path / "new").glob("bench.db.files/??/*.tsv"))) == 3
    assert open_to_others(tmp_path / "new") == []
    workbench.close()


@pytest.mark.usefixtures("careless")
def test_files_that_were_open_are_closed(tmp_path: Path) -> None:
    """As an earlier Idealist, or a copy, has left them; what is not the workbench's stays as it is."""
    folder = tmp_path / "old"
    folder.mkdir()
    filled(folder).close()
    (folder / "notes.txt").write_text("not ours")
    for path in folder.rglob("*"):
        path.chmod(0o777 if path.is_dir() else 0o666)
    again = Workbench(Settings(str(folder / "bench.db"), folder / "bench.db.files"))
    local_person(again.database)
    assert again.secret
    assert open_to_others(folder) == ["notes.txt"]
    assert mode(folder) == "0o755"
    again.close()


@pytest.mark.usefixtures("careless")
def test_a_folder_with_other_things_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not ours")
    tmp_path.chmod(0o755)
    workbench = Workbench(Settings(str(tmp_path / "bench.db"), tmp_path))
    assert workbench.secret
    assert mode(tmp_path) == "0o755"
    assert open_to_others(tmp_path) == ["notes.txt"]
    workbench.close()


def test_the_secret_is_not_in_the_database(tmp_path: Path) -> None:
    workbench = filled(tmp_path)
    secret = workbench.secret
    workbench.close()
    assert secret == (tmp_path / "bench.db.files" / "secret").read_bytes().strip()
    assert secret not in b"".join(path.read_bytes() for path in tmp_path.glob("bench.db*") if path.is_file())


def test_servers_that_share_the_folder_share_the_secret(database_url: str, tmp_path: Path) -> None:
    servers = [Workbench(Settings(database_url, tmp_path / "files")) for _ in range(3)]
    assert len({server.secret for server in servers}) == 1
    for server in servers:
        server.close()


def test_the_secret_may_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDEALIST_SECRET", "0123456789abcdef" * 4 + "\n")
    assert secrets.server_secret(tmp_path) == b"0123456789abcdef" * 4
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("IDEALIST_SECRET", "hunter2")
    with pytest.raises(InputError, match=r"\$IDEALIST_SECRET has 7 characters") as raised:
        secrets.server_secret(tmp_path)
    assert "hunter2" not in repr(raised.value)


def test_an_empty_secret_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    (tmp_path / "secret").touch()
    with pytest.raises(InputError, match="this file has no secret"):
        secrets.server_secret(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="takes root, to be two users")
def test_a_server_of_nobody_beside_another_user() -> None:
    """`idealist serve` as the user nobody, while it is asked; another user reads nothing, and nobody can."""
    folder = Path(tempfile.mkdtemp(prefix="idealist-nobody-", dir="/tmp"))
    package = Path(tempfile.mkdtemp(prefix="idealist-package-", dir="/tmp"))
    try:
        package.chmod(0o755)
        folder.chmod(0o755)
        shutil.chown(folder, "nobody")
        shutil.copytree(Path(idealist.__file__).parent, package / "idealist")
        process = subprocess.Popen(
            [sys.executable, "-c", AS_NOBODY, str(package), str(Path(__file__).parent.parent)],
            cwd=folder,
            umask=0o022,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            use(process.stdout.readline().rpartition(" ")[2].strip())
            assert (folder / "shop.db").owner() == "nobody"
            read = {user: readable(folder, user) for user in ("nobody", OTHER)}
        finally:
            process.terminate()
            process.wait(30)
            if process.stdout is not None:
                process.stdout.close()
        assert read[OTHER] == []
        names = {Path(path).name for path in read["nobody"]}
        assert {"shop.db", "shop.db-wal", "shop.db-shm", "secret"} <= names
        assert any(name.endswith(".tsv") for name in names)
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(package)


def readable(folder: Path, user: str | int) -> list[str]:
    """The files that a user can read."""
    find = ["find", str(folder), "-type", "f", "-readable"]
    # What cannot be entered is an error, which is as it should be.
    return subprocess.run(
        find, user=user, cwd="/", capture_output=True, text=True, check=False
    ).stdout.split()


def use(address: str) -> None:
    """Makes a project and uploads a run, as a browser does."""
    import re

    import httpx2

    with httpx2.Client(base_url=address, follow_redirects=True) as client:
        found = re.search(r'name="form_token" value="([0-9a-f]+)"', client.get("/projects").text)
        assert found is not None
        sent = client.post("projects", data={"form_token": found[1], "name": "shop", "about": ""})
        assert sent.status_code == 200
        run = {"file": ("a.run", b"q1 Q0 d1 1 2.0 a\nq1 Q0 d2 2 1.0 a\n")}
        sent = client.post("projects/1/sources", data={"form_token": found[1]}, files=run)
        assert "SHA-256" in sent.text, sent.text
