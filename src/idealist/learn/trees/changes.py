"""What exchanging two documents of a ranking changes of a measure, and the gradients of scores that follow from it."""

from __future__ import annotations

import numpy as np

from idealist import kernels
from idealist.data import Rankings
from idealist.data.features import grades_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import ndarray

    from idealist.backends.rank_sums import RankSum
    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.measures import Measure

ALL_RANKS = 2**64 - 1
SAME_GRADES = "no two grades count differently"
RANDOM_ORDERS = 8
CELLS = 1 << 21  # documents of the lists that are measured at a time: they bound the memory


class SummedChanges:
    """The changes of a measure that is a sum over ranks."""

    def __init__(self, features: Features, parts: RankSum, threads: int) -> None:
        grades = grades_of(features)
        self.parts, self.threads = parts, threads
        self.worth = parts.of_documents(parts.worth, grades)
        cascade = parts.form == "cascade"
        self.stops = parts.of_documents(parts.stops, grades) if cascade else np.zeros(0)
        self.starts = features.starts.astype(np.uint64)

    def none_because(self) -> str | None:
        """Why there are none, if there are none whatever the order."""
        parts = self.parts
        if len(parts.weights) > 1 and parts.form != "running" and np.ptp(parts.weights) == 0:
            return f"no query has more than {len(parts.weights)}"
        return None

    def gradients(
        self, scores: ndarray, sigmoid: float, truncation: int | None, normalised: bool
    ) -> tuple[ndarray, ndarray]:
        gradients, hessians = np.empty(len(scores)), np.empty(len(scores))
        kernels.lambda_gradients(
            scores,
            self.worth,
            self.stops,
            self.starts,
            self.parts.scale,
            self.parts.weights,
            self.parts.form,
            sigmoid,
            ALL_RANKS if truncation is None else truncation,
            normalised,
            gradients,
            hessians,
            self.threads,
        )
        return gradients, hessians


class MeasuredChanges:
    """The changes of any measure, by measuring lists with two documents exchanged.

    A query of n documents has up to n²/2 lists of n; with a cut-off k, about k²/2 and k for each grade below it.
    """

    def __init__(self, features: Features, measure: Measure, conventions: Conventions, threads: int) -> None:
        self.measure, self.threads = measure, threads
        # Lists are ranked by scores that no two documents share; what is undefined is no error.
        self.conventions = conventions.replace(
            ties="input-order", precision="double", empty="zero", missing="zero"
        )
        self.undefined = {"zero": 0.0, "one": 1.0}.get(conventions.empty, np.nan)
        self.sign = -1.0 if measure.better == "lower" else 1.0
        self.groups = [
            features.starts[np.flatnonzero(features.sizes == size), None] + np.arange(size)
            for size in np.unique(features.sizes)
            if size > 1
        ]
        self.grades = grades_of(features)

    def values(self, lists: ndarray) -> ndarray:
        """The values of lists of grades in ranked order, each a row."""
        scores = np.broadcast_to(-np.arange(lists.shape[1], dtype=np.float64), lists.shape)
        ranked = Rankings.from_arrays(
            lists, scores, self.conventions, depth=self.measure.depth or None, threads=self.threads
        )
        found = np.asarray(memoryview(self.measure.measured(ranked)))
        return self.sign * np.where(np.isnan(found), self.undefined, found)

    def changes(self, grades: ndarray, upper: int) -> ndarray:
        """For the rankings in the rows, what exchanging those at places a < b adds: [row, a, b], a among the `upper` first."""
        queries, size = grades.shape
        depth = min(self.measure.depth or size, size)
        first = min(upper, depth)
        changes = np.zeros((queries, first, size))
        apart = grades[:, :first, None] != grades[:, None, :]
        apart &= np.arange(size) > np.arange(first)[:, None]
        # Of the documents below the cut-off, one of each grade stands for all.
        stands_in = np.broadcast_to(np.arange(size), grades.shape).copy()
        if depth < size:
            below = grades[:, depth:]
            stands_in[:, depth:] = depth + (below[:, :, None] == below[:, None, :]).argmax(2)
            apart &= (stands_in == np.arange(size))[:, None, :]
        rows, above, under = np.nonzero(apart)
        before = self.values(grades)
        step = max(1, CELLS // size)
        for begin in range(0, len(rows), step):
            row, a, b = (places[begin : begin + step] for places in (rows, above, under))
            lists, number = grades[row], np.arange(len(row))
            lists[number, a], lists[number, b] = grades[row, b], grades[row, a]
            changes[row, a, b] = np.nan_to_num(self.values(lists) - before[row])
        return np.take_along_axis(changes, stands_in[:, None, :].repeat(first, 1), 2)

    def none_because(self) -> str | None:
        """Why there are none, if a few orders have the same value in every query of different grades."""
        random = np.random.default_rng(0)
        known, alike = False, True
        for rows in self.groups:
            grades = np.sort(self.grades[rows])
            grades = grades[grades[:, 0] < grades[:, -1]]
            orders = [
                grades,
                grades[:, ::-1],
                *(random.permuted(grades, axis=1) for _ in range(RANDOM_ORDERS)),
            ]
            values = [self.values(order) for order in orders if len(order)]
            known |= not np.isnan(values).all()
            alike &= all(np.allclose(one, values[0], 1e-12, 1e-12, equal_nan=True) for one in values)
        return SAME_GRADES if known and alike else None

    def gradients(
        self, scores: ndarray, sigmoid: float, truncation: int | None, normalised: bool
    ) -> tuple[ndarray, ndarray]:
        gradients, hessians = np.zeros(len(scores)), np.zeros(len(scores))
        for rows in self.groups:
            size = rows.shape[1]
            upper = min(size - 1, truncation or size)
            step = max(1, CELLS // (size * size))
            for begin in range(0, len(rows), step):
                some = rows[begin : begin + step]
                ranked = np.take_along_axis(some, np.argsort(-scores[some], axis=1, kind="stable"), 1)
                found = np.empty(some.shape), np.empty(some.shape)
                kernels.exchange_gradients(
                    scores[ranked],
                    self.changes(self.grades[ranked], upper),
                    sigmoid,
                    normalised,
                    *found,
                    self.threads,
                )
                gradients[ranked], hessians[ranked] = found
        return gradients, hessians
