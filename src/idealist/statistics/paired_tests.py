"""Tests of paired differences: what one is, several in a text, and the bootstrap, Fisher's randomisation, the signs, Student's t, Wilcoxon's ranks."""

from __future__ import annotations

import sys

from idealist.base.frozen import Frozen
from idealist.base.named import Named, top_level
from idealist.base.values import as_count, as_seed
from idealist.errors import InputError
from idealist.statistics.mean_estimates import has_no_spread
from idealist.statistics.paired import Sample
from idealist.statistics.randomness import generator
from idealist.statistics.resampling import Resampled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar

    from numpy.typing import NDArray

    from idealist.statistics.paired import Paired

    Progress = Callable[[int, int], None]


ROUNDS = 10_000
LEAST_P = sys.float_info.min  # what underflows is small, not impossible


class Significance(Frozen):
    """The result of a test: the two-sided p-value of a mean difference of 0, and the test's statistic. Both are
    None where the test is not defined."""

    p_value: float | None
    statistic: float | None = None


UNDEFINED = Significance(None)


class PairedTest(Named, kind="test"):
    """The base of all tests. A subclass with a `name` can be named:

    - its fields are its parameters;
    - `find` gives the p-value and the statistic of a sample of two differences or more;
    - its docstring starts with what it is, and is what the reference page prints.

    >>> PairedTest.parse("randomisation(seed=7)", {"rounds": 500}), str(PairedTest.parse("randomisation(rounds=10000)"))
    (RandomisationTest(rounds=500, seed=7), 'randomisation')
    """

    modules: ClassVar[Mapping[str, tuple[str, ...]]] = {"idealist.statistics.paired_tests": ()}
    # What tables call it, and machines: "p (t-test)" and "p_value".
    label: ClassVar[str]
    column: ClassVar[str]
    # Whether it is defined where queries have weights.
    takes_weights: ClassVar[bool] = True

    def __init_subclass__(
        cls, label: str | None = None, column: str | None = None, **registered: Any
    ) -> None:
        super().__init_subclass__(**registered)
        if hasattr(cls, "name"):
            cls.label, cls.column = label or cls.name, column or f"p_{cls.name}"

    def __call__(self, differences: Sequence[float], weights: Sequence[float] | None = None) -> Significance:
        """The result for differences, one per query, and their weights."""
        if weights is not None and not self.takes_weights:
            raise InputError(
                f"the test {self.name!r} is not defined for weighted queries",
                hint="take t, randomisation or bootstrap, or leave the weights out",
            )
        return self.of(Sample(differences, weights))

    def of(self, sample: Sample) -> Significance:
        """The result for a sample; undefined for fewer than two differences, and for weights that it does not take."""
        if len(sample) < 2 or (sample.weights is not None and not self.takes_weights):
            return UNDEFINED
        return self.find(sample)

    def find(self, sample: Sample) -> Significance:
        """The result for two differences or more."""
        raise TypeError(f"{type(self).__name__} does not define `find`")

    def of_all(
        self, pairs: Sequence[Paired], queries: Sequence[str], progress: Progress | None = None
    ) -> list[Significance]:
        """The results for every pair; each has values for some of the queries."""
        return [self.of(pair.sample) for pair in pairs]

    @property
    def about(self) -> str:
        """What the p-value is, as the line below a table continues "p (…):"."""
        return self.label


def _rounds(title: str, value: Any) -> int:
    return as_count(value, title, text=True, hint="such as 10000")


def _seed(title: str, value: Any) -> int:
    return as_seed(int(value) if isinstance(value, str) and value.isdecimal() else value)


# How parameters are read, and what they are.
PairedTest.readers = {"rounds": _rounds, "seed": _seed}
PARAMETERS = {
    "rounds": "how many random draws are made",
    "seed": "the seed of random numbers: the same seed gives the same p-value",
}


def parse_tests(
    texts: str | PairedTest | Iterable[str | PairedTest], **unstated: Any
) -> tuple[PairedTest, ...]:
    """One test or several, each once, in their order; a text may hold several, apart by commas or spaces. `unstated` are for
    parameters that a text does not state.

    >>> parse_tests("t, sign")
    (TTest(), SignTest())
    """
    given_tests = [texts] if isinstance(texts, (str, PairedTest)) else list(texts)
    parts = (
        part
        for test_given in given_tests
        for part in (top_level(test_given, ", ") if isinstance(test_given, str) else [test_given])
    )
    parsed = tuple(dict.fromkeys(PairedTest.parse(part, unstated) for part in parts))
    if not parsed:
        raise InputError("no test was named", hint=f"name some of: {', '.join(PairedTest.names())}")
    return parsed


