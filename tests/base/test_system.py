"""One module asks what only some operating systems have, and has another answer for the others."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from idealist.base import system

SOURCE = ROOT / "src" / "idealist"
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "base" / "system.py")
# Modules of Python, and names of `os`, `signal` and `sys`, that are not there on Windows, or mean something else there.
MODULES_OF_SOME = {
    "curses",
    "fcntl",
    "grp",
    "msvcrt",
    "posix",
    "pty",
    "pwd",
    "resource",
    "syslog",
    "termios",
    "tty",
}
NAMES_OF_SOME = {
    "os": "O_BINARY O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_RDONLY O_RDWR chown fchmod fchown fork forkpty getegid geteuid "
    "getgid getloadavg getpgid getuid initgroups killpg lchown link mkfifo mknod name nice open openpty posix_fadvise "
    "posix_spawn pread preadv pwrite pwritev register_at_fork sched_getaffinity sched_setaffinity sendfile setgid setsid "
    "setuid statvfs symlink sync sysconf umask uname wait wait3 wait4",
    "signal": "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 alarm pause pthread_kill pthread_sigmask setitimer",
    "sys": "platform getwindowsversion",
    "time": "tzset clock_gettime",
}
WORDS = {f"{module}.{name}" for module, names in NAMES_OF_SOME.items() for name in names.split()}


def asked_of_some(tree: ast.AST) -> set[str]:
    """Names in a module that only some systems have."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & MODULES_OF_SOME
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or ""} & MODULES_OF_SOME
            found |= {f"{node.module}.{alias.name}" for alias in node.names} & WORDS
        elif isinstance(node, ast.Attribute):
            found |= {ast.unparse(node)} & WORDS
            if node.attr in ("st_ctime", "st_ctime_ns"):
                found.add(node.attr)
    return found


def test_no_other_module_asks_what_only_some_systems_have() -> None:
    found = {
        path.relative_to(SOURCE).as_posix(): asked_of_some(ast.parse(path.read_text(encoding="utf-8")))
        for path in MODULES
    }
    # Which file it is: its device, number, size and both of its times.
    assert found.pop("evaluation/evaluation_records.py") == {"st_ctime_ns"}
    assert {path: names for path, names in found.items() if names} == {}


def test_what_counts_as_asked() -> None:
    def asked(code: str) -> set[str]:
        return asked_of_some(ast.parse(code))

    assert asked("import resource, os\nos.pread(3, 1, 0)") == {"resource", "os.pread"}
    assert asked("from os import fork\nfrom pwd import getpwnam") == {"os.fork", "pwd"}
    assert asked("os.path.exists(x), os.read(3, 1), names.open(x)") == set()


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A system that has no more than Windows has."""
    for name in ("pread", "sched_getaffinity", "fchown"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setattr(system, "WINDOWS", True)
    monkeypatch.setattr(system, "SYNC_FLAGS", os.O_RDWR)
    return monkeypatch


def test_bytes_at_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"abcdef\r\n")
    descriptor = system.open_to_read(str(file))
    try:
        for _ in range(2):
            assert system.read_at(descriptor, 3, 2) == b"cde"
            assert system.read_at(descriptor, 100, 5) == b"f\r\n"
            assert system.read_at(descriptor, 1, 8) == b""
            assert os.lseek(descriptor, 0, os.SEEK_CUR) == 0
            monkeypatch.delattr(os, "pread", raising=False)
    finally:
        os.close(descriptor)


def test_a_folder_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, flags: int) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(IsADirectoryError):
        system.open_to_read(str(tmp_path))
    with pytest.raises(PermissionError):
        system.open_to_read(str(tmp_path / "x"))


def test_a_file_is_synced_with_the_permissions_of_another(
    tmp_path: Path, elsewhere: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"1")
    old.chmod(0o640)
    new.write_bytes(b"2")
    system.sync_to_disk(new, old.stat())
    assert new.stat().st_mode == old.stat().st_mode
    assert new.read_bytes() == b"2"


def test_numbers_where_nothing_says_them(elsewhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert system.most_open_files() is None
    assert system.available_threads() == os.cpu_count()
    state = tmp_path.stat()
    assert system.change_time(state) == state.st_mtime_ns


@pytest.mark.parametrize(
    ("windows", "platform", "end"),
    [
        (True, "win32", "Local"),
        (False, "darwin", "Library/Application Support"),
        (False, "linux", ".local/share"),
    ],
)
def test_where_data_is_kept(monkeypatch: pytest.MonkeyPatch, windows: bool, platform: str, end: str) -> None:
    monkeypatch.setattr(system, "WINDOWS", windows)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("LOCALAPPDATA", "C:/Users/ann/AppData/Local")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert system.data_folder().as_posix().endswith(f"/{end}")


def test_a_run_is_read_evaluated_and_written_elsewhere(
    elsewhere: pytest.MonkeyPatch, shop: Path, tmp_path: Path
) -> None:
    """The whole way without what only POSIX has."""
    from idealist import evaluate, read_judgments, read_run, write_run

    judgments, run = read_judgments(shop / "shop.qrels"), read_run(shop / "a.run")
    write_run(run, tmp_path / "a.tsv")
    again = read_run(tmp_path / "a.tsv")
    assert evaluate(judgments, again, "AP").mean("AP") == evaluate(judgments, run, "AP").mean("AP")


def _groups(folder: Path, files: dict[str, str]) -> tuple[str, str]:
    """The control groups of a process in /a/b, with limits in some of them."""
    for name, text in files.items():
        path = folder / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "groups").write_text("0::/a/b\n4:cpu,cpuacct:/a\n")
    return str(folder / "groups"), str(folder / "tree")


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({}, None),
        ({"cpu.max": "max 100000\n", "a/b/cpu.max": "150000 100000\n"}, 2),  # 1.5 cores
        ({"a/cpu.max": "400000 100000\n", "a/b/cpu.max": "max 100000\n"}, 4),
        ({"cpu.max": "50000 100000\n", "a/cpu.max": "400000 100000\n"}, 1),
        ({"cpu/a/cpu.cfs_quota_us": "300000\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, 3),
        ({"cpu/a/cpu.cfs_quota_us": "-1\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, None),
        ({"cpu.max": "?\n"}, None),
    ],
)
def test_limits_of_containers(files: dict[str, str], cores: int | None, tmp_path: Path) -> None:
    assert system.limited_cores(*_groups(tmp_path, files)) == cores


def test_threads_that_were_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "_container_cores", lambda: None)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = system.available_threads()
    if hasattr(os, "sched_getaffinity"):
        assert cores == len(os.sched_getaffinity(0))
    for stated, expected in (
        ("1", 1),
        ("1,4", 1),
        ("10000", cores),
        ("", cores),
        ("many", cores),
        ("0", cores),
    ):
        monkeypatch.setenv("OMP_NUM_THREADS", stated)
        assert system.available_threads() == expected
    monkeypatch.delenv("OMP_NUM_THREADS")
    monkeypatch.setattr(system, "_container_cores", lambda: 1)
    assert system.available_threads() == 1
