"""What is asked of the operating system, where POSIX and Windows differ. No other module asks which of them it is on."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from socket import socket

WINDOWS = sys.platform == "win32"
# Bytes as they are, which Windows would change at line ends; not for programs that are started meanwhile.
READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
# Windows writes to disk only what is open for writing.
SETTLE = os.O_RDWR | getattr(os, "O_BINARY", 0) if WINDOWS else os.O_RDONLY


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


def settle(path: str | os.PathLike[str], like: os.stat_result | None = None) -> None:
    """Puts a file onto the disk; with the owner and the permissions of another one."""
    descriptor = os.open(path, SETTLE)
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


def available_threads() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
