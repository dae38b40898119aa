"""How often some of several equal candidates is "better": a comparison of systems that are all like the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from idealist.statistics.multiple_comparisons import holm
from idealist.statistics.unseen import mean_difference
from simulations.grids import Grid, Rates, Row, standard_error

SIZES = (25, 50, 100, 200)
CANDIDATES = (1, 2, 5, 10, 20)
NOISES = {"normal, sd 0.15": 0.15, "70 % zeros": 0.15}


def some_better(candidates: int, noise: str, simultaneous: bool, column: str, samples: int) -> float:
    n, sd = int(column), NOISES[noise]
    rng = np.random.default_rng(n)
    found = 0
    for _ in range(samples):
        quality = rng.beta(1.5, 1.5, n)
        runs = quality + rng.normal(0, sd, (candidates + 1, n))
        if noise == "70 % zeros":  # most queries are answered alike by all
            runs = np.where(rng.random((candidates + 1, n)) < 0.7**0.5, quality, runs)
        before, *others = np.clip(runs, 0, 1)
        p_values = [
            mean_difference(before, after).above.p_value(0.0) if after.mean() > before.mean() else 1.0
            for after in others
        ]
        found += min(holm(p_values) if simultaneous else p_values) <= 0.025
    return 100 * found / samples


def rows() -> Iterable[Row]:
    for noise in NOISES:
        for candidates in CANDIDATES:
            for simultaneous in (True, False):
                key = f"{'together' if simultaneous else 'each by itself'}; {candidates}; {noise}"
                yield Row(key, tuple(map(str, SIZES)), partial(some_better, candidates, noise, simultaneous))


def allowed(key: str, column: str) -> tuple[float, float] | None:
    return (0.0, 5.5 + 2 * standard_error(5.5, GRID.samples)) if key.startswith("together") else None


def tables(rates: Rates) -> Mapping[str, str]:
    lines = ["| candidates | differences | " + " | ".join(f"n = {n}" for n in SIZES) + " |"]
    lines.append("|---" * (2 + len(SIZES)) + "|")
    for noise in NOISES:
        for candidates in CANDIDATES:
            both = [rates[f"{how}; {candidates}; {noise}"] for how in ("together", "each by itself")]
            cells = " | ".join(f"{both[0][str(n)]:.1f} / {both[1][str(n)]:.1f}" for n in SIZES)
            lines.append(f"| {candidates} | {noise} | {cells} |")
    return {"candidates": "\n".join(lines)}


GRID = Grid(
    "candidates",
    'How often some of several candidates that equal the baseline is "better", in percent of comparisons.',
    1000,
    rows,
    allowed,
    (("together; 10; normal, sd 0.15", "200"), ("together; 2; normal, sd 0.15", "200")),
    tables,
)
