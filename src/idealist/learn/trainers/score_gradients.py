"""Gradients of losses by scores, for networks that are trained without a tensor library."""

from __future__ import annotations

from itertools import pairwise

from idealist.data.features import grades_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.measures import Measure

    Gradient = Callable[[ndarray], ndarray]

PAIRS = 1 << 22  # of one block: they bound the memory


def rank_net(features: Features) -> Gradient:
    """Of the mean over pairs of log(1 + e^(s_j − s_i)), i having the higher grade.

    >>> from idealist.data.features import Features
    >>> import numpy as np
    >>> rank_net(Features([[0], [0]], sizes=[2], grades=[0, 1]))(np.array([0.0, 0.0]))
    array([ 0.5, -0.5])
    """
    import numpy as np

    grades, starts = grades_of(features), features.starts
    pairs = sum((grades[begin:end, None] > grades[None, begin:end]).sum() for begin, end in pairwise(starts))

    def gradient(scores: ndarray) -> ndarray:
        slopes = np.zeros(len(scores))
        for begin, end in pairwise(starts):
            step = max(1, PAIRS // (end - begin))
            for first in range(begin, end, step):
                some = slice(first, min(first + step, end))
                apart = np.clip(scores[some, None] - scores[None, begin:end], -700, 700)
                pulls = (grades[some, None] > grades[None, begin:end]) / (1 + np.exp(apart))
                slopes[some] -= pulls.sum(axis=1)
                slopes[begin:end] += pulls.sum(axis=0)
        return slopes / max(1, pairs)  # type: ignore[no-any-return]

    return gradient


def list_net(features: Features) -> Gradient:
    """Of the mean over queries of the cross entropy of softmax(scores) with softmax(grades).

    >>> from idealist.data.features import Features
    >>> import numpy as np
    >>> list_net(Features([[0], [0]], sizes=[2], grades=[0, 1]))(np.array([0.0, 0.0])).round(4)  # 1/2 − e/(1 + e)
    array([ 0.2311, -0.2311])
    """
    target = _softmax(grades_of(features), features)

    def gradient(scores: ndarray) -> ndarray:
        return (_softmax(scores, features) - target) / len(features.sizes)  # type: ignore[no-any-return]

    return gradient


def lambda_rank(features: Features, measure: Measure, conventions: Conventions) -> Gradient:
    """Of pairs weighted by what exchanging them changes of the measure, a mean over queries."""
    from idealist.learn.trees.lambdas import LambdaObjective

    objective = LambdaObjective(features, measure, normalised=False, conventions=conventions)

    def gradient(scores: ndarray) -> ndarray:
        return objective(scores)[0] / len(features.sizes)

    return gradient


def _softmax(numbers: ndarray, features: Features) -> ndarray:
    import numpy as np

    starts = features.starts[:-1]
    powers = np.exp(numbers - np.repeat(np.maximum.reduceat(numbers, starts), features.sizes))
    return powers / np.repeat(np.add.reduceat(powers, starts), features.sizes)  # type: ignore[no-any-return]
