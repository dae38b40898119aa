"""Many comparisons at once: p-values adjusted for the whole family, and Tukey's range for every pair of several systems."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

from idealist.base.frozen import Frozen
from idealist.base.values import as_choice, as_count, as_within
from idealist.errors import InputError
from idealist.statistics.mean_estimates import SAME, Interval
from idealist.statistics.paired_tests import ROUNDING, ROUNDS
from idealist.statistics.randomness import AT_ONCE, generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.statistics.paired_tests import Progress


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted so that, at level α, the chance of even one false alarm in the family is at most α.

    The smallest of m is multiplied by m, the next by m − 1, and so on; none is smaller than one before it.
    Holm, Scandinavian Journal of Statistics 1979.

    >>> holm([0.01, 0.03, 0.02])  # 3 · 0.01, 2 · 0.02, and 1 · 0.03 raised to that
    [0.03, 0.04, 0.04]
    """
    checked = _checked(p_values)
    adjusted = [0.0] * len(checked)
    least = 0.0
    for rank, position in enumerate(sorted(range(len(checked)), key=checked.__getitem__)):
        least = max(least, min(1.0, (len(checked) - rank) * checked[position]))
        adjusted[position] = least
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted so that, at level α, at most a share α of the significant results is expected to be false: for
    exploration. Benjamini and Hochberg, Journal of the Royal Statistical Society B 1995.

    >>> benjamini_hochberg([0.01, 0.04, 0.02])  # 3/1 · 0.01, 3/2 · 0.02, 3/3 · 0.04
    [0.03, 0.04, 0.03]
    """
    checked = _checked(p_values)
    adjusted = [0.0] * len(checked)
    least = 1.0
    order = sorted(range(len(checked)), key=checked.__getitem__)
    for rank, position in reversed(list(enumerate(order, 1))):
        least = min(least, checked[position] * (len(checked) / rank))
        adjusted[position] = least
    return adjusted


def _checked(p_values: Sequence[float]) -> list[float]:
    return [as_within(p, "a p-value", 0, 1) for p in p_values]


CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg}


def adjust(p_values: Sequence[float], correction: str = "holm") -> list[float]:
    """The p-values of a family, adjusted by the correction of that name: holm or bh.

    >>> adjust([0.01, 0.04, 0.02], "bh")
    [0.03, 0.04, 0.03]
    """
    return CORRECTIONS[as_choice(correction, "the correction", CORRECTIONS)](p_values)


TUKEY = "Tukey's range"
LEAST_P = 1e-12  # the accuracy of the integral behind the studentized range
FEW = 256  # as many queries are shuffled one by one
SHARING = 500  # how many shuffles share an order
CHUNK = 1 << 16  # how many numbers of shuffled rows: they stay in the cache


class Pair(Frozen):
    """Two of several systems: the mean difference second − first, Tukey's simultaneous interval of it, and the
    p-values of all pairs together. What cannot be computed is None."""

    first: str
    second: str
    n: int
    difference: float
    interval: Interval | None
    p_value: float | None
    p_randomised: float | None


class Tukey(Frozen):
    """The residuals of the two-way analysis of variance: the mean squared error, its degrees of freedom, the
    p-value of every pair of columns (i, j), i < j (None where all queries differ alike and there is no spread),
    and how far apart two means must be."""

    error: float
    freedom: int
    p_values: dict[tuple[int, int], float | None]
    reach: float


def tukey_blocked(values: Any, *, confidence: float = 0.95) -> Tukey:
    """Tukey's honest differences between the columns, with rows (queries) as blocks.

    Two-way analysis of variance without replication: MSE = Σ (x − row mean − column mean + mean)² / df with
    df = (n − 1)(m − 1); q = |difference of two means| / √(MSE/n) has the studentized range of m means.

    >>> found = tukey_blocked([[0.0, 1.0], [0.0, 3.0]])  # what is left: ±½ in every cell, one degree of freedom
    >>> found.error, found.freedom
    (1.0, 1)
    """
    import numpy as np

    x = np.asarray(values, dtype=float)
    if x.ndim != 2 or x.shape[0] < 2 or x.shape[1] < 2:
        raise InputError(
            "Tukey's test needs at least two queries and two systems",
            hint="give a table of queries × systems",
        )
    n, m = x.shape
    means = x.mean(axis=0)
    residuals = x - x.mean(axis=1, keepdims=True) - means + x.mean()
    freedom = (n - 1) * (m - 1)
    error = float((residuals**2).sum() / freedom)
    step = float(np.sqrt(error / n))
    if step <= SAME * np.abs(x).max():  # nothing left to chance: equal columns, or shifted ones
        error = step = 0.0
    gaps = {(i, j): float(abs(means[i] - means[j])) for i in range(m) for j in range(i + 1, m)}
    if step == 0.0:
        same = SAME * np.abs(x).max()
        return Tukey(error, freedom, {pair: 1.0 if gap <= same else None for pair, gap in gaps.items()}, 0.0)
    if m == 2:  # the range of two means is √2·|t|, and needs no integral
        from scipy.special import stdtr, stdtrit

        p = float(2 * stdtr(freedom, -gaps[0, 1] / step / sqrt(2)))
        reach = sqrt(2) * float(stdtrit(freedom, (1 + confidence) / 2)) * step
        return Tukey(error, freedom, {(0, 1): min(1.0, max(p, LEAST_P))}, reach)
    from scipy.stats import studentized_range

    tail_probabilities = studentized_range.sf(np.array(list(gaps.values())) / step, m, freedom)
    p_values: dict[tuple[int, int], float | None] = {
        pair: min(1.0, max(float(p), LEAST_P))
        for pair, p in zip(gaps, np.atleast_1d(tail_probabilities), strict=True)
    }
    return Tukey(error, freedom, p_values, _critical_range(confidence, m, freedom) * step)


@lru_cache(maxsize=8)  # an integral for every step to a root, and the same for all measures
def _critical_range(confidence: float, means: int, freedom: int) -> float:
    """The quantile of the studentized range."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(confidence, means, freedom))


