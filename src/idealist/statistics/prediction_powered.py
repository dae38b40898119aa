"""Prediction-powered means: a few human values corrected by many machine values, for any machine.

n queries have a human value h and a machine value f, and N others a machine value f̃ alone. The estimate is

    mean(h) + λ·(mean(f̃) − mean(f)),

which is right in the mean whatever the machine does, as long as the n queries are a random part of all. The
better the machine follows people, the larger λ may be and the narrower the interval. Angelopoulos, Duchi and Zrnic,
"PPI++", 2023.

Four things keep it honest with few queries. λ is cross-fitted: that of a query comes from all others, so that no query
helps to explain itself. λ is shrunk by 1 − 2/t², t that of the correlation, and is 0 where t² is below 2: a machine that
shows no connection with people changes nothing. Where the interval would be wider than that of the human values alone, λ
is 0. And at either end the interval is the wider of Student's and of Hall's (JRSS-B 1992), which allows for skewness;
where half of the queries or more share one value, it is that of `inversion`. docs/machine-judges.md has the simulations.
"""

from __future__ import annotations

from math import copysign, sqrt

from idealist.data.values import as_share
from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.results import Result
from idealist.statistics.interval import Interval
from idealist.statistics.intervals import mean_interval
from idealist.statistics.means import Estimate, estimate_mean, has_no_spread, weighted_mean
from idealist.wording import range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

DRAWN = "estimates from drawn documents"
POWERED = "prediction-powered inference"
SKEWED = "the wider of Student's and Hall's"
UNSUPPORTED = (
    2.0  # t² of a correlation that supports no λ: the noise of an estimated λ costs as much as it gains
)
FEWEST = 5  # queries with both values: with fewer, λ would be made of one or two degrees of freedom
LEAST_P = 1e-300


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
    human_interval = cautious_interval(h, weights, bounds, confidence)
    powered = _powered(h, f, others, weights, unlabelled_weights, bounds, confidence)
    if powered is None or not _narrower(powered[1], human_interval):
        error = None if human_estimate is None else human_estimate.error
        value, interval, p_value, weight = human_mean, human_interval, _p_value(human_estimate), 0.0
    else:
        value, interval, error, p_value, weight = powered
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
        machine_interval=cautious_interval(everything, all_weights, bounds, confidence),
        bias=weighted_mean(f - h, weights),
        bias_interval=cautious_interval(f - h, weights, None, confidence),  # a warning is not cautious
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
        interval=_named(cautious_interval(values, weights, None, confidence)),
        p_value=_p_value(estimate),
        error=None if estimate is None else estimate.error,
        weight=1.0,
        n=labels,
        unlabelled=len(values),
        human=weighted_mean(alone, weights),
        human_interval=cautious_interval(alone, weights, None, confidence),
        machine=weighted_mean(judged, weights),
        machine_interval=cautious_interval(judged, weights, None, confidence),
        bias=weighted_mean(judged - values, weights),
        bias_interval=cautious_interval(judged - values, weights, None, confidence),
        worth=worth,
        unit="judgment",
    )


def _named(interval: Interval | None) -> Interval | None:
    return None if interval is None else interval.replace(method=DRAWN)


def cautious_interval(
    values: NDArray[Any],
    weights: Sequence[float] | None,
    bounds: tuple[float, float] | None,
    confidence: float,
) -> Interval | None:
    """The interval of a mean: at either end the wider of Student's and Hall's; by inversion where half of the values or
    more are the same. None where there are too few values."""
    estimate = estimate_mean(values, weights)
    if estimate is None:
        return None
    if _is_sparse(values) and _finite(bounds):
        return mean_interval(values.tolist(), weights, confidence=confidence, bounds=bounds)
    if has_no_spread(estimate):
        return None
    part = Part(estimate.error, estimate.freedom, _third(values, weights))
    low, high = _ends(estimate.mean, [part], confidence)
    return Interval(*_within(low, high, bounds), confidence, SKEWED)


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
) -> tuple[float, Interval | None, float, float | None, float] | None:
    """Value, interval, error, p-value and mean λ; None where λ is 0."""
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
    parts = [
        Part(fitted, estimate.freedom, _third(corrected, weights)),
        Part(weight * machine.error, machine.freedom, weight**3 * _third(others, other_weights)),
    ]
    error = sqrt(sum(part.error**2 for part in parts))
    if _is_sparse(h) and _finite(bounds):
        spread = _spread(bounds, lambdas, machine.mean)
        inner = mean_interval(corrected.tolist(), weights, confidence=confidence, bounds=spread)
        low, high = _combined(estimate.mean, inner, parts[1], confidence)
    else:
        low, high = _ends(estimate.mean, parts, confidence)
    whole = Estimate(estimate.mean, error, _freedom(parts), labelled.size)
    interval = Interval(*_within(low, high, bounds), confidence, POWERED)
    return estimate.mean, interval, error, _p_value(whole), float(weight)


