"""RankBoost: thresholds of features that set pairs of documents right."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.learn.models.stumps import boosted_stumps
from idealist.learn.trainers.base import Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray

    from idealist.data.features import Features
    from idealist.learn.models.base import Model

ALL = 0  # thresholds: every value of a feature is one
BELOW_ALL = 1e8  # how far below the lowest value the threshold is that all values are above


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

    rounds: int = 300
    thresholds: int = 10

    def _checked(self, field: str, value: Any) -> Any:
        value = super()._checked(field, value)
        if field == "rounds" and value < 1:
            raise InputError(f"rankboost: rounds must be 1 or more, not {value}")
        if field == "thresholds" and value < 0:
            raise InputError(f"rankboost: thresholds must be 0 (all values) or more, not {value}")
        return value

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        import numpy as np

        train, validation, objective = task.train, task.validation, task.objective
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
        kept, best = 0, None
        for turn in range(1, self.rounds + 1):
            task.report(turn, self.rounds)
            found = _best_threshold(pairs.potentials(), first_above, candidates)
            if found is None:
                break
            gain, place, level = found
            # A threshold that is right about every pair would have an infinite weight.
            weight = 0.5 * float(np.log((1 + gain) / max(1 - gain, 1e-12)))
            weak.append((train.names[place], float(candidates[place][level]), weight))
            pairs.add(weight * (first_above[place] <= level))
            if held_out is not None:
                value = objective.value(held_out.with_threshold(place, candidates[place][level], weight))
                if objective.better(value, best):
                    kept, best = len(weak), value
            if gain >= 1 - 1e-9:
                break  # no pair is left that is in the wrong order
        if not weak:
            raise InputError(
                "rankboost: no threshold of a feature sets a pair of documents right",
                source=train.source,
                hint="queries need documents of different grades, and features that tell them apart",
            )
        return boosted_stumps(weak[: kept or None]), {"round": kept or len(weak)}


class _Pairs:
    """Weights of the pairs of documents of one query with different grades, as sums over grades."""

    def __init__(self, train: Features) -> None:
        import numpy as np

        if train.grades is None:
            raise InputError(
                "these features have no grades", source=train.source, hint="give a grade to every row"
            )
        query = np.repeat(np.arange(len(train.sizes)), train.sizes)
        self.order = np.lexsort((train.grades, query))
        ranked = np.column_stack([query, train.grades])[self.order]
        new_query = np.diff(ranked[:, 0], prepend=-1) != 0
        new_level = new_query | (np.diff(ranked[:, 1], prepend=np.nan) != 0)
        self.query_starts, self.level_starts = np.flatnonzero(new_query), np.flatnonzero(new_level)
        self.level_of = np.cumsum(new_level) - 1
        # The level that begins a level's query, and the one that begins the next query.
        first = np.flatnonzero(new_query[self.level_starts])
        counts = np.diff(np.append(first, len(self.level_starts)))
        self.first_level, self.next_query = np.repeat(first, counts), np.repeat(first + counts, counts)
        self.total = np.zeros(len(train))  # H of each document

    def add(self, scores: ndarray) -> None:
        self.total += scores

    def potentials(self) -> ndarray:
        """Of each document, the weight of pairs that it should win less that of pairs that it should lose; 0 in all where
        there are no pairs."""
        import numpy as np

        total = self.total[self.order]
        # About the middle of each query's range: pairs see only differences, and powers stay within what floats hold.
        middle = (
            np.minimum.reduceat(total, self.query_starts) + np.maximum.reduceat(total, self.query_starts)
        ) / 2
        total -= np.repeat(middle, np.diff(np.append(self.query_starts, len(total))))
        up, down = np.exp(total), np.exp(-total)
        up_before = np.concatenate([[0.0], np.cumsum(np.add.reduceat(up, self.level_starts))])
        down_before = np.concatenate([[0.0], np.cumsum(np.add.reduceat(down, self.level_starts))])
        levels = np.arange(len(self.level_starts))
        below = np.maximum(up_before[levels] - up_before[self.first_level], 0)
        above = np.maximum(down_before[self.next_query] - down_before[levels + 1], 0)
        wins, losses = down * below[self.level_of], up * above[self.level_of]
        pairs = wins.sum()
        potentials = np.empty_like(total)
        potentials[self.order] = (wins - losses) / pairs if 0 < pairs < np.inf else 0.0
        return potentials


class _Totals:
    """Scores of the validation documents, threshold by threshold."""

    def __init__(self, features: Features, names: tuple[str, ...]) -> None:
        import numpy as np

        from idealist.learn.models.base import columns_named

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
    return np.array([*levels, lowest - BELOW_ALL])


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


TRAINERS = {"rankboost": RankBoost}
