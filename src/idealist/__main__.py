"""The command `idealist`, which `python -m idealist` is, too."""

from __future__ import annotations

# What `signal` is made of: see idealist.cli.
from _signal import (  # type: ignore[import-not-found]
    SIG_DFL,
    SIGINT,
    default_int_handler,
    getsignal,
    signal,
)


def entry() -> None:
    """Runs the command. Ctrl-C while it is still being imported ends it without a word, as it does any program."""
    heeded = getsignal(SIGINT) is default_int_handler
    if heeded:
        signal(SIGINT, SIG_DFL)
    from idealist.cli import entry as run

    if heeded:
        signal(SIGINT, default_int_handler)
    run()


if __name__ == "__main__":
    entry()
