"""How often a limit of the interval of a difference lies on the wrong side of the truth, and how often "better" is found.

Populations are pairs (a, d): a baseline's values and differences with −a ≤ d ≤ 1 − a, whose mean is exactly the target. Losses
fall anywhere, in proportion to what the query is worth ("sized"), or on the best queries alone ("best"). In the mirror,
1 − a and −d, they are wins that fall on queries in the same ways, and the upper limit is what may be wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from idealist.statistics.unseen import mean_difference
from simulations.grids import ROOT, Grid, Rates, Row, standard_error

POPULATION = 200_000
SIZES = (10, 25, 50, 100, 200, 500)
TARGETS = (-0.02, 0.0)
LEVEL = 0.025
ROBUST = ROOT.parent / "shared" / "data" / "robust03"
MEASURES = ("AP", "nDCG@10", "P@10", "RR")
GAINS = ((0.10, 0.25),)
POWER_SIZES = (25, 50, 100)
HOW = ("best-third", "cautious", "student")
KINDS = ("loss", "win", "student")
Values = Any


@cache
def robust() -> dict[str, Values]:
    """By measure, topics × systems of six submitted runs; empty where the data are not."""
    if not ROBUST.exists():
        return {}
    from idealist import evaluate, read_judgments, read_run

    runs = {path.name.split(".")[0]: read_run(path) for path in sorted(ROBUST.glob("*.run.gz"))}
    found = evaluate(read_judgments(ROBUST / "qrels.gz"), runs, MEASURES)
    return {
        measure: np.array([list(found.by_query(measure, system).values()) for system in found.systems]).T
        for measure in MEASURES
    }


@cache
def baselines() -> dict[str, Values]:
    rng = np.random.default_rng(1)
    found = {f"beta {a:g} {b:g}": rng.beta(a, b, POPULATION) for a, b in ((0.5, 1.5), (1.5, 1.5), (1.5, 0.5))}
    for measure, values in robust().items():
        middle = np.argsort(values.mean(0))[values.shape[1] // 2]
        found[f"real {measure}"] = np.resize(values[:, middle], POPULATION)
    return found


Made = Callable[[float], Values]


class Shape(NamedTuple):
    """Differences, make(x), whose mean rises with x."""

    make: Callable[[float], Values]
    low: float
    high: float

    def reaches(self, target: float) -> bool:
        return bool(self.make(self.low).mean() <= target <= self.make(self.high).mean())

    def with_mean(self, target: float) -> Values:
        low, high = self.low, self.high
        for _ in range(45):
            middle = (low + high) / 2
            low, high = (middle, high) if self.make(middle).mean() < target else (low, middle)
        return self.make((low + high) / 2)


def shapes(a: Values) -> dict[str, Shape]:
    """What differences from a baseline's values may be like, by name."""
    rng = np.random.default_rng(2)
    n = len(a)
    z, u, u2, e = rng.standard_normal(n), rng.random(n), rng.random(n), rng.exponential(size=n)

    def clip(d: Values) -> Values:
        return np.clip(d, -a, 1 - a)

    def small(x: float) -> Values:
        return clip(np.minimum(x + 0.01 * z, 1 - a))

    def win(x: float) -> Values:
        return np.where(u < 0.16, np.minimum(x, 1 - a), 0)

    def long(x: float) -> Values:
        return np.where(u2 < 1 - x, -(0.5 + 0.5 * ((7 * u2) % 1)) * a, np.minimum(0.1 * e, 1 - a))

    def mostly_zeros(q: float) -> Made:
        return lambda x: np.where(u < q, clip(x + 0.15 * z), 0)

    def long_losses(q: float) -> Made:
        return lambda x: np.where(u < q, long(x), 0)

    def some_win(p: float) -> Made:
        return lambda x: np.where(u < p, -a, np.where(u < p + 0.16, np.minimum(x, 1 - a), 0))

    def hit_win(hit: Values) -> Made:
        return lambda x: np.where(hit, -a, win(x))

    def hit_small(hit: Values) -> Made:
        return lambda x: np.where(hit, -a, small(x))

    found = {
        "normal .05": Shape(lambda x: clip(x + 0.05 * z), -1, 1),
        "normal .15": Shape(lambda x: clip(x + 0.15 * z), -1, 1),
        "skewed to losses": Shape(lambda x: clip(x + 0.1 * (1 - e)), -1, 1),
        "skewed to wins": Shape(lambda x: clip(x + 0.1 * (e - 1)), -1, 1),
    }
    for q in (0.4, 0.2, 0.1):
        found[f"{1 - q:.0%} zeros"] = Shape(mostly_zeros(q), -1, 1)
        found[f"{1 - q:.0%} zeros, long losses"] = Shape(long_losses(q), 0, 1)
    for p in (0.02, 0.04, 0.06):
        found[f"{p:.0%} lose all, 16% win"] = Shape(some_win(p), 0, 0.6)
    for p in (0.02, 0.03, 0.05, 0.08):
        found[f"{p:.0%} lose all, rest small"] = Shape(hit_small(u < p), 0, 0.3)
    share = a / a.mean()
    for p in (0.02, 0.04, 0.06):
        hit = u2 < p * share
        found[f"sized: {p:.0%} lose all, 16% win"] = Shape(hit_win(hit), 0, 0.6)
        found[f"sized: {p:.0%} lose all, rest small"] = Shape(hit_small(hit), 0, 0.3)
    for p in (0.02, 0.03, 0.04, 0.06):
        good = a >= min(0.9, np.quantile(a, 1 - p))
        hit = good & (u2 < min(1, p / good.mean()))
        found[f"best: {p:.0%} lose all, 16% win"] = Shape(hit_win(hit), 0, 0.6)
        found[f"best: {p:.0%} lose all, rest small"] = Shape(hit_small(hit), 0, 0.3)
    return found


