"""Which rows a ranker was trained on, by query: to notice folds that cut queries apart."""

from __future__ import annotations

import warnings

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from idealist.data.features import Features

MIXED = np.uint64(0x9E3779B97F4A7C15)  # an odd number with bits all over


def row_sums(features: Features) -> dict[str, int]:
    """A number for the rows of each query, whatever their order.

    >>> from idealist.data.features import Features
    >>> sums = [row_sums(Features(rows, sizes=[2]))["0"] for rows in ([[1.0], [2.0]], [[2.0], [1.0]], [[1.0], [3.0]])]
    >>> sums[0] == sums[1] != sums[2]
    True
    """
    cells = np.ascontiguousarray(features.matrix).view(np.uint64)
    factors = np.random.default_rng(0).integers(1, 2**63, cells.shape[1], dtype=np.uint64)
    with np.errstate(over="ignore"):
        rows = (cells * (factors | np.uint64(1))).sum(axis=1)
        rows = (rows ^ (rows >> np.uint64(29))) * MIXED
        sums = np.add.reduceat(rows, features.starts[:-1])
    return dict(zip(features.queries, sums.tolist(), strict=True))


def warn_of_cut_queries(trained: Mapping[str, int], features: Features) -> None:
    """A warning if queries that were trained on come again with other documents."""
    cut = [query for query, total in row_sums(features).items() if trained.get(query, total) != total]
    if cut:
        warnings.warn(
            f"query {cut[0]!r}{f' and {len(cut) - 1:,} more' if len(cut) > 1 else ''} had other documents in fit: folds that cut "
            "queries apart measure parts of rankings, on queries that were trained on; "
            "cv=idealist.learn.QueryKFold(…) keeps queries whole",
            UserWarning,
            stacklevel=3,
        )
