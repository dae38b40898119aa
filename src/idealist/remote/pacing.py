"""When the next request may start: a rate, pauses that an endpoint asks for, and waits that grow."""

from __future__ import annotations

from random import Random
from threading import Event, Lock
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_WAIT = 60.0  # seconds between two attempts, unless the endpoint asks for more
LONGEST_PAUSE = 600.0  # what an endpoint may ask for; after more, all is stopped


class Pacer:
    """Lets requests of several threads start one after the other, at most `rate` in a minute, and not before a pause is
    over. `stop` ends all waiting.

    >>> pacer = Pacer(rate=60, clock=lambda: 100.0)
    >>> pacer.reserve(), pacer.reserve(), pacer.reserve()  # one second apart
    (0.0, 1.0, 2.0)
    """

    def __init__(self, rate: float | None = None, *, clock: Callable[[], float] = monotonic) -> None:
        self._apart = 0.0 if rate is None else 60.0 / rate
        self._clock = clock
        self._lock = Lock()
        self._next = clock()
        self._stopped = Event()

    def reserve(self) -> float:
        """How many seconds the next request has to wait; its place in the row is taken."""
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            self._next = start + self._apart
            return start - now

    def pause(self, seconds: float) -> None:
        """No request starts for so long: one of them was told that there were too many."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)

    def wait_turn(self) -> bool:
        """Waits for the next place; False if all is stopped."""
        return self.sleep(self.reserve())

    def sleep(self, seconds: float) -> bool:
        return not self._stopped.wait(seconds)

    def stop(self) -> None:
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()


def backoff(attempt: int, random: Random, first: float) -> float:
    """Seconds to wait after the attempt of this number, from 1: twice as long each time, less up to a half by chance so
    that requests that failed together do not come back together.

    >>> 2.0 <= backoff(3, Random(0), 1.0) <= 4.0
    True
    """
    longest = min(first * 2.0 ** (attempt - 1), LONGEST_WAIT)
    return longest * (1.0 - random.random() / 2.0)
