"""RankLib's three normalisations of a query's features, in its arithmetic: single precision, one rule for each oddity."""

from __future__ import annotations

from itertools import pairwise

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy import ndarray

    from idealist.data.features import Features

SMALLEST = 1.401298464324817e-45  # the least float32 above 0, which RankLib's greatest value begins from


def normalised(features: Features, how: str, names: tuple[str, ...] | None = None) -> Features:
    """The features with these columns, or all, normalised query by query: sum, zscore or linear. A missing value is 0.

    >>> from idealist.data.features import Features
    >>> table = Features([[1.0], [3.0]], sizes=[2])
    >>> normalised(table, "sum").matrix.tolist(), normalised(table, "linear").matrix.tolist()
    ([[0.25], [0.75]], [[0.0], [1.0]])
    """
    import numpy as np

    from idealist.data.features import Features as Table

    if how not in NORMALISATIONS:
        raise InputError(
            f"RankLib has no normalisation {how!r}", hint=f"name one of: {', '.join(NORMALISATIONS)}"
        )
    chosen = [place for place, name in enumerate(features.names) if names is None or name in names]
    cells = np.nan_to_num(features.matrix).astype(np.float32)
    starts = features.starts
    for begin, end in pairwise(starts):
        block = cells[begin:end, chosen]
        cells[begin:end, chosen] = NORMALISATIONS[how](block)
    return Table(
        cells,
        sizes=features.sizes,
        grades=features.grades,
        queries=features.queries,
        documents=features.documents,
        names=features.names,
        source=features.source,
    )


def _sum(block: ndarray) -> ndarray:
    """x / Σ|x|, and as it is where all are 0."""
    import numpy as np

    total = np.zeros(block.shape[1])
    for row in block:  # document by document, as RankLib adds
        total += np.abs(row)
    return np.where(total > 0, block / np.where(total > 0, total, 1.0), block)


def _zscore(block: ndarray) -> ndarray:
    """(x − mean) / standard deviation, divided by n − 1; as it is where all are equal, or one is alone."""
    import numpy as np

    values = block.astype(np.float64)
    total = np.zeros(block.shape[1])
    for row in values:
        total += row
    mean = total / len(block)
    squares = np.zeros(block.shape[1])
    for row in values:
        squares += (row - mean) ** 2
    if len(block) < 2:
        return block
    spread = np.sqrt(squares / (len(block) - 1))
    return np.where(spread > 0, (values - mean) / np.where(spread > 0, spread, 1.0), values)


def _linear(block: ndarray) -> ndarray:
    """(x − min) / (max − min), 0 where all are equal. The greatest is looked for from just above 0, so that of values which
    are all below 0 none becomes 1."""
    import numpy as np

    low = block.min(axis=0)
    high = np.maximum(block.max(axis=0), np.float32(SMALLEST))
    apart = high > low
    return np.where(apart, (block - low) / np.where(apart, high - low, np.float32(1)), np.float32(0))


NORMALISATIONS: dict[str, Callable[[ndarray], ndarray]] = {"sum": _sum, "zscore": _zscore, "linear": _linear}
