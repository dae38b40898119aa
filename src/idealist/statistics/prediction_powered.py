"""Prediction-powered means: a few human values corrected by many machine values, for any machine; their interval and test.

The interval and the test of a corrected mean, allowing for queries that the few human values happen not to show.

The values of the n queries that people judged, each corrected by the machine, h − λ·(f − mean(f̃)), have the interval of
`inversion`, with what an unseen query may be worth to people; the error of λ·mean(f̃) is put to it by Zou and Donner's
method (Statistics in Medicine, 2008). What a machine explains of the values that were seen says nothing about a failure that
was not: it is allowed for as if the machine did not see it either.

Means of one system have Student's interval with its allowance for skewness as well, and the wider end of the two counts.

Prediction-powered means: a few human values corrected by many machine values, for any machine.

n queries have a human value h and a machine value f, and N others a machine value f̃ alone. The estimate is

    mean(h) + λ·(mean(f̃) − mean(f)),

which is right in the mean whatever the machine does, as long as the n queries are a random part of all. The
better the machine follows people, the larger λ may be and the narrower the interval. Angelopoulos, Duchi and Zrnic,
"PPI++", 2023.

Four things keep it honest with few queries. λ is cross-fitted: that of a query comes from all others, so that no query
helps to explain itself. λ is shrunk by 1 − 2/t², t that of the correlation, and is 0 where t² is below 2. Where the interval
would not be narrower than that of the human values alone, by what one more human query would do, the machine says nothing, and
everything is as without it. And the interval allows for queries that were not seen (`powered_test`).
docs/machine-judges.md has the simulations.
"""

from __future__ import annotations

from math import exp, isfinite, log, sqrt

from idealist.base.frozen import Frozen
from idealist.base.results import Result
from idealist.base.values import as_share
from idealist.base.wording import range_text, signed
from idealist.errors import InputError
from idealist.statistics.intervals import (
    LEAST_P,
    ErrorPart,
    SkewedMean,
    careful_interval,
    careful_p_value,
    part_of,
    third_moment,
    within,
)
from idealist.statistics.inversion import bounded_mean
from idealist.statistics.mean_estimates import Interval, estimate_mean, weighted_mean
from idealist.statistics.unseen import best_third

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.statistics.inversion import BoundedMean
    from idealist.statistics.mean_estimates import Estimate


class PoweredTest:
    """A corrected mean and its standard error: `people` are the corrected values with what unseen ones may be worth, `machine`
    is the error that the machine's mean adds, `skewed` the mean whose error has both parts, where it counts too.

    >>> from idealist.statistics.inversion import BoundedMean
    >>> from idealist.statistics.intervals import ErrorPart
    >>> people = BoundedMean([0.0] * 25, -1.0, 1.0)  # 25 queries: up to 1 − 0.025 ** (1/25) may lose 1
    >>> test = PoweredTest(0.0, 0.02, people, ErrorPart(0.02, 1e9, 0.0))
    >>> round(test.ends(0.95)[0], 4)  # −√(0.1372² + (1.96·0.02)²)
    -0.1427
    """

    def __init__(
        self,
        mean: float,
        error: float,
        people: BoundedMean,
        machine: ErrorPart,
        skewed: SkewedMean | None = None,
    ) -> None:
        self.mean = mean
        self.error = error
        self.people = people
        self.machine = machine
        self.skewed = skewed

    def reach(self, confidence: float) -> float:
        """Half of the width of the interval of the machine's part."""
        from scipy.special import stdtrit

        return float(stdtrit(self.machine.freedom, (1 + confidence) / 2)) * self.machine.error

    def ends(self, confidence: float) -> tuple[float, float]:
        """The ends of the interval."""
        both = [] if self.skewed is None else [self.skewed.ends(confidence)]
        alone, reach = self.people.interval(confidence), self.reach(confidence)
        below, above = self.mean - alone.low, alone.high - self.mean
        both.append((self.mean - sqrt(below**2 + reach**2), self.mean + sqrt(above**2 + reach**2)))
        return min(low for low, _ in both), max(high for _, high in both)

    def p_value(self) -> float:
        """That the mean is 0: below 1 − confidence just where the interval leaves out 0."""
        by_skewness = None if self.skewed is None else self.skewed.p_value()
        return max(by_skewness or 0.0, self._p_of_people())

    def _p_of_people(self) -> float:
        """The reach of the machine's part goes by the level, so that p is where the test at level p gives p."""
        from scipy.optimize import brentq

        def p_with(reach: float) -> float:
            if (inside := self.inside(0.0, reach)) is None:
                return 1.0
            above = self.mean > 0
            tail = self.people.above.p_value(inside) if above else self.people.below.p_value(-inside)
            return max(min(1.0, 2 * tail), LEAST_P)

        def excess(log_p: float) -> float:
            return log(p_with(self.reach(1 - exp(log_p)))) - log_p

        least = p_with(0.0)  # by people alone
        if self.mean == 0 or excess(log(least)) <= 0:
            return 1.0 if self.mean == 0 else least
        return exp(brentq(excess, log(least), 0.0, xtol=1e-6))

    def inside(self, end: float, reach: float) -> float | None:
        """Where the interval of `people` alone ends, when that of both ends at `end`; None where the machine's error alone
        reaches as far."""
        if (square := (self.mean - end) ** 2 - reach**2) <= 0:
            return None
        return self.mean - sqrt(square) if end < self.mean else self.mean + sqrt(square)


