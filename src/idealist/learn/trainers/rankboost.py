"""RankBoost: thresholds of features that set pairs of documents right."""

from __future__ import annotations

from idealist.data.features import grades_of
from idealist.errors import InputError
from idealist.learn.models.stumps import boosted_stumps
from idealist.learn.models.training_records import iterations
from idealist.learn.trainers.base import Range, Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from numpy import ndarray

    from idealist.data.features import Features
    from idealist.learn.models.base import Model

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

        from idealist.learn.models.base import columns_named
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
