"""How often intervals of means and differences that a machine's judgments correct miss the truth: measures × depths × kinds
of judges × numbers of human queries, on the 43 queries of TREC 2024 RAG that people and a machine judged. Queries are
drawn with replacement, so that the true means and differences are those of the 43."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
from support.rag24 import Grades, noisy_ranking, shared_grades

import idealist as il
from idealist.statistics.intervals import careful_interval
from idealist.statistics.inversion import bounded_mean
from idealist.statistics.mean_estimates import Interval
from idealist.statistics.prediction_powered import powered_interval
from idealist.statistics.unseen import best_third
from simulations.grids import ROOT, Grid, Rates, Row, standard_error

RAG24 = ROOT.parent / "shared" / "data" / "rag24"
MEASURES = ("nDCG@10", "AP", "P@10", "R@100", "RR")
DEPTHS = (60, None)
TOP = ("nDCG@10", "P@10", "RR")  # by the first ten, or nearly: lists cut at 60 have the same values
JUDGES = ("UMBRELA", "good", "generous", "favours worse", "random")
OTHERS = {"20": 400, "43": 215}  # queries of the machine alone, by those of people
SYSTEMS = ("people", "imitator − people")
MISSES, PEOPLE, WIDTH = "", ", people alone", ", width"
COLUMNS = tuple(human + what for human in OTHERS for what in (MISSES, PEOPLE, WIDTH))
Values = Any


def rows() -> Iterable[Row]:
    if not RAG24.exists():
        return
    for measure in MEASURES:
        for depth in DEPTHS[1:] if measure in TOP else DEPTHS:
            for judge in JUDGES:
                for systems in SYSTEMS:
                    key = f"{measure}; {depth or 'full'}; {judge}; {systems}"
                    yield Row(key, COLUMNS, partial(_rate, measure, depth, judge, systems))


def _rate(measure: str, depth: int | None, judge: str, systems: str, column: str, samples: int) -> float:
    human, _, what = column.partition(",")
    found = misses(measure, depth, judge, systems, int(human), samples)
    return found[("", " people alone", " width").index(what)]


@cache
def misses(
    measure: str, depth: int | None, judge: str, systems: str, human: int, samples: int
) -> tuple[float, float, float]:
    """How often the corrected interval does not contain the truth, and that of people alone, in percent; and how wide the
    corrected one is in percent of the other."""
    names = list(reversed(systems.split(" − ")))
    by_people = [task()[depth, "people", measure, name] for name in names]
    by_machine = _combined([task()[depth, judge, measure, name] for name in names])
    truth = float(np.mean(_combined(by_people)))
    size, others = len(by_people[0]), OTHERS[str(human)]
    rng = np.random.default_rng([human, depth or 0, *f"{measure} {judge} {systems}".encode()])
    missed = np.zeros(2)
    widths = []
    for _ in range(samples):
        labelled, unlabelled = rng.integers(0, size, human), rng.integers(0, size, others)
        people, corrected = intervals(
            [x[labelled] for x in by_people], by_machine[labelled], by_machine[unlabelled]
        )
        missed += truth not in corrected, truth not in people
        widths.append((corrected.high - corrected.low) / (people.high - people.low))
    return 100 * missed[0] / samples, 100 * missed[1] / samples, 100 * float(np.mean(widths))


def intervals(by_people: list[Values], machine: Values, others: Values) -> tuple[Interval, Interval]:
    """That of people alone and the corrected one, as `evaluate` and `compare` have them."""
    values, given = _combined(by_people), {}
    if len(by_people) == 1:
        given["bounds"] = (0.0, 1.0)
        people = careful_interval(values, None, given["bounds"], 0.95)
    else:
        given["unseen"] = -best_third(by_people[0]), best_third(by_people[1])
        people = bounded_mean(values, None, *given["unseen"]).interval(0.95)
    assert people is not None
    found = powered_interval(values, machine, others, people, **given)
    return people, people if found is None else found[2]


def _combined(values: list[Values]) -> Values:
    return values[0] if len(values) == 1 else values[1] - values[0]


@cache
def task() -> dict[tuple[int | None, str, str, str], Values]:
    """Values by depth, judge, measure and system."""
    human, machine = shared_grades(RAG24)
    runs = {
        "people": noisy_ranking(human, 2.0, 1),
        "worse": noisy_ranking(human, 2.6, 2),
        "imitator": noisy_ranking(machine, 1.0, 3),
    }
    rng = np.random.default_rng(9)
    runs["near people"] = {
        q: {d: score + 0.7 * float(rng.normal()) for d, score in its.items()}
        for q, its in runs["people"].items()
    }
    judges = {"people": human, "UMBRELA": machine, **made_up_judges(human, runs["worse"])}
    found = {}
    for depth in DEPTHS:
        cut = {
            system: il.Run(
                {q: dict(sorted(its.items(), key=lambda x: -x[1])[:depth]) for q, its in run.items()}
            )
            for system, run in runs.items()
        }
        for judge, grades in judges.items():
            result = il.evaluate(grades, cut, MEASURES)
            for measure in MEASURES:
                for system in runs:
                    values = [result.value(measure, query, system) for query in human]
                    found[depth, judge, measure, system] = np.array(values)
    return found


def made_up_judges(human: Grades, favoured: Grades) -> dict[str, Grades]:
    """One that is right in 85 % of documents, one that grades too high, one that favours what a system has on top, and
    one that knows nothing."""
    rng = np.random.default_rng(5)
    good = {
        q: {
            d: g if rng.random() < 0.85 else float(np.clip(g + rng.choice([-1, 1]), 0, 3))
            for d, g in its.items()
        }
        for q, its in human.items()
    }
    generous = {
        q: {d: min(3.0, g + (rng.random() < 0.6) + (rng.random() < 0.2)) for d, g in its.items()}
        for q, its in human.items()
    }
    top = {q: set(sorted(its, key=lambda d: -its[d])[:20]) for q, its in favoured.items()}
    favours = {
        q: {d: min(3.0, g + 2 * (d in top[q] and rng.random() < 0.6)) for d, g in its.items()}
        for q, its in good.items()
    }
    unknowing = {q: {d: float(rng.integers(0, 4)) for d in its} for q, its in human.items()}
    return {"good": good, "generous": generous, "favours worse": favours, "random": unknowing}


def allowed(key: str, column: str) -> tuple[float, float] | None:
    """7 % and two standard errors at most."""
    return (0, 7 + 2 * standard_error(7, GRID.samples)) if column in OTHERS else None


def tables(rates: Rates) -> Mapping[str, str]:
    lines = [
        "| measure, depth of lists | of | 20 of people, 400 of the machine | 43 of people, 215 of the machine | width |",
        "|---|---|---:|---:|---:|",
    ]
    for measure in MEASURES:
        for depth in DEPTHS[1:] if measure in TOP else DEPTHS:
            for what, chosen in (("means", SYSTEMS[:1]), ("differences", SYSTEMS[1:])):
                cells = [
                    rates[f"{measure}; {depth or 'full'}; {judge}; {of}"] for judge in JUDGES for of in chosen
                ]
                covers = " | ".join(_covers(cells, human) for human in OTHERS)
                widths = [cell[human + WIDTH] for human in OTHERS for cell in cells]
                width = f"{min(widths) / 100:.2f} to {max(widths) / 100:.2f}"
                lines.append(f"| {measure}, {depth or 'full'} | {what} | {covers} | {width} |")
    return {"machine-coverage": "\n".join(lines)} if rates else {}


def _covers(cells: list[dict[str, float]], human: str) -> str:
    """The least and the mean coverage, and that of people alone."""
    covers, alone = ([100 - cell[human + what] for cell in cells] for what in (MISSES, PEOPLE))
    return f"{min(covers):.1f}, mean {np.mean(covers):.1f} % (people alone {min(alone):.1f}, {np.mean(alone):.1f} %)"


WORST = (
    ("AP; 60; UMBRELA; people", "20"),
    ("AP; full; UMBRELA; people", "20"),
    ("RR; full; favours worse; people", "43"),
    ("R@100; 60; good; imitator − people", "43"),
)

GRID = Grid(
    "machine_coverage",
    "How often corrected intervals and those of people alone miss the truth, in percent of samples, nominally 5; their width "
    "in percent of that of people.",
    200,
    rows,
    allowed,
    WORST,
    tables,
)
