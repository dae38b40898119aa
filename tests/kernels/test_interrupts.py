"""Ctrl-C is answered within a long query, not behind it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable

import pytest

from idealist import kernels

ROWS = 3_000_000
THREADS = [1, 2]


class Rung(Exception):
    pass


@pytest.fixture(scope="module")
def rows() -> kernels.Rows:
    """One query of so many documents that looking at all of them takes about a second."""
    feed = kernels.Feed("run")
    for start in range(0, ROWS, 100_000):
        feed.add(b"".join(b"1 Q0 DOC-%07d 1 0 t\n" % number for number in range(start, start + 100_000)))
    return feed.finish(1)


def seconds_until(answered: type[BaseException] | None, work: Callable[[], object]) -> float:
    """How long the work takes; with an exception, how long after 50 ms it ends by that."""

    def ring(*_: object) -> None:
        raise Rung

    before = signal.signal(signal.SIGALRM, ring)
    began = time.perf_counter()
    try:
        if answered is None:
            work()
            return time.perf_counter() - began
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(answered):
            work()
        return time.perf_counter() - began - 0.05
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no timers by signals")
@pytest.mark.parametrize("threads", THREADS)
def test_a_long_query_is_interrupted(rows: kernels.Rows, threads: int) -> None:
    def work() -> object:
        return kernels.lookalike_rows(rows, None, 10, threads)

    whole = seconds_until(None, work)
    waited = seconds_until(Rung, work)
    assert waited < max(0.3, whole / 2), f"{waited:.2f} s of {whole:.2f} s"
    # What comes then is whole again.
    assert kernels.lookalike_rows(rows, None, 10, threads)[0] == 0
