"""Prediction-powered means: a few human values corrected by many machine values, for any machine.

n queries have a human value h and a machine value f, and N others a machine value f̃ alone. The estimate is

    mean(h) + λ·(mean(f̃) − mean(f)),

which is right in the mean whatever the machine does, as long as the n queries are a random part of all. The
better the machine follows people, the larger λ may be and the narrower the interval. Angelopoulos, Duchi and Zrnic,
"PPI++", 2023.

Four things keep it honest with few queries. λ is cross-fitted: that of a query comes from all others, so that no query
helps to explain itself. λ is shrunk by 1 − 2/t², t that of the correlation, and is 0 where t² is below 2: a machine that
shows no connection with people changes nothing. Where the interval would be wider than that of the human values alone, λ
is 0. And the interval is that of `skewed_means`: Student's, wider where the mean is skewed, and that of `inversion` where
nearly all queries share one value. docs/machine-judges.md has the simulations.
"""

from __future__ import annotations

from math import sqrt

from idealist.data.values import as_share
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.results import Result
from idealist.statistics.interval import Interval
from idealist.statistics.inversion import bounded_mean
from idealist.statistics.means import estimate_mean, weighted_mean
from idealist.statistics.skewed_means import (
    ErrorPart,
    SkewedMean,
    careful_interval,
    careful_p_value,
    is_sparse,
    p_value_of,
    part_of,
    third_moment,
    within,
)
from idealist.wording import range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.statistics.means import Estimate

DRAWN = "estimates from drawn documents"
POWERED = "prediction-powered inference"
UNSUPPORTED = (
    2.0  # t² of a correlation that supports no λ: the noise of an estimated λ costs as much as it gains
)
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
    confidence: float = 0.95,
) -> PoweredMean:
    """The mean of `human` values of some queries, helped by the `machine` values of the same queries and those of
    others, `unlabelled`. With `bounds` of the values, intervals stay within them, and those of sparse values allow for
    values that were not seen.

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
    human_mean = weighted_mean(h, weights)
    human_estimate = estimate_mean(h, weights)
    human_interval = careful_interval(h, weights, bounds, confidence)
    powered = _powered(h, f, others, weights, unlabelled_weights, bounds, confidence)
    if powered is None or not _narrower(powered[1], human_interval):
        error = None if human_estimate is None else human_estimate.error
        value, interval, weight = human_mean, human_interval, 0.0
        p_value = careful_p_value(h, weights, bounds)
    else:
        value, interval, error, find_p_value, weight = powered
        p_value = find_p_value()
    return PoweredMean(
        value=value,
        interval=interval,
        p_value=p_value,
        error=error,
        weight=weight,
        n=len(h),
        unlabelled=len(others),
        human=human_mean,
        human_interval=human_interval,
        machine=weighted_mean(everything, all_weights),
        machine_interval=careful_interval(everything, all_weights, bounds, confidence),
        bias=weighted_mean(f - h, weights),
        bias_interval=careful_interval(f - h, weights, None, confidence),  # a warning is not cautious
        worth=_worth(human_estimate, error if weight else None),
    )


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
    human: NDArray[Any], machine: NDArray[Any], ratio: float, weights: Sequence[float] | None = None
) -> NDArray[Any]:
    """λ of every query, from all others: cov(h, f) / ((1 + n/N)·var(f)), shrunk by 1 − 2/t² and within 0 and 1;
    `ratio` is n/N."""
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
        t_squared = explained * (n - 3) / (1 - explained)
        slope = np.where(known, covariance / variance_f, 0.0)
        shrunk = slope * np.maximum(0.0, 1 - UNSUPPORTED / t_squared)
    return np.clip(np.where(explained > 0, shrunk, 0.0) / (1 + ratio), 0.0, 1.0)


def _powered(
    h: NDArray[Any],
    f: NDArray[Any],
    others: NDArray[Any],
    weights: Sequence[float] | None,
    other_weights: Sequence[float] | None,
    bounds: tuple[float, float] | None,
    confidence: float,
) -> tuple[float, Interval | None, float, Callable[[], float | None], float] | None:
    """Value, interval, error, p-value (to be asked for) and mean λ; None where λ is 0."""
    if len(h) < FEWEST or (machine := estimate_mean(others, other_weights)) is None:
        return None
    labelled = estimate_mean(h, weights)
    if labelled is None:
        return None
    lambdas = cross_fitted_weights(h, f, labelled.size / machine.size, weights)
    if not lambdas.any():
        return None
    corrected = h - lambdas * (f - machine.mean)
    estimate = estimate_mean(corrected, weights)
    if estimate is None:
        return None
    weight = weighted_mean(lambdas, weights)
    # n − 2 degrees of freedom for a mean and a slope; the t below keeps those of the mean.
    fitted = estimate.error * sqrt(estimate.size / max(estimate.size - 2, 1.0))
    of_machine = part_of(machine, others, other_weights)
    parts = [
        ErrorPart(fitted, estimate.freedom, third_moment(corrected, weights)),
        ErrorPart(weight * of_machine.error, of_machine.freedom, weight**3 * of_machine.third),
    ]
    mean = SkewedMean(estimate.mean, parts)
    ends, p_value = mean.ends, mean.p_value
    if bounds is not None and is_sparse(h, bounds):
        spread = _spread(bounds, lambdas, machine.mean)
        inner = bounded_mean(corrected, weights, *spread)

        def ends(confidence: float) -> tuple[float, float]:
            return _combined(estimate.mean, inner.interval(confidence), parts[1], confidence)

        def p_value() -> float | None:
            return p_value_of(ends)

    interval = Interval(*within(*ends(confidence), bounds), confidence, POWERED)
    return estimate.mean, interval, mean.error, p_value, float(weight)


def _combined(mean: float, inner: Interval, machine: ErrorPart, confidence: float) -> tuple[float, float]:
    """The ends of a sum of two parts, from an interval of either (Zou and Donner, 2008)."""
    from scipy.special import stdtrit

    reach = float(stdtrit(machine.freedom, (1 + confidence) / 2)) * machine.error
    return mean - sqrt((mean - inner.low) ** 2 + reach**2), mean + sqrt((inner.high - mean) ** 2 + reach**2)


def _spread(bounds: tuple[float, float], lambdas: NDArray[Any], mean: float) -> tuple[float, float]:
    """Between which numbers h − λ·(f − mean) lies."""
    low, high = bounds
    most = float(lambdas.max())
    return low - most * (high - mean), high + most * (mean - low)


def _narrower(interval: Interval | None, than: Interval | None) -> bool:
    if interval is None or than is None:
        return than is None and interval is not None
    return interval.high - interval.low < than.high - than.low


def _worth(human: Estimate | None, error: float | None) -> float:
    """Further human queries that would have narrowed the human interval as much."""
    if human is None or not error:
        return 0.0
    return max(0.0, human.size * (human.error / error) ** 2 - human.size)
