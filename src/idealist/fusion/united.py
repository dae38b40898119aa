"""The documents of several runs side by side, as fusion methods take them."""

from __future__ import annotations

from idealist import kernels
from idealist.conventions import DEFAULT, match_options
from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Self

    import numpy as np
    from numpy.typing import NDArray

    from idealist.data import Run

    Array = NDArray[np.float64]

AT_ONCE = 1 << 15  # rows that are combined at a time, so that what is made on the way stays in the cache


class United:
    """Some queries of the union of runs: a row for every document that any run has for a query, a column for
    every run.

    `scores` are nan and `ranks` 0 where a run lacks the document. Ranks follow the scores, and equal scores the
    ids, descending. Queries without documents are passed over.
    """

    def __init__(
        self, native: kernels.Union, begin: int, end: int, names: Sequence[str], threads: int
    ) -> None:
        import numpy as np

        self.native, self.begin, self.end, self.names, self.threads = native, begin, end, names, threads
        bounds = native.query_begin[begin : end + 1].astype(np.int64)
        self.rows = slice(int(bounds[0]), int(bounds[-1]))
        self.scores: Array = native.scores[self.rows]
        self.ranks: NDArray[np.uint32] = native.ranks[self.rows]
        sizes = np.diff(bounds)
        self.queries = begin + np.flatnonzero(sizes)
        # By query: how many documents all runs have together, and each of them.
        self.sizes = sizes[sizes > 0]
        self.retrieved: NDArray[np.uint32] = native.retrieved[self.queries]
        self._starts = np.cumsum(self.sizes) - self.sizes
        self.has: NDArray[np.bool_] = self.ranks > 0

    @property
    def runs(self) -> int:
        return int(self.ranks.shape[1])

    def normalised(self, normalisation: Callable[[United], Array]) -> Self:
        """The documents with normalised scores. What a normalisation gives a document that a run lacks counts
        as if it had it."""
        import numpy as np

        self.scores = normalisation(self)
        self.has = ~np.isnan(self.scores)
        return self

    def count(self) -> Array:
        """How many runs have the document."""
        import numpy as np

        return added(self.has.astype(np.float64))

    def total(self, values: Any) -> Array:
        """The sum over the runs that have the document."""
        import numpy as np

        return added(np.where(self.has, values, 0.0))

    def by_query(self, reduce: Any, values: Any) -> Array:
        """Reduces each run's values for a query by a ufunc."""
        return reduce.reduceat(values, self._starts, axis=0)  # type: ignore[no-any-return]

    def spread(self, by_query: Any) -> Any:
        """Numbers by query and run, repeated for each document of the query."""
        import numpy as np

        return np.repeat(np.asarray(by_query).T, self.sizes, axis=-1).T

    def by_rank(self, tables: Sequence[Any]) -> Array:
        """What each run's table holds at the document's rank, tables[run][rank - 1]; 0 behind its end, and for
        what the run lacks."""
        import numpy as np

        values = np.empty_like(self.scores)
        for run, table in enumerate(tables):
            padded = np.concatenate(([0.0], np.asarray(table, dtype=np.float64), [0.0]))
            values[:, run] = padded[np.minimum(self.ranks[:, run], len(padded) - 1)]
        return values

    def majority(self, weights: Sequence[float]) -> Array:
        return self.native.majority(weights, self.begin, self.end, self.threads)  # type: ignore[no-any-return]

    def where(self, wrong: Any) -> str:
        """The first query, and run, for which something is wrong, in words."""
        import numpy as np

        query, run = np.argwhere(wrong)[0]
        return f"query {self.native.queries()[self.queries[query]]!r} of {self.names[run]}"


def added(values: Array) -> Array:
    """The sum over runs. From the smallest to the largest, so that neither the order of the runs nor that of a
    document's ranks changes the last digit: equal documents stay equal."""
    import numpy as np

    if values.shape[1] > 2:
        values = np.sort(values, axis=1)
    total: Array = values[:, 0].copy()
    for run in range(1, values.shape[1]):
        total += values[:, run]
    return total


def unite(runs: Sequence[Run], threads: int) -> kernels.Union:
    return kernels.unite([run.rows for run in runs], match_options(DEFAULT), threads)


def parts(native: kernels.Union, names: Sequence[str], threads: int) -> Iterator[United]:
    """All queries, some at a time."""
    import numpy as np

    begins = native.query_begin
    begin, queries = 0, len(begins) - 1
    while begin < queries:
        end = int(np.searchsorted(begins, begins[begin] + np.uint64(AT_ONCE), side="right")) - 1
        end = min(max(end, begin + 1), queries)
        if begins[end] > begins[begin]:
            yield United(native, begin, end, names, threads)
        begin = end


def refuse_undefined(united: United, scores: Array, method: object) -> None:
    import numpy as np

    if not np.isnan(scores).any():
        return
    row = int(np.argmax(np.isnan(scores)))
    query = united.queries[int(np.searchsorted(np.cumsum(united.sizes), row, side="right"))]
    raise InputError(
        f"{method} gives a document of query {united.native.queries()[query]!r} no score",
        hint="its scores in the runs are infinite; a method that uses ranks, such as rrf, takes them",
    )
