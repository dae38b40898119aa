"""Work that takes longer than a page may: done once, however many ask for it, in a few threads."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

THREADS = 2  # measuring uses all cores by itself
PROMPT = 2  # threads for what one page waits for, which many runs to be measured must not hold up


class Jobs:
    """Jobs by their keys. One that failed is given back once, so that its error is shown; then it can be tried again."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="idealist-job")
        self._prompt = ThreadPoolExecutor(PROMPT, thread_name_prefix="idealist-prompt")
        self._lock = Lock()
        self._futures: dict[Hashable, Future[None]] = {}

    def start(self, key: Hashable, work: Callable[[], None], *, prompt: bool = False) -> Future[None]:
        """Starts a job, unless one of this key is under way or has just failed; a `prompt` one waits for prompt ones alone."""
        pool = self._prompt if prompt else self._pool
        with self._lock:
            self._futures = {
                other: job for other, job in self._futures.items() if other == key or not _ended(job)
            }
            known = self._futures.pop(key, None)
            if known is not None and known.done() and known.exception() is not None:
                return known
            future = pool.submit(work) if known is None or known.done() else known
            self._futures[key] = future
        return future

    def close(self) -> None:
        for pool in (self._pool, self._prompt):
            pool.shutdown(wait=True, cancel_futures=True)


def ended_within(jobs: Sequence[Future[None]], seconds: float | None) -> bool:
    """Whether all of some jobs end within so many seconds (None: they are waited for). What is wrong with one that ended
    is raised."""
    done, under_way = wait(jobs, timeout=seconds)
    for job in jobs:
        if job in done:
            job.result()
    return not under_way


def _ended(job: Future[None]) -> bool:
    """Whether a job was done, and nobody has to hear of it."""
    return job.done() and (job.cancelled() or job.exception() is None)
