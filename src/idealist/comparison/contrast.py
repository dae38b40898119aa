"""One system compared with the baseline on one measure: the difference, its interval and tests, the queries that changed."""

from __future__ import annotations

from functools import cached_property
from math import sqrt

from idealist.data.collection import frame_of
from idealist.evaluation.changes import QueryChange
from idealist.frozen import Frozen, FrozenTable
from idealist.results import Drawable
from idealist.statistics.beliefs import Posterior, posterior
from idealist.statistics.intervals import STUDENT, student_interval
from idealist.statistics.inversion import INVERSION, bounded_mean
from idealist.statistics.means import has_no_spread, weighted_mean
from idealist.statistics.power import detectable_difference
from idealist.statistics.resampling import Resampled
from idealist.statistics.testing import parse_test
from idealist.statistics.tests.randomisation import RandomisationTest
from idealist.statistics.tests.student import TTest
from idealist.wording import range_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from idealist.measures import Measure
    from idealist.statistics.interval import Interval
    from idealist.statistics.inversion import BoundedMean
    from idealist.statistics.means import Estimate
    from idealist.statistics.paired import Paired
    from idealist.statistics.prediction_powered import PoweredMean
    from idealist.statistics.tests.base import PairedTest, Significance

MOST_MOVED = 10
# With fewer queries that changed, BCa intervals cover less than 93 %: 78 % at 70 % zeros and 25 queries.
BOOTSTRAP_LEAST = 100


