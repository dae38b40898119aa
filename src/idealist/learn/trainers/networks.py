"""RankNet, LambdaRank and ListNet: small networks of logistic units, whose files RankLib reads, trained without a tensor library."""

from __future__ import annotations

from itertools import pairwise

from idealist.data.features import grades_of
from idealist.learn.models.base_model import columns_named, iterations
from idealist.learn.models.ranklib_models import SigmoidNetwork
from idealist.learn.trainers.trainer import Range, Task, Trainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ClassVar

    from numpy import ndarray

    from idealist.conventions import Conventions
    from idealist.data.features import Features
    from idealist.learn.models.base_model import Model
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


BATCH = 2048  # documents of a step, or one query if it has more
LARGEST = 15.0  # of what the last unit sums up: beyond, logistic units tell documents apart no more


class _Network(Trainer):
    """Adam's steps along the gradient of a loss of scores, in batches of queries, over features standardised within.

    The standardisation of the training data goes into the weights of the first layer, so that the model takes features as
    they are. Kingma and Ba, ICLR 2015.
    """

    algorithm: ClassVar[str]
    epochs: int = 100
    layers: int = 1
    units: int = 10
    learning_rate: float = 0.01
    ranges: ClassVar[Mapping[str, Range]] = {
        "epochs": Range(1),
        "layers": Range(0),
        "units": Range(1),
        "learning_rate": Range(0, above=True),
    }

    def gradient(self, part: Features, measure: Measure, conventions: Conventions) -> Gradient:
        """What raises the loss of a batch, as a function of its scores."""
        raise TypeError(f"{type(self).__name__} does not say what it makes small")

    def fitted(self, task: Task) -> tuple[Model, dict[str, Any]]:
        import numpy as np

        train, objective = task.train, task.objective
        cells, checked = _finite(train, train.names), _finite(task.judged, train.names)
        mean = cells.mean(axis=0)
        # The deviation of equal numbers need not come out as 0: their mean is rounded.
        spread = np.where(cells.max(axis=0) > cells.min(axis=0), cells.std(axis=0), 0.0)
        scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
        draw = np.random.default_rng(task.seed)
        shape = [len(train.names), *[self.units] * self.layers, 1]
        weights = [
            np.vstack([draw.normal(0, 1 / np.sqrt(max(1, before)), (before, after)), np.zeros((1, after))])
            for before, after in pairwise(shape)
        ]
        batches = []
        shares = None if train.weights is None else train.weights / train.weights.mean()
        for part in _batches(train):
            rows = np.concatenate([np.arange(train.starts[query], train.starts[query + 1]) for query in part])
            gradient = self.gradient(train.of_queries(part), objective.measure, task.conventions)
            counts = 1.0 if shares is None else np.repeat(shares[part], train.sizes[part])
            batches.append(((cells[rows] - mean) * scale, gradient, counts))
        steps = _Adam(weights, self.learning_rate)
        standardised = (checked - mean) * scale
        best: tuple[float, int, list[ndarray]] | None = None
        for epoch in range(1, self.epochs + 1):
            task.report(epoch, self.epochs)
            for number in draw.permutation(len(batches)):
                inputs, gradient, counts = batches[number]
                outputs = _forward(inputs, weights)
                steps.take(_backward(outputs, weights, counts * gradient(outputs[-1][:, 0])))
            value = objective.value(_forward(standardised, weights)[-1][:, 0])
            if best is None or objective.better(value, best[0]):
                best = (value, epoch, [layer.copy() for layer in weights])
        assert best is not None
        _, epoch, weights = best
        model = SigmoidNetwork(
            train.names, _of_plain_features(weights, mean, scale, cells), algorithm=self.algorithm
        )
        return model, iterations("epoch", epoch, self.epochs, self.epochs)


class RankNet(_Network, name="ranknet"):
    """Pairs of documents: the mean of log(1 + e^(s_j − s_i)) over pairs of which i has the higher grade.

    Burges and others, ICML 2005.
    """

    algorithm = "RankNet"

    def gradient(self, part: Features, measure: Measure, conventions: Conventions) -> Gradient:
        return rank_net(part)


class LambdaRank(_Network, name="lambdarank"):
    """Pairs weighted by what exchanging them changes of the measure. Burges, Ragno and Le, NIPS 2006."""

    algorithm = "LambdaRank"

    def gradient(self, part: Features, measure: Measure, conventions: Conventions) -> Gradient:
        return lambda_rank(part, measure, conventions)


class ListNet(_Network, name="listnet"):
    """The cross entropy of softmax(scores) with softmax(grades). Cao and others, ICML 2007."""

    algorithm = "ListNet"
    epochs: int = 1500
    layers: int = 0

    def gradient(self, part: Features, measure: Measure, conventions: Conventions) -> Gradient:
        return list_net(part)


class _Adam:
    def __init__(self, weights: list[ndarray], rate: float) -> None:
        import numpy as np

        self.weights, self.rate, self.turn = weights, rate, 0
        self.means = [np.zeros_like(layer) for layer in weights]
        self.squares = [np.zeros_like(layer) for layer in weights]

    def take(self, gradients: list[ndarray]) -> None:
        import numpy as np

        self.turn += 1
        for layer, mean, square, gradient in zip(
            self.weights, self.means, self.squares, gradients, strict=True
        ):
            mean *= 0.9
            mean += 0.1 * gradient
            square *= 0.999
            square += 0.001 * gradient**2
            unbiased = mean / (1 - 0.9**self.turn), square / (1 - 0.999**self.turn)
            layer -= self.rate * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8)


def _forward(inputs: ndarray, weights: list[ndarray]) -> list[ndarray]:
    """The outputs of all layers; the last unit's sum is the score."""
    import numpy as np

    outputs = [inputs]
    for number, layer in enumerate(weights, 1):
        sums = outputs[-1] @ layer[:-1] + layer[-1]
        outputs.append(sums if number == len(weights) else 1 / (1 + np.exp(-np.clip(sums, -700, 700))))
    return outputs


def _backward(outputs: list[ndarray], weights: list[ndarray], of_scores: ndarray) -> list[ndarray]:
    import numpy as np

    gradients = []
    behind = of_scores[:, None]
    for layer, before in zip(reversed(weights), reversed(outputs[:-1]), strict=True):
        gradients.append(np.vstack([before.T @ behind, behind.sum(axis=0)]))
        behind = (behind @ layer[:-1].T) * before * (1 - before)
    return gradients[::-1]


def _of_plain_features(
    weights: list[ndarray], mean: ndarray, scale: ndarray, cells: ndarray
) -> list[ndarray]:
    """The same network over features as they are; its last sums small enough for a logistic unit to tell them apart."""
    import numpy as np

    largest = np.abs(_forward((cells - mean) * scale, weights)[-1]).max()
    first, last = weights[0].copy(), max(1.0, largest / LARGEST)
    first[:-1] *= scale[:, None]
    first[-1] -= mean @ first[:-1]
    layers = [first, *weights[1:]]
    return [*layers[:-1], layers[-1] / last]


def _batches(train: Features) -> list[list[int]]:
    """Queries in their order, together up to so many documents."""
    batches: list[list[int]] = []
    documents = BATCH
    for query, size in enumerate(train.sizes.tolist()):
        if documents + size > BATCH:
            batches.append([])
            documents = 0
        batches[-1].append(query)
        documents += size
    return batches


def _finite(features: Features, names: tuple[str, ...]) -> ndarray:
    from idealist.learn.feature_scaling import refuse_unfinite

    cells = columns_named(features, names)
    refuse_unfinite(cells, features.sizes, names)
    return cells
