"""What measures cost: each by itself, in nanoseconds a judged document that was retrieved, and all measures of
trec_eval's `all_trec` beside one. Prints JSON lines."""

from __future__ import annotations

import json
import sys
import time
from statistics import median

import numpy as np

import idealist as il
from idealist.data import match
from idealist.data.needs import GRADES
from idealist.measures import registry

QUERIES, DEPTH, JUDGED = 500, 1_000, 1_000


def rankings() -> il.Rankings:
    """Half of each list is judged."""
    random = np.random.default_rng(11)
    run, judgments = {}, {}
    for query in range(QUERIES):
        documents = [str(number) for number in random.choice(10**6, DEPTH + JUDGED // 2, replace=False)]
        scores = random.random(DEPTH).tolist()
        run[str(query)] = dict(zip(documents, scores, strict=False))
        grades = random.integers(0, 4, JUDGED).tolist()
        judgments[str(query)] = dict(zip(documents[DEPTH // 2 :], grades, strict=False))
    return match(il.Judgments(judgments), run)


def main(rounds: int) -> None:
    data = rankings()
    hits = QUERIES * DEPTH // 2
    for name, cls in registry().items():
        measure = cls()
        if measure.needs != GRADES or name == "Sampled":
            continue  # the others need tables, and Sampled needs lists of another kind
        seconds = []
        for _ in range(rounds):
            begin = time.perf_counter()
            measure.values_with_conventions(data)
            seconds.append(time.perf_counter() - begin)
        print(json.dumps({"measure": str(measure), "nanoseconds": median(seconds) / hits * 1e9}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
