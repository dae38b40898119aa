"""What comes after measuring: comparing many users, reports, and frames of values. `python benchmarks/comparing.py [ROUNDS]`
prints a table of CPU seconds; with --json, one JSON line a work."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import idealist as il
from idealist.show import Table
from idealist.show.report_page import report_page

USERS, ITEMS, SYSTEMS = 20_000, 25, 4
MEASURES = ["nDCG@10", "AP", "P@10"]
SEGMENTS = ("new", "old", "mobile", "desk", "tv")


def evaluation() -> il.evaluation.Evaluation:
    """Four systems that rank the same items by a common score, noise of their own, and a little more of the grade."""
    random = np.random.default_rng(20_261_116)
    grades = random.integers(1, 4, (USERS, ITEMS)) * (random.random((USERS, ITEMS)) < 0.2)
    common = random.normal(size=grades.shape) + 0.3 * grades
    scores = (common + 0.2 * random.normal(size=grades.shape) + 0.01 * at * grades for at in range(SYSTEMS))
    runs = {name: il.Run.from_matrix(one) for name, one in zip("abcd", scores, strict=True)}
    return il.evaluate(il.Judgments.from_matrix(grades), runs, MEASURES)


def seconds(work: Callable[[], Any], rounds: int) -> float:
    """The median CPU seconds; the first time, which imports, does not count."""
    work()
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return median(times)


def report(result: il.evaluation.Evaluation) -> str:
    """All of `idealist report` but reading, measuring and writing."""
    comparison = il.comparison.compare_evaluations(result)
    return report_page(result, comparison=comparison, verdicts=comparison.verdicts())


def main(rounds: int) -> dict[str, float]:
    result = evaluation()
    by = {query: SEGMENTS[at % len(SEGMENTS)] for at, query in enumerate(result.queries)}
    size = f"{USERS:,} users × {len(MEASURES)} measures, {SYSTEMS} systems"
    return {
        f"compare, {size}": seconds(lambda: str(il.comparison.compare_evaluations(result)), rounds),
        f"compare, {size}, {len(SEGMENTS)} segments": seconds(
            lambda: il.comparison.compare_evaluations(result, segments=by).verdicts(), rounds
        ),
        f"report, {size}": seconds(lambda: report(result), rounds),
        f"to_frame, {len(result):,} values": seconds(result.to_frame, rounds),
    }


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--json"]
    found = main(int(given[0]) if given else 3)
    if "--json" in sys.argv:
        for name, took in found.items():
            print(json.dumps({"work": name, "seconds": took}))
    else:
        print(
            Table(["work", "CPU s"], [[name, f"{took:.3f}"] for name, took in found.items()]).to_text(),
            end="",
        )
