"""Pilots: how much two systems differ per query, from queries that were judged already."""

from __future__ import annotations

from math import sqrt

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.wording import count_queries, signed
from idealist.errors import InputError
from idealist.evaluation.aggregates import range_of
from idealist.statistics.mean_estimates import Interval, estimate_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from idealist.evaluation import Evaluation
    from idealist.measures import Measure


class PairPilot(Result, Frozen):
    """How much two systems differ per query: `sd` of n differences, with its interval.

    `failure` is what an unseen failure would cost, the mean of the best third of the first system's values, and `best` what
    a perfect query is worth (see `needed_queries`); None where the measure has no range.
    """

    systems: tuple[str, str]
    measure: str
    n: int
    difference: float
    sd: float
    interval: Interval
    failure: float | None = None
    best: float | None = None

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
    >>> pilot = pilot_pair(evaluate(judged, {"x": x, "y": y}, "RR"), "RR")  # 0, 0 and −0.5
    >>> pilot.n, round(pilot.sd, 4)
    (3, 0.2887)
    """
    parsed_measure = evaluation.measure_of(measure)
    if parsed_measure.aggregate != "mean":
        raise InputError(f"{parsed_measure} has no mean over queries", hint="plan for a measure that has one")
    first_system, second_system = _two(evaluation.systems if systems is None else systems)
    first_values, second_values = (
        evaluation.by_query(parsed_measure, first_system),
        evaluation.by_query(parsed_measure, second_system),
    )
    weights = dict(zip(first_values, evaluation.weights_of(parsed_measure, first_system), strict=True))
    differences = {
        query: second_values[query] - first_values[query] for query in first_values if query in second_values
    }
    n = len(differences)
    estimate = estimate_mean(list(differences.values()), [weights[query] for query in differences])
    if estimate is None:
        raise InputError(
            f"{first_system} and {second_system} have {count_queries(n)} with {parsed_measure} in common",
            hint="a pilot needs two or more; or state the standard deviation yourself",
        )
    sd = estimate.error * sqrt(n)
    if sd == 0:
        raise InputError(
            f"{first_system} and {second_system} differ by {estimate.mean:g} on every query, so their spread is unknown",
            hint="take two runs that differ, or state the standard deviation yourself",
        )
    from scipy.special import chdtri

    low, high = (
        sd * sqrt(estimate.freedom / float(chdtri(estimate.freedom, tail))) for tail in (0.025, 0.975)
    )
    return PairPilot(
        (first_system, second_system),
        str(parsed_measure),
        n,
        estimate.mean,
        sd,
        Interval(low, high, 0.95, "χ²"),
        *_failing(
            [first_values[query] for query in differences],
            range_of(evaluation, parsed_measure),
            lower=parsed_measure.better == "lower",
        ),
    )


def _failing(
    values: list[float], ends: tuple[float, float], *, lower: bool
) -> tuple[float, float] | tuple[None, None]:
    """What an unseen failure of a system with these values would cost, and one of a perfect query; `lower` says that low
    values are better."""
    low, high = ends
    if not high - low < float("inf"):
        return None, None
    worth = [high - value if lower else value - low for value in values]
    worth.sort(reverse=True)
    good = worth[: max(1, round(len(worth) / 3))]
    return sum(good) / len(good), high - low


def _two(systems: Iterable[str]) -> tuple[str, str]:
    names = tuple(systems)
    if len(names) != 2:
        raise InputError(
            f"a pilot takes two systems, not {len(names)}", hint=f"name two of: {', '.join(names)}"
        )
    return names
