"""Work that takes longer than a page may: done once, however many ask for it, in a few threads."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

THREADS = 2  # measuring uses all cores by itself


class Jobs:
    """Jobs by their keys. One that failed is forgotten once its error was shown, so that it can be tried again."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="idealist-job")
        self._lock = Lock()
        self._futures: dict[Hashable, Future[None]] = {}

    def start(self, key: Hashable, work: Callable[[], None]) -> Future[None]:
        """Starts a job, unless one of this key is under way."""
        with self._lock:
            future = self._futures.get(key)
            if future is None or future.done():
                future = self._futures[key] = self._pool.submit(work)
        return future

    def finished(self, key: Hashable) -> BaseException | None:
        """Forgets a job that is done; its error, if it failed."""
        with self._lock:
            future = self._futures.get(key)
            if future is None or not future.done():
                return None
            del self._futures[key]
        return future.exception()

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
