"""How long an evaluation takes on a cluster, by simulating its two stages: reading and packing, then measuring.

    python benchmarks/cluster_stages.py --rows-per-second 1000000 --bytes-per-row 8
    python benchmarks/cluster_stages.py --executors 50 --cores 4 --users 100000000

Tasks are taken by free cores in their order, as Spark does. A task of the first stage reads a split of the input, packs its
rows and writes them to disk; one of the second fetches its part from every machine, over the network, and measures it. The times
of tasks vary by a factor (lognormal), a share of them are stragglers, and some fail and are done again. The rate and the bytes are
those that benchmarks/engines.py measures, and so is the share of the first stage, most of which is Spark's turning rows into Arrow.
"""

from __future__ import annotations

import argparse
import heapq
from random import Random

SPLIT_ROWS = 4_000_000  # of Parquet files of 128 MB, at about 30 bytes a row
PARTITION_ROWS = 2_000_000


def stage_seconds(tasks: list[float], cores: int) -> float:
    """When the last task ends, each going to the core that is free first.

    >>> stage_seconds([2.0, 1.0, 1.0, 3.0], cores=2)
    5.0
    """
    free = [0.0] * cores
    for seconds in tasks:
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free)


def simulate(arguments: argparse.Namespace) -> dict[str, float]:
    """The seconds of both stages, the cores' seconds, and the bytes shuffled."""
    random = Random(arguments.seed)
    rows = arguments.users * (arguments.items + arguments.judged)
    cores = arguments.executors * arguments.cores
    seconds_per_row = 1 / arguments.rows_per_second
    shuffled = rows * arguments.bytes_per_row

    def task(seconds: float) -> float:
        seconds *= random.lognormvariate(0, 0.2)
        if random.random() < arguments.stragglers:
            seconds *= 3
        return seconds * (2 if random.random() < arguments.failures else 1)

    packing = [
        task(SPLIT_ROWS * seconds_per_row * arguments.first_stage) for _ in range(round(rows / SPLIT_ROWS))
    ]
    partitions = round(rows / PARTITION_ROWS)
    # A partition comes over the network, which the cores of a machine share.
    fetching = PARTITION_ROWS * arguments.bytes_per_row / (arguments.network * 1e9 / 8 / arguments.cores)
    measuring = [
        task(PARTITION_ROWS * seconds_per_row * (1 - arguments.first_stage) + fetching)
        for _ in range(partitions)
    ]
    return {
        "rows": rows,
        "core seconds": sum(packing) + sum(measuring),
        "first stage": stage_seconds(packing, cores),
        "second stage": stage_seconds(measuring, cores),
        "shuffled": shuffled,
        "partitions": partitions,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=100_000_000)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--judged", type=int, default=10)
    parser.add_argument("--executors", type=int, default=50)
    parser.add_argument("--cores", type=int, default=4, help="of an executor")
    parser.add_argument("--rows-per-second", type=float, default=1_000_000, help="of a core, both stages")
    parser.add_argument("--bytes-per-row", type=float, default=8, help="in the shuffle")
    parser.add_argument("--first-stage", type=float, default=0.75, help="its share of the CPU time")
    parser.add_argument("--network", type=float, default=10, help="Gbit/s of an executor's machine")
    parser.add_argument("--stragglers", type=float, default=0.01)
    parser.add_argument("--failures", type=float, default=0.001)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    found = simulate(arguments)
    print(f"{found['rows']:,.0f} rows, {arguments.executors} executors × {arguments.cores} cores")
    print(f"shuffled: {found['shuffled'] / 1e9:,.0f} GB in {found['partitions']:,.0f} partitions")
    print(f"CPU: {found['core seconds'] / 3600:,.1f} core hours")
    for stage in ("first stage", "second stage"):
        print(f"{stage}: {found[stage] / 60:,.1f} minutes")
    print(f"both: {(found['first stage'] + found['second stage']) / 60:,.1f} minutes")


if __name__ == "__main__":
    main()
