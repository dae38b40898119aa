"""Totals over queries that can be merged: counts, exact sums and squares, resampled sums, how often items are shown."""

from __future__ import annotations

import pickle
from math import log, sqrt

from idealist.engines.bootstrap import percentile_interval, resampled_sums
from idealist.engines.exact import UNITS, as_float, exact_square_sums, exact_sums
from idealist.evaluation.aggregates import LEAST, NAN, ROUNDING
from idealist.statistics.intervals import student_interval
from idealist.statistics.means import Estimate, has_no_spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.measures import Measure
    from idealist.statistics.interval import Interval

    # The segment's values (none: all queries), the system, and what was added up: one of KINDS.
    Group = tuple[tuple[Any, ...], str, str]

# Values of all queries that have one; and over queries that have one with the baseline too: the system's, the baseline's,
# and their differences.
VALUES, AFTER, BEFORE, DIFFERENCES = KINDS = ("values", "after", "before", "differences")
ADDED = ("counts", "sums", "squares", "above", "below", "clearly_above", "clearly_below")


class Moments:
    """Of some queries, a column per measure: how many values, their sum and the sum of their squares without
    rounding, how many are above and below 0, how many by more than rounding, and the sums of resamples.

    >>> import numpy as np
    >>> one, two = Moments.of(np.array([[1.0]])), Moments.of(np.array([[3.0], [np.nan]]))
    >>> one.merge(two)
    >>> one.mean(0), one.estimate(0)
    (2.0, Estimate(mean=2.0, error=1.0, freedom=1, size=2))
    """

    def __init__(
        self,
        counts: list[int],
        sums: list[int],
        squares: list[int],
        above: list[int],
        below: list[int],
        clearly_above: list[int],
        clearly_below: list[int],
        resampled: tuple[ndarray, ndarray] | None,
    ) -> None:
        self.counts = counts
        self.sums = sums
        self.squares = squares
        self.above = above
        self.below = below
        self.clearly_above = clearly_above
        self.clearly_below = clearly_below
        self.resampled = resampled

    @classmethod
    def of(cls, values: ndarray, drawn: ndarray | None = None) -> Moments:
        """Of values, queries × measures, nan where there is none; `drawn` says how often each query is resampled."""
        import numpy as np

        return cls(
            (~np.isnan(values)).sum(axis=0).tolist(),
            exact_sums(values),
            exact_square_sums(values),
            (values > 0).sum(axis=0).tolist(),
            (values < 0).sum(axis=0).tolist(),
            (values > ROUNDING).sum(axis=0).tolist(),
            (values < -ROUNDING).sum(axis=0).tolist(),
            None if drawn is None else resampled_sums(values, drawn),
        )

    def merge(self, other: Moments) -> None:
        for name in ADDED:
            pairs = zip(getattr(self, name), getattr(other, name), strict=True)
            setattr(self, name, [a + b for a, b in pairs])
        if self.resampled is not None and other.resampled is not None:
            (sums, counts), (other_sums, other_counts) = self.resampled, other.resampled
            self.resampled = sums + other_sums, counts + other_counts

    def sum(self, column: int) -> float:
        return as_float(self.sums[column])

    def mean(self, column: int) -> float:
        """The rounded sum by the count, as `Evaluation.mean` has it; nan of no values."""
        return self.sum(column) / self.counts[column] if self.counts[column] else NAN

    def estimate(self, column: int) -> Estimate | None:
        """The mean and its standard error; None of fewer than two values."""
        n, total = self.counts[column], self.sums[column]
        if n < 2:
            return None
        # n·Σx² − (Σx)², all digits kept.
        spread = n * self.squares[column] * UNITS - total * total
        variance = spread / (n * (n - 1) * UNITS * UNITS)
        return Estimate(self.mean(column), sqrt(max(variance, 0.0) / n), n - 1, n)

    def student(self, column: int, confidence: float) -> Interval | None:
        """Student's interval; None of fewer than two values, or where all are the same."""
        estimate = self.estimate(column)
        if estimate is None or has_no_spread(estimate):
            return None
        return student_interval(estimate, confidence)

    def bootstrap(self, column: int, confidence: float) -> Interval | None:
        """The interval of resampled means; None without resamples."""
        if self.resampled is None:
            return None
        sums, counts = self.resampled
        return percentile_interval(sums[:, column], counts[:, column], confidence)


class Totals:
    """What is left of some of the queries: `Moments` by segment, system and kind, and counts of what was read.

    `missing` and `unjudged` count, by system, judged queries that its run lacks and queries of its run without
    judgments; `shown` has how often each item was shown, by system and depth.
    """

    def __init__(self, systems: Sequence[str]) -> None:
        self.moments: dict[Group, Moments] = {}
        self.judged = 0
        self.empty = 0
        self.missing = dict.fromkeys(systems, 0)
        self.unjudged = dict.fromkeys(systems, 0)
        self.rows = dict.fromkeys(systems, 0)
        self.shown: dict[tuple[str, int], ndarray] = {}

    def add(self, group: Group, moments: Moments) -> None:
        if group in self.moments:
            self.moments[group].merge(moments)
        else:
            self.moments[group] = moments

    def add_shown(self, system: str, depth: int, counts: ndarray) -> None:
        before = self.shown.get((system, depth))
        self.shown[system, depth] = counts if before is None else before + counts

    def merge(self, other: Totals) -> None:
        """Adds the totals of other queries; the order in which parts are merged changes nothing."""
        for group, moments in other.moments.items():
            self.add(group, moments)
        for name in ("judged", "empty"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("missing", "unjudged", "rows"):
            mine, theirs = getattr(self, name), getattr(other, name)
            for system, count in theirs.items():
                mine[system] = mine.get(system, 0) + count
        for (system, depth), counts in other.shown.items():
            self.add_shown(system, depth, counts)

    def to_bytes(self) -> bytes:
        """For the way between machines of one cluster; nothing else should be unpickled."""
        return pickle.dumps(self, protocol=5)

    @staticmethod
    def from_bytes(content: bytes) -> Totals:
        totals = pickle.loads(content)
        assert isinstance(totals, Totals)
        return totals


def summed_columns(measures: Sequence[Measure], values: ndarray) -> ndarray:
    """The numbers that totals add up: values, or their logarithms where the mean is geometric."""
    geometric = [at for at, measure in enumerate(measures) if measure.aggregate == "geometric"]
    if not geometric:
        return values
    summed = values.copy()
    for at in geometric:
        # The same logarithm as in `aggregating`, to the last bit.
        summed[:, at] = [
            log(max(value, LEAST)) if value == value else NAN for value in values[:, at].tolist()
        ]
    return summed
