"""Bias and coverage of values from drawn documents, on TREC 2024 RAG's judgments with made-up systems.

    python benchmarks/drawn_documents.py [FOLDER OF rag24] [TRIALS]

Of every query ten documents among the first ten of both systems are drawn, and ten of the others; queries are drawn with
replacement, so that the true values are known. Prints a Markdown table.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import idealist as il

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from support.rag24 import Grades, read_grades

MEASURES = ("DCG@10", "P@10", "nDCG@10", "R@50")
EACH = 10


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/rag24")
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    human, machine = (read_grades(folder / f"{judge}.qrels.gz") for judge in ("human", "machine"))
    machine = {query: {d: machine[query][d] for d in human[query]} for query in human}
    runs = {"people": noisy(human, 2.0, 1), "imitator": noisy(machine, 1.0, 3)}
    truth = il.compare(human, runs, MEASURES)
    rng = np.random.default_rng(0)
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for _ in range(trials):
        names = {f"q{i:02}": q for i, q in enumerate(rng.choice(list(human), len(human)).tolist())}
        result = il.evaluate(
            il.data.DrawnJudgments({new: drawn(runs, human, old, rng) for new, old in names.items()}),
            {system: {new: run[old] for new, old in names.items()} for system, run in runs.items()},
            MEASURES,
            machine={new: machine[old] for new, old in names.items()},
        )
        assert result.machine is not None
        for measure in result.measures:
            contrast = truth["imitator", measure]
            for name, systems, true in (
                ("people", ("people",), contrast.baseline_value),
                ("imitator − people", ("people", "imitator"), contrast.difference),
            ):
                estimate = result.machine.estimate(result, measure, systems, 0.95)
                assert estimate is not None
                intervals = estimate.interval, estimate.machine_interval
                covers = [interval is not None and true in interval for interval in intervals]
                rows.setdefault((str(measure), name), []).append((estimate.value - true, *covers))
    print("| measure | of | bias | its standard error | covers | machine alone |")
    print("|---|---|---:|---:|---:|---:|")
    for (text, name), trial_rows in rows.items():
        table = np.array(trial_rows, dtype=float)
        error = table[:, 0].std(ddof=1) / len(table) ** 0.5
        covers, alone = 100 * table[:, 1].mean(), 100 * table[:, 2].mean()
        bias = table[:, 0].mean()
        print(f"| {text} | {name} | {bias:+.4f} | {error:.4f} | {covers:.0f} % | {alone:.0f} % |")


def drawn(
    runs: dict[str, dict[str, dict[str, float]]],
    human: dict[str, dict[str, float]],
    query: str,
    rng: np.random.Generator,
) -> dict[str, tuple[float, float]]:
    """Documents of one query, by two strata, with their grades and probabilities."""
    tops = {d for run in runs.values() for d in sorted(run[query], key=run[query].__getitem__)[-10:]}
    sample: dict[str, tuple[float, float]] = {}
    for stratum in (sorted(tops), [d for d in human[query] if d not in tops]):
        size = min(EACH, len(stratum))
        for document in rng.choice(stratum, size, replace=False).tolist():
            sample[document] = human[query][document], size / len(stratum)
    return sample


def noisy(grades: Grades, noise: float, seed: int) -> Grades:
    rng = np.random.default_rng(seed)
    return {
        q: {d: grade + noise * float(rng.normal()) for d, grade in its.items()} for q, its in grades.items()
    }


if __name__ == "__main__":
    main()
