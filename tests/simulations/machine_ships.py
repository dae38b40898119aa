"""Systems that are worse by just the margin, and machines that see it or not: how often they ship."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from idealist.statistics.inversion import bounded_mean
from idealist.statistics.prediction_powered import powered_interval
from idealist.statistics.unseen import best_third
from simulations.grids import Grid, Rates, Row, standard_error

Values = Any

MARGIN = 0.02
SIZE = 50_000
OTHERS = 400
FAILURE = -0.25  # a difference below this is one that "blind" machines do not see


@cache
def shapes() -> dict[str, tuple[Values, Values]]:
    """Values of the baseline and differences, whose mean is −MARGIN."""
    rng = np.random.default_rng(3)
    chance, z = rng.random(SIZE), rng.normal(size=SIZE)
    wide, any_value, good = rng.uniform(0.3, 1, SIZE), rng.beta(1.5, 1.5, SIZE), np.full(SIZE, 0.99)
    some = rng.random(SIZE) < 0.5
    return {
        "3 % lose .3 to 1": _solved(wide, chance < 0.03, lambda t: t + 0.03 * z),
        "2 % lose 1": _solved(good, chance < 0.02, lambda t: t + 0.002 * z),
        "in proportion": _solved(
            any_value,
            chance < 0.04 * any_value / any_value.mean(),
            lambda t: np.where(some, (t + 1) * abs(z) / 10, 0),
        ),
        "normal": _solved(any_value, np.zeros(SIZE, dtype=bool), lambda t: t + 0.15 * z),
    }


def _solved(before: Values, fails: Values, others: Callable[[float], Values]) -> tuple[Values, Values]:
    """Those that fail lose all; the others change by what makes the mean −MARGIN."""
    low, high = -1.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        difference = np.where(fails, -before, np.clip(others(middle), -before, 1 - before))
        low, high = (middle, high) if difference.mean() < -MARGIN else (low, middle)
    return before, difference


def machines(difference: Values) -> dict[str, Values]:
    """By what a machine says of the same queries."""
    rng = np.random.default_rng(4)
    z, fails = rng.normal(size=SIZE), difference < FAILURE
    usual = float(np.median(difference[~fails]))
    return {
        "random": 0.2 * z,
        "perfect": difference,
        "blind": np.where(fails, usual, difference) + 0.01 * z,
        "sees half": np.where(fails & (z < 0), usual, difference),
        "sees the opposite": np.where(fails, -difference, difference),
    }


SIZES = ("20", "50", "100")
PEOPLE = ", people alone"
MACHINES = ("random", "perfect", "blind", "sees half", "sees the opposite")


def rows() -> Iterable[Row]:
    for shape in shapes():
        for machine in MACHINES:
            columns = tuple(size + what for size in SIZES for what in ("", PEOPLE))
            yield Row(f"{shape}; {machine}", columns, partial(_rate, shape, machine))


def _rate(shape: str, machine: str, column: str, samples: int) -> float:
    human, _, alone = column.partition(",")
    return false_ships(shape, machine, int(human), samples)[bool(alone)]


@cache
def false_ships(shape: str, machine: str, human: int, samples: int) -> tuple[float, float]:
    """The share of samples that ship, in percent, and by people alone."""
    before, difference = shapes()[shape]
    seen = machines(difference)[machine]
    rng = np.random.default_rng([human, *f"{shape} {machine}".encode()])
    ships = np.zeros(2)
    for _ in range(samples):
        labelled, others = rng.integers(0, SIZE, human), rng.integers(0, SIZE, OTHERS)
        a, d = before[labelled], difference[labelled]
        unseen = (-best_third(a), best_third(a + d))
        people = bounded_mean(d, None, *unseen).interval(0.95)
        found = powered_interval(d, seen[labelled], seen[others], people, unseen=unseen)
        ships += [each.low > -MARGIN for each in (people if found is None else found[2], people)]
    return 100 * ships[0] / samples, 100 * ships[1] / samples


def allowed(key: str, column: str) -> tuple[float, float] | None:
    """5.5 % and two standard errors at most."""
    return (0, 5.5 + 2 * standard_error(5.5, GRID.samples)) if column in SIZES else None


def tables(rates: Rates) -> Mapping[str, str]:
    lines = [
        "| the machine | " + " | ".join(f"{size} of people" for size in SIZES) + " |",
        "|---|" + "---:|" * len(SIZES),
    ]
    for machine in MACHINES:
        cells = [rates[f"{shape}; {machine}"] for shape in shapes()]
        worst = [
            f"{max(c[size] for c in cells):.1f} ({max(c[size + PEOPLE] for c in cells):.1f})"
            for size in SIZES
        ]
        lines.append(f"| {machine} | {' | '.join(worst)} |")
    return {"machine-ships": "\n".join(lines)}


WORST = (
    ("3 % lose .3 to 1; random", "20"),
    ("3 % lose .3 to 1; blind", "50"),
    ("in proportion; perfect", "100"),
)

GRID = Grid(
    "machine_ships",
    "How often systems that are worse by just the margin of 0.02 ship, in percent of samples, nominally 2.5, with 400 queries "
    "of the machine alone.",
    300,
    rows,
    allowed,
    WORST,
    tables,
)
