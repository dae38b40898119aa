"""The relaxed sort of NeuralSort: row r of a matrix is a distribution over the documents that may stand at rank r.

P̂_r = softmax_j(((n + 1 - 2r)·s_j - Σ_k |s_j - s_k|)/T), Grover, Wang, Zweig and Ermon, ICLR 2019.
"""

from __future__ import annotations

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists


class RelaxedSort:
    """Rows of the matrix when they are asked for, and gradients by their logits brought back to the scores."""

    def __init__(self, lists: Lists, temperature: float) -> None:
        self.mask = lists.mask
        self.counts = lists.counts
        self.temperature = temperature
        scores = lists.scores.detach()
        # A constant does not matter to the rows; without it the sums below lose fewer digits.
        mean = (scores * self.mask).sum(dim=-1) / self.counts.clamp(min=1)
        self.scores = (scores - mean[:, None]).masked_fill(~self.mask, 0)
        self.sorted, self.order = self.scores.masked_fill(~self.mask, torch.inf).sort(dim=-1)
        self.below = torch.searchsorted(self.sorted, self.scores, right=False)
        self.up_to = torch.searchsorted(self.sorted, self.scores, right=True)
        self.signs = self._signs(lists.there)
        distances = self.scores * self.signs - self._signs(self.scores)
        # The parts of logits; where there is no document they are minus infinity, unless there is none at all.
        self.near = (-distances / temperature).masked_fill(
            ~self.mask & (self.counts > 0)[:, None], -torch.inf
        )
        self.far = self.scores / temperature
        ranks = torch.arange(1, scores.shape[1] + 1, device=scores.device)
        self.filled = (ranks <= self.counts[:, None]).to(scores.dtype)
        self.steps = (self.counts[:, None] + 1 - 2 * ranks).to(scores.dtype)
        self.by_score, self.by_distance = torch.zeros_like(scores), torch.zeros_like(scores)

    def _signs(self, values: torch.Tensor) -> torch.Tensor:
        """Σ_k sign(s_j - s_k)·values_k for every document j, by running sums along the sorted scores."""
        values = values.masked_fill(~self.mask, 0)
        running = torch.nn.functional.pad(values.gather(1, self.order).cumsum(dim=-1), (1, 0))
        total = values.sum(dim=-1, keepdim=True)
        return running.gather(1, self.below) - (total - running.gather(1, self.up_to))

    def rows(self, some: slice, here: slice) -> torch.Tensor:
        """Rows of some lists. Those of ranks that a list does not have mean nothing: `filled` is 0 there."""
        steps = self.steps[some, here, None]
        return torch.addcmul(self.near[some, None, :], steps, self.far[some, None, :]).softmax(dim=-1)

    def add_slopes(self, slopes: torch.Tensor, some: slice, here: slice) -> None:
        """Adds gradients by the logits of rows, given as a matrix."""
        weights = torch.stack([self.steps[some, here], torch.ones_like(self.steps[some, here])], dim=1)
        by_score, by_distance = torch.bmm(weights, slopes).unbind(dim=1)
        self.by_score[some] += by_score
        self.by_distance[some] += by_distance

    def add_weighted_rows(
        self, rows: torch.Tensor, weights: torch.Tensor, worth: torch.Tensor, some: slice, here: slice
    ) -> torch.Tensor:
        """Σ_j rows_rj·worth_j for every row, after adding the gradient of Σ_r weights_r times it.

        By a logit that is weights_r·rows_rj·(worth_j - held_r), of which only sums over rows are needed: products of the
        matrix with vectors, so that it is read twice and nothing of its size is made.
        """
        held = torch.bmm(rows, worth[some, :, None])[..., 0]
        steps = self.steps[some, here]
        factors = torch.stack([weights * steps, weights * steps * held, weights, weights * held], dim=1)
        sums = torch.bmm(factors, rows)
        self.by_score[some] += worth[some] * sums[:, 0] - sums[:, 1]
        self.by_distance[some] += worth[some] * sums[:, 2] - sums[:, 3]
        return held

    def gradient(self) -> torch.Tensor:
        """Σ_k |s_j - s_k| has the sign of s_j - s_k by s_j, and the other one by s_k."""
        through = self.by_distance * self.signs + self._signs(self.by_distance)
        return ((self.by_score - through) / self.temperature).masked_fill(~self.mask, 0)
