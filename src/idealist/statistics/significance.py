"""Differences between two systems, query by query: is the mean difference more than chance?"""

from __future__ import annotations

import sys
from functools import cached_property

from idealist.data.values import as_count, as_seed, as_within
from idealist.frozen import Frozen
from idealist.statistics.intervals import SAME, estimate_mean, has_no_spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.statistics.intervals import Estimate

    Progress = Callable[[int, int], None]

PERMUTATIONS = 10_000
REGION = 0.01
# Sums in another order differ by less than this share of all that is summed; what is as near counts as a tie.
ROUNDING = 1e-9
LEAST_P = sys.float_info.min  # what underflows is small, not impossible
BLOCK = 1 << 22  # how many random signs are held at once
PIECE = 1 << 17  # how many of them are multiplied at once: they stay in the cache
NEVER = 1e-12  # a probability that does not count


class Paired(Frozen):
    """The values of two systems for the same queries, and the weights of these where they have any."""

    queries: tuple[str, ...]
    baseline_values: tuple[float, ...]
    values: tuple[float, ...]
    weights: tuple[float, ...] | None = None

    @cached_property
    def differences(self) -> list[float]:
        """By how much the system's value passes the baseline's; 0 where they are the same but for rounding."""
        return list(self.changes.tolist())

    @cached_property
    def changes(self) -> NDArray[Any]:
        """The differences as an array."""
        import numpy as np

        before, after = np.array(self.baseline_values, dtype=float), np.array(self.values, dtype=float)
        differences: NDArray[Any] = after - before
        differences[np.abs(differences) <= SAME * np.maximum(np.abs(before), np.abs(after))] = 0.0
        return differences

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        return f"<Paired: {len(self):,} queries>"


class Posterior(Frozen):
    """What one may believe of the true mean difference, knowing nothing but the queries: the probabilities
    that it is worse, or better, by more than `region`, and that it is neither."""

    worse: float
    equivalent: float
    better: float
    region: float


def t_test(differences: Sequence[float], weights: Sequence[float] | None = None) -> float | None:
    """Student's paired t: the p-value of a mean difference of 0, both sides. With weights, by the same error
    and degrees of freedom as `mean_interval`.

    1 when all differences are 0. None when there are fewer than two, or all are the same but not 0: there
    is no spread to hold the mean against.

    >>> round(t_test([1.0, 3.0]), 4)  # t = 2 / 1, one degree of freedom: 1 − 2/π · arctan 2
    0.2952
    """
    return p_of(estimate_mean(differences, weights))


def p_of(found: Estimate | None) -> float | None:
    """Student's p-value of a mean that is truly 0."""
    if found is None:
        return None
    if has_no_spread(found):
        return 1.0 if found.mean == 0 else None
    from scipy.special import stdtr

    return float(max(2 * stdtr(found.freedom, -abs(found.mean / found.error)), LEAST_P))


def posterior(found: Estimate | None, *, region: float = REGION, better: str = "higher") -> Posterior | None:
    """Where the true mean lies: Student's t around the mean, which is what remains of a flat prior on mean and
    log deviation. None when there are too few values.

    >>> from idealist.statistics.intervals import estimate_mean
    >>> posterior(estimate_mean([-1.0, 1.0]), region=0.0)
    Posterior(worse=0.5, equivalent=0.0, better=0.5, region=0.0)
    """
    as_within(region, "the region of practical equivalence", 0)
    if found is None:
        return None
    if has_no_spread(found):
        low, high = float(found.mean < -region), float(found.mean > region)
    else:
        from scipy.special import stdtr

        low = float(stdtr(found.freedom, (-region - found.mean) / found.error))
        high = float(stdtr(found.freedom, (found.mean - region) / found.error))
    worse, best = (high, low) if better == "lower" else (low, high)
    return Posterior(worse, max(0.0, 1.0 - low - high), best, region)


def wilcoxon_test(differences: Sequence[float]) -> float | None:
    """Wilcoxon's signed ranks, without the queries that did not change. None for fewer than two queries.

    >>> wilcoxon_test([1.0, 2.0, 3.0])  # of 8 patterns of signs, 2 are as far out
    0.25
    """
    if len(differences) < 2:
        return None
    changed = [difference for difference in differences if difference]
    if not changed:
        return 1.0
    from scipy.stats import wilcoxon

    return float(max(wilcoxon(changed).pvalue, LEAST_P))


def sign_test(wins: int, losses: int) -> float:
    """Wins against losses as tosses of a coin.

    >>> sign_test(3, 0)  # 2 · 1/8
    0.25
    """
    if wins + losses == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(max(binomtest(wins, wins + losses).pvalue, LEAST_P))