DRAWN = "estimates from drawn documents"
POWERED = "prediction-powered inference"
UNSUPPORTED = (
    2.0  # t² of a correlation that supports no λ: the noise of an estimated λ costs as much as it gains
)
TURNING = ("value", "human", "machine", "bias")
FEWEST = 5  # queries with both values: with fewer, λ would be made of one or two degrees of freedom


class PoweredMean(Result, Frozen):
    """A mean of human values, corrected by machine values.

    `human` and `machine` are what either gives alone: the mean over the n queries that have a human value, and the
    mean of the machine's over all queries, with intervals of their own. The machine's interval knows nothing of
    its bias, `bias`: the mean of machine less human over the n queries. `weight` is λ (its mean, as it is
    cross-fitted), `error` the standard error. `worth` is how many more human queries (of drawn documents: judgments, as
    `unit` says) would have narrowed the human interval as much; 0 where the machine adds nothing.
    """

    value: float
    interval: Interval | None
    p_value: float | None
    error: float | None
    weight: float
    n: int
    unlabelled: int
    human: float
    human_interval: Interval | None
    machine: float
    machine_interval: Interval | None
    bias: float
    bias_interval: Interval | None
    worth: float
    unit: str = "query"
    p_adjusted: float | None = None  # Holm's, of a comparison's corrected differences

    def __neg__(self) -> PoweredMean:
        """That of the values times −1."""
        turned = {
            name: None if (value := getattr(self, name)) is None else -value
            for name in self.fields
            if name in TURNING or name.endswith("interval")
        }
        return self.replace(**turned)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: intervals by their ends."""
        record: dict[str, Any] = {}
        for field in self.fields:
            value = getattr(self, field)
            record[field] = {"low": value.low, "high": value.high} if isinstance(value, Interval) else value
        return record

    def _gist(self) -> str:
        ends = "" if self.interval is None else f" ({range_text(self.interval)})"
        return f"{signed(self.value)}{ends}; human {signed(self.human)}, machine {signed(self.machine)}"


def powered_mean(
    human: Sequence[float] | NDArray[Any],
    machine: Sequence[float] | NDArray[Any],
    unlabelled: Sequence[float] | NDArray[Any],
    *,
    weights: Sequence[float] | None = None,
    unlabelled_weights: Sequence[float] | None = None,
    bounds: tuple[float, float] | None = None,
    unseen: tuple[float, float] | None = None,
    confidence: float = 0.95,
) -> PoweredMean:
    """The mean of `human` values of some queries, helped by the `machine` values of the same queries and those of
    others, `unlabelled`.

    `unseen` are the least and the largest value that a query which was not seen is taken to have, as for a difference (see
    `unseen`): human and corrected intervals are then those of `inversion`. Without it they allow for skewness; with `bounds`
    of the values, they stay within these, and the corrected one also allows for an unseen query that people and the machine
    see as differently as the best third of queries and the worst.

    >>> human = [0.1, 0.4, 0.5, 0.7, 0.8, 0.2, 0.6, 0.9]
    >>> perfect = powered_mean(human, human, [0.5, 0.3] * 20)
    >>> round(perfect.value, 4), round(perfect.weight, 2)  # (4.2 + 16)/48 with λ = 40/48
    (0.4208, 0.83)
    >>> powered_mean(human, [0.5, 0.4] * 4, [0.9] * 40).value  # no connection: as if it were not there
    0.525
    """
    import numpy as np

    h, f, others = (np.asarray(values, dtype=float) for values in (human, machine, unlabelled))
    as_share(confidence, "confidence")
    if h.shape != f.shape or h.ndim != 1 or others.ndim != 1 or not len(h):
        raise InputError(
            f"there are {h.size} human and {f.size} machine values of the same queries",
            hint="give one of each for every query, one at least",
        )
    if not all(np.isfinite(values).all() for values in (h, f, others)):
        raise InputError("values must be finite numbers", hint="leave out queries without a value")
    everything = np.concatenate([f, others])
    all_weights = None if weights is None else [*weights, *(unlabelled_weights or ())]
    human_estimate = estimate_mean(h, weights)
    human_interval = _human_interval(h, weights, bounds, unseen, confidence)
    of_human = PoweredMean(
        value=weighted_mean(h, weights),
        interval=human_interval,
        p_value=None,
        error=None if human_estimate is None else human_estimate.error,
        weight=0.0,
        n=len(h),
        unlabelled=len(others),
        human=weighted_mean(h, weights),
        human_interval=human_interval,
        machine=weighted_mean(everything, all_weights),
        machine_interval=careful_interval(everything, all_weights, bounds, confidence),
        bias=weighted_mean(f - h, weights),
        bias_interval=careful_interval(f - h, weights, None, confidence),  # a warning is not cautious
        worth=0.0,
    )
    given = {"weights": weights, "unlabelled_weights": unlabelled_weights, "bounds": bounds, "unseen": unseen}
    powered = None if human_interval is None else powered_interval(h, f, others, human_interval, **given)
    if powered is None:
        return of_human.replace(p_value=_human_p_value(h, weights, bounds, unseen))
    test, weight, interval, worth = powered
    return of_human.replace(
        value=test.mean,
        interval=interval,
        p_value=test.p_value(),
        error=test.error,
        weight=weight,
        worth=worth,
    )


def powered_interval(
    human: NDArray[Any],
    machine: NDArray[Any],
    unlabelled: NDArray[Any],
    human_interval: Interval,
    **given: Any,
) -> tuple[PoweredTest, float, Interval, float] | None:
    """The test of the corrected mean, the mean λ, the interval and its worth in queries; None where the machine adds nothing
    to `human_interval`. `given` are the weights and bounds of `powered_test`."""
    found, estimate = (
        powered_test(human, machine, unlabelled, **given),
        estimate_mean(human, given.get("weights")),
    )
    if found is None or estimate is None:
        return None
    test, weight = found
    ends = within(*test.ends(human_interval.confidence), given.get("bounds"))
    interval = Interval(*ends, human_interval.confidence, POWERED)
    worth = _worth(estimate, human_interval, test.error, interval)
    return (test, weight, interval, worth) if round(worth) >= 1 else None


def powered_test(
    human: NDArray[Any],
    machine: NDArray[Any],
    unlabelled: NDArray[Any],
    *,
    weights: Sequence[float] | None = None,
    unlabelled_weights: Sequence[float] | None = None,
    bounds: tuple[float, float] | None = None,
    unseen: tuple[float, float] | None = None,
    more: int = 0,
) -> tuple[PoweredTest, float] | None:
    """The test of the corrected mean and the mean λ, of what `powered_mean` takes; None where λ is 0. λ is that of so many
    `more` queries that people judge: the more they judge, the less the machine adds."""
    if len(human) < FEWEST or (others := estimate_mean(unlabelled, unlabelled_weights)) is None:
        return None
    labelled = estimate_mean(human, weights)
    if labelled is None:
        return None
    size = labelled.size + more
    lambdas = cross_fitted_weights(human, machine, size / others.size, weights, times=size / labelled.size)
    if not lambdas.any():
        return None
    corrected = human - lambdas * (machine - others.mean)
    estimate = estimate_mean(corrected, weights)
    if estimate is None:
        return None
    weight = float(weighted_mean(lambdas, weights))
    # n − 2 degrees of freedom for a mean and a slope; the t of `skewed` keeps those of the mean.
    fitted = estimate.error * sqrt(estimate.size / max(estimate.size - 2, 1.0))
    alone = part_of(others, unlabelled, unlabelled_weights)
    parts = [
        ErrorPart(fitted, estimate.freedom, third_moment(corrected, weights)),
        ErrorPart(weight * alone.error, alone.freedom, weight**3 * alone.third),
    ]
    skewed = SkewedMean(estimate.mean, parts)
    if unseen is not None:
        people = bounded_mean(corrected, weights, *unseen)
        return PoweredTest(estimate.mean, skewed.error, people, parts[1]), weight
    worst, best = _thirds(human, weights, bounds)
    machine_worst, machine_best = _thirds(unlabelled, unlabelled_weights, None)
    low, high = worst - weight * (machine_best - others.mean), best + weight * (others.mean - machine_worst)
    people = bounded_mean(corrected, weights, low, high)
    return PoweredTest(estimate.mean, skewed.error, people, parts[1], skewed), weight


def _thirds(
    values: NDArray[Any], weights: Sequence[float] | None, bounds: tuple[float, float] | None
) -> tuple[float, float]:
    """The means of the worst third and of the best one, each with the worst or best value that there is in it."""
    seen = float(values.min()), float(values.max())
    least, most = (b if isfinite(b) else s for b, s in zip(bounds or seen, seen, strict=True))
    return -best_third(-values, weights, best=-least), best_third(values, weights, best=most)


def drawn_mean(
    corrected: Sequence[float],
    human: Sequence[float],
    machine: Sequence[float],
    *,
    weights: Sequence[float] | None = None,
    labels: int,
    confidence: float = 0.95,
) -> PoweredMean:
    """The mean of values that are estimated query by query from `labels` drawn documents: corrected by the machine, from
    the drawn documents alone, and by the machine alone. The spread between queries has that of the drawing in it.

    >>> mean = drawn_mean([0.4, 0.5, 0.6], [0.2, 0.5, 0.8], [0.7, 0.8, 0.9], labels=30)
    >>> round(mean.value, 4), round(mean.bias, 4), round(mean.worth)  # a third of the spread: nine times the labels
    (0.5, 0.3, 240)
    """
    import numpy as np

    values, alone, judged = (np.asarray(side, dtype=float) for side in (corrected, human, machine))
    estimate, human_estimate = estimate_mean(values, weights), estimate_mean(alone, weights)
    worth = 0.0
    if estimate is not None and human_estimate is not None and estimate.error > 0:
        worth = max(0.0, labels * ((human_estimate.error / estimate.error) ** 2 - 1))
    return PoweredMean(
        value=weighted_mean(values, weights),
        interval=_named(careful_interval(values, weights, None, confidence)),
        p_value=careful_p_value(values, weights, None),
        error=None if estimate is None else estimate.error,
        weight=1.0,
        n=labels,
        unlabelled=len(values),
        human=weighted_mean(alone, weights),
        human_interval=careful_interval(alone, weights, None, confidence),
        machine=weighted_mean(judged, weights),
        machine_interval=careful_interval(judged, weights, None, confidence),
        bias=weighted_mean(judged - values, weights),
        bias_interval=careful_interval(judged - values, weights, None, confidence),
        worth=worth,
        unit="judgment",
    )


def _named(interval: Interval | None) -> Interval | None:
    return None if interval is None else interval.replace(method=DRAWN)


def cross_fitted_weights(
    human: NDArray[Any],
    machine: NDArray[Any],
    ratio: float,
    weights: Sequence[float] | None = None,
    *,
    times: float = 1.0,
) -> NDArray[Any]:
    """λ of every query, from all others: cov(h, f) / ((1 + n/N)·var(f)), shrunk by 1 − 2/t² and within 0 and 1;
    `ratio` is n/N. With so many `times` the queries, t² is as many times as large."""
    import numpy as np

    n = len(human)
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    w = w / w.mean()
    h, f = human - human.mean(), machine - machine.mean()  # sums of squares without cancellation

    def without(terms: NDArray[Any]) -> NDArray[Any]:
        left: NDArray[Any] = (w * terms).sum() - w * terms
        return left

    total = without(np.ones(n))
    mean_h, mean_f = without(h) / total, without(f) / total
    covariance = without(h * f) / total - mean_h * mean_f
    variance_f = without(f * f) / total - mean_f**2
    variance_h = without(h * h) / total - mean_h**2
    scale = variance_h * variance_f
    known = (variance_f > 1e-15 * (f @ f)) & (variance_h > 1e-15 * (h @ h))
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = np.where(known, np.minimum(covariance**2 / scale, 1.0), 0.0)
        t_squared = times * explained * (n - 3) / (1 - explained)
        slope = np.where(known, covariance / variance_f, 0.0)
        shrunk = slope * np.maximum(0.0, 1 - UNSUPPORTED / t_squared)
    return np.clip(np.where(explained > 0, shrunk, 0.0) / (1 + ratio), 0.0, 1.0)


def _human_interval(
    h: NDArray[Any],
    weights: Sequence[float] | None,
    bounds: tuple[float, float] | None,
    unseen: tuple[float, float] | None,
    confidence: float,
) -> Interval | None:
    if unseen is None:
        return careful_interval(h, weights, bounds, confidence)
    return bounded_mean(h, weights, *unseen).interval(confidence)


def _human_p_value(
    h: NDArray[Any],
    weights: Sequence[float] | None,
    bounds: tuple[float, float] | None,
    unseen: tuple[float, float] | None,
) -> float | None:
    if unseen is None:
        return careful_p_value(h, weights, bounds)
    return bounded_mean(h, weights, *unseen).p_value()


def _worth(human: Estimate, human_interval: Interval, error: float, interval: Interval) -> float:
    """Further human queries that would have made the error as small and the interval as narrow, both going by 1/√n."""
    before, after = human_interval.high - human_interval.low, interval.high - interval.low
    if not 0 < after < before or not 0 < error < human.error:
        return 0.0
    return human.size * (min(before / after, human.error / error) ** 2 - 1)
