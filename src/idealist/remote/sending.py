"""Many requests, several at a time and at a pace, each sent again where there was no answer."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice
from random import Random
from threading import Event, Lock
from time import monotonic

from idealist.base.wording import count_of
from idealist.errors import InputError
from idealist.remote.transport import Rejected, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


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


FIRST_WAIT = 1.0  # seconds before a request is sent a second time
HOPELESS_AFTER = 3  # rejected requests, if none was answered: the others would be rejected too
GIVEN_UP_AFTER = (
    10  # requests in a row without an answer: the server is down, and waiting for each takes long
)


class Sending:
    """Requests on their way to `address`, in several threads. `send` gives the answer to a request, or raises
    Unavailable or Rejected; `keep` stores an answer by the key of its request as soon as it is there. `correction` is what can be done about
    requests that are rejected."""

    def __init__(
        self,
        address: str,
        send: Callable[[Any], Any],
        keep: Callable[[str, Any], None],
        pacer: Pacer,
        *,
        retries: int,
        first_wait: float,
        seed: int,
        correction: str,
    ) -> None:
        self.address = address
        self.send = send
        self.keep = keep
        self.pacer = pacer
        self.retries = retries
        self.first_wait = first_wait
        self.correction = correction
        self._random = Random(seed)
        self._lock = Lock()
        self._answered = self._rejected = self._unanswered = 0

    def through(
        self,
        requests: Mapping[str, Any],
        concurrency: int,
        progress: Callable[[int], None] | None = None,
    ) -> dict[str, str]:
        """Sends all requests, by key. Returns the reasons why some have no answer; those that were not sent, because all was
        stopped before, are not among them. Threads get a request when one is free, so that little is lost by stopping."""
        failures: dict[str, str] = {}
        ended = 0
        ahead = iter(requests)
        executor = ThreadPoolExecutor(concurrency)
        running = {
            executor.submit(self._answer, key, requests[key]): key for key in islice(ahead, concurrency)
        }
        try:
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    key = running.pop(future)
                    reason = future.result()
                    if reason is not None:
                        failures[key] = reason
                    ended += 1
                    if progress is not None:
                        progress(ended)
                    if not self.pacer.stopped and (further := next(ahead, None)) is not None:
                        running[executor.submit(self._answer, further, requests[further])] = further
        finally:
            # An error, or Ctrl-C: what is on its way is still kept when it comes, and nothing new is sent.
            self.pacer.stop()
            executor.shutdown(wait=True, cancel_futures=True)
        return failures

    def _answer(self, key: str, request: Any) -> str | None:
        """Keeps the answer to a request; the reason in words if there is none, None also if it was not sent."""
        reason = ""
        for attempt in range(1, self.retries + 2):
            if not self.pacer.wait_turn():
                return None
            try:
                answer = self.send(request)
            except Rejected as error:
                self._count_rejected(error)
                return str(error)
            except Unavailable as error:
                reason = str(error)
                if not error.reached and not self._answered:
                    raise InputError(
                        f"{self.address}: {reason}", hint="is the address right, and the server started?"
                    ) from None
                wait = error.wait or 0.0
                if wait > LONGEST_PAUSE:
                    self.pacer.stop()  # a limit of the day, or of the account
                    return f"{reason}; it asks to wait for {wait / 60:,.0f} minutes"
                if wait:
                    self.pacer.pause(wait)
                if attempt <= self.retries and not self.pacer.sleep(max(wait, self._wait(attempt))):
                    return None
                continue
            self.keep(key, answer)
            with self._lock:
                self._answered += 1
                self._unanswered = 0
            return None
        with self._lock:
            self._unanswered += 1
            if self._unanswered >= GIVEN_UP_AFTER:
                self.pacer.stop()
        return f"{reason}; asked {count_of(self.retries + 1, 'time')}"

    def _wait(self, attempt: int) -> float:
        with self._lock:
            return backoff(attempt, self._random, self.first_wait)

    def _count_rejected(self, error: Rejected) -> None:
        with self._lock:
            self._rejected += 1
            hopeless = self._rejected >= HOPELESS_AFTER and not self._answered
        if hopeless:
            raise InputError(
                f"{self.address}: {self._rejected} requests were rejected and none was answered, the last with {error}",
                hint=self.correction,
            ) from None