@lru_cache(maxsize=2)
def population(name: str, shape: str, target: float) -> tuple[Values, Values]:
    """Values of the baseline, and differences."""
    a = baselines()[name]
    return a, shapes(a)[shape].with_mean(target)


def wrong_limits(name: str, shape: str, target: float, kind: str, n: int, samples: int) -> float:
    """How often a limit lies beyond the target: the lower one ("loss"), in the mirror the upper one ("win"), or the lower
    one of Student's ("student")."""
    a, d = population(name, shape, target)
    rng = np.random.default_rng(n)
    reach = float(special.stdtrit(n - 1, 1 - LEVEL))
    wrong = 0
    for _ in range(samples):
        at = rng.integers(0, POPULATION, n)
        x, y = a[at], d[at]
        above, error = y.mean() - target, y.std(ddof=1) / n**0.5
        if kind == "student":
            wrong += bool(above > reach * error)
        elif above > error / 2:  # nearer to the truth, no limit leaves it out
            if kind == "loss":
                test = mean_difference(x, x + y, gains=y).above
            else:
                test = mean_difference(1 - x, 1 - x - y, gains=-y).below
            wrong += test.p_value(target) <= LEVEL
    return 100 * wrong / samples


def power(measure: str, low: float, high: float, n: int, how: str, samples: int) -> float:
    """How often "better" is found, over all ordered pairs of the runs with such a true gain."""
    values = robust()[measure]
    means = values.mean(0)
    better = pairs = 0
    for old in range(values.shape[1]):
        for new in range(values.shape[1]):
            if not low <= means[new] / means[old] - 1 <= high:
                continue
            pairs += 1
            rng = np.random.default_rng(100 * old + new)
            for _ in range(samples):
                at = rng.integers(0, len(values), n)
                x, y = values[at, old], values[at, new]
                error = (y - x).std(ddof=1) / n**0.5
                t = (y - x).mean() / error if error > 0 else 0.0
                if how == "student":
                    better += t > special.stdtrit(n - 1, 1 - LEVEL)
                elif t > 1:
                    better += mean_difference(x, y, interval=how).above.p_value(0.0) <= LEVEL
    return 100 * better / (pairs * samples) if pairs else float("nan")


def rows() -> Iterable[Row]:
    for target in TARGETS:
        for name, a in baselines().items():
            for shape, made in shapes(a).items():
                for kind in KINDS if made.reaches(target) else ():
                    rate = partial(_wrong_limits, name, shape, target, kind)
                    yield Row(f"{kind}; {name}; {shape}; mean {target:g}", tuple(map(str, SIZES)), rate)
    for low, high in GAINS if robust() else ():
        for measure in MEASURES:
            for how in HOW:
                key = f"power; {measure}; gain {low:.0%} to {high:.0%}; {how}"
                yield Row(key, tuple(map(str, POWER_SIZES)), partial(_power, measure, low, high, how))


