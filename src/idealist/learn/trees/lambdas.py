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
from idealist.learn.trees.changes import MeasuredChanges, SummedChanges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.measures import Measure


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
