"""Pilots: how much two systems differ per query, from queries that were judged already."""

from __future__ import annotations

from math import sqrt

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.results import Result
from idealist.statistics.interval import Interval
from idealist.statistics.means import estimate_mean
from idealist.wording import count_queries, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure


class PairPilot(Result, Frozen):
    """How much two systems differ per query: `sd` of n differences, and what it probably lies between."""

    systems: tuple[str, str]
    measure: str
    n: int
    difference: float
    sd: float
    interval: Interval

    def _gist(self) -> str:
        return (
            f"{self.measure} of {' and '.join(self.systems)}: sd {signed(self.sd)} on {count_queries(self.n)}"
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
            f"{one} and {other} have {count_queries(n)} with {wanted} in common",
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
    return PairPilot((one, other), str(wanted), n, found.mean, sd, Interval(low, high, 0.95, "χ²"))


def _two(systems: Iterable[str]) -> tuple[str, str]:
    names = tuple(systems)
    if len(names) != 2:
        raise InputError(
            f"a pilot is a pair of systems, not {len(names)}", hint=f"name two of {', '.join(names)}"
        )
    return names
