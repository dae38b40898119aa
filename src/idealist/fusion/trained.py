"""Methods that learn from judged queries how good each run is at each rank. `fit` gives the fitted method.

`level` is the lowest grade that counts as relevant. Fit on queries other than those you report on: `tune_fusion`
does so by itself.
"""

from __future__ import annotations

from idealist.base.frozen import Frozen
from idealist.data import Judgments, as_run, match
from idealist.errors import InputError
from idealist.fusion.methods import Method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self

    import numpy as np
    from numpy.typing import NDArray

    from idealist.fusion.united import Array, United


class Lesson(Frozen):
    """One judged query that a run has: how many documents, and the ranks of those that are relevant."""

    retrieved: int
    relevant: NDArray[np.int64]


def lessons(judgments: Any, runs: Sequence[Any], level: float) -> list[list[Lesson]]:
    """The judged queries of every run; those that a run lacks are left out."""
    import numpy as np

    if not isinstance(judgments, Judgments):
        judgments = Judgments(judgments)
    learned = []
    for run in map(as_run, runs):
        run_lessons = [
            Lesson(
                ranking.retrieved,
                np.array([r for r, g in zip(ranking.ranks, ranking.grades, strict=True) if g >= level], int),
            )
            for ranking in match(judgments, run)
            if ranking.retrieved
        ]
        if not run_lessons:
            raise InputError(
                f"{run.name} has no judged query with documents to learn from",
                hint="judge some of its queries",
            )
        learned.append(run_lessons)
    return learned


def position_probabilities(run_lessons: Sequence[Lesson]) -> Array:
    """By rank, the share of relevant documents among the queries whose list reaches so far."""
    import numpy as np

    longest = max(lesson.retrieved for lesson in run_lessons)
    relevant = np.bincount(np.concatenate([lesson.relevant for lesson in run_lessons]) - 1, minlength=longest)
    ends = np.bincount([lesson.retrieved for lesson in run_lessons], minlength=longest + 1)
    reached = len(run_lessons) - np.cumsum(ends)[:longest]
    return relevant / reached


def segment_probabilities(
    run_lessons: Sequence[Lesson],
    segment_of: Callable[[NDArray[np.int64], int], NDArray[np.int64]],
    segments: int,
) -> Array:
    """By segment, the mean over queries of the share of relevant documents; a query whose list ends before a
    segment counts as 0 there. `segment_of` numbers the segments of ranks, in a list of some length."""
    import numpy as np

    total = np.zeros(segments)
    for lesson in run_lessons:
        inside = np.bincount(
            segment_of(np.arange(1, lesson.retrieved + 1), lesson.retrieved), minlength=segments
        )
        relevant = np.bincount(segment_of(lesson.relevant, lesson.retrieved), minlength=segments)
        total += (relevant / np.maximum(inside, 1))[:segments]
    return total / len(run_lessons)


BAYES_LEVELS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)  # the ranks at which trec_eval counts
LEAST = 0.001  # no probability is taken to be less, nor closer to 1


class MAPFuse(Method, name="mapfuse"):
    """Σ MAP / rank, with each run's mean average precision on the judged queries.

    Lillis, Zhang, Toolan, Collier, Leonard and Dunnion, Estimating Probabilities for Effective Data Fusion,
    SIGIR 2010.

    >>> from idealist.fusion import fuse
    >>> runs = [{"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}]
    >>> fuse(runs, MAPFuse().fit({"q": {"a": 1}}, runs))["q"]  # MAP is 1 and 1/2: 1/1 + 1/2 / 2 and 1/2 + 1/2 / 1
    {'a': 1.25, 'b': 1.0}
    """

    looks_at = "ranks"
    learned = ("precisions",)
    level: float = 1.0
    precisions: tuple[float, ...] | None = None

    def fit(self, judgments: Any, runs: Sequence[Any]) -> Self:
        from idealist.evaluation import evaluate
        from idealist.measures.families.binary import AP

        measure = AP(level=self.level)
        precisions = [evaluate(judgments, as_run(run), measure).mean(measure) for run in runs]
        return self.replace(precisions=precisions)

    def scores(self, united: United) -> Array:
        import numpy as np

        return united.total(np.asarray(self.precisions) / united.ranks)