class BootstrapTest(PairedTest, name="bootstrap"):
    """The bootstrap, shifted to a mean of 0: queries drawn again with replacement.

    How often is the mean of queries drawn again as far from the mean that was seen as that is from 0? Of more than
    1,000 queries the distribution is found without drawing; else p = (1 + as far) / (1 + rounds). The statistic is
    the mean difference. p = 1 when all differences are 0; undefined when all are the same but not 0. With few
    queries it is too sure: of ten without a difference it finds one 10 % of the time, at 5 %. Efron and Tibshirani,
    An Introduction to the Bootstrap, 1993; Smucker, Allan and Carterette, CIKM 2007.

    >>> BootstrapTest(rounds=999)([1.0, -1.0])  # the mean is 0, and all others are as far
    Significance(p_value=1.0, statistic=0.0)
    """

    rounds: int = ROUNDS
    seed: int = 0

    def find(self, sample: Sample) -> Significance:
        resampled = Resampled(sample.changes, sample.weights, rounds=self.rounds, seed=self.seed)
        if resampled.alike:
            return Significance(1.0, 0.0) if resampled.n > 1 and resampled.mean == 0 else UNDEFINED
        return Significance(resampled.share_as_far(abs(sample.mean)), sample.mean)

    @property
    def about(self) -> str:
        return f"{self.rounds:,} bootstrap resamples, seed {self.seed} (exact above 1,000 queries)"


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


class SignTest(PairedTest, name="sign"):
    """The sign test: the numbers of queries that rose and that fell, as tosses of a coin.

    The statistic is the number of queries that rose. Those that did not change are left out; p = 1 when none
    changed. How far they changed counts for nothing. Dixon and Mood, JASA 1946.

    >>> SignTest()([1.0, 2.0, 3.0])  # 2 · 1/8
    Significance(p_value=0.25, statistic=3.0)
    """

    takes_weights = False

    def find(self, sample: Sample) -> Significance:
        rose, fell = int((sample.changes > 0).sum()), int((sample.changes < 0).sum())
        return Significance(coin_p(rose, fell), float(rose))

    @property
    def about(self) -> str:
        return "the sign test"


def coin_p(heads: int, tails: int) -> float:
    """The two-sided p-value of a fair coin.

    >>> coin_p(3, 0)
    0.25
    """
    if heads + tails == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(max(binomtest(heads, heads + tails).pvalue, LEAST_P))


class TTest(PairedTest, name="t", label="t-test"):
    """Student's paired t: the mean difference over its standard error.

    t has n − 1 degrees of freedom. With weights, error and degrees of freedom are those of `estimate_mean`. p = 1
    when all differences are 0; undefined when all are the same but not 0, as there is no spread to compare the mean
    with. Student, Biometrika 1908.

    >>> found = TTest()([1.0, 3.0])  # t = 2 / 1, one degree of freedom: 1 − 2/π · arctan 2
    >>> round(found.p_value, 4), found.statistic
    (0.2952, 2.0)
    """

    def find(self, sample: Sample) -> Significance:
        estimate = sample.estimate
        if estimate is None:
            return UNDEFINED
        if has_no_spread(estimate):
            return Significance(1.0, 0.0) if estimate.mean == 0 else UNDEFINED
        from scipy.special import stdtr

        t = estimate.mean / estimate.error
        return Significance(float(max(2 * stdtr(estimate.freedom, -abs(t)), LEAST_P)), t)

    @property
    def about(self) -> str:
        return "Student's"


class WilcoxonTest(PairedTest, name="wilcoxon", label="Wilcoxon"):
    """Wilcoxon's signed ranks: the sum of the ranks of the differences with the rarer sign.

    Queries that did not change are left out; p = 1 when none changed. It asks whether differences are symmetric
    around 0, not whether their mean is 0. Wilcoxon, Biometrics Bulletin 1945.

    >>> WilcoxonTest()([1.0, 2.0, 3.0])  # of 8 patterns of signs, 2 are as far out
    Significance(p_value=0.25, statistic=0.0)
    """

    takes_weights = False

    def find(self, sample: Sample) -> Significance:
        changed = sample.changes[sample.changes != 0]
        if not len(changed):
            return Significance(1.0, 0.0)
        from scipy.stats import wilcoxon

        result = wilcoxon(changed)
        return Significance(float(max(result.pvalue, LEAST_P)), float(result.statistic))

    @property
    def about(self) -> str:
        return "Wilcoxon's signed ranks"