class Part(Frozen):
    """One of the independent parts of an error: its size, its degrees of freedom and its third moment."""

    error: float
    freedom: float
    third: float


def _ends(mean: float, parts: Sequence[Part], confidence: float) -> tuple[float, float]:
    """The interval of a mean whose error has these parts: at either end the wider of Student's and Hall's."""
    from scipy.special import stdtrit

    error = sqrt(sum(part.error**2 for part in parts))
    if error == 0:
        return mean, mean
    t = float(stdtrit(_freedom(parts), (1 + confidence) / 2))
    skewness = sum(part.third for part in parts) / error**3
    below, above = (_untransformed(end, skewness) for end in (t, -t))
    return mean - error * max(t, below), mean + error * max(t, -above)


def _untransformed(x: float, skewness: float) -> float:
    """The t that Hall's transformation t + s·t²/3 + s²·t³/27 + s/6, s the skewness of the mean, takes to x."""
    if abs(skewness) < 1e-6:
        return x
    inside = 1 + skewness * (x - skewness / 6)
    return 3 / skewness * (copysign(abs(inside) ** (1 / 3), inside) - 1)


def _third(values: NDArray[Any], weights: Sequence[float] | None) -> float:
    """The third moment of the mean, Σ(w/Σw)³(x − mean)³, by n²/((n − 1)(n − 2)) larger."""
    import numpy as np

    n = len(values)
    if n < 3:
        return 0.0
    shares = np.full(n, 1 / n) if weights is None else np.asarray(weights) / np.sum(weights)
    deviations = shares * (values - (shares * values).sum())
    return float((deviations**3).sum()) * n * n / ((n - 1) * (n - 2))


def _combined(mean: float, inner: Interval | None, machine: Part, confidence: float) -> tuple[float, float]:
    """The ends of a sum of two parts, from an interval of either (Zou and Donner, 2008)."""
    from scipy.special import stdtrit

    reach = float(stdtrit(machine.freedom, (1 + confidence) / 2)) * machine.error
    low, high = (mean, mean) if inner is None else (inner.low, inner.high)
    return mean - sqrt((mean - low) ** 2 + reach**2), mean + sqrt((high - mean) ** 2 + reach**2)


def _is_sparse(values: NDArray[Any]) -> bool:
    """Whether half of the values or more are the same."""
    import numpy as np

    _, counts = np.unique(values, return_counts=True)
    return 2 * int(counts.max()) >= len(values)


def _finite(bounds: tuple[float, float] | None) -> bool:
    return bounds is not None and bounds[1] - bounds[0] < float("inf")


def _within(low: float, high: float, bounds: tuple[float, float] | None) -> tuple[float, float]:
    return (low, high) if bounds is None else (max(low, bounds[0]), min(high, bounds[1]))


def _spread(
    bounds: tuple[float, float] | None, lambdas: NDArray[Any], mean: float
) -> tuple[float, float] | None:
    """Between which numbers h − λ·(f − mean) lies."""
    if bounds is None:
        return None
    low, high = bounds
    most = float(lambdas.max())
    return low - most * (high - mean), high + most * (mean - low)


def _freedom(parts: Sequence[Part]) -> float:
    """Welch and Satterthwaite's degrees of freedom of a sum of errors."""
    squares = sum(part.error**2 for part in parts)
    fourth = sum(part.error**4 / part.freedom for part in parts)
    return squares**2 / fourth if fourth else parts[0].freedom


def _p_value(estimate: Estimate | None) -> float | None:
    """Student's, that the mean is 0; None without a spread."""
    if estimate is None or estimate.error == 0:
        return None
    from scipy.special import stdtr

    return max(2 * float(stdtr(estimate.freedom, -abs(estimate.mean) / estimate.error)), LEAST_P)


def _narrower(interval: Interval | None, than: Interval | None) -> bool:
    if interval is None or than is None:
        return than is None and interval is not None
    return interval.high - interval.low < than.high - than.low


def _worth(human: Estimate | None, error: float | None) -> float:
    """Further human queries that would have narrowed the human interval as much."""
    if human is None or not error:
        return 0.0
    return max(0.0, human.size * (human.error / error) ** 2 - human.size)