def randomisation_test(
    differences: Sequence[float],
    weights: Sequence[float] | None = None,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> float:
    """Were the two systems' names given out by tossing a coin for every query, how often would the mean
    difference be as far from 0? All 2ⁿ tosses where that many were asked for, else `permutations` of them and
    p = (1 + as far) / (1 + all).

    >>> randomisation_test([1.0, 2.0, 3.0])  # +++ and −−− of 8
    0.25
    """
    import numpy as np

    column = np.asarray(differences, dtype=float)
    if weights is not None:
        column = column * np.asarray(weights, dtype=float)
    return float(flip_signs(column[:, None], permutations=permutations, seed=seed)[0])


def flip_signs(
    differences: NDArray[Any],
    groups: Sequence[tuple[NDArray[Any], NDArray[Any]]] = (),
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    progress: Progress | None = None,
) -> NDArray[Any]:
    """The p-value of every column, all under the same random signs of the rows.

    `groups` are pairs (rows, columns): these columns are 0 outside those rows, and only the rows are looked at;
    columns in no group are looked at whole. A column that differs from 0 in few rows is enumerated, and one whose
    sum no drawn flip would reach (see `_out_of_reach`) has the least p-value without drawing.
    """
    import numpy as np

    as_count(permutations, "permutations")
    rows, columns = differences.shape
    observed, mass = np.abs(differences.sum(axis=0)), np.abs(differences).sum(axis=0)
    threshold = observed - ROUNDING * mass
    p = np.ones(columns)
    changed = (differences != 0).sum(axis=0)
    exact = changed < permutations.bit_length()  # 2 ** changed <= permutations
    for column in np.flatnonzero(exact):
        p[column] = _share_as_far(differences[differences[:, column] != 0, column], threshold[column])
    least = ~exact & _out_of_reach(differences, threshold, permutations)
    p[least] = 1 / (1 + permutations)
    grouped = np.concatenate([some for _, some in groups]) if groups else np.empty(0, dtype=int)
    whole = np.setdiff1d(np.arange(columns), grouped)
    parts = [
        (chosen, kept, np.ascontiguousarray(differences[np.ix_(chosen, kept)].T))
        for chosen, some in ((np.arange(rows), whole), *groups)
        if (kept := some[~(exact | least)[some]]).size
    ]
    if not parts:
        return p
    random = generator(seed)
    block = max(64, BLOCK // rows // 64 * 64)  # a word has the signs of a row in 64 flips
    as_far = np.zeros(columns)
    for done in range(0, permutations, block):
        count = min(block, permutations - done)
        drawn = random.integers(0, 2**64, size=(-(-count // 64), rows), dtype=np.uint64)
        signs = np.ascontiguousarray(drawn.T.astype("<u8")).view(np.uint8)
        for chosen, kept, part in parts:
            sums = _flipped_sums(part, signs if chosen.size == rows else signs[chosen], count)
            as_far[kept] += (np.abs(sums) >= threshold[kept, None]).sum(axis=1)
        if progress:
            progress(done + count, permutations)
    drawn_columns = np.concatenate([kept for _, kept, _ in parts])
    p[drawn_columns] = (1 + as_far[drawn_columns]) / (1 + permutations)
    return p


def _out_of_reach(differences: NDArray[Any], threshold: NDArray[Any], permutations: int) -> NDArray[Any]:
    """Of which columns no flip of so many comes as far, surely: by Hoeffding's inequality a random sum of ±d reaches
    T with a probability of at most 2·exp(−T² / 2Σd²). With 10,000 flips that is so from |t| = 8.7 on."""
    import numpy as np

    reach = np.maximum(threshold, 0.0) ** 2
    squares = (differences**2).sum(axis=0)
    never: NDArray[Any] = reach > 2 * squares * np.log(2 * permutations / NEVER)
    return never


def _flipped_sums(part: NDArray[Any], signs: NDArray[Any], count: int) -> NDArray[Any]:
    """The sums (columns × flips) under packed signs (rows × bits), by pieces of the rows that fit the cache."""
    import numpy as np

    sums = np.zeros((len(part), count))
    piece = max(64, PIECE // count)
    for start in range(0, part.shape[1], piece):
        heads = np.unpackbits(signs[start : start + piece], axis=1, count=count).astype(float)
        sums += part[:, start : start + piece] @ heads
    flipped: NDArray[Any] = 2 * sums - part.sum(axis=1)[:, None]
    return flipped


def _share_as_far(differences: NDArray[Any], threshold: float) -> float:
    """Of all patterns of signs, the share whose sum is as far from 0."""
    import numpy as np

    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    return float((np.abs(sums) >= threshold).mean())


def generator(seed: Any) -> Any:
    """Random numbers that are the same wherever they are drawn."""
    import numpy as np

    return np.random.Generator(np.random.PCG64(as_seed(seed)))
