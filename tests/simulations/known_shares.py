"""How often a limit of a difference lies beyond the truth where segments have known shares of the traffic, and what the shares
save."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from idealist.statistics.paired import levelled
from idealist.statistics.unseen import mean_difference
from simulations.grids import Grid, Rates, Row, standard_error

LEVEL = 0.025
SIZES = (25, 50, 100, 200, 500)
ROUGHLY = 60_000  # queries of a population
Values = Any


class Design(NamedTuple):
    """Shares of the traffic, and of the queries that are drawn, by segment."""

    shares: tuple[float, ...]
    drawn: tuple[float, ...]


def _falling(count: int, last: float) -> tuple[float, ...]:
    parts = np.geomspace(1, last, count)
    return tuple((parts / parts.sum()).tolist())


DESIGNS = {
    "60, 30 and 10 %, drawn alike": Design((0.6, 0.3, 0.1), (0.6, 0.3, 0.1)),
    "80 and 20 %, drawn 20 and 80": Design((0.8, 0.2), (0.2, 0.8)),
    "50 and 50 %, drawn 90 and 10": Design((0.5, 0.5), (0.9, 0.1)),
    "10 alike": Design((0.1,) * 10, (0.1,) * 10),
    "20, from 15 to 0.7 %, drawn alike": Design(_falling(20, 0.05), _falling(20, 0.05)),
}
# How far the mean differences of the segments are apart: first and last, with even steps between.
APART = {"all alike": (0.0, 0.0), "from −0.1 to 0.1": (-0.1, 0.1), "the first +0.2": (0.2, 0.0)}
# Of all queries, how many lose all, and in which segment.
FAILURES = {
    "none lose all": ("", 0.0),
    "4 % lose all": ("anywhere", 0.04),
    "4 %, all in the first": ("first", 0.04),
    "4 %, all in the last": ("last", 0.04),
    "10 %, all in the last": ("last", 0.1),
}
BASELINES = {"beta 1.5 1.5": (1.5, 1.5), "beta 0.5 1.5": (0.5, 1.5)}
TARGETS = (-0.02, 0.0)
SPREADS = {"0 %": 0.0, "10 %": 0.1, "30 %": 0.3, "50 %": 0.5}  # how much of the variance the segments explain


@cache
def population(
    baseline: str, design: str, apart: str, failures: str, target: float
) -> tuple[list[Values], list[Values], float]:
    """By segment, values of the baseline and differences; and their true mean, near the target."""
    rng = np.random.default_rng(5)
    shares = DESIGNS[design].shares
    where, share = FAILURES[failures]
    low, high = APART[apart]
    last = len(shares) - 1
    steps = np.linspace(low, high, len(shares)) if low < high else np.array([low] + [high] * last)
    a, noise, fails = [], [], []
    for at, part in enumerate(shares):
        n = max(1000, round(ROUGHLY * part))
        here = {"anywhere": share, "first": share / part * (at == 0), "last": share / part * (at == last)}
        a.append(rng.beta(*BASELINES[baseline], n))
        noise.append((0.02 if where else 0.12) * rng.standard_normal(n))
        fails.append(rng.random(n) < min(0.7, here.get(where, 0.0)))

    def made(x: float) -> list[Values]:
        parts = zip(a, noise, fails, steps, strict=True)
        return [np.where(fail, -v, np.clip(x + step + z, -v, 1 - v)) for v, z, fail, step in parts]

    def mean(d: list[Values]) -> float:
        return sum(part * float(values.mean()) for part, values in zip(shares, d, strict=True))

    least, most = -1.0, 1.0
    for _ in range(40):
        middle = (least + most) / 2
        least, most = (middle, most) if mean(made(middle)) < target else (least, middle)
    d = made((least + most) / 2)
    return a, d, mean(d)


def drawn(design: Design, a: list[Values], d: list[Values], n: int, rng: Any) -> tuple[Values, ...]:
    """Values, differences, weights and segments of n queries, some of each segment."""
    while (counts := rng.multinomial(n, design.drawn)).min() == 0:
        pass
    at = [rng.integers(0, len(values), count) for values, count in zip(a, counts, strict=True)]
    x, y = (np.concatenate([v[i] for v, i in zip(values, at, strict=True)]) for values in (a, d))
    return x, y, np.repeat(design.shares / counts, counts), np.repeat(np.arange(len(counts)), counts)


def wrong_limits(
    baseline: str, design: str, apart: str, failures: str, target: float, column: str, samples: int
) -> float:
    a, d, truth = population(baseline, design, apart, failures, target)
    n = int(column)
    rng = np.random.default_rng(n)
    wrong = 0
    for _ in range(samples):
        x, y, w, strata = drawn(DESIGNS[design], a, d, n, rng)
        if w @ y > truth:
            test = mean_difference(x, x + y, w, gains=levelled(y, w, strata), strata=strata).above
            wrong += test.p_value(truth) <= LEVEL
    return 100 * wrong / samples


def saved(explained: str, column: str, samples: int) -> float:
    """How many more queries would make the interval without shares as narrow, in percent, on average; normal differences in four
    segments that are drawn in proportion."""
    n, part = int(column), SPREADS[explained]
    rng = np.random.default_rng(n)
    steps = np.sqrt(part) * np.array([-1.0, -1.0, 1.0, 1.0])
    ratios = []
    for _ in range(max(1, samples // 10)):
        strata = rng.integers(0, 4, n)
        counts = np.bincount(strata, minlength=4)
        if counts.min() == 0:
            continue
        x = rng.beta(1.5, 1.5, n)
        y = np.clip(0.15 * (steps[strata] + np.sqrt(1 - part) * rng.standard_normal(n)), -x, 1 - x)
        w = (0.25 / counts)[strata]
        plain = mean_difference(x, x + y, gains=y).interval(0.95)
        known = mean_difference(x, x + y, w, gains=levelled(y, w, strata), strata=strata).interval(0.95)
        widths = [interval.high - interval.low for interval in (plain, known)]
        ratios.append((widths[0] / widths[1]) ** 2)
    return 100 * (float(np.mean(ratios)) - 1)


def rows() -> Iterable[Row]:
    for design in DESIGNS:
        columns = tuple(str(n) for n in SIZES if n > 25 or len(DESIGNS[design].shares) < 10)
        columns = columns if len(DESIGNS[design].shares) < 20 else columns[1:]
        for apart in APART:
            for failures in FAILURES:
                for baseline, target in zip(BASELINES, TARGETS, strict=True):
                    key = f"loss; {design}; {apart}; {failures}; {baseline}; mean {target:g}"
                    rate = partial(wrong_limits, baseline, design, apart, failures, target)
                    yield Row(key, columns, rate)
    for explained in SPREADS:
        yield Row(f"saved; {explained}", tuple(map(str, SIZES)), partial(saved, explained))


def allowed(key: str, column: str) -> tuple[float, float] | None:
    return (0.0, 5.5 + 2 * standard_error(5.5, GRID.samples)) if key.startswith("loss; ") else None


def tables(rates: Rates) -> Mapping[str, str]:
    heads = " | ".join(f"n = {n}" for n in SIZES)
    lines = [f"| worst cell, in % | {heads} |", "|---" * (1 + len(SIZES)) + "|"]
    for design in DESIGNS:
        chosen = [cells for key, cells in rates.items() if key.startswith(f"loss; {design}; ")]
        worst = [[cells[str(n)] for cells in chosen if str(n) in cells] for n in SIZES]
        lines.append(
            f"| {design} | " + " | ".join(f"{max(each):.1f}" if each else "" for each in worst) + " |"
        )
    savings = [f"| of the variance, segments explain | {heads} |", "|---" * (1 + len(SIZES)) + "|"]
    for explained in SPREADS:
        cells = rates[f"saved; {explained}"]
        savings.append(
            f"| {explained} | " + " | ".join(f"{cells[str(n)]:.0f} %".replace("-", "−") for n in SIZES) + " |"
        )
    return {"shares-errors": "\n".join(lines), "shares-saved": "\n".join(savings)}


GRID = Grid(
    "known_shares",
    "Limits of a difference with known shares of segments that lie beyond the truth, in percent of samples, nominally 2.5; and "
    "how many more queries the shares are worth, in percent.",
    1000,
    rows,
    allowed,
    (
        ("loss; 50 and 50 %, drawn 90 and 10; all alike; 10 %, all in the last; beta 0.5 1.5; mean 0", "500"),
        ("loss; 60, 30 and 10 %, drawn alike; all alike; 4 % lose all; beta 0.5 1.5; mean 0", "200"),
        (
            "loss; 20, from 15 to 0.7 %, drawn alike; from −0.1 to 0.1; none lose all; beta 0.5 1.5; mean 0",
            "500",
        ),
        ("saved; 30 %", "200"),
    ),
    tables,
)