def _wrong_limits(name: str, shape: str, target: float, kind: str, column: str, samples: int) -> float:
    return wrong_limits(name, shape, target, kind, int(column), samples)


def _power(measure: str, low: float, high: float, how: str, column: str, samples: int) -> float:
    return power(measure, low, high, int(column), how, max(1, samples // 5))


def allowed(key: str, column: str) -> tuple[float, float] | None:
    """5.5 % and two standard errors; where failures fall on the best queries alone, and for wins, 17 %."""
    kind, *_ = key.split("; ")
    if kind == "win" or ("; best: " in key and kind == "loss"):
        return 0.0, 17.0
    return (0.0, 5.5 + 2 * standard_error(5.5, GRID.samples)) if kind == "loss" else None


def relative_power(rates: Rates, gain: str, column: str, how: str = "best-third") -> float:
    """Of Student's t, pooled over the measures."""
    found = {
        each: sum(rates[f"power; {measure}; gain {gain}; {each}"][column] for measure in MEASURES)
        for each in (how, "student")
    }
    return found[how] / found["student"]


def tables(rates: Rates) -> Mapping[str, str]:
    kinds: dict[str, Callable[[str], bool]] = {
        "Student's, failures anywhere or in proportion to the query's value": lambda key: (
            key.startswith("student; ") and "; best: " not in key
        ),
        "best third, failures anywhere": lambda key: key.startswith("loss; ") and ": " not in key,
        "best third, failures in proportion to the query's value": lambda key: (
            key.startswith("loss; ") and "; sized: " in key
        ),
        "best third, failures on the best queries alone": lambda key: (
            key.startswith("loss; ") and "; best: " in key
        ),
        "best third in the mirror, rare wins": lambda key: key.startswith("win; "),
    }
    errors = [
        "| worst cell, in % | " + " | ".join(f"n = {n}" for n in SIZES) + " |",
        "|---" * (1 + len(SIZES)) + "|",
    ]
    for title, chosen in kinds.items():
        worst = [max(cells[str(n)] for key, cells in rates.items() if chosen(key)) for n in SIZES]
        errors.append(f"| {title} | " + " | ".join(f"{rate:.1f}" for rate in worst) + " |")
    found = {"difference-errors": "\n".join(errors)}
    if any(key.startswith("power; ") for key in rates):
        lines = [
            '| "better" found, in % | n | AP | nDCG@10 | P@10 | RR | share of Student\'s |',
            "|---" * 7 + "|",
        ]
        for low, high in reversed(GAINS):
            gain = f"{low:.0%} to {high:.0%}"
            for how in HOW:
                for column in map(str, POWER_SIZES):
                    by_measure = [
                        rates[f"power; {measure}; gain {gain}; {how}"][column] for measure in MEASURES
                    ]
                    cells = " | ".join(f"{rate:.0f}" for rate in by_measure)
                    share = relative_power(rates, gain, column, how)
                    lines.append(f"| gain {gain}, {how} | {column} | {cells} | {share:.2f} |")
        found["difference-power"] = "\n".join(lines)
    return found


WORST = (
    ("loss; beta 0.5 1.5; 5% lose all, rest small; mean 0", "200"),
    ("loss; real P@10; 8% lose all, rest small; mean 0", "100"),
    ("loss; beta 0.5 1.5; sized: 4% lose all, rest small; mean 0", "100"),
    ("loss; real AP; sized: 2% lose all, rest small; mean 0", "200"),
    ("loss; beta 0.5 1.5; best: 2% lose all, rest small; mean 0", "100"),
    ("loss; real AP; best: 4% lose all, rest small; mean -0.02", "50"),
    ("win; beta 1.5 0.5; best: 4% lose all, rest small; mean 0", "50"),
    ("win; beta 1.5 0.5; sized: 4% lose all, rest small; mean 0", "50"),
)

GRID = Grid(
    "mean_difference",
    "Limits of the interval of a difference that lie beyond the truth, in percent of samples, nominally 2.5; and power.",
    1000,
    rows,
    allowed,
    WORST,
    tables,
)
