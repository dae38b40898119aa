"""The one rule for random numbers: whatever is random takes `seed`, a whole number, 0 or more (`as_seed` refuses others), and
the same seed gives the same numbers on every machine and with any number of threads. Nothing reads a seed from
somewhere else, and nothing random runs without one: the default is 0.

`generator` makes the random numbers of tests, intervals and samples. Orders of documents are by a hash of the seed
with query and document, so that a pool that grows keeps its order; folds are dealt by Python's `random`.
"""

from __future__ import annotations

from idealist.base.values import as_seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.random import Generator
    from numpy.typing import NDArray

AT_ONCE = 1 << 22  # how many drawn numbers are in memory at once


def generator(seed: Any) -> Generator:
    """Random numbers that are the same wherever they are drawn.

    >>> generator(7).integers(0, 100, 3).tolist() == generator(7).integers(0, 100, 3).tolist()
    True
    """
    from numpy.random import PCG64, Generator

    return Generator(PCG64(as_seed(seed)))


def resampled_sums(
    columns: Sequence[NDArray[Any]], rounds: int, random: Generator
) -> Iterator[tuple[NDArray[Any], ...]]:
    """The bootstrap's draws: the sum of every column over as many rows as there are, drawn again with replacement,
    the same rows in all columns. In blocks, `rounds` in all; how large they are changes nothing.

    >>> import numpy as np
    >>> [(sums,)] = resampled_sums([np.ones(5)], 3, generator(0))
    >>> sums.tolist()
    [5.0, 5.0, 5.0]
    """
    n = len(columns[0])
    block = max(1, AT_ONCE // n)
    for start in range(0, rounds, block):
        drawn = random.integers(0, n, (min(block, rounds - start), n))
        yield tuple(column[drawn].sum(axis=1) for column in columns)
