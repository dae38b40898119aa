"""What methods learn from judged queries: the ranks of a run's relevant documents."""

from __future__ import annotations

from idealist.data import Judgments, as_run, match
from idealist.errors import InputError
from idealist.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from idealist.fusion.united import Array


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
