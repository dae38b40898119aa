"""Calls of the operating system, where POSIX and Windows differ. No other module asks which of them it is on."""

from __future__ import annotations

import os
import sys
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from socket import socket


WINDOWS = sys.platform == "win32"
# Bytes as they are, which Windows would change at line ends; not for programs that are started meanwhile.
READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
# Windows writes to disk only what is open for writing.
SYNC_FLAGS = os.O_RDWR | getattr(os, "O_BINARY", 0) if WINDOWS else os.O_RDONLY


STANDARD_OUTPUT, STANDARD_ERROR = 1, 2


def terminal_width(descriptor: int = STANDARD_OUTPUT) -> int | None:
    """How many letters a line of a terminal has: as COLUMNS says, else as the terminal does; None where neither is known."""
    # Not by shutil, which would import every compression module each time a command runs.
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(descriptor).columns or None
    except OSError:
        return None


def file_above(name: str) -> str | None:
    """The file of this name in the working folder or in the nearest folder above it; None where there is none."""
    try:
        folder, way = os.getcwd(), ""
    except OSError:  # it was removed
        return None
    while not os.path.isfile(os.path.join(folder, name)):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder, way = above, os.path.join(os.pardir, way)
    return way + name


def open_to_read(path: str) -> int:
    """A descriptor of a file."""
    try:
        return os.open(path, READ)
    except PermissionError:  # which is what Windows says of folders
        if os.path.isdir(path):
            raise IsADirectoryError from None
        raise


def open_standard_input() -> int:
    """Another descriptor of standard input."""
    descriptor = os.dup(0)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(descriptor, os.O_BINARY)
    return descriptor


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Up to `size` bytes of a file, from `offset` on; where the file stands does not change. On Windows it does for a moment:
    one thread at a time may use a descriptor there."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, offset)
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, size)
    finally:
        os.lseek(descriptor, position, os.SEEK_SET)


def change_time(state: os.stat_result) -> int:
    """When a file last changed, in nanoseconds. What POSIX has for that is on Windows the time when the file was made."""
    return state.st_mtime_ns if WINDOWS else state.st_ctime_ns


def sync_to_disk(path: str | os.PathLike[str], like: os.stat_result | None = None) -> None:
    """Puts a file onto the disk; with the owner and the permissions of another one."""
    descriptor = os.open(path, SYNC_FLAGS)
    try:
        if like is not None:
            _make_like(descriptor, path, like)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make_like(descriptor: int, path: str | os.PathLike[str], like: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        from contextlib import suppress

        with suppress(PermissionError):  # whoever is not root cannot give files away
            os.fchown(descriptor, like.st_uid, like.st_gid)
    os.chmod(path, like.st_mode & 0o7777)


def close_to_others(path: str | os.PathLike[str]) -> None:
    """Takes away what other users of this machine may do with a file or folder. Windows keeps the folders of a user from them."""
    mode = os.stat(path).st_mode
    if not WINDOWS and mode & 0o077:
        os.chmod(path, mode & 0o7700)


def make_private_folder(folder: Path) -> None:
    """Makes a folder that is closed to other users of this machine; one that is there is closed to them."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    close_to_others(folder)


def make_private_file(path: str | os.PathLike[str]) -> bool:
    """Makes an empty file that is closed to other users of this machine; False where there is one."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True


def available_threads() -> int:
    """How many cores this process may use: those it was given, no more than a container's limit of CPU time allows, and no
    more than OMP_NUM_THREADS says."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    stated = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if stated.isdecimal() and int(stated) > 0:
        cores = min(cores, int(stated))
    limit = _container_cores()
    return cores if limit is None else min(cores, limit)


@cache
def _container_cores() -> int | None:
    """The limit of this process's control groups, which does not change while it runs."""
    return limited_cores("/proc/self/cgroup", "/sys/fs/cgroup") if sys.platform == "linux" else None


def limited_cores(groups: str, root: str) -> int | None:
    """How many cores the limits of CPU time come to, rounded up; None where there is no limit. `groups` is the file that
    names the control groups of a process, `root` the folder where they are: a version 2 tree, or `cpu` of version 1."""
    paths: list[str] = []
    for line in _text(groups).splitlines():
        _, _, group = line.partition(":")
        controllers, _, path = group.partition(":")
        folder = (
            root if not controllers else os.path.join(root, "cpu") if "cpu" in controllers.split(",") else ""
        )
        parts = path.strip("/").split("/") if folder else None
        if parts is not None:
            paths += (os.path.join(folder, *parts[:depth]) for depth in range(len(parts) + 1))
    cores = []
    for path in paths:
        quota, _, period = _text(os.path.join(path, "cpu.max")).strip().partition(" ")
        if not quota:
            quota = _text(os.path.join(path, "cpu.cfs_quota_us")).strip()
            period = _text(os.path.join(path, "cpu.cfs_period_us")).strip()
        if quota.isdecimal() and period.isdecimal() and int(period):
            cores.append(max(1, -(-int(quota) // int(period))))
    return min(cores, default=None)


def _text(path: str) -> str:
    """Reads a small file; empty where it cannot be read."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def host_name() -> str:
    """The host name of this machine, or of this container."""
    return os.environ.get("COMPUTERNAME", "") if WINDOWS else os.uname().nodename


def has_ended(process: int) -> bool:
    """Whether there is no such process on this machine any more. On Windows, where asking could end it, nobody knows."""
    if WINDOWS:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def most_open_files() -> int | None:
    """How many files a process may have open; None where nothing says so."""
    try:
        import resource
    except ImportError:
        return None
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return allowed if allowed > 0 else None


def data_folder() -> Path:
    """Where programs keep the data of this user."""
    from pathlib import Path

    if WINDOWS:
        return Path(os.environ.get("LOCALAPPDATA") or Path.home())
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def free_port_at_once(opened: socket) -> None:
    """Lets a port be taken again as soon as a server has ended. Windows does so anyway, and would let two servers take it."""
    import socket

    if not WINDOWS:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def temporary_path(name: str) -> str:
    """Where a file of this name can be written, in a folder of its own, which is removed when the program ends."""
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="idealist-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return os.path.join(folder, name)
