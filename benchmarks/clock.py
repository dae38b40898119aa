"""The clock of the benchmarks."""

from __future__ import annotations

import resource
import sys
import time


def clock() -> float:
    """Seconds; with --cpu, those that this process and its children spent, on all threads."""
    if "--cpu" not in sys.argv:
        return time.perf_counter()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
