"""Mini-batches of queries: lists of about the same length side by side, padded to the longest."""

from __future__ import annotations

import numpy as np
import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy import ndarray

# Batches in a stretch of queries that is put in order of length: more would make the same batches every time.
STRETCH = 16


class Batch:
    """Features, grades and a mask, of lists × documents; weights of the lists, whose mean over all of the training data
    is 1."""

    __slots__ = ("features", "grades", "mask", "weights")

    def __init__(
        self,
        features: torch.Tensor,
        grades: torch.Tensor,
        mask: torch.Tensor,
        weights: torch.Tensor | None = None,
    ) -> None:
        self.features, self.grades, self.mask, self.weights = features, grades, mask, weights


class Batches:
    """The batches of training data, in another order every epoch, which the seed and the epoch's number decide."""

    def __init__(
        self,
        matrix: ndarray,
        grades: ndarray,
        sizes: ndarray,
        *,
        size: int,
        seed: int,
        dtype: torch.dtype,
        device: torch.device,
        weights: ndarray | None = None,
    ) -> None:
        # Copies, which may be written to.
        self._rows = torch.as_tensor(np.array(matrix), dtype=dtype, device=device)
        self._grades = torch.as_tensor(np.array(grades), dtype=dtype, device=device)
        self._weights = (
            None if weights is None else torch.as_tensor(weights / weights.mean(), dtype=dtype, device=device)
        )
        self._sizes = sizes
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        self._size = size or len(sizes)
        self._seed = seed
        self._device = device

    def epoch(self, number: int) -> Iterator[Batch]:
        for queries in self.query_batches(number):
            yield self._batch(queries)

    def query_batches(self, number: int) -> list[ndarray]:
        """Which queries are together."""
        rng = np.random.default_rng([self._seed, number])
        order = rng.permutation(len(self._sizes))
        stretch = self._size * STRETCH
        batches = []
        for begin in range(0, len(order), stretch):
            some = order[begin : begin + stretch]
            by_length = some[np.argsort(self._sizes[some], kind="stable")]
            batches += [by_length[at : at + self._size] for at in range(0, len(by_length), self._size)]
        return [batches[at] for at in rng.permutation(len(batches))]

    def _batch(self, queries: ndarray) -> Batch:
        sizes = self._sizes[queries]
        columns = np.arange(int(sizes.max()))
        there = columns[None, :] < sizes[:, None]
        rows = np.where(there, self._starts[queries][:, None] + columns[None, :], 0)
        mask = torch.as_tensor(there, device=self._device)
        index = torch.as_tensor(rows, device=self._device)
        features = self._rows[index].masked_fill(~mask[..., None], 0.0)
        weights = None if self._weights is None else self._weights[torch.as_tensor(queries)]
        return Batch(features, self._grades[index].masked_fill(~mask, 0.0), mask, weights)


def scores_of(scorer: torch.nn.Module, matrix: ndarray, sizes: ndarray) -> ndarray:
    """The scores of rows, query by query: those of one never depend on which others stand beside it."""
    parameter = next(scorer.parameters())
    rows = torch.as_tensor(np.array(matrix), dtype=parameter.dtype, device=parameter.device)
    scores = np.empty(len(matrix))
    was_training = scorer.training
    scorer.eval()
    with torch.no_grad():
        start = 0
        for size in sizes.tolist():
            mask = torch.ones((1, size), dtype=torch.bool, device=parameter.device)
            outputs = scorer(rows[None, start : start + size], mask)
            scores[start : start + size] = outputs[0].double().cpu().numpy()
            start += size
    scorer.train(was_training)
    return scores
