"""Whether many raters can judge at once: ten on SQLite and fifty on PostgreSQL, 100 votes each, every vote sent twice.

    python benchmarks/judging_load.py [--votes 100]

Prints how long votes took to be acknowledged, and ends with an error where one is lost or counted twice. PostgreSQL is started
for it where its server is installed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from idealist.web.base.server_settings import Settings
from idealist.web.workbench import Workbench

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from support.postgres_server import postgres_server, why_not
from support.raters_at_once import judge_at_once, stored_votes, task_for_raters


def measure(name: str, database: str, folder: Path, raters: int, votes: int) -> None:
    settings = Settings(database, folder / f"{name}.files", login=True)
    workbench = Workbench(settings)
    task, tokens = task_for_raters(workbench, folder, raters, votes + 10)
    began = time.perf_counter()
    took = sorted(1000 * seconds for seconds in judge_at_once(workbench, task, tokens, votes))
    seconds = time.perf_counter() - began
    again = Workbench(settings)
    stored = stored_votes(again, task)
    again.close()
    assert stored == (raters * votes, raters * votes, [votes] * raters), stored
    print(
        f"{name}: {raters} raters × {votes} votes in {seconds:.1f} s, all stored once; a vote took "
        f"{statistics.median(took):.0f} ms in the median, {took[int(0.95 * len(took))]:.0f} ms at the 95th percentile, "
        f"{took[-1]:.0f} ms at most",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--votes", type=int, default=100)
    votes = parser.parse_args().votes
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure("SQLite", str(folder / "bench.db"), folder, 10, votes)
        if (reason := why_not()) is not None:
            print(f"PostgreSQL: {reason}")
            return
        with postgres_server() as url:
            measure("PostgreSQL", url.format(name="postgres"), folder, 50, votes)


if __name__ == "__main__":
    main()
