"""How often one of two equal systems is found better or worse in an A/B test whose metric has rare or skewed values; by the
interval that decides, and by Welch's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import ttest_ind

from idealist.statistics.intervals import MeanDifference
from simulations.grids import Grid, Rates, Row, standard_error

Draw = Callable[[np.random.Generator, int], Any]


def clicks(rng: np.random.Generator, n: int) -> Any:
    return (rng.random(n) < 0.01).astype(float)


def sums_of_few(rng: np.random.Generator, n: int) -> Any:
    return np.where(rng.random(n) < 0.05, np.exp(rng.normal(0.0, 1.0, n)), 0.0)


def sums_of_all(rng: np.random.Generator, n: int) -> Any:
    return np.exp(rng.normal(0.0, 1.5, n))


METRICS: dict[str, Draw] = {
    "1 % of users click": clicks,
    "5 % of users buy, for log-normal sums": sums_of_few,
    "log-normal sums of all users (σ = 1.5)": sums_of_all,
}
CASES = (
    ("1 % of users click", 500, 500),
    ("1 % of users click", 100, 900),
    ("5 % of users buy, for log-normal sums", 100, 900),
    ("log-normal sums of all users (σ = 1.5)", 100, 900),
    ("log-normal sums of all users (σ = 1.5)", 200, 200),
)
WAYS = ("Welch", "here")


def found(metric: str, n: int, baseline_n: int, way: str, samples: int) -> float:
    """The share of logs in which a group is better or worse, in percent."""
    rng, wrong = np.random.default_rng(4), 0
    for _ in range(samples):
        values, baseline_values = METRICS[metric](rng, n), METRICS[metric](rng, baseline_n)
        if way == "Welch":
            both_alike = np.ptp(values) == np.ptp(baseline_values) == 0
            p = 1.0 if both_alike else ttest_ind(values, baseline_values, equal_var=False).pvalue
            wrong += p < 0.05
            continue
        high = 1.0 if metric == "1 % of users click" else max(values.max(), baseline_values.max())
        wrong += 0 not in MeanDifference(values, baseline_values, 0.0, high).interval(0.95)
    return 100 * wrong / samples


def rows() -> Iterable[Row]:
    for metric, n, baseline_n in CASES:
        yield Row(f"{metric}; {n} and {baseline_n}", WAYS, partial(found, metric, n, baseline_n))


def allowed(key: str, column: str) -> tuple[float, float] | None:
    return None if column == "Welch" else (0.0, 5.5 + 2 * standard_error(5.5, GRID.samples))


def tables(rates: Rates) -> Mapping[str, str]:
    lines = ["| metric | users | Welch | here |", "|---|---|---|---|"]
    for metric, n, baseline_n in CASES:
        users = f"{n} and {baseline_n}"
        cells = rates[f"{metric}; {users}"]
        lines.append(f"| {metric} | {users} | " + " | ".join(f"{cells[way]:.1f} %" for way in WAYS) + " |")
    return {"ab-tests": "\n".join(lines)}


GRID = Grid(
    "ab_tests",
    "A/B tests of equal systems in which one is found better or worse, in percent of logs, nominally 5.",
    500,
    rows,
    allowed,
    (
        ("5 % of users buy, for log-normal sums; 100 and 900", "here"),
        ("log-normal sums of all users (σ = 1.5); 200 and 200", "here"),
    ),
    tables,
)
