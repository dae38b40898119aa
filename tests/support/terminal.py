"""The command on a pseudo-terminal, as a user sees it."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Sequence

COMMAND = ("-m", "idealist")


def on_a_terminal(
    *arguments: object,
    columns: int = 80,
    program: Sequence[str] = COMMAND,
    **environment: str,
) -> str:
    """What a terminal of so many columns shows of a command, or another program of Python: standard output and error."""
    import fcntl
    import pty
    import termios

    terminal, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    named = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**named, "TERM": "xterm", **environment},
        start_new_session=True,
    )
    os.close(theirs)
    shown: list[bytes] = []
    try:
        while data := os.read(terminal, 4096):
            shown.append(data)
    except OSError:  # what Linux says once the command has ended
        pass
    finally:
        os.close(terminal)
        process.wait()
    return b"".join(shown).decode().replace("\r\n", "\n")
