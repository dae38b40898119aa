"""Intervals of numbers over documents, by drawing queries again: documents of one query are alike."""

from __future__ import annotations

from idealist.data.values import as_share
from idealist.statistics.interval import Interval
from idealist.statistics.randomness import generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

ROUNDS = 2000
FEWEST = 5  # queries: with fewer, what is drawn again hardly varies
CLUSTERED = "bootstrap over queries"


class QueryBootstrap:
    """Statistics of sums over documents, and their percentile intervals when whole queries are drawn again.

    `queries` has the number of the query of every document, from 0. The same draws serve every statistic.

    >>> import numpy as np
    >>> bootstrap = QueryBootstrap(np.repeat(np.arange(10), 5))
    >>> bootstrap.interval(np.ones((50, 1)), lambda sums: sums[..., 0] / 50).low
    1.0
    """

    def __init__(
        self, queries: NDArray[Any], *, rounds: int = ROUNDS, confidence: float = 0.95, seed: int = 0
    ) -> None:
        self.count = int(queries.max()) + 1 if len(queries) else 0
        self.confidence = as_share(confidence, "confidence")
        self._queries = queries
        self._draws: NDArray[Any] | None = None
        self._rounds, self._seed = rounds, seed

    @property
    def draws(self) -> NDArray[Any]:
        """How often each query is drawn, in every round."""
        if self._draws is None:
            even = [1 / self.count] * self.count
            self._draws = generator(self._seed).multinomial(self.count, even, self._rounds).astype(float)
        return self._draws

    def by_query(self, features: NDArray[Any]) -> NDArray[Any]:
        """The sums of every query's documents."""
        import numpy as np

        sums = np.zeros((self.count, features.shape[1]))
        np.add.at(sums, self._queries, features)
        return sums

    def interval(self, features: NDArray[Any], statistic: Callable[[NDArray[Any]], Any]) -> Interval | None:
        """The interval of a statistic of the sums of features over documents, which must take a stack of sums; None
        with few queries, or where it is undefined in most rounds."""
        return None if self.count < FEWEST else self.of_sums(self.by_query(features), statistic)

    def of_sums(self, sums: NDArray[Any], statistic: Callable[[NDArray[Any]], Any]) -> Interval | None:
        """The same, from sums by query."""
        import numpy as np

        if self.count < FEWEST:
            return None
        values = np.asarray(statistic(self.draws @ sums), dtype=float)
        values = values[~np.isnan(values)]
        if 2 * len(values) < self._rounds:
            return None
        low, high = np.quantile(values, [(1 - self.confidence) / 2, (1 + self.confidence) / 2])
        return Interval(float(low), float(high), self.confidence, CLUSTERED)
