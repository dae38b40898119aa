"""Gradients of scores by what exchanging two documents does to a measure: LambdaRank for any measure of `PARTS`."""

from __future__ import annotations

import numpy as np

from idealist import kernels
from idealist.conventions import DEFAULT, as_conventions
from idealist.data.features import Features
from idealist.data.values import as_count, as_within
from idealist.learn.objective import refuse_scores
from idealist.learn.trees.value_parts import value_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.measures import Measure

ALL_RANKS = 2**64 - 1


class LambdaObjective:
    """The gradients and hessians of scores that raise a measure, over the documents of features with grades.

    For each pair of a query's documents of which exchanging would raise the value, |Δvalue|·log(1 + e^(−σ(s_i − s_j)))
    pulls the better one, i, above the other. Its derivative by the scores is what is given, |Δvalue| being taken as
    constant; equal scores rank in the order of the rows. `truncation` leaves out pairs of which both stand below that
    rank (LightGBM has 30; below a measure's own cut-off nothing changes anyway). Documents that the conventions take
    out of the ranking have the gradient 0. `normalised` divides |Δvalue| by
    0.01 + |s_i − s_j| and scales a query's sum S of |gradients| to log2(1 + S), as LightGBM does.
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
        self._starts = counted.starts.astype(np.uint64)
        self.parts = value_parts(measure, counted, rules)
        self.sigmoid = as_within(sigmoid, "sigmoid", 0, ends="(]")
        self.truncation = (
            None if truncation is None else as_count(truncation, "truncation", hint="it is a rank, or None")
        )
        self.normalised = normalised
        self.threads = kernels.thread_count(threads)

    def __call__(self, scores: Any) -> tuple[ndarray, ndarray]:
        """The gradient and the hessian of each row's score."""
        numbers = np.ascontiguousarray(scores, np.float64)
        refuse_scores(self.features, numbers)
        if self._ranked is None:
            return self._of_ranked(numbers)
        gradients, hessians = np.zeros(len(numbers)), np.zeros(len(numbers))
        gradients[self._ranked], hessians[self._ranked] = self._of_ranked(numbers[self._ranked])
        return gradients, hessians

    def _of_ranked(self, numbers: ndarray) -> tuple[ndarray, ndarray]:
        gradients, hessians = np.empty(len(numbers)), np.empty(len(numbers))
        kernels.lambda_gradients(
            numbers,
            np.ascontiguousarray(self.parts.worth, np.float64),
            np.ascontiguousarray(self.parts.stops, np.float64),
            self._starts,
            np.ascontiguousarray(self.parts.scale, np.float64),
            np.ascontiguousarray(self.parts.discounts, np.float64),
            self.parts.form,
            self.sigmoid,
            ALL_RANKS if self.truncation is None else self.truncation,
            self.normalised,
            gradients,
            hessians,
            self.threads,
        )
        return gradients, hessians


def _ranked_rows(features: Features, conventions: Conventions) -> ndarray | None:
    """The rows that stay in the ranking where unjudged documents are removed and negative grades are unjudged; None if
    all do."""
    removed = conventions.unjudged == "removed" and conventions.negative == "unjudged"
    if not removed or features.grades is None or not (features.grades < 0).any():
        return None
    rows: ndarray = np.flatnonzero(features.grades >= 0)
    return rows


def _of_rows(features: Features, rows: ndarray) -> Features:
    """The grades of some rows, of the queries that have any."""
    assert features.grades is not None, "asked of graded features only"
    queries = np.repeat(np.arange(len(features.sizes)), features.sizes)[rows]
    numbers, sizes = np.unique(queries, return_counts=True)
    names = [features.queries[number] for number in numbers]
    return Features(np.empty((len(rows), 0)), sizes=sizes, grades=features.grades[rows], queries=names)