class Positional(Method):
    looks_at = "ranks"
    learned = ("probabilities",)

    def fit(self, judgments: Any, runs: Sequence[Any]) -> Self:
        level: float = self.level  # type: ignore[attr-defined]
        probabilities = [
            position_probabilities(run_lessons) for run_lessons in lessons(judgments, runs, level)
        ]
        return self.replace(probabilities=probabilities)


class PosFuse(Positional, name="posfuse"):
    """Σ P(relevant | rank): the share of judged queries whose document at that rank is relevant.

    Lillis, Zhang, Toolan, Collier, Leonard and Dunnion, SIGIR 2010.

    >>> from idealist.fusion import fuse
    >>> runs = [{"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}]
    >>> fuse(runs, PosFuse().fit({"q": {"a": 1}}, runs))["q"]
    {'a': 2.0, 'b': 0.0}
    """

    level: float = 1.0
    probabilities: tuple[tuple[float, ...], ...] | None = None

    def scores(self, united: United) -> Array:
        return united.total(united.by_rank(self.probabilities or ()))


class SlideFuse(Positional, name="slidefuse"):
    """Σ mean of P(relevant | rank) over a window around the rank.

    The window reaches `window` ranks to each side, as far as the list goes.

    Lillis, Toolan, Collier and Dunnion, Extending Probabilistic Data Fusion Using Sliding Windows, ECIR 2008.

    >>> from idealist.fusion import fuse
    >>> runs = [{"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}]
    >>> fuse(runs, SlideFuse(window=1).fit({"q": {"a": 1}}, runs))["q"]
    {'b': 1.0, 'a': 1.0}
    """

    window: int = 5
    level: float = 1.0
    probabilities: tuple[tuple[float, ...], ...] | None = None

    def scores(self, united: United) -> Array:
        import numpy as np

        retrieved = united.spread(united.retrieved.astype(np.int64))
        values = np.zeros(united.ranks.shape)
        for run, probabilities in enumerate(self.probabilities or ()):
            cumulated = np.concatenate(([0.0], np.cumsum(probabilities)))
            rank = united.ranks[:, run].astype(np.int64)
            first = np.maximum(rank - self.window, 1)
            last = np.minimum(rank + self.window, retrieved[:, run])
            inside = np.maximum(last - first + 1, 1)
            depth = len(cumulated) - 1
            values[:, run] = (
                cumulated[np.clip(last, 0, depth)] - cumulated[np.clip(first - 1, 0, depth)]
            ) / inside
        return united.total(values)

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        return {"window": [5, 1, 2, 3, 8, 10, 15, 20]}


