"""Fisher's randomisation: signs of differences flipped at random."""

from __future__ import annotations

from idealist.base.values import as_count
from idealist.statistics.randomness import generator
from idealist.statistics.tests.base import ROUNDS, UNDEFINED, PairedTest, Significance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.statistics.paired import Paired, Sample
    from idealist.statistics.tests.base import Progress

# Sums in another order differ by less than this share of all that is summed; what is as near counts as a tie.
ROUNDING = 1e-9
BLOCK = 1 << 22  # how many random signs are held at once
PIECE = 1 << 17  # how many of them are multiplied at once: they stay in the cache
NEVER = 1e-12  # a probability that does not count


class RandomisationTest(PairedTest, name="randomisation", label="randomised", column="p_randomised"):
    """Fisher's randomisation: the signs of the differences flipped at random.

    Were the two systems' names given out by tossing a coin for every query, how often would the mean difference be as
    far from 0? All 2ⁿ tosses where no more than `rounds` are needed (n counts the queries that changed), else
    `rounds` of them and p = (1 + as far) / (1 + rounds). The statistic is the mean difference. Fisher, The Design of
    Experiments, 1935; Smucker, Allan and Carterette, CIKM 2007.

    >>> RandomisationTest()([1.0, 2.0, 3.0])  # +++ and −−− of 8
    Significance(p_value=0.25, statistic=2.0)
    """

    rounds: int = ROUNDS
    seed: int = 0

    def find(self, sample: Sample) -> Significance:
        import numpy as np

        column = sample.changes if sample.weights is None else sample.changes * np.asarray(sample.weights)
        p_values = flip_signs(column[:, None], rounds=self.rounds, seed=self.seed)
        return Significance(float(p_values[0]), sample.mean)

    def of_all(
        self, pairs: Sequence[Paired], queries: Sequence[str], progress: Progress | None = None
    ) -> list[Significance]:
        """The same flips for all pairs: a query has the same sign wherever it comes up."""
        import numpy as np

        row_of = {query: column for column, query in enumerate(queries)}
        columns = np.zeros((len(queries), len(pairs)))
        rows: dict[tuple[str, ...], NDArray[Any]] = {}  # most pairs are over the same queries
        columns_by_queries: dict[tuple[str, ...], list[int]] = {}
        for column, pair in enumerate(pairs):
            if pair.queries not in rows:
                rows[pair.queries] = np.array(list(map(row_of.__getitem__, pair.queries)), dtype=int)
            weights = 1.0 if pair.weights is None else np.array(pair.weights) / max(pair.weights)
            columns[rows[pair.queries], column] = pair.changes * weights
            if len(pair) < len(queries):
                columns_by_queries.setdefault(pair.queries, []).append(column)
        groups = [
            (rows[pair_queries], np.array(members)) for pair_queries, members in columns_by_queries.items()
        ]
        p_values = flip_signs(columns, groups, rounds=self.rounds, seed=self.seed, progress=progress)
        return [
            Significance(float(p), pair.sample.mean) if len(pair) > 1 else UNDEFINED
            for pair, p in zip(pairs, p_values, strict=True)
        ]

    @property
    def about(self) -> str:
        return f"{self.rounds:,} random flips of signs, seed {self.seed} (all flips, where fewer)"


def flip_signs(
    differences: NDArray[Any],
    groups: Sequence[tuple[NDArray[Any], NDArray[Any]]] = (),
    *,
    rounds: int = ROUNDS,
    seed: int = 0,
    progress: Progress | None = None,
) -> NDArray[Any]:
    """The p-value of every column, all under the same random signs of the rows.

    `groups` are pairs (rows, columns): these columns are 0 outside those rows, and only the rows are looked at;
    columns in no group are looked at whole. A column that differs from 0 in few rows is enumerated, and one whose
    sum no drawn flip would reach (see `_out_of_reach`) has the least p-value without drawing.
    """
    import numpy as np

    rounds = as_count(rounds, "rounds")
    queries, columns = differences.shape
    observed, mass = np.abs(differences.sum(axis=0)), np.abs(differences).sum(axis=0)
    threshold = observed - ROUNDING * mass
    p = np.ones(columns)
    changed = (differences != 0).sum(axis=0)
    exact = changed < rounds.bit_length()  # 2 ** changed <= rounds
    for column in np.flatnonzero(exact):
        p[column] = _share_as_far(differences[differences[:, column] != 0, column], threshold[column])
    least = ~exact & _out_of_reach(differences, threshold, rounds)
    p[least] = 1 / (1 + rounds)
    grouped = (
        np.concatenate([group_columns for _, group_columns in groups]) if groups else np.empty(0, dtype=int)
    )
    ungrouped = np.setdiff1d(np.arange(columns), grouped)
    parts = [
        (part_rows, drawn_part, np.ascontiguousarray(differences[np.ix_(part_rows, drawn_part)].T))
        for part_rows, group_columns in ((np.arange(queries), ungrouped), *groups)
        if (drawn_part := group_columns[~(exact | least)[group_columns]]).size
    ]
    if not parts:
        return p
    random = generator(seed)
    block = max(64, BLOCK // queries // 64 * 64)  # a word has the signs of a row in 64 flips
    as_far = np.zeros(columns)
    for done in range(0, rounds, block):
        count = min(block, rounds - done)
        drawn = random.integers(0, 2**64, size=(-(-count // 64), queries), dtype=np.uint64)
        signs = np.ascontiguousarray(drawn.T.astype("<u8")).view(np.uint8)
        for part_rows, drawn_part, part in parts:
            sums = _flipped_sums(part, signs if part_rows.size == queries else signs[part_rows], count)
            as_far[drawn_part] += (np.abs(sums) >= threshold[drawn_part, None]).sum(axis=1)
        if progress:
            progress(done + count, rounds)
    drawn_columns = np.concatenate([drawn_part for _, drawn_part, _ in parts])
    p[drawn_columns] = (1 + as_far[drawn_columns]) / (1 + rounds)
    return p


def _out_of_reach(differences: NDArray[Any], threshold: NDArray[Any], rounds: int) -> NDArray[Any]:
    """Of which columns no flip of so many comes as far, surely: by Hoeffding's inequality a random sum of ±d reaches
    T with a probability of at most 2·exp(−T² / 2Σd²). With 10,000 flips that is so from |t| = 8.7 on."""
    import numpy as np

    reach = np.maximum(threshold, 0.0) ** 2
    squares = (differences**2).sum(axis=0)
    never: NDArray[Any] = reach > 2 * squares * np.log(2 * rounds / NEVER)
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
