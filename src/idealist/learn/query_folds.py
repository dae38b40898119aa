"""Which rows are of one query, and folds that keep queries whole, for scikit-learn's cross-validation and searches."""

# ruff: noqa: N803 - X, as scikit-learn names it

from __future__ import annotations

import warnings

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from idealist.base.frozen import Frozen
from idealist.base.values import as_count
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from numpy import ndarray

    from idealist.data.features import Features


HINT = "group is a query's id for each row, or how many rows each query has, one query behind the other"


class Groups(Frozen):
    """The rows of each query: `order` puts them together, `sizes` says how many each has, and `queries` names them."""

    order: ndarray
    sizes: ndarray
    queries: tuple[str, ...]


def read_groups(group: Any, rows: int) -> Groups:
    """The queries of rows.

    As many entries as rows are ids, which may be numbers or text, and whose rows may stand apart; fewer are sizes. As
    many ones as rows could be either and are refused; as text, "1", they are ids.

    >>> read_groups([2, 1], 3).sizes.tolist(), read_groups(["b", "a", "b"], 3).order.tolist()
    ([2, 1], [0, 2, 1])
    """
    if group is None:
        raise InputError("group is missing: which rows are of one query?", hint=HINT)
    entries = np.asarray(group)
    if entries.ndim != 1:
        raise InputError(f"group has the shape {entries.shape}", hint=HINT)
    numbers = _whole_numbers(entries)
    if len(entries) != rows:
        return _by_sizes(numbers, entries, rows)
    if rows > 1 and numbers is not None and (numbers == 1).all():
        raise InputError(
            f"group is {rows:,} ones: one query with the id 1, or {rows:,} queries of one row?",
            hint='give ids as text, such as "1", or other numbers',
        )
    return _by_ids(entries if numbers is None else numbers)


def has_ids(group: Any, rows: int) -> bool:
    """Whether a group that could be read has an id for each row: queries then keep their names from call to call."""
    return group is not None and len(group) == rows


def _whole_numbers(entries: ndarray) -> ndarray | None:
    """Numbers as whole ones; None for text."""
    if entries.dtype.kind not in "iufb":
        return None
    if entries.dtype.kind == "f" and not (np.isfinite(entries) & (entries == np.round(entries))).all():
        at = int((~(np.isfinite(entries) & (entries == np.round(entries)))).argmax())
        raise InputError(f"entry {at} of group is {entries[at]}", hint="ids are whole numbers or text")
    if entries.dtype.kind == "f":
        most = 2.0 ** (np.finfo(entries.dtype).nmant + 1)  # from here on some whole numbers are no floats
        if (np.abs(entries) >= most).any():
            at = int((np.abs(entries) >= most).argmax())
            raise InputError(
                f"entry {at} of group is {entries[at]}, which {entries.dtype} may have rounded",
                hint="give ids as whole numbers or text, not as floats",
            )
    return entries if entries.dtype.kind == "u" else entries.astype(np.int64)


def _by_sizes(numbers: ndarray | None, entries: ndarray, rows: int) -> Groups:
    if numbers is None:
        raise InputError(f"group has {len(entries):,} ids, but there are {rows:,} rows", hint=HINT)
    if len(numbers) and numbers.min() < 1:
        at = int((numbers < 1).argmax())
        raise InputError(f"query {at} has {numbers[at]} rows", hint="leave out a query without documents")
    total = sum(numbers.tolist())  # Python's own numbers do not run over
    if total != rows:
        raise InputError(
            f"group has {len(numbers):,} entries, which add up to {total:,}, but there are {rows:,} rows",
            hint=f"{HINT}; folds and searches of scikit-learn want ids",
        )
    return Groups(np.arange(rows), numbers.astype(np.int64), tuple(map(str, range(len(numbers)))))


def _by_ids(ids: ndarray) -> Groups:
    texts = [str(entry) for entry in ids.tolist()]
    places: dict[str, int] = {}
    for text in texts:
        places.setdefault(text, len(places))
    numbers = np.array([places[text] for text in texts], np.int64)
    return Groups(
        np.argsort(numbers, kind="stable"), np.bincount(numbers, minlength=len(places)), tuple(places)
    )


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
