"""Work that takes longer than a page may: done once, however many ask for it, in a few threads."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from traceback import clear_frames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

MOST_FAILED = 32  # errors that nobody has asked for yet
THREADS = 2  # measuring uses all cores by itself
PROMPT = 2  # threads for what one page waits for, which many runs to be measured must not hold up


class Jobs:
    """Jobs by their keys. One that failed is given back once, so that its error is shown; then it can be tried again. Of
    those that nobody asks for, the last are kept, without what they had in memory."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="idealist-job")
        self._prompt = ThreadPoolExecutor(PROMPT, thread_name_prefix="idealist-prompt")
        self._lock = Lock()
        self._futures: dict[Hashable, Future[None]] = {}

    def start(self, key: Hashable, work: Callable[[], None], *, prompt: bool = False) -> Future[None]:
        """Starts a job, unless one of this key is under way or has just failed; a `prompt` one waits for prompt ones alone."""
        pool = self._prompt if prompt else self._pool
        with self._lock:
            self._forget(key)
            known = self._futures.pop(key, None)
            if known is not None and known.done() and known.exception() is not None:
                return known
            future = pool.submit(_released, work) if known is None or known.done() else known
            self._futures[key] = future
        return future

    def _forget(self, asked: Hashable) -> None:
        """Leaves out jobs that are done, and the oldest that failed; not the one that is asked for."""
        failed = [key for key, job in self._futures.items() if job.done() and not _ended(job)]
        old = set(failed[:-MOST_FAILED])
        self._futures = {
            key: job for key, job in self._futures.items() if key == asked or not (key in old or _ended(job))
        }

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


def _released(work: Callable[[], None]) -> None:
    """Does the work. The traceback of an error names lines, and keeps no runs and judgments in memory."""
    try:
        work()
    except BaseException as error:
        clear_frames(error.__traceback__)
        raise


def _ended(job: Future[None]) -> bool:
    """Whether a job was done, and nobody has to hear of it."""
    return job.done() and (job.cancelled() or job.exception() is None)
