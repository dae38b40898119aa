"""How many queries a comparison needs, and what a given number of them can show.

It stands on σ, the standard deviation of the differences per query, from a pilot or from assumptions. To show that B
is not worse by more than a margin when it is as good as A, plan for an effect as large as the margin.
"""

from __future__ import annotations

from math import ceil, isfinite, sqrt

from idealist.comparison.intervals import Interval, estimate_mean
from idealist.comparison.plan_numbers import (
    FEW,
    MOST,
    normal,
    require_effect,
    require_positive,
    require_risks,
    require_whole,
)
from idealist.data.numbers import as_share
from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure


class PairPilot(Frozen):
    """How much two systems differ per query: `sd` of n differences, and what it probably lies between."""

    systems: tuple[str, str]
    measure: str
    n: int
    difference: float
    sd: float
    interval: Interval


def needed_queries(
    sd: float, effect: float, *, power: float = 0.8, alpha: float = 0.05, exact: bool | None = None
) -> int:
    """How many queries show a mean difference of `effect`: ((z(1−α/2) + z(power))·sd/effect)², rounded up.

    `exact` counts with Student's t, as the test does: one or two queries more. It is the default below 50, where
    that matters.

    >>> needed_queries(0.2, 0.05)  # ((1.960 + 0.842) · 4)² = 125.6
    126
    >>> needed_queries(0.2, 0.05, exact=True)
    128
    >>> needed_queries(0.2, 0.2), needed_queries(0.2, 0.2, exact=False)  # 7.85, rounded up
    (10, 8)
    """
    sd, effect = require_positive(sd, "the standard deviation"), require_effect(effect, "effect")
    require_risks(power, alpha)
    root = (normal(1 - alpha / 2) + normal(power)) * sd / effect
    found = root * root  # ** would not give infinity, but raise
    if not found < MOST:
        raise InputError(f"no number of queries shows a difference of {effect:g} when sd is {sd:g}")
    if not (found < FEW if exact is None else exact):
        return max(2, ceil(found))
    return _least(
        lambda n: queries_power(n, sd, effect, alpha=alpha, exact=True) >= power, max(2, ceil(found))
    )


def queries_power(
    n: int, sd: float, effect: float, *, alpha: float = 0.05, exact: bool | None = None
) -> float:
    """How probable it is that n queries show a true difference of `effect`, by a two-sided test; `exact`, the
    default below 50, is of Student's t.

    >>> round(queries_power(126, 0.2, 0.05), 2)
    0.8
    """
    sd, effect = require_positive(sd, "the standard deviation"), require_effect(effect, "effect")
    n = require_whole(n, "queries", 2)
    as_share(alpha, "alpha")
    shift = effect / sd * sqrt(n)
    from scipy import special

    if not (n < FEW if exact is None else exact):
        z = normal(1 - alpha / 2)
        return float(special.ndtr(shift - z) + special.ndtr(-shift - z))
    t = float(special.stdtrit(n - 1, 1 - alpha / 2))
    above = 1 - float(special.nctdtr(n - 1, shift, t))
    below = float(special.nctdtr(n - 1, shift, -t))
    return above + (below if isfinite(below) else 0.0)


def detectable_difference(
    sd: float, n: int, *, power: float = 0.8, alpha: float = 0.05, exact: bool | None = None
) -> float:
    """The smallest mean difference that n queries show: (z(1−α/2) + z(power))·sd/√n; `exact`, the default below
    50, is by Student's t.

    >>> round(detectable_difference(0.2, 100), 4)  # 2.802 · 0.2 / 10
    0.056
    """
    sd, n = require_positive(sd, "the standard deviation"), require_whole(n, "queries", 2)
    require_risks(power, alpha)
    found = (normal(1 - alpha / 2) + normal(power)) * sd / sqrt(n)
    if not (n < FEW if exact is None else exact):
        return found
    from scipy.optimize import brentq

    high = found
    while queries_power(n, sd, high, alpha=alpha, exact=True) < power:
        high *= 2
    return float(
        brentq(lambda d: queries_power(n, sd, d, alpha=alpha, exact=True) - power, high * 1e-6, high)
    )


def pilot_pair(
    evaluation: Evaluation, measure: str | Measure, systems: tuple[str, str] | None = None
) -> PairPilot:
    """The spread of the differences per query between two systems that were evaluated.

    The interval of sd is the chi-square one, at 95 %: a small pilot says little about it. With weights, sd is
    that for which sd/√n is the error of the weighted mean, so that it answers for queries weighted like these.

    >>> from idealist import evaluate
    >>> judged = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    >>> x = {q: {"a": 2.0, "b": 1.0} for q in judged}
    >>> y = {"q1": x["q1"], "q2": x["q2"], "q3": {"b": 2.0, "a": 1.0}}
    >>> pilot = pilot_pair(evaluate({"x": x, "y": y}, judged, "RR"), "RR")  # 0, 0 and −0.5
    >>> pilot.n, round(pilot.sd, 4)
    (3, 0.2887)
    """
    wanted = evaluation.measure_of(measure)
    if wanted.aggregate != "mean":
        raise InputError(f"{wanted} has no mean over queries", hint="plan for a measure that has one")
    one, other = _two(evaluation.systems if systems is None else systems)
    first, second = evaluation.by_query(wanted, one), evaluation.by_query(wanted, other)
    weights = dict(zip(first, evaluation.weights_of(wanted, one), strict=True))
    differences = {query: second[query] - first[query] for query in first if query in second}
    n = len(differences)
    found = estimate_mean(list(differences.values()), [weights[query] for query in differences])
    if found is None:
        raise InputError(
            f"{one} and {other} have {n} quer{'y' if n == 1 else 'ies'} with {wanted} in common",
            hint="a pilot needs two or more; or say the standard deviation yourself",
        )
    sd = found.error * sqrt(n)
    if sd == 0:
        raise InputError(
            f"{one} and {other} differ by {found.mean:g} on every query: that says nothing about the spread",
            hint="take two runs that differ, or say the standard deviation yourself",
        )
    from scipy.special import chdtri

    low, high = (sd * sqrt(found.freedom / float(chdtri(found.freedom, tail))) for tail in (0.025, 0.975))
    return PairPilot((one, other), str(wanted), n, found.mean, sd, Interval(low, high, 0.95))


def curve(power_at: Callable[[int], float], wanted: int, *, least: int = 2) -> list[tuple[int, float]]:
    """The power at a quarter, half, once, one and a half times and twice the number wanted."""
    numbers = dict.fromkeys(max(least, ceil(wanted * share)) for share in (0.25, 0.5, 1, 1.5, 2))
    return [(n, power_at(n)) for n in numbers]


def _least(enough: Callable[[int], bool], guess: int) -> int:
    """The smallest n of 2 or more that is enough: from a guess near it, and above it only a little."""
    low, high = 1, guess
    while not enough(high):
        low, high = high, high + max(1, high // 8)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _two(systems: Iterable[str]) -> tuple[str, str]:
    names = tuple(systems)
    if len(names) != 2:
        raise InputError(
            f"a pilot is a pair of systems, not {len(names)}", hint=f"name two of {', '.join(names)}"
        )
    return names
