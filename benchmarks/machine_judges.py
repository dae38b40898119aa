"""Coverage of corrected values: made-up machines, and TREC 2024 RAG's judgments with made-up systems.

    python benchmarks/machine_judges.py [FOLDER OF rag24] [TRIALS] [none|table|isotonic]

Prints a Markdown table: how often the 95 % interval covers the true mean or difference, by the corrected values, people alone
and the machine alone; how often p is 5 % or less where the true mean or difference is 0; and the width beside that of people
alone. Values of queries are put together as `evaluate` with `machine=` and `calibrate=` does, and the first trials are compared
with it; `compare` uses the same estimates.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np

import idealist as il
from idealist.evaluation.calibration import calibrations
from idealist.statistics import PoweredMean, powered_mean

LABELLED, OTHERS = 20, 200
MEASURES = ("nDCG@10", "P@10", "AP")
SYSTEMS = (("people",), ("worse",), ("imitator",), ("people", "worse"), ("people", "imitator"))
CHECKED = 3  # trials that are compared with `evaluate`
Grades = dict[str, dict[str, float]]
Values = dict[tuple[str, il.Measure], np.ndarray]


class Row:
    """What the trials of one number add up to."""

    def __init__(self, name: str, truth: float) -> None:
        self.name = name
        self.truth = truth
        self.covered = np.zeros(3)
        self.alarms = 0
        self.widths: list[float] = []
        self.worth: list[float] = []

    def add(self, estimate: PoweredMean, null: PoweredMean) -> None:
        intervals = estimate.interval, estimate.human_interval, estimate.machine_interval
        self.covered += [interval is not None and self.truth in interval for interval in intervals]
        self.alarms += null.p_value is not None and null.p_value <= 0.05
        if estimate.interval is not None and estimate.human_interval is not None:
            width = estimate.human_interval.high - estimate.human_interval.low
            self.widths.append((estimate.interval.high - estimate.interval.low) / width)
        self.worth.append(estimate.worth)

    def __str__(self) -> str:
        trials = len(self.worth)
        shares = " | ".join(
            f"{100 * share:.1f} %" for share in (*self.covered / trials, self.alarms / trials)
        )
        return (
            f"| {self.name} | {shares} | {np.mean(self.widths):.3f} | {max(self.widths):.3f} | "
            f"{np.mean(self.worth):.1f} |"
        )


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/rag24")
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 4000
    calibrate = sys.argv[3] if len(sys.argv) > 3 and sys.argv[3] != "none" else None
    print(
        "| data | covers: corrected | people alone | machine alone | false alarms | width | widest | worth |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    if calibrate is None:
        for row in made_up(trials):
            print(row, flush=True)
    if folder.exists():
        for row in of_trec(folder, trials, calibrate):
            print(row, flush=True)


def made_up(trials: int) -> list[Row]:
    """Differences with a standard deviation of 0.2, and machines that follow them or not."""
    rng = np.random.default_rng(0)
    size = 100_000
    human = rng.normal(0.0, 0.2, size)
    machines = {
        "perfect machine": human,
        "useless machine": rng.normal(0.1, 0.2, size),
        "machine that favours a system": 0.15 + 0.5 * human + rng.normal(0, 0.15, size),
    }
    rows = []
    for name, machine in machines.items():
        row = Row(name, float(human.mean()))
        for _ in range(trials):
            labelled, others = (rng.integers(0, size, n) for n in (LABELLED, OTHERS))
            row.add(
                powered_mean(human[labelled], machine[labelled], machine[others]),
                powered_mean(human[labelled] - row.truth, machine[labelled], machine[others]),
            )
        rows.append(row)
    return rows


def of_trec(folder: Path, trials: int, calibrate: str | None) -> list[Row]:
    """Means and differences of systems that rank by noisy grades of people or of the machine; queries are drawn with
    replacement, so that the true values are those of all queries."""
    task = Task(folder)
    rows = {}
    for measure in task.by_people.measures:
        for systems in SYSTEMS:
            means = [task.by_people.mean(measure, system) for system in systems]
            name = f"of {systems[0]}" if len(systems) == 1 else f"{systems[1]} − {systems[0]}"
            rows[measure, systems] = Row(f"rag24, {measure}, {name}", means[-1] - sum(means[:-1]))
    rng = np.random.default_rng(1)
    for trial in range(trials):
        drawn = rng.integers(0, len(task.queries), LABELLED + OTHERS)
        values = task.machine_values(drawn, calibrate)
        whole = task.whole(drawn, calibrate) if trial < CHECKED else None
        for (measure, systems), row in rows.items():
            human = task.combined(task.human_values, measure, systems)[drawn[:LABELLED]]
            machine = task.combined(values, measure, systems)
            sides = human, machine[:LABELLED], machine[LABELLED:]
            low, high = (0.0, 1.0) if len(systems) == 1 else (-1.0, 1.0)
            estimate = powered_mean(*sides, bounds=(low, high))
            if whole is not None and whole.machine is not None:
                expected = whole.machine.estimate(whole, measure, systems, 0.95)
                assert expected is not None
                assert np.isclose(estimate.value, expected.value), (trial, measure, systems)
                assert estimate.interval is not None
                assert expected.interval is not None
                assert np.isclose(estimate.interval.low, expected.interval.low), (trial, measure, systems)
            null = powered_mean(human - row.truth, *sides[1:], bounds=(low - row.truth, high - row.truth))
            row.add(estimate, null)
    return list(rows.values())


class Task:
    """The queries that both judged, three systems, and their values by people and by the machine."""

    def __init__(self, folder: Path) -> None:
        self.human, machine = (read(folder / f"{judge}.qrels.gz") for judge in ("human", "machine"))
        self.queries = sorted(self.human)
        self.machine = {query: {d: machine[query][d] for d in self.human[query]} for query in self.human}
        self.runs = {
            "people": noisy(self.human, 2.0, 1),
            "worse": noisy(self.human, 2.6, 2),
            "imitator": noisy(self.machine, 1.0, 3),
        }
        self.read_runs = {system: il.Run(run) for system, run in self.runs.items()}
        self.by_people = il.evaluate(self.read_runs, self.human, MEASURES)
        self.human_values = self.values_of(self.by_people)
        self.uncalibrated = self.values_of(il.evaluate(self.read_runs, self.machine, MEASURES))

    def values_of(self, evaluation: il.Evaluation) -> Values:
        return {
            (system, measure): np.array([evaluation.value(measure, query, system) for query in self.queries])
            for system in evaluation.systems
            for measure in evaluation.measures
        }

    def combined(self, values: Values, measure: il.Measure, systems: tuple[str, ...]) -> np.ndarray:
        """The values of a system, or the differences of the second less the first."""
        last = values[systems[-1], measure]
        return last if len(systems) == 1 else last - values[systems[0], measure]

    def machine_values(self, drawn: np.ndarray, calibrate: str | None) -> Values:
        """The machine's values of the queries drawn, as `evaluate` with `calibrate` makes them: the queries that both
        judged by the fit without them, the others by the mean of all fits."""
        if calibrate is None:
            return {key: values[drawn] for key, values in self.uncalibrated.items()}
        names = self.named(drawn[:LABELLED])
        human, machine = (
            il.Judgments({new: grades[old] for new, old in names.items()})
            for grades in (self.human, self.machine)
        )
        fits = calibrations(human, machine, calibrate)
        everything = il.Judgments(self.machine)
        by_fit = [
            self.values_of(il.evaluate(self.read_runs, fit.applied(everything), MEASURES)) for fit in fits
        ]
        fit_of = {query: at for at, fit in enumerate(fits) for query in fit.queries}
        values = {}
        for key in by_fit[0]:
            labelled = [by_fit[fit_of[new]][key][drawn[at]] for at, new in enumerate(names)]
            others = np.mean([its[key] for its in by_fit], axis=0)[drawn[LABELLED:]]
            values[key] = np.concatenate([labelled, others])
        return values

    def whole(self, drawn: np.ndarray, calibrate: str | None) -> il.Evaluation:
        """The same by `evaluate` itself, which takes longer."""
        names = self.named(drawn)
        return il.evaluate(
            {system: {new: run[old] for new, old in names.items()} for system, run in self.runs.items()},
            {new: self.human[old] for new, old in list(names.items())[:LABELLED]},
            MEASURES,
            machine={new: self.machine[old] for new, old in names.items()},
            calibrate=calibrate,
        )

    def named(self, drawn: np.ndarray) -> dict[str, str]:
        """New names of the queries drawn, some of which are drawn twice."""
        return {f"q{at:03}": self.queries[number] for at, number in enumerate(drawn)}


def read(path: Path) -> Grades:
    grades: Grades = {}
    with gzip.open(path, "rt") as lines:
        for line in lines:
            query, _, document, grade = line.split()
            grades.setdefault(query, {})[document] = float(grade)
    return grades


def noisy(grades: Grades, noise: float, seed: int) -> Grades:
    rng = np.random.default_rng(seed)
    return {
        q: {d: grade + noise * float(rng.normal()) for d, grade in its.items()} for q, its in grades.items()
    }


if __name__ == "__main__":
    main()
