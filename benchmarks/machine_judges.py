"""Coverage of corrected values: made-up machines, and TREC 2024 RAG's judgments with made-up systems.

    python benchmarks/machine_judges.py [FOLDER OF rag24] [TRIALS]

Prints a Markdown table: how often the 95 % interval covers the true mean or difference, by the corrected values, people alone
and the machine alone; the false alarms where the true difference is 0; and the width beside that of people alone.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np

import idealist as il
from idealist.statistics import powered_mean

LABELLED, OTHERS = 20, 200
Pairs = tuple[np.ndarray, np.ndarray]


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/rag24")
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 4000
    print(
        "| data | covers: corrected | people alone | machine alone | false alarms | width | widest | worth |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    rng = np.random.default_rng(0)
    size = 100_000
    human = rng.normal(0.0, 0.2, size)
    for name, machine in {
        "perfect machine": human,
        "useless machine": rng.normal(0.1, 0.2, size),
        "machine that favours a system": 0.15 + 0.5 * human + rng.normal(0, 0.15, size),
    }.items():
        print(row(name, (human, machine), trials), flush=True)
    if folder.exists():
        for name, pair in of_trec(folder).items():
            print(row(name, pair, trials), flush=True)


def row(name: str, pair: Pairs, trials: int) -> str:
    """One line of the table, by drawing queries with replacement."""
    human, machine = pair
    rng = np.random.default_rng(1)
    truth = float(human.mean())
    covered = np.zeros(3)
    alarms, widths, worth = 0, [], []
    for _ in range(trials):
        labelled, others = (rng.integers(0, len(human), n) for n in (LABELLED, OTHERS))
        powered = powered_mean(human[labelled], machine[labelled], machine[others])
        null = powered_mean(human[labelled] - truth, machine[labelled], machine[others])
        intervals = powered.interval, powered.human_interval, powered.machine_interval
        covered += [interval is not None and truth in interval for interval in intervals]
        alarms += null.interval is not None and 0.0 not in null.interval
        if powered.interval is not None and powered.human_interval is not None:
            width = powered.human_interval.high - powered.human_interval.low
            widths.append((powered.interval.high - powered.interval.low) / width)
        worth.append(powered.worth)
    shares = " | ".join(f"{100 * share:.1f} %" for share in covered / trials)
    return (
        f"| {name} | {shares} | {100 * alarms / trials:.1f} % | {np.mean(widths):.3f} | {max(widths):.3f} | "
        f"{np.mean(worth):.1f} |"
    )


def of_trec(folder: Path) -> dict[str, Pairs]:
    """Means and differences of systems that rank by noisy grades of people or of the machine."""
    human, machine = (read(folder / f"{judge}.qrels.gz") for judge in ("human", "machine"))
    machine = {query: {d: machine[query][d] for d in human[query]} for query in human}
    runs = {"people": noisy(human, 2.0, 1), "worse": noisy(human, 2.6, 2), "imitator": noisy(machine, 1.0, 3)}
    pairs: dict[str, Pairs] = {}
    for measure in ("nDCG@10", "P@10", "AP"):
        both = il.evaluate(runs, human, measure), il.evaluate(runs, machine, measure)
        values = {
            system: tuple(np.array(list(result.by_query(measure, system).values())) for result in both)
            for system in runs
        }
        for system in runs:
            pairs[f"rag24, {measure} of {system}"] = values[system][0], values[system][1]
        for system in ("worse", "imitator"):
            changes = [of - base for of, base in zip(values[system], values["people"], strict=True)]
            pairs[f"rag24, {measure}, {system} − people"] = changes[0], changes[1]
    return pairs


def read(path: Path) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt") as lines:
        for line in lines:
            query, _, document, grade = line.split()
            grades.setdefault(query, {})[document] = float(grade)
    return grades


def noisy(grades: dict[str, dict[str, float]], noise: float, seed: int) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    return {
        q: {d: grade + noise * float(rng.normal()) for d, grade in its.items()} for q, its in grades.items()
    }


if __name__ == "__main__":
    main()