class Contrast(Drawable, Frozen):
    """A system compared with the baseline on one measure, over the queries that have a value in both.

    `difference` is value − baseline_value, weighted if the evaluation is, whichever is better; `wins` and
    `losses` count the queries where the system is better and worse, by `Measure.better` (higher, where neither
    is). `interval` allows for rare large differences up to the measure's range (see `inversion`; Student's where
    the measure has none); `estimate`, `student` and `p_value` are Student's. `tests` has what every test that was
    asked for says, and `significance` what any test says. `dz` is the difference in standard deviations
    of the differences, `detectable` the smallest true difference for which Student's test has a power of 80 %.
    `p_adjusted` is Holm's, `p_discovery` Benjamini and Hochberg's, over the family of tests. What cannot be
    computed is None, such as every test of a single query.
    """

    system: str
    baseline: str
    measure: Measure
    n: int
    baseline_value: float
    value: float
    difference: float
    estimate: Estimate | None
    dz: float | None
    wins: int
    ties: int
    losses: int
    posterior: Posterior | None
    detectable: float | None
    moved: tuple[QueryChange, ...]
    paired: Paired
    tests: Mapping[PairedTest, Significance] = FrozenTable({})
    p_adjusted: float | None = None
    p_discovery: float | None = None
    segment: str | None = None
    seed: int = 0
    confidence: float = 0.95
    corrected: PoweredMean | None = None  # by human and machine judgments together
    whole_ids: bool = False  # queries were given as whole numbers: frames have them so

    @property
    def sign(self) -> float:
        """1 where a difference above 0 is for the better, −1 where it is for the worse."""
        return -1.0 if self.measure.better == "lower" else 1.0

    @property
    def gain(self) -> float:
        """The difference, above 0 when the system is the better one."""
        return self.sign * self.difference

    @cached_property
    def bounded(self) -> BoundedMean | None:
        """The mean gain with the range that it has; None where the measure has none, or there are too few queries."""
        low, high = self.measure.bounds
        if self.estimate is None or not high - low < float("inf"):
            return None
        gains = self.sign * self.paired.changes
        return bounded_mean(gains, self.paired.weights, low - high, high - low)

    @cached_property
    def gain_interval(self) -> Interval | None:
        """The interval of `gain`."""
        if self.bounded is not None:
            return self.bounded.interval(self.confidence)
        return None if self.student is None else _turned(self.student, self.sign)

    @cached_property
    def student(self) -> Interval | None:
        """Student's interval of the difference; None where all queries changed alike and there is no spread."""
        estimate = self.estimate
        return (
            None
            if estimate is None or has_no_spread(estimate)
            else student_interval(estimate, self.confidence)
        )

    @property
    def interval(self) -> Interval | None:
        """The interval of the difference."""
        gain_interval = self.gain_interval
        return None if gain_interval is None else _turned(gain_interval, self.sign)

    @property
    def interval_method(self) -> str:
        return STUDENT if self.bounded is None else INVERSION

    @property
    def decisive(self) -> tuple[float, Interval | None, str]:
        """What a verdict goes by: the gain, its interval and the interval's method; corrected by the machine's judgments
        where there are any."""
        corrected = self.corrected
        if corrected is None:
            method = self.interval_method if self.gain_interval is not None else ""
            return self.gain, self.gain_interval, method
        interval = None if corrected.interval is None else _turned(corrected.interval, self.sign)
        return self.sign * corrected.value, interval, "" if interval is None else interval.method

    @property
    def p_in_family(self) -> float | None:
        """The p-value that is adjusted for the family: that of the first requested test that is defined."""
        p_values = (significance.p_value for significance in self.tests.values())
        return next((p for p in p_values if p is not None), None)

    def significance(self, test: str | PairedTest) -> Significance:
        """The result of a test, whether or not it was requested: `contrast.significance("wilcoxon").p_value`."""
        for asked_test, significance in self.tests.items():
            if test in (asked_test, asked_test.name, str(asked_test)):
                return significance
        return parse_test(test, seed=self.seed).of(self.paired.sample)

    @cached_property
    def p_value(self) -> float | None:
        """Student's p-value."""
        return self.significance(TTest()).p_value

    @property
    def p_randomised(self) -> float | None:
        """The p-value by flipped signs; None where the test was not requested."""
        p_values = (
            significance.p_value
            for test, significance in self.tests.items()
            if isinstance(test, RandomisationTest)
        )
        return next(p_values, None)

    @property
    def alike(self) -> bool:
        """Whether every query changed by the same amount, not 0, so that Student's t is undefined."""
        return self.n > 1 and self.estimate is not None and self.p_value is None

    @cached_property
    def p_wilcoxon(self) -> float | None:
        """Wilcoxon's signed ranks; None with weights, which it does not know."""
        return self.significance("wilcoxon").p_value

    @cached_property
    def p_sign(self) -> float | None:
        """The sign test; None with weights, which it does not know."""
        return self.significance("sign").p_value

    @cached_property
    def resampled(self) -> Resampled:
        """The mean difference over queries that are drawn again and again."""
        return Resampled(self.paired.changes, self.paired.weights, seed=self.seed)

    @cached_property
    def bootstrap(self) -> Interval | None:
        """The interval of the difference by drawing queries again and again."""
        return self.resampled.interval(self.confidence)

    @property
    def bootstrap_holds(self) -> bool:
        """Whether enough queries changed for the bootstrap interval to cover what it says."""
        return self.n - self.ties >= BOOTSTRAP_LEAST

    @property
    def harmed(self) -> bool:
        """Whether the system is significantly worse by itself, whatever else was looked at: by either interval,
        as a guard must not overlook what a cautious interval leaves open."""
        if self.corrected is not None:
            _, interval, _ = self.decisive
            return interval is not None and interval.high < 0
        gain_interval = self.gain_interval
        return self.lost_by_student or (gain_interval is not None and gain_interval.high < 0)

    @property
    def lost_by_student(self) -> bool:
        """Whether Student's interval lies on the worse side of 0."""
        return self.student is not None and _turned(self.student, self.sign).high < 0

    def _gist(self) -> str:
        interval_text = "" if self.interval is None else f" ({range_text(self.interval)})"
        segment_text = "" if self.segment is None else f" in {self.segment}"
        return f"{self.measure} of {self.system} less {self.baseline}{segment_text}: {signed(self.difference)}{interval_text}"

    def to_frame(self, library: str = "polars") -> Any:
        """A data frame with a row per query: query, baseline_value, value and difference, of polars, pandas or
        pyarrow."""
        paired = self.paired
        columns = {
            "query": list(map(int, paired.queries)) if self.whole_ids else list(paired.queries),
            "baseline_value": list(paired.baseline_values),
            "value": list(paired.values),
            "difference": paired.differences,
        }
        return frame_of(columns, library)

    def to_dict(self, *, bootstrap: bool = True) -> dict[str, Any]:
        """For JSON; without `bootstrap`, which takes its time with thousands of queries, it is quick."""
        return {
            "system": self.system,
            "baseline": self.baseline,
            "measure": str(self.measure),
            **({} if self.segment is None else {"segment": self.segment}),
            "n": self.n,
            "baseline_value": self.baseline_value,
            "value": self.value,
            "difference": self.difference,
            "interval": as_record(self.interval),
            "interval_method": self.interval_method,
            "student": as_record(self.student),
            **({"bootstrap": self._bootstrap_record()} if bootstrap else {}),
            "dz": self.dz,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "p_value": self.p_value,
            "p_randomised": self.p_randomised,
            "p_wilcoxon": self.p_wilcoxon,
            "p_sign": self.p_sign,
            "tests": {str(test): as_record(significance) for test, significance in self.tests.items()},
            "p_adjusted": self.p_adjusted,
            "p_discovery": self.p_discovery,
            "posterior": as_record(self.posterior),
            "detectable": self.detectable,
            **({} if self.corrected is None else {"corrected": self.corrected.to_dict()}),
            "moved": [{**as_record(move), "change": move.change} for move in self.moved],
        }

    def _bootstrap_record(self) -> Any:
        record = as_record(self.bootstrap)
        return None if record is None else {**record, "reliable": self.bootstrap_holds}


