"""How far long work has come, on a terminal and nowhere else."""

from __future__ import annotations

import sys
from time import monotonic

from idealist.base.system import STANDARD_ERROR, terminal_width
from idealist.errors import visible

PATIENCE = 0.5  # seconds of silence before anything is shown
OFTEN = 0.1  # seconds between two drawings
WIDTH = 30


class Progress:
    """One line on standard error that is drawn over again, and wiped when the work is done.

    With a `unit` ("bytes", "rows", "queries" …) it says how fast it goes, and how long it will take.
    """

    def __init__(self, what: str, unit: str | None = None) -> None:
        self.what = what
        self.unit = unit
        self._since = self._begun = self._drawn = monotonic()
        self._shown = False
        self._terminal = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, done: int, whole: int) -> None:
        if not self._terminal:
            return
        now = monotonic()
        if done >= whole:
            self.wipe()
        elif (self._shown and now - self._drawn >= OFTEN) or (
            not self._shown and now - self._since > PATIENCE
        ):
            full = WIDTH * done // whole
            bar = "█" * full + "░" * (WIDTH - full)
            far = f" {bar} {100 * done // whole:3d} %{self._pace(done, whole, now)}"
            print(f"\r{_fitted(self.what, far)}{far}\033[K", end="", file=sys.stderr, flush=True)
            self._shown, self._drawn = True, now

    def _pace(self, done: int, whole: int, now: float) -> str:
        passed = now - self._begun
        if self.unit is None or done <= 0 or passed <= 0:
            return ""
        return f"  {rate_text(done / passed, self.unit)}  {time_text((whole - done) * passed / done)} left"

    def wipe(self) -> None:
        """Takes the line away, also when the work ends early."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self._shown = False
        self._since = monotonic()


def _fitted(what: str, far: str) -> str:
    """What is done, without its beginning where both would not fit the terminal: only one line can be drawn over again."""
    from idealist.show.cells import text_width

    shown = visible(what)
    room = (terminal_width(STANDARD_ERROR) or text_width(shown + far) + 1) - 1 - text_width(far)
    if text_width(shown) <= room:
        return shown
    while shown and text_width(shown) >= room:
        shown = shown[1:]
    return f"…{shown}"


def rate_text(per_second: float, unit: str) -> str:
    """How much a second.

    >>> rate_text(210_400_000, "bytes"), rate_text(1_234_567, "rows")
    ('210 MB/s', '1,234,567 rows/s')
    """
    if unit == "bytes":
        return f"{per_second / 1e6:,.0f} MB/s"
    return f"{per_second:,.0f} {unit}/s"


def time_text(seconds: float) -> str:
    """Seconds as people read them.

    >>> time_text(7.2), time_text(75), time_text(3700)
    ('0:08', '1:15', '1:01:40')
    """
    whole = int(-(-seconds // 1))
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
