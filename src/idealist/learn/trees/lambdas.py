"""Gradients of scores by what exchanging two documents does to a measure: LambdaRank for any measure."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from idealist import kernels
from idealist.backends.rank_sums import rank_sum
from idealist.base.values import as_count, as_within
from idealist.conventions import DEFAULT, as_conventions, match_options
from idealist.data import Rankings, match
from idealist.data.features import Features, grades_of
from idealist.errors import InputError
from idealist.learn.objective import refuse_scores, trainable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray

    from idealist.backends.rank_sums import RankSum
    from idealist.conventions import Conventions
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


class LambdaObjective:
    """The gradients and hessians of scores that raise a measure, over the documents of features with grades.

    For each pair of a query's documents of which exchanging would raise the value, |Δvalue|·log(1 + e^(−σ(s_i − s_j)))
    pulls the better one, i, above the other. Its derivative by the scores is what is given, |Δvalue| being taken as
    constant; equal scores rank in the order of the rows. `truncation` leaves out pairs of which both stand below that
    rank (LightGBM has 30; below a measure's own cut-off nothing changes anyway). Documents that the conventions take
    out of the ranking have the gradient 0. `normalised` divides |Δvalue| by 0.01 + |s_i − s_j| and scales a query's sum S
    of |gradients| to log2(1 + S), as LightGBM does. Where the measure is a sum over ranks by its own definition, Δvalue follows
    from that sum (`changes` are `SummedChanges`); elsewhere lists are measured with the two documents exchanged.
    Burges, Ragno and Le, NIPS 2006; Donmez, Svore and Burges, SIGIR 2009.

    >>> from idealist.data.features import Features
    >>> features = Features([[0.0], [0.0]], sizes=[2], grades=[0, 1])
    >>> gradients, hessians = LambdaObjective(features, "RR", normalised=False)([0.0, 0.0])
    >>> gradients, hessians  # (1 − 1/2)·σ(0), and times 1 − σ(0)
    (array([ 0.25, -0.25]), array([0.125, 0.125]))
    """

    def __init__(
        self,
        features: Features,
        measure: Measure | str = "nDCG@10",
        *,
        sigmoid: float = 1.0,
        truncation: int | None = None,
        normalised: bool = True,
        conventions: Conventions | str = DEFAULT,
        threads: int | None = None,
    ) -> None:
        rules = as_conventions(conventions)
        self.features = features
        self._ranked = _ranked_rows(features, rules)
        counted = features if self._ranked is None else _of_rows(features, self._ranked)
        self.measure = _objective(measure, rules)
        self.changes = _changes(self.measure, counted, rules, kernels.thread_count(threads))
        if (reason := self.changes.none_because()) is not None:
            raise InputError(
                f"{self.measure} is the same for every order of these documents: {reason}",
                hint="choose a smaller cut-off, or a measure with a discount",
            )
        self.sigmoid = as_within(sigmoid, "sigmoid", 0, ends="(]")
        self.truncation = (
            None if truncation is None else as_count(truncation, "truncation", hint="it is a rank, or None")
        )
        self.normalised = normalised

    def __call__(self, scores: Any) -> tuple[ndarray, ndarray]:
        """The gradient and the hessian of each row's score."""
        numbers = np.ascontiguousarray(scores, np.float64)
        refuse_scores(self.features, numbers)
        how = self.sigmoid, self.truncation, self.normalised
        if self._ranked is None:
            return self.changes.gradients(numbers, *how)
        gradients, hessians = np.zeros(len(numbers)), np.zeros(len(numbers))
        gradients[self._ranked], hessians[self._ranked] = self.changes.gradients(numbers[self._ranked], *how)
        return gradients, hessians


def _ranked_rows(features: Features, conventions: Conventions) -> ndarray | None:
    """The rows that stay in the ranking where unjudged documents are removed and negative grades are unjudged; None if
    all do."""
    removed = conventions.unjudged == "removed" and conventions.negative == "unjudged"
    if not removed or features.grades is None or not (features.grades < 0).any():
        return None
    rows: ndarray = np.flatnonzero(features.grades >= 0)
    return rows


def _objective(measure: Measure | str, conventions: Conventions) -> Measure:
    """The measure, if trees can be trained for it."""
    parsed = trainable(measure, conventions)
    if parsed.aggregate == "geometric":
        raise InputError(
            f"{parsed} cannot be an objective: it is no mean over queries",
            hint="train for a measure that is one, such as AP, and report this one",
        )
    return parsed


def _changes(
    measure: Measure, features: Features, conventions: Conventions, threads: int
) -> SummedChanges | MeasuredChanges:
    """What exchanging two documents changes: by the measure's sum over ranks, or else by measuring."""
    rules = conventions.replace(empty="zero", missing="zero")  # what is undefined has no gradient
    grades = grades_of(features).tolist()
    lists = [grades[begin:end] for begin, end in pairwise(features.starts)]
    try:
        rankings = Rankings(kernels.rank_lists(lists, lists, match_options(rules)), rules)
        measure.measured(rankings)
    except InputError:  # something is wrong with the grades, which is said with the query's name
        places = np.arange(len(features)) - np.repeat(features.starts[:-1], features.sizes)
        measure.measured(match(features.judgments(), features.run(-places), rules))
        raise
    found = rank_sum(measure, rankings)
    if found is None:
        return MeasuredChanges(features, measure, conventions, threads)
    if measure.better == "lower":
        found = found.replace(scale=-found.scale)
    return SummedChanges(features, found, threads)


def _of_rows(features: Features, rows: ndarray) -> Features:
    """The grades of some rows, of the queries that have any."""
    assert features.grades is not None, "asked of graded features only"
    queries = np.repeat(np.arange(len(features.sizes)), features.sizes)[rows]
    numbers, sizes = np.unique(queries, return_counts=True)
    names = [features.queries[number] for number in numbers]
    return Features(np.empty((len(rows), 0)), sizes=sizes, grades=features.grades[rows], queries=names)
