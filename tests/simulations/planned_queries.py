"""How often the verdict on a planned number of queries is "better": 80 % is promised.

Differences are normal, with the mean and spread that the plan is for; the baseline's values are of a beta distribution, or all
nearly perfect where the plan knows nothing of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from idealist.statistics.power import needed_queries
from idealist.statistics.unseen import mean_difference
from simulations.grids import Grid, Rates, Row

BASELINES = {
    "perfect": (1e6, 1.0),
    "beta 0.5 1.5": (0.5, 1.5),
    "beta 1.5 1.5": (1.5, 1.5),
    "beta 1.5 0.5": (1.5, 0.5),
}
SPREADS = (0.1, 0.15, 0.2, 0.3)
EFFECTS = (0.03, 0.05, 0.1, 0.15, 0.3)
MOST = 400  # queries: what takes more is planned alike, and takes longer to simulate


def good_value(name: str) -> float:
    """The mean of the best third of a baseline's values."""
    values = np.sort(np.random.default_rng(1).beta(*BASELINES[name], 100_000))
    return float(values[-len(values) // 3 :].mean())


def planned(name: str, sd: float, effect: float) -> int:
    return needed_queries(sd, effect, failure=good_value(name))


def better(name: str, sd: float, effect: float, n: int, samples: int) -> float:
    rng = np.random.default_rng(n)
    found = 0
    for _ in range(samples):
        before, gains = rng.beta(*BASELINES[name], n), rng.normal(effect, sd, n)
        if gains.mean() > 0:
            after = np.clip(before + gains, 0, 1)
            found += mean_difference(before, after, gains=gains).above.p_value(0.0) <= 0.025
    return 100 * found / samples


def rows() -> Iterable[Row]:
    for name in BASELINES:
        for sd in SPREADS:
            columns = tuple(str(effect) for effect in EFFECTS if planned(name, sd, effect) <= MOST)
            yield Row(f"{name}; sd {sd:g}", columns, partial(_rate, name, sd))


def _rate(name: str, sd: float, column: str, samples: int) -> float:
    effect = float(column)
    return better(name, sd, effect, planned(name, sd, effect), samples)


def allowed(key: str, column: str) -> tuple[float, float]:
    """77 %; less where a gain of three standard deviations is planned for a few queries, whose best third varies."""
    return (77.0 if float(column) <= 2 * float(key.split("sd ")[1]) else 70.0), 100.0


def tables(rates: Rates) -> Mapping[str, str]:
    lines = [
        "| best third of the baseline | sd | " + " | ".join(f"gain {effect:g}" for effect in EFFECTS) + " |"
    ]
    lines.append("|---" * (2 + len(EFFECTS)) + "|")
    for key, cells in rates.items():
        name, sd = key.split("; sd ")
        found = [
            f"{planned(name, float(sd), effect)}: {cells[str(effect)]:.0f} %" if str(effect) in cells else ""
            for effect in EFFECTS
        ]
        lines.append(f"| {good_value(name):.2f} | {sd} | " + " | ".join(found) + " |")
    return {"planned-queries": "\n".join(lines)}


GRID = Grid(
    "planned_queries",
    'How often the verdict on as many queries as were planned, for 80 % power, is "better", in percent.',
    1000,
    rows,
    allowed,
    (("perfect; sd 0.15", "0.03"), ("beta 0.5 1.5; sd 0.1", "0.15"), ("beta 1.5 0.5; sd 0.3", "0.05")),
    tables,
)
