"""Folds that keep queries whole, for scikit-learn's cross-validation and searches."""

# ruff: noqa: N803 - X, as scikit-learn names it
from __future__ import annotations

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from idealist.base.values import as_count
from idealist.errors import InputError
from idealist.learn.rankers.groups import read_groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import ndarray


class QueryKFold(BaseCrossValidator):
    """k folds of queries: all rows of a query are in one fold, and folds differ by one query at most.

    Queries go to folds in their order, or shuffled by `seed`. `group` is that of `Ranker.fit`; within scikit-learn's
    searches it is an id for each row. `groups` is scikit-learn's own name for it.

    >>> folds = QueryKFold(2)
    >>> [test.tolist() for _, test in folds.split(range(5), group=["a", "a", "b", "c", "c"])]
    [[0, 1, 3, 4], [2]]
    """

    __metadata_request__split = {"group": True, "groups": True}  # noqa: RUF012 - scikit-learn reads it off the class

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, seed: int = 0) -> None:
        self.n_splits = as_count(n_splits, "n_splits", 2)
        self.shuffle = shuffle
        self.seed = seed

    def split(
        self, X: Any, y: Any = None, group: Any = None, groups: Any = None
    ) -> Iterator[tuple[ndarray, ndarray]]:
        """The rows to train on and to test on, of each fold in turn."""
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        given = groups if group is None else group
        if given is None:
            raise InputError(
                "QueryKFold was given no group",
                hint="sklearn.set_config(enable_metadata_routing=True), and fit(X, y, group=…)",
            )
        known = read_groups(given, rows)
        queries = len(known.sizes)
        if queries < self.n_splits:
            raise InputError(
                f"there are {queries} queries, too few for {self.n_splits} folds",
                hint="make n_splits smaller",
            )
        order = np.arange(queries)
        if self.shuffle:
            np.random.default_rng(self.seed).shuffle(order)
        fold = np.empty(queries, np.int64)
        fold[order] = np.arange(queries) % self.n_splits
        row_fold = np.empty(rows, np.int64)
        row_fold[known.order] = np.repeat(fold, known.sizes)
        for number in range(self.n_splits):
            yield np.flatnonzero(row_fold != number), np.flatnonzero(row_fold == number)

    def get_n_splits(self, X: Any = None, y: Any = None, group: Any = None, groups: Any = None) -> int:
        return self.n_splits
