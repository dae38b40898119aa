"""Totals over queries that can be merged on any machine: counts, sums without rounding, and resampled sums of the Poisson bootstrap.

The Poisson bootstrap over queries: how often each query is drawn follows from its name alone, so that the resamples
are the same wherever its rows lie.
"""

from __future__ import annotations

import pickle
from functools import cache
from math import log, sqrt

from idealist.evaluation.aggregates import LEAST, NAN, ROUNDING
from idealist.statistics.intervals import student_interval
from idealist.statistics.mean_estimates import Estimate, Interval, has_no_spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import ndarray

    from idealist.measures import Measure

    # The segment's values (none: all queries), the system, and what was added up: one of KINDS.
    Group = tuple[tuple[Any, ...], str, str]


# A sum is a whole number of these units: no float has a bit below 2^-1074, and its 53 bits are written from 2^-1126 on.
UNIT_EXPONENT = 1126
UNITS = 1 << UNIT_EXPONENT
DIGIT_BITS = 26
DIGIT_MASK = (1 << DIGIT_BITS) - 1
DIGITS = (1024 + UNIT_EXPONENT) // DIGIT_BITS + 3
SPLITTER = 134_217_729.0  # 2^27 + 1
# Beyond this many rows the digits of a column could add up to more than 53 bits.
MOST_ROWS = 1 << 24
LEVELS = 4  # of 26 bits each: all of a number that is not below 2^-51 of the column's largest
BLOCK_ROWS = 1 << 12  # of some dozen columns, which stay in the cache
MOST_EXPONENT = 500  # numbers beyond 2^500 or below 2^-500 have too little room for levels


def exact_sums(table: ndarray) -> list[int]:
    """The sum of every column, in units of 2^-1126; cells that are nan count as 0.

    >>> import numpy as np
    >>> [total / UNITS for total in exact_sums(np.array([[1e16, 0.5], [1.0, np.nan], [-1e16, 0.25]]))]
    [1.0, 0.75]
    """
    import numpy as np

    if len(table) > MOST_ROWS:
        parts = [exact_sums(table[at : at + MOST_ROWS]) for at in range(0, len(table), MOST_ROWS)]
        return [sum(part) for part in zip(*parts, strict=True)]
    rest = np.where(np.isnan(table), 0.0, table)
    sums = _level_sums(rest)
    if rest.any():
        sums = [total + more for total, more in zip(sums, _digit_sums(rest), strict=True)]
    return sums


def _level_sums(rest: ndarray) -> list[int]:
    """The sum of every column but for what is left in `rest`, which is changed.

    A level is the nearest multiple of a power of two, which adding and subtracting a large number gives; what it
    leaves has no rounding. Sums of such multiples are exact in any order as long as they fit in 53 bits.
    """
    import numpy as np

    columns = rest.shape[1]
    largest = np.maximum(rest.max(axis=0, initial=0.0), -rest.min(axis=0, initial=0.0))
    if not (largest < 2.0**MOST_EXPONENT).all() or ((largest > 0) & (largest < 2.0**-MOST_EXPONENT)).any():
        return [0] * columns
    units = (
        np.frexp(largest)[1] - DIGIT_BITS * np.arange(1, LEVELS + 1)[:, None]
    )  # exponents: levels × columns
    rounders = np.ldexp(1.5, units + 52)
    sums = np.zeros((LEVELS, columns))
    for begin in range(0, len(rest), BLOCK_ROWS):
        block = rest[begin : begin + BLOCK_ROWS]
        for level, rounder in enumerate(rounders):
            part = block + rounder
            part -= rounder
            sums[level] += part.sum(axis=0)
            block -= part
    return [
        sum(int(whole) << (UNIT_EXPONENT + unit) for whole, unit in zip(wholes, exponents, strict=True))
        for wholes, exponents in zip(np.ldexp(sums, -units).T.tolist(), units.T.tolist(), strict=True)
    ]


def _digit_sums(table: ndarray) -> list[int]:
    """The sum of every column of any numbers: their bits, digit by digit."""
    import numpy as np

    columns = table.shape[1]
    fractions, exponents = np.frexp(table)
    whole = (fractions * 2.0**53).astype(np.int64)
    place = exponents.astype(np.int64) - 53 + UNIT_EXPONENT
    digit, shift = place // DIGIT_BITS, place % DIGIT_BITS
    cell = (digit + np.arange(columns) * DIGITS).ravel()
    # The 53 bits in two halves, each moved to its place: a half then reaches over two digits.
    low = ((whole & DIGIT_MASK) << shift).ravel()
    high = ((whole >> DIGIT_BITS) << shift).ravel()
    sums = np.zeros(columns * DIGITS)
    for offset, pieces in (
        (0, low & DIGIT_MASK),
        (1, (low >> DIGIT_BITS) + (high & DIGIT_MASK)),
        (2, high >> DIGIT_BITS),
    ):
        sums += np.bincount(cell + offset, weights=pieces, minlength=columns * DIGITS)[: columns * DIGITS]
    return [_number(digits) for digits in sums.reshape(columns, DIGITS)]


