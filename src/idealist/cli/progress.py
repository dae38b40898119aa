"""How far long work has come, on a terminal and nowhere else."""

from __future__ import annotations

import sys
from time import monotonic

PATIENCE = 0.5  # seconds of silence before anything is shown
WIDTH = 30


class Progress:
    """One line on standard error that is drawn over again, and wiped when the work is done."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._since = monotonic()
        self._shown = False
        self._terminal = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, done: int, whole: int) -> None:
        if not self._terminal:
            return
        if done >= whole:
            self._wipe()
        elif self._shown or monotonic() - self._since > PATIENCE:
            full = WIDTH * done // whole
            bar = "█" * full + "░" * (WIDTH - full)
            print(f"\r{self.what} {bar} {100 * done // whole:3d} %", end="", file=sys.stderr, flush=True)
            self._shown = True

    def _wipe(self) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self._shown = False
        self._since = monotonic()