class ProbFuse(Method, name="probfuse"):
    """Σ P(relevant | segment) / segment: lists are cut into segments of equal size.

    Every list is cut into as many, counted from 1. P is the mean over judged queries of the share of relevant
    documents in the segment.

    Lillis, Toolan, Collier and Dunnion, ProbFuse: A Probabilistic Approach to Data Fusion, SIGIR 2006.

    >>> from idealist.fusion import fuse
    >>> runs = [{"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}]
    >>> fuse(runs, ProbFuse(segments=2).fit({"q": {"a": 1}}, runs))["q"]
    {'a': 1.5, 'b': 0.0}
    """

    looks_at = "ranks"
    learned = ("probabilities",)
    segments: int = 25
    level: float = 1.0
    probabilities: tuple[tuple[float, ...], ...] | None = None

    def fit(self, judgments: Any, runs: Sequence[Any]) -> Self:
        probabilities = [
            segment_probabilities(
                run_lessons, lambda ranks, length: self._segment(ranks, length) - 1, self.segments
            )
            for run_lessons in lessons(judgments, runs, self.level)
        ]
        return self.replace(probabilities=probabilities)

    def _segment(self, ranks: Any, length: Any) -> Any:
        size = -(-length // self.segments)
        return (ranks - 1) // size + 1

    def scores(self, united: United) -> Array:
        import numpy as np

        length = np.maximum(united.spread(united.retrieved.astype(np.int64)), 1)
        segment = self._segment(united.ranks.astype(np.int64), length)
        values = np.zeros(united.ranks.shape)
        for run, probabilities in enumerate(self.probabilities or ()):
            run_segment = np.maximum(segment[:, run], 1)
            values[:, run] = np.asarray(probabilities)[run_segment - 1] / run_segment
        return united.total(values)

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        return {"segments": [25, 2, 5, 10, 15, 20, 30, 40, 50, 100]}


class SegFuse(Method, name="segfuse"):
    """Σ P(relevant | segment) · (1 + s): segments grow with the rank, scores count in them.

    The k-th segment has 10 · 2^(k-1) - 5 documents: 5, 15, 35, 75, …

    Shokouhi, Segmentation of Search Engine Results for Effective Data-Fusion, ECIR 2007.

    >>> from idealist.fusion import fuse
    >>> runs = [{"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}]
    >>> fuse(runs, SegFuse().fit({"q": {"a": 1}}, runs))["q"]  # 1/2 · (1 + 1) + 1/2 · (1 + 0) for both
    {'b': 1.5, 'a': 1.5}
    """

    looks_at = "both"
    normalisation = "min-max"
    learned = ("probabilities",)
    level: float = 1.0
    probabilities: tuple[tuple[float, ...], ...] | None = None

    def fit(self, judgments: Any, runs: Sequence[Any]) -> Self:
        probabilities = []
        for run_lessons in lessons(judgments, runs, self.level):
            segments = int(self._segment(max(lesson.retrieved for lesson in run_lessons))) + 1
            probabilities.append(
                segment_probabilities(run_lessons, lambda ranks, _: self._segment(ranks), segments)
            )
        return self.replace(probabilities=probabilities)

    def _segment(self, ranks: Any) -> Any:
        import numpy as np

        ends = np.cumsum([10 * 2**k - 5 for k in range(32)])
        return np.searchsorted(ends, ranks)

    def scores(self, united: United) -> Array:
        import numpy as np

        segment = self._segment(united.ranks)
        values = np.zeros(united.ranks.shape)
        for run, probabilities in enumerate(self.probabilities or ()):
            padded = np.append(probabilities, 0.0)
            chance = padded[np.minimum(segment[:, run], len(padded) - 1)]
            values[:, run] = chance * (1 + united.scores[:, run])
        return united.total(values)


class BayesFuse(Method, name="bayesfuse"):
    """Σ log(P / (1 - P)): the odds that a document at such a rank is relevant.

    P is the share of relevant documents between two of the ranks at which trec_eval counts (5, 10, 15, 20, 30, 100,
    200, 500, 1000), kept within 0.001 and 0.999; behind them, and for what a run lacks, it is 0.001. Odds are
    multiplied as if the runs knew nothing of each other.

    Aslam and Montague, Models for Metasearch, SIGIR 2001.

    >>> from idealist.fusion import fuse
    >>> runs = [{"q": {"a": 2, "b": 1}}, {"q": {"b": 2, "a": 1}}]
    >>> fuse(runs, BayesFuse().fit({"q": {"a": 1}}, runs))["q"]  # P is 1/2 of the first ranks: odds of 1 to 1
    {'b': 0.0, 'a': 0.0}
    """

    looks_at = "ranks"
    learned = ("log_odds",)
    level: float = 1.0
    log_odds: tuple[tuple[float, ...], ...] | None = None

    def fit(self, judgments: Any, runs: Sequence[Any]) -> Self:
        log_odds = []
        for run_lessons in lessons(judgments, runs, self.level):
            chances = segment_probabilities(
                run_lessons, lambda ranks, _: _bayes_level(ranks), len(BAYES_LEVELS)
            )
            log_odds.append(_log_odds(chances))
        return self.replace(log_odds=log_odds)

    def scores(self, united: United) -> Array:
        import numpy as np

        from idealist.fusion.united import added

        level = _bayes_level(united.ranks)
        values = np.empty(united.ranks.shape)
        for run, odds in enumerate(self.log_odds or ()):
            padded = np.append(odds, _log_odds(0.0))
            values[:, run] = padded[np.where(united.has[:, run], level[:, run], len(odds))]
        return added(values)


def _bayes_level(ranks: Any) -> Any:
    import numpy as np

    return np.searchsorted(BAYES_LEVELS, ranks)


def _log_odds(chance: Any) -> Any:
    import numpy as np

    probability = np.clip(chance, LEAST, 1 - LEAST)
    return np.log(probability / (1 - probability))