def exact_square_sums(table: ndarray) -> list[int]:
    """The sum of the squares of every column, in units of 2^-1126. A square is taken as the two floats that it is
    the sum of (Dekker, 1971), so that equal values have a spread of exactly 0. Values are below 1e150.

    >>> import numpy as np
    >>> exact_square_sums(np.array([[0.1], [0.1]]))[0] * 2 == exact_sums(np.array([[0.1], [0.1]]))[0] ** 2 // UNITS
    True
    """

    square = table * table
    spread = table * SPLITTER
    head = spread - (spread - table)
    tail = table - head
    remainder = ((head * head - square) + 2.0 * head * tail) + tail * tail
    return [whole + rest for whole, rest in zip(exact_sums(square), exact_sums(remainder), strict=True)]


def as_float(total: int) -> float:
    """The nearest float of a sum.

    >>> as_float(UNITS // 2)
    0.5
    """
    return total / UNITS


def _number(digits: ndarray) -> int:
    return sum(int(digits[at]) << (DIGIT_BITS * at) for at in digits.nonzero()[0].tolist())


POISSON = "Poisson bootstrap"
# Values are rounded to multiples of this in resamples, whose sums are then whole numbers, exact in any order.
QUANTUM = 2.0**-30
CHUNK_BITS = 26  # of a whole number at a time: a million queries drawn up to 9 times add up within 53 bits
STEP = 0x9E3779B97F4A7C15  # 2^64 / golden ratio


def draws(queries: Sequence[str], rounds: int, seed: int) -> ndarray:
    """How often each query is in each resample: independent Poisson(1) numbers, queries × resamples, of a hash of
    the query and the seed. Chamandy et al., "Estimating uncertainty for massive data streams", 2012.

    >>> counts = draws(["q1", "q2"], 3, seed=0)
    >>> (draws(["q2"], 3, seed=0)[0] == counts[1]).all()
    np.True_
    """
    from hashlib import blake2b

    import numpy as np

    key = seed.to_bytes(8, "little", signed=True)
    digests = b"".join(
        blake2b(query.encode("utf-8", "surrogateescape"), digest_size=8, key=key).digest()
        for query in queries
    )
    hashes = np.frombuffer(digests, dtype="<u8").astype(np.uint64)
    blocks = -(-rounds // 4)
    state = hashes[:, None] + np.arange(1, blocks + 1, dtype=np.uint64) * np.uint64(STEP)
    # The finisher of SplitMix64: every bit of the state reaches every bit of the number. Steele et al., 2014.
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    sixteen_bits = state.astype("<u8").view("<u2").reshape(len(hashes), 4 * blocks)
    counts: ndarray = _poisson_table()[sixteen_bits[:, :rounds]]
    return counts


@cache
def _poisson_table() -> ndarray:
    """Poisson(1) by its distribution function, for 16 random bits."""
    from math import exp, factorial

    import numpy as np

    cumulative = np.cumsum([exp(-1) / factorial(count) for count in range(10)])
    table: ndarray = np.searchsorted(cumulative, (np.arange(1 << 16) + 0.5) / (1 << 16)).astype(np.uint8)
    return table


def resampled_sums(values: ndarray, drawn: ndarray) -> tuple[ndarray, ndarray]:
    """Of every resample and column, the sum in units of `QUANTUM` and the number of values that it is over, as Python's
    whole numbers; nan counts nowhere."""
    import numpy as np

    defined = ~np.isnan(values)
    times = drawn.T.astype(float)
    whole = np.rint(np.where(defined, values, 0.0) / QUANTUM)
    sums = np.zeros((drawn.shape[1], values.shape[1]), dtype=object)
    scale = 1
    while whole.any():
        rest = np.trunc(whole / (1 << CHUNK_BITS))
        sums += _whole(times @ (whole - rest * (1 << CHUNK_BITS))) * scale
        whole, scale = rest, scale << CHUNK_BITS
    return sums, _whole(times @ defined.astype(float))


def _whole(numbers: ndarray) -> ndarray:
    import numpy as np

    return numbers.astype(np.int64).astype(object)


def percentile_interval(sums: ndarray, counts: ndarray, confidence: float) -> Interval | None:
    """The middle share of the resampled means; None where a resample is empty."""
    import numpy as np

    if not len(counts) or min(counts) == 0:
        return None
    means = np.array([total / count * QUANTUM for total, count in zip(sums, counts, strict=True)])
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return Interval(low, high, confidence, POISSON)


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
