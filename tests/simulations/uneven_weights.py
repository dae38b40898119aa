"""How often a limit of a weighted difference lies beyond the truth, where few queries have most of the weight and the heavy
ones lose: samples often lack them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from idealist.statistics.unseen import mean_difference
from simulations.grids import Grid, Rates, Row, standard_error

POPULATION = 20_000
SIZES = (50, 100, 200, 300)
WEIGHTS = ("zipf 1", "zipf 0.8", "log-normal, sd 1", "1 to 3")
LOSERS = (
    "4% anywhere",
    "10% of the heaviest 5%",
    "30% of the heaviest 5%",
    "the heaviest 2%",
    "the heaviest 0.5%",
)


@cache
def population(kind: str, losers: str) -> tuple[Any, Any, Any, float]:
    """Weights, the baseline's values, differences, and their true weighted mean."""
    rng = np.random.default_rng(4)
    ranks = np.arange(1, POPULATION + 1)
    weights = {
        "zipf 1": 1 / ranks,
        "zipf 0.8": ranks**-0.8,
        "log-normal, sd 1": np.sort(np.exp(rng.normal(0, 1, POPULATION)))[::-1],
        "1 to 3": np.sort(rng.uniform(1, 3, POPULATION))[::-1],
    }[kind]
    a, some = rng.beta(1.5, 1.5, POPULATION), rng.random(POPULATION)
    lose = {
        "4% anywhere": some < 0.04,
        "10% of the heaviest 5%": (ranks <= 0.05 * POPULATION) & (some < 0.1),
        "30% of the heaviest 5%": (ranks <= 0.05 * POPULATION) & (some < 0.3),
        "the heaviest 2%": ranks <= 0.02 * POPULATION,
        "the heaviest 0.5%": ranks <= 0.005 * POPULATION,
    }[losers]
    win = (weights * a * lose).sum() / (weights * ~lose).sum()  # as much as is lost, where there is room
    d = np.where(lose, -a, np.clip(win + 0.01 * rng.standard_normal(POPULATION), -a, 1 - a))
    return weights, a, d, float((weights * d).sum() / weights.sum())


def wrong_limits(kind: str, losers: str, column: str, samples: int) -> float:
    weights, a, d, truth = population(kind, losers)
    n = int(column)
    rng = np.random.default_rng(n)
    wrong = 0
    for _ in range(samples):
        at = rng.integers(0, POPULATION, n)
        w, x, y = weights[at], a[at], d[at]
        if (w * y).sum() / w.sum() > truth:
            wrong += mean_difference(x, x + y, w, gains=y).above.p_value(truth) <= 0.025
    return 100 * wrong / samples


def rows() -> Iterable[Row]:
    for kind in WEIGHTS:
        for losers in LOSERS:
            yield Row(f"{kind}; {losers}", tuple(map(str, SIZES)), partial(wrong_limits, kind, losers))


def allowed(key: str, column: str) -> tuple[float, float]:
    """As without weights; 10 % where all of the heaviest queries lose all, and they alone, as a sample without any of them
    tells nothing of it."""
    worst = key.split("; ")[1].startswith("the heaviest")
    return 0.0, 10.0 if worst else 5.5 + 2 * standard_error(5.5, GRID.samples)


def tables(rates: Rates) -> Mapping[str, str]:
    lines = ["| weights | who loses all | " + " | ".join(f"n = {n}" for n in SIZES) + " |"]
    lines.append("|---" * (2 + len(SIZES)) + "|")
    for key, cells in rates.items():
        kind, losers = key.split("; ")
        lines.append(f"| {kind} | {losers} | " + " | ".join(f"{cells[str(n)]:.1f}" for n in SIZES) + " |")
    return {"uneven-weights": "\n".join(lines)}


GRID = Grid(
    "uneven_weights",
    "Limits of a weighted difference that lie beyond the truth, in percent of samples, nominally 2.5.",
    1000,
    rows,
    allowed,
    (("zipf 1; the heaviest 2%", "50"), ("zipf 0.8; the heaviest 2%", "200")),
    tables,
)
