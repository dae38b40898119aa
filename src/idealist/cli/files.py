"""Files that commands write: whole or not at all, and never over another by accident."""

from __future__ import annotations

import os
import stat

from idealist.errors import InputError


def refuse_existing(path: str | None, force: bool) -> None:
    """Before the work starts: a file that is there already stays unless it may be replaced."""
    if path is not None and os.path.lexists(path) and not force:
        raise InputError(f"{path}: there is such a file already", hint="--force replaces it")


def write_file(path: str, text: str | bytes, *, force: bool = False) -> None:
    """Writes under another name beside it and renames: whoever looks sees the old file or the whole new one."""
    refuse_existing(path, force)
    target = os.path.realpath(path)
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    try:
        if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
            if os.path.isdir(target):
                raise InputError(f"{path}: this is a directory", hint="name a file in it")
            with open(target, "wb") as device:
                device.write(content)
            return
        _replace(target, content)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written: {error.strerror}", hint="check that its folder exists and is yours"
        ) from None


def _replace(target: str, content: bytes) -> None:
    beside = f"{target}.{os.getpid()}.part"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise
