"""How many queries or judgments a comparison needs, and what a given number of them can show.

A number of queries stands on σ, the standard deviation of the differences per query; a number of judgments on
the share of "same" among the votes and on how much the votes of one query resemble each other. All come from a
pilot or from assumptions. To show that B is not worse by more than a margin when it is as good as A, plan for an
effect as large as the margin.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, fsum, isfinite, sqrt

from idealist.comparison.intervals import Interval, estimate_mean
from idealist.data.numbers import as_id, as_number
from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure

MOST = 10**15  # more than this is never


class PairPilot(Frozen):
    """How much two systems differ per query: `sd` of n differences, and what it probably lies between."""

    systems: tuple[str, str]
    measure: str
    n: int
    difference: float
    sd: float
    interval: Interval


class VotePilot(Frozen):
    """What votes say about votes to come: the share of "same", votes per query, and how alike those are."""

    n: int
    queries: int
    value: float
    same: float
    per_query: float
    icc: float


def needed_queries(
    sd: float, effect: float, *, power: float = 0.8, alpha: float = 0.05, exact: bool = False
) -> int:
    """How many queries show a mean difference of `effect`: ((z(1−α/2) + z(power))·sd/effect)², rounded up.

    `exact` counts with Student's t, as the test does: one or two queries more, which matters below 50.

    >>> needed_queries(0.2, 0.05)  # ((1.960 + 0.842) · 4)² = 125.6
    126
    >>> needed_queries(0.2, 0.05, exact=True)
    128
    """
    sd, effect = _positive(sd, "the standard deviation"), _effect(effect, "effect")
    _risks(power, alpha)
    root = (_z(1 - alpha / 2) + _z(power)) * sd / effect
    found = root * root  # ** would not give infinity, but raise
    if not found < MOST:
        raise InputError(f"no number of queries shows a difference of {effect:g} when sd is {sd:g}")
    if not exact:
        return max(2, ceil(found))
    return _least(
        lambda n: queries_power(n, sd, effect, alpha=alpha, exact=True) >= power, max(2, ceil(found))
    )


def queries_power(n: int, sd: float, effect: float, *, alpha: float = 0.05, exact: bool = False) -> float:
    """How probable it is that n queries show a true difference of `effect`, by a two-sided test.

    >>> round(queries_power(126, 0.2, 0.05), 2)
    0.8
    """
    sd, effect = _positive(sd, "the standard deviation"), _effect(effect, "effect")
    n = _count(n, "queries", 2)
    _share(alpha, "alpha")
    shift = effect / sd * sqrt(n)
    from scipy import special

    if not exact:
        z = _z(1 - alpha / 2)
        return float(special.ndtr(shift - z) + special.ndtr(-shift - z))
    t = float(special.stdtrit(n - 1, 1 - alpha / 2))
    above = 1 - float(special.nctdtr(n - 1, shift, t))
    below = float(special.nctdtr(n - 1, shift, -t))
    return above + (below if isfinite(below) else 0.0)


def detectable_difference(
    sd: float, n: int, *, power: float = 0.8, alpha: float = 0.05, exact: bool = False
) -> float:
    """The smallest mean difference that n queries show: (z(1−α/2) + z(power))·sd/√n.

    >>> round(detectable_difference(0.2, 100), 4)  # 2.802 · 0.2 / 10
    0.056
    """
    sd, n = _positive(sd, "the standard deviation"), _count(n, "queries", 2)
    _risks(power, alpha)
    found = (_z(1 - alpha / 2) + _z(power)) * sd / sqrt(n)
    if not exact:
        return found
    from scipy.optimize import brentq

    high = found
    while queries_power(n, sd, high, alpha=alpha, exact=True) < power:
        high *= 2
    return float(
        brentq(lambda d: queries_power(n, sd, d, alpha=alpha, exact=True) - power, high * 1e-6, high)
    )


def needed_judgments(
    gsb: float,
    same: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    per_query: float = 1,
    icc: float = 0.0,
) -> int:
    """How many judgments show a GSB, when the share `same` of them says "same".

    With ψ = 1 − same and δ = |gsb|, (z(1−α/2)·√ψ + z(power)·√(ψ − δ²))² / δ², times the design effect
    1 + (per_query − 1)·icc, rounded up. Connor, Biometrics 1987.

    >>> needed_judgments(0.05, 0.7)
    940
    >>> needed_judgments(0.05, 0.7, per_query=10, icc=0.1)  # 1.9 times as many
    1786
    """
    delta, decided = _effect(gsb, "GSB"), _decided(same)
    _risks(power, alpha)
    if delta > decided:
        raise InputError(
            f"a GSB of {delta:g} when {100 * same:g} % of the votes are same",
            hint=f"then it is at most {decided:g}",
        )
    found = _connor(delta, decided, power, alpha) * design_effect(per_query, icc)
    if not found < MOST:
        raise InputError(f"no number of judgments shows a GSB of {delta:g}")
    return ceil(round(found, 9))


def judgments_power(
    n: int, gsb: float, same: float, *, alpha: float = 0.05, per_query: float = 1, icc: float = 0.0
) -> float:
    """How probable it is that n judgments show a true GSB: `needed_judgments` solved for the power.

    >>> round(judgments_power(940, 0.05, 0.7), 2)
    0.8
    """
    delta, decided = _effect(gsb, "GSB"), _decided(same)
    _share(alpha, "alpha")
    if delta > decided:
        raise InputError(f"a GSB of {delta:g} when {100 * same:g} % are same", hint=f"at most {decided:g}")
    effective = _count(n, "judgments", 1) / design_effect(per_query, icc)
    from scipy.special import ndtr

    above = delta * sqrt(effective) - _z(1 - alpha / 2) * sqrt(decided)
    spread = sqrt(max(0.0, decided - delta**2))
    return float(ndtr(above / spread)) if spread else float(above >= 0)


def detectable_gsb(
    n: int,
    same: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    per_query: float = 1,
    icc: float = 0.0,
) -> float | None:
    """The smallest GSB that n judgments show; None when they would show none, though all decided votes agreed.

    >>> round(detectable_gsb(940, 0.7), 4)
    0.05
    """
    decided = _decided(same)
    _risks(power, alpha)
    effective = _count(n, "judgments", 1) / design_effect(per_query, icc)
    if _connor(decided, decided, power, alpha) > effective:
        return None
    from scipy.optimize import brentq

    low = decided * 1e-9
    return float(brentq(lambda delta: _connor(delta, decided, power, alpha) - effective, low, decided))


def design_effect(per_query: float, icc: float) -> float:
    """How many times as many judgments are needed because those of one query resemble each other."""
    per_query = as_number(per_query, "judgments per query", finite=True)
    icc = as_number(icc, "the ICC", finite=True)
    if per_query < 1:
        raise InputError(f"{per_query:g} judgments per query", hint="it is 1 or more")
    if not 0 <= icc <= 1:
        raise InputError(
            f"an ICC of {icc:g}", hint="it lies between 0 (votes of a query unlike) and 1 (alike)"
        )
    return 1 + (per_query - 1) * icc


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


def pilot_votes(votes: Any) -> VotePilot:
    """What votes tell for planning: Votes, or by query a number per judged item, above 0 good, below 0 bad.

    Where several raters voted on an item, what more than half of them say counts, and same if there is no such;
    items with a known answer, and those of weight 0, do not.
    The ICC is that of a one-way analysis of variance, not below 0; with unlike numbers of votes a query,
    `per_query` is Σm²/Σm, which is what the design effect goes by.

    >>> pilot = pilot_votes({"q1": [1, 1], "q2": [0, 0], "q3": [0, -1]})
    >>> pilot.n, pilot.same, round(pilot.value, 4), pilot.per_query, round(pilot.icc, 4)
    (6, 0.5, 0.1667, 2.0, 0.75)
    """
    by_query = votes if isinstance(votes, Mapping) else _folded(votes)
    groups: list[list[float]] = []
    for query, given in by_query.items():
        name = as_id(query, "a query's id")
        numbers = [as_number(one, f"a vote of query {name!r}", finite=True) for one in given]
        if numbers:
            groups.append([float((x > 0) - (x < 0)) for x in numbers])
    everything = [x for group in groups for x in group]
    n = len(everything)
    if n == 0:
        raise InputError("there are no votes to plan from")
    same, value = everything.count(0.0) / n, fsum(everything) / n
    per_query = sum(len(group) ** 2 for group in groups) / n
    return VotePilot(n, len(groups), value, same, per_query, _icc(groups, value))


def curve(power_at: Callable[[int], float], wanted: int, *, least: int = 2) -> list[tuple[int, float]]:
    """The power at a quarter, half, once, one and a half times and twice the number wanted."""
    numbers = dict.fromkeys(max(least, ceil(wanted * share)) for share in (0.25, 0.5, 1, 1.5, 2))
    return [(n, power_at(n)) for n in numbers]


def _folded(votes: Any) -> dict[str, list[float]]:
    """One vote an item, by query, of the items that count."""
    from idealist.comparison.vote_folding import Items

    items = Items(votes)
    by_query: dict[str, list[float]] = {}
    for query, x in zip(items.query.tolist(), items.x.tolist(), strict=True):
        by_query.setdefault(items.query_names[query], []).append(x)
    return by_query


def _icc(groups: list[list[float]], mean: float) -> float:
    k, n = len(groups), sum(map(len, groups))
    if k < 2 or n <= k:
        return 0.0
    means = [fsum(group) / len(group) for group in groups]
    between = fsum(len(g) * (m - mean) ** 2 for g, m in zip(groups, means, strict=True)) / (k - 1)
    within = fsum((x - m) ** 2 for g, m in zip(groups, means, strict=True) for x in g) / (n - k)
    size = (n - sum(len(group) ** 2 for group in groups) / n) / (k - 1)
    whole = between + (size - 1) * within
    return max(0.0, (between - within) / whole) if whole else 0.0


def _connor(delta: float, decided: float, power: float, alpha: float) -> float:
    root = _z(1 - alpha / 2) * sqrt(decided) + _z(power) * sqrt(max(0.0, decided - delta**2))
    return (root / delta) * (root / delta)


def _least(enough: Callable[[int], bool], guess: int) -> int:
    """The smallest n of 2 or more that is enough: from a guess near it, and above it only a little."""
    low, high = 1, guess
    while not enough(high):
        low, high = high, high + max(1, high // 8)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _z(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))


def _two(systems: Iterable[str]) -> tuple[str, str]:
    names = tuple(systems)
    if len(names) != 2:
        raise InputError(
            f"a pilot is a pair of systems, not {len(names)}", hint=f"name two of {', '.join(names)}"
        )
    return names


def _effect(value: Any, what: str) -> float:
    number = abs(as_number(value, f"the {what}", finite=True))
    if number == 0:
        raise InputError(f"the {what} is 0", hint="no number shows that there is none; say how large it is")
    return number


def _positive(value: Any, what: str) -> float:
    number = as_number(value, what, finite=True)
    if number <= 0:
        raise InputError(f"{what} is {number:g}", hint="it is above 0")
    return number


def _count(value: Any, what: str, least: int) -> int:
    number = as_number(value, f"the number of {what}", finite=True)
    if number != int(number) or number < least:
        raise InputError(f"{number:g} {what}", hint=f"a whole number, {least} or more")
    return int(number)


def _share(value: Any, what: str) -> float:
    number = as_number(value, what, finite=True)
    if not 0 < number < 1:
        raise InputError(f"{what} is {number:g}", hint="it lies between 0 and 1")
    return number


def _risks(power: Any, alpha: Any) -> None:
    if _share(power, "the power") <= _share(alpha, "alpha"):
        raise InputError(
            f"a power of {power:g} at an alpha of {alpha:g}", hint="power is above alpha: 0.8 is usual"
        )


def _decided(same: Any) -> float:
    """The share of votes that are not "same"."""
    share = as_number(same, 'the share of "same"', finite=True)
    if not 0 <= share < 1:
        raise InputError(f'a share of "same" of {share:g}', hint="it is 0 or more and below 1, such as 0.7")
    return 1 - share
