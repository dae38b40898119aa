"""The Poisson bootstrap over queries: how often each query is drawn follows from its name alone, so that the resamples
are the same wherever its rows lie."""

from __future__ import annotations

from functools import cache

from idealist.statistics.interval import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import ndarray

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