def randomised_tukey(
    tables: Sequence[Any],
    *,
    rounds: int = ROUNDS,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[dict[tuple[int, int], float]]:
    """For each table (queries × systems), the p-value of every pair of columns (i, j), i < j: were the systems'
    names shuffled within every query, how often would the best and the worst mean be as far apart as these
    two? All tables see the same shuffles; they need the same rows. A nan makes its row 0 in that table.

    Every shuffle is uniform and independent of those of other queries. Where there are many queries, each keeps
    one random order for some hundred shuffles, and these turn it round by random numbers of steps: the sums
    are then products of small sparse matrices.

    >>> [found] = randomised_tukey([[[0.0, 1.0]] * 12], rounds=1000)
    >>> found[0, 1] < 0.01
    True
    """
    import numpy as np

    as_count(rounds, "rounds")
    stacked = np.stack([np.asarray(table, dtype=float) for table in tables], axis=2)
    n, m, count = stacked.shape
    missing = np.isnan(stacked).any(axis=1)
    stacked = np.where(missing[:, None, :], 0.0, stacked)
    stacked = stacked - stacked.mean(
        axis=1, keepdims=True
    )  # the same in every shuffle; what is left is small
    sums = stacked.sum(axis=0)
    mass = np.abs(stacked).sum(axis=(0, 1))
    pairs = [(i, j) for i in range(m) for j in range(i + 1, m)]
    gaps = np.array([np.abs(sums[i] - sums[j]) for i, j in pairs]) - ROUNDING * mass
    as_far = np.zeros_like(gaps)
    random = generator(seed)
    shuffle, block = (
        (_shuffled, AT_ONCE // stacked.size) if n <= FEW else (_turned, min(SHARING, AT_ONCE // n))
    )
    block = max(1, block)
    for done in range(0, rounds, block):
        drawn = min(block, rounds - done)
        shuffled = shuffle(stacked, drawn, random)
        ranges = np.sort(shuffled.max(axis=1) - shuffled.min(axis=1), axis=0)
        for table in range(count):
            as_far[:, table] += drawn - np.searchsorted(ranges[:, table], gaps[:, table], side="left")
        if progress:
            progress(done + drawn, rounds)
    p = (1 + as_far) / (1 + rounds)
    return [dict(zip(pairs, map(float, p[:, table]), strict=True)) for table in range(count)]


def _shuffled(stacked: NDArray[Any], drawn: int, random: Any) -> NDArray[Any]:
    """The sums (shuffles × systems × tables) of shuffles that have nothing in common."""
    import numpy as np

    n, m, _ = stacked.shape
    orders = random.permuted(np.broadcast_to(np.arange(m), (drawn, n, m)), axis=2)
    sums: NDArray[Any] = stacked[np.arange(n)[:, None], orders].sum(axis=1)
    return sums


def _turned(stacked: NDArray[Any], drawn: int, random: Any) -> NDArray[Any]:
    """The sums of shuffles that rotate the same random orders."""
    import numpy as np
    from scipy.sparse import csr_array

    n, m, count = stacked.shape
    rotations = (np.arange(m)[:, None] + np.arange(m)) % m
    sums = np.zeros((drawn, m * count))
    chunk = max(32, CHUNK // (m * m * count))
    for start in range(0, n, chunk):
        part = stacked[start : start + chunk]
        rows = len(part)
        order = random.permuted(np.broadcast_to(np.arange(m), (rows, m)), axis=1)
        ordered = np.take_along_axis(part, order[:, :, None], axis=1)
        choices = ordered[:, rotations, :].reshape(rows * m, m * count)
        shifts = random.integers(0, m, size=(drawn, rows), dtype=np.int32)
        chosen_rows = (shifts + np.arange(0, rows * m, m, dtype=np.int32)).ravel()
        ends = np.arange(0, chosen_rows.size + 1, rows, dtype=np.int32)
        sums += csr_array((np.ones(chosen_rows.size), chosen_rows, ends), shape=(drawn, rows * m)) @ choices
    return sums.reshape(drawn, m, count)
