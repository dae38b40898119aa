"""AdaRank: a sum of features, each added for the queries that the sum so far ranks badly."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.learn.models.base import columns_named
from idealist.learn.models.linear import Linear
from idealist.learn.models.training_records import iterations
from idealist.learn.normalisation import normalisation_of
from idealist.learn.objective import Objective
from idealist.learn.trainers.base import Range, Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.learn.models.base import Model
    from idealist.learn.trainers.base import Progress
    from idealist.measures import Measure


class AdaRank(Trainer, name="adarank"):
    """Boosting on a measure: weak rankers are single features, and query weights are e^−value of the sum so far.

    A round takes the feature f whose values E_q(f) have the greatest mean weighted by the queries' weights P_q, and adds it with
    α = ½ ln(Σ P_q (1 + E_q(f)) / Σ P_q (1 − E_q(f))). It ends after `rounds`, or with a round that loses `tolerance` or more.
    Features of which more is worse are never chosen: normalise and turn them round first. Xu and Li, SIGIR 2007.

    With `set_aside`, a feature that is chosen twice in a row is set aside, its first choice is taken back, and it comes back
    once the others are done, so that one strong feature does not stop the search. A feature that is chosen `repeats` times
    in a row and changes nothing is left out until something does change.

    The model is the best sum of all rounds on the validation queries, or on the training queries where there are none, one
    whose last choice was taken back among them (RankLib forgets it). Queries that the conventions leave out have no weight.
    Weights of queries multiply P_q.

    >>> from idealist.data.features import Features
    >>> train = Features([[0, 2], [1, 1], [2, 5]], sizes=[3], grades=[0, 1, 2])
    >>> AdaRank().fit(train, measure="nDCG")
    <Linear: 2 features, normalisation none>
    """

    normalisation: str = "none"
    rounds: int = 500
    tolerance: float = 0.002
    set_aside: bool = True
    repeats: int = 5
    ranges: ClassVar[Mapping[str, Range]] = {"rounds": Range(1), "repeats": Range(1), "tolerance": Range(0)}

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        train, validation = task.train, task.validation
        normalisation = normalisation_of(self.normalisation).fit(train.matrix, train.sizes)
        columns = normalisation.apply(train.matrix, train.sizes, train.names)
        boosting = _Boosting(self, columns, train, task.measure, task.conventions)
        held_out = None
        if validation is not None:
            columns = normalisation.apply(
                columns_named(validation, train.names), validation.sizes, train.names
            )
            held_out = (columns, task.objective)
        weights, used = boosting.run(held_out, task.progress)
        model = Linear(train.names, weights.tolist(), normalisation=normalisation)
        return model, iterations("round", used, boosting.round, self.rounds)


class _Boosting:
    """The state of one fit: what was chosen, with which weights, and how the queries are weighted."""

    def __init__(
        self,
        settings: AdaRank,
        columns: ndarray,
        train: Features,
        measure: Measure,
        conventions: Conventions,
    ) -> None:
        import numpy as np

        self.settings = settings
        self.columns = columns
        self.objective = Objective(train, measure, conventions)
        if self.objective.measure.better == "lower":
            raise InputError(
                f"adarank: lower values of {measure} are better", hint="choose by nDCG@10, for example"
            )
        features = range(columns.shape[1])
        alone = [self.objective.query_values(np.ascontiguousarray(columns[:, place])) for place in features]
        by_feature = np.array(alone).reshape(len(features), len(train.sizes))
        # A query that the conventions leave out has no value, and no say.
        self.even = train.weights is None
        counts = np.ones(len(train.sizes)) if train.weights is None else train.weights
        self.counted = ~np.isnan(by_feature).any(axis=0) & (counts > 0)
        if not self.counted.any():
            raise InputError(
                f"adarank: no training query has a value of {measure}",
                source=train.source,
                hint="there is nothing relevant in them, or the conventions leave them out",
            )
        self.values = by_feature[:, self.counted]
        if self.values.size and (self.values.max() > 1 or self.values.min() < 0):
            raise InputError(
                f"adarank: {measure} has the value {self.values.max():.4g} for a query",
                hint="choose by a measure between 0 and 1",
            )
        self.counts = counts[self.counted] / counts[self.counted].sum()
        self.spread = self.counts
        self.weights: list[tuple[int, float]] = []
        self.last_value = -1.0
        self.round = 0
        self.best: tuple[float, ndarray, int] | None = None  # value, weights, round

    def run(
        self, held_out: tuple[ndarray, Objective] | None, progress: Progress | None
    ) -> tuple[ndarray, int]:
        """The weights of the features, and the round they are of."""
        self.held_out, self.progress = held_out, progress
        if self.settings.set_aside:
            aside: list[int] = []
            self._search(aside, put_aside=True)
            while aside:
                aside.pop()
                self._search(aside, put_aside=False)
        else:
            self._search([], put_aside=False)
        return (self._summed(), self.round) if self.best is None else self.best[1:]

    def _search(self, aside: list[int], *, put_aside: bool) -> None:
        import numpy as np

        last, in_a_row, left_out = -1, 0, set[int]()
        before = (self.spread, self.last_value)
        while self.round < self.settings.rounds:
            self.round += 1
            if self.progress is not None:
                self.progress(self.round, self.settings.rounds)
            open_to_choice = [
                candidate
                for candidate in range(len(self.values))
                if candidate not in left_out and candidate not in aside
            ]
            if not open_to_choice:
                return
            chosen = open_to_choice[int((self.values[open_to_choice] @ self.spread).argmax())]
            if put_aside and chosen == last:
                aside.append(chosen)
                self.weights.pop()
                self.spread, self.last_value = before
                last = -1
                continue
            before = (self.spread, self.last_value)
            right, wrong = self.spread @ (1 + self.values[chosen]), self.spread @ (1 - self.values[chosen])
            # A feature that is right everywhere would have an infinite weight.
            self.weights.append((chosen, 0.5 * float(np.log(right / max(wrong, 1e-12)))))
            by_query = np.nan_to_num(self.objective.query_values(self.columns @ self._summed())[self.counted])
            value = float(by_query.mean() if self.even else by_query @ self.counts)
            if value + self.settings.tolerance <= self.last_value:
                self.weights.pop()
                return
            in_a_row = in_a_row + 1 if chosen == last and value == self.last_value else 0
            if value != self.last_value:
                left_out.clear()
            elif in_a_row >= self.settings.repeats:
                left_out.add(chosen)
            last, self.last_value = chosen, value
            worth = np.exp(-by_query) if self.even else self.counts * np.exp(-by_query)
            self.spread = worth / worth.sum()
            self._compare_with_best()

    def _compare_with_best(self) -> None:
        """The best sum is what is given in the end: the first of equals on validation queries, the last on training queries."""
        weights = self._summed()
        if self.held_out is None:
            if self.best is None or self.last_value >= self.best[0]:
                self.best = (self.last_value, weights, self.round)
            return
        columns, objective = self.held_out
        value = objective.value(columns @ weights)
        if self.best is None or value > self.best[0]:
            self.best = (value, weights, self.round)

    def _summed(self) -> ndarray:
        import numpy as np

        weights = np.zeros(len(self.values))
        for chosen, weight in self.weights:
            weights[chosen] += weight
        return weights
