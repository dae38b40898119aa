"""What commands say on standard error: notes, what was written, errors and their hints.

On a terminal, lines are folded to its width. Elsewhere each is one line, so that it can be searched.
"""

from __future__ import annotations

import os
import sys

from idealist.base.system import STANDARD_ERROR, terminal_width
from idealist.errors import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from idealist.show.view import View


def say(*lines: str) -> None:
    """Lines of a message. Where standard error is closed, or its reader has left, nobody is told."""
    if sys.stderr is None:
        return
    width = _width()
    shown = [visible(line) for line in lines]
    if width is not None:
        from idealist.show.cells import folded_line

        # Paths and names that the user typed stay whole, those with blanks too.
        typed = [visible(word.strip()) for word in sys.argv[1:] if " " in word.strip()]
        shown = [folded_line(line, width, whole=typed) for line in shown]
    write_to(sys.stderr, "\n".join(shown) + "\n")


def say_note(text: str) -> None:
    """What to know of a result besides."""
    say(f"note: {text}")


def show(view: View) -> None:
    """A result that is not the output of the command."""
    if sys.stderr is not None:
        write_to(sys.stderr, view.to_text(width=_width()) + "\n")


def write_to(stream: TextIO, text: str) -> None:
    """Where the reader of the stream has left, the command goes on: its exit code and its files still count."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())


def _width() -> int | None:
    """The width that lines must fit: that of a terminal."""
    return terminal_width(STANDARD_ERROR) if sys.stderr.isatty() else None