def as_record(result: Frozen | None) -> Any:
    """Fields by name."""
    return None if result is None else {field: getattr(result, field) for field in result.fields}


def contrast_of(
    system: str,
    baseline: str,
    measure: Measure,
    paired: Paired,
    *,
    confidence: float,
    region: float,
    seed: int,
    segment: str | None = None,
    whole_ids: bool = False,
) -> Contrast:
    """A contrast without what takes all contrasts together: tests and adjusted p-values."""
    changes, estimate = paired.changes, paired.sample.estimate
    no_spread = estimate is not None and has_no_spread(estimate)  # all changed alike, or not at all
    sign = -1 if measure.better == "lower" else 1
    wins = int((sign * changes > 0).sum())
    ties = int((changes == 0).sum())
    return Contrast(
        system=system,
        baseline=baseline,
        measure=measure,
        n=len(paired),
        baseline_value=weighted_mean(paired.baseline_values, paired.weights),
        value=weighted_mean(paired.values, paired.weights),
        difference=paired.sample.mean,
        estimate=estimate,
        dz=_dz(estimate),
        wins=wins,
        ties=ties,
        losses=len(paired) - wins - ties,
        posterior=None if no_spread else posterior(estimate, region=region, better=measure.better),
        detectable=None if estimate is None or no_spread else _detectable(estimate),
        moved=_moved(paired),
        paired=paired,
        segment=segment,
        seed=seed,
        confidence=confidence,
        whole_ids=whole_ids,
    )


def _moved(paired: Paired) -> tuple[QueryChange, ...]:
    """The queries that changed most, the largest change first, and by their ids where changes are equal."""
    import numpy as np

    sizes = np.abs(paired.changes)
    least = np.partition(sizes, -MOST_MOVED)[-MOST_MOVED] if len(sizes) > MOST_MOVED else 0.0
    positions = np.flatnonzero((sizes >= least) & (sizes > 0)).tolist()
    positions.sort(key=lambda position: (-sizes[position], paired.queries[position]))
    return tuple(
        QueryChange(paired.queries[position], paired.baseline_values[position], paired.values[position])
        for position in positions[:MOST_MOVED]
    )


def _turned(interval: Interval, sign: float) -> Interval:
    """The interval of the number times ±1."""
    return interval if sign > 0 else -interval


def _detectable(estimate: Estimate) -> float:
    return detectable_difference(estimate.error * sqrt(estimate.size), max(2, round(estimate.size)))


def _dz(estimate: Estimate | None) -> float | None:
    """The mean in standard deviations; 0 where nothing changed, None where all changed alike."""
    if estimate is None:
        return None
    if has_no_spread(estimate):
        return 0.0 if estimate.mean == 0 else None
    return estimate.mean / (estimate.error * sqrt(estimate.size))
