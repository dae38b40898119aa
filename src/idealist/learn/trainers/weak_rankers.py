"""AdaRank and RankBoost: sums of features or of thresholds, each added for what the sum so far ranks badly."""

from __future__ import annotations

from idealist.data.features import grades_of
from idealist.errors import InputError
from idealist.learn.feature_scaling import normalisation_of
from idealist.learn.models.base_model import columns_named, iterations
from idealist.learn.models.linear import Linear
from idealist.learn.models.ranklib_models import boosted_stumps
from idealist.learn.objective import Objective
from idealist.learn.trainers.trainer import Range, Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.learn.models.base_model import Model
    from idealist.learn.trainers.trainer import Progress
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


ALL = 0  # thresholds: every value of a feature is one
BELOW_ALL = 1e8  # how far, at the least, below the lowest value the threshold is that all values are above


class RankBoost(Trainer, name="rankboost"):
    """Boosting on pairs: a round adds the threshold that sets most of the weight of pairs right.

    Pairs of a query's documents with different grades have weights D(i, j) ∝ e^(H(j) − H(i)), where i has the higher grade
    and H is the sum so far. A threshold h(x) = [f(x) > θ] has r = Σ D(i, j)(h(i) − h(j)) and gets the weight
    ½ ln((1 + r) / (1 − r)). Weights of pairs are a product, so that sums per grade are enough and no pair is stored.
    `thresholds` are so many between a feature's lowest and highest value, or all values if it is 0.
    Freund, Iyer, Schapire and Singer, JMLR 2003.

    >>> from idealist.data.features import Features
    >>> train = Features([[0, 2], [1, 1], [2, 5]], sizes=[3], grades=[0, 1, 2])
    >>> model = RankBoost(rounds=2).fit(train, measure="nDCG")
    >>> model.scores(train).argsort().tolist()
    [0, 1, 2]
    """

    takes_missing = True
    rounds: int = 300
    thresholds: int = 10
    ranges: ClassVar[Mapping[str, Range]] = {"rounds": Range(1), "thresholds": Range(ALL)}

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        import numpy as np

        from idealist.learn.models.single_precision import refuse_beyond_single

        train, validation, objective = task.train, task.validation, task.objective
        refuse_beyond_single(train, train.names)
        # As models are scored: in single precision, with 0 for what is missing.
        cells = np.nan_to_num(train.matrix).astype(np.float32).astype(np.float64)
        pairs = _Pairs(train)
        candidates = [_candidates(cells[:, place], self.thresholds) for place in range(cells.shape[1])]
        # Of each document the first of a feature's falling thresholds that it is above.
        first_above = [
            len(levels) - np.searchsorted(levels[::-1], cells[:, place], side="left")
            for place, levels in enumerate(candidates)
        ]
        held_out = None if validation is None else _Totals(validation, train.names)
        weak: list[tuple[str, float, float]] = []
        best_round, best = 0, None
        for turn in range(1, self.rounds + 1):
            task.report(turn, self.rounds)
            threshold = _best_threshold(pairs.potentials(), first_above, candidates)
            if threshold is None:
                break
            gain, place, level = threshold
            # A threshold that is right about every pair would have an infinite weight.
            weight = 0.5 * float(np.log((1 + gain) / max(1 - gain, 1e-12)))
            weak.append((train.names[place], float(candidates[place][level]), weight))
            pairs.add(weight * (first_above[place] <= level))
            if held_out is not None:
                value = objective.value(held_out.with_threshold(place, candidates[place][level], weight))
                if objective.better(value, best):
                    best_round, best = len(weak), value
            if gain >= 1 - 1e-9:
                break  # no pair is left that is in the wrong order
        if not weak:
            raise InputError(
                "rankboost: no threshold of a feature sets a pair of documents right",
                source=train.source,
                hint="queries need documents of different grades, and features that tell them apart",
            )
        used = best_round or len(weak)
        return boosted_stumps(weak[:used]), iterations("round", used, len(weak), self.rounds)


class _Pairs:
    """Weights of the pairs of documents of one query with different grades, as sums over grades."""

    def __init__(self, train: Features) -> None:
        import numpy as np

        grades = grades_of(train)
        query = np.repeat(np.arange(len(train.sizes)), train.sizes)
        self.order = np.lexsort((grades, query))
        ranked = np.column_stack([query, grades])[self.order]
        new_query = np.diff(ranked[:, 0], prepend=-1) != 0
        new_level = new_query | (np.diff(ranked[:, 1], prepend=np.nan) != 0)
        self.level_starts = np.flatnonzero(new_level)
        self.level_of = np.cumsum(new_level) - 1
        # Where a level stands in a table of queries × their levels, lowest first.
        first = np.flatnonzero(new_query[self.level_starts])
        counts = np.diff(np.append(first, len(self.level_starts)))
        self.row = np.repeat(np.arange(len(first)), counts)
        self.column = np.arange(len(self.level_starts)) - np.repeat(first, counts)
        self.shape = (len(first), int(counts.max(initial=1)))
        weights = np.ones(len(train.sizes)) if train.weights is None else train.weights
        with np.errstate(divide="ignore"):
            self.log_weights = np.log(weights)[query][self.order]
        self.total = np.zeros(len(train))  # H of each document

    def add(self, scores: ndarray) -> None:
        self.total += scores

    def potentials(self) -> ndarray:
        """Of each document, the weight of pairs that it should win less that of pairs that it should lose; 0 in all where
        there are no pairs."""
        import numpy as np

        total = self.total[self.order]
        # In logarithms, and each query by itself: sums so far may differ by more than powers of e can hold, and a query of
        # large weights would take the digits of the others.
        below = self._summed_before(total, -1)
        above = self._summed_before(-total, 1)
        wins, losses = self.log_weights - total + below, self.log_weights + total + above
        largest = wins.max()
        if largest == -np.inf:
            return np.zeros_like(total)
        wins, losses = np.exp(wins - largest), np.exp(losses - largest)
        potentials = np.empty_like(total)
        potentials[self.order] = (wins - losses) / wins.sum()
        return potentials

    def _summed_before(self, exponents: ndarray, side: int) -> ndarray:
        """Of each document, log Σ e^exponent over the documents of its query on a side of it: with lower grades (−1), or
        with higher ones (1)."""
        import numpy as np

        peaks = np.maximum.reduceat(exponents, self.level_starts)
        powers = np.add.reduceat(np.exp(exponents - peaks[self.level_of]), self.level_starts)
        table = np.full(self.shape, -np.inf)
        table[self.row, self.column] = peaks + np.log(powers)
        summed = np.logaddexp.accumulate(table[:, ::-side], axis=1)[:, ::-side]
        outside = np.full((self.shape[0], 1), -np.inf)
        beyond = np.hstack([outside, summed[:, :-1]] if side < 0 else [summed[:, 1:], outside])
        totals: ndarray = beyond[self.row, self.column][self.level_of]
        return totals


class _Totals:
    """Scores of the validation documents, threshold by threshold."""

    def __init__(self, features: Features, names: tuple[str, ...]) -> None:
        import numpy as np

        from idealist.learn.models.single_precision import refuse_beyond_single

        refuse_beyond_single(features, names)
        self.cells = np.nan_to_num(columns_named(features, names)).astype(np.float32).astype(np.float64)
        self.total = np.zeros(len(features))

    def with_threshold(self, place: int, threshold: float, weight: float) -> ndarray:
        self.total += weight * (self.cells[:, place] > threshold)
        return self.total


def _candidates(values: ndarray, count: int) -> ndarray:
    """Thresholds of a feature, highest first; all values are above the last."""
    import numpy as np

    if count == ALL:
        return np.unique(values)[::-1]
    highest, lowest = float(values.max()), float(values.min())
    levels, step = [highest], (highest - lowest) / count
    for _ in range(count - 1):
        levels.append(levels[-1] - step)
    # Beside a large number 1e8 is nothing.
    return np.array([*levels, lowest - max(BELOW_ALL, abs(lowest))])


def _best_threshold(
    potentials: ndarray, first_above: list[ndarray], candidates: list[ndarray]
) -> tuple[float, int, int] | None:
    """(r, feature, threshold) of the greatest r above 0; None where there is none."""
    import numpy as np

    best = None
    for place, above in enumerate(first_above):
        # The last bin holds documents that are above no threshold.
        gains = np.bincount(above, weights=potentials, minlength=len(candidates[place]) + 1)[:-1].cumsum()
        level = int(gains.argmax())
        if gains[level] > 1e-12 and (best is None or gains[level] > best[0]):
            best = (float(gains[level]), place, level)
    return best
