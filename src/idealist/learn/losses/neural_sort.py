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
        self.distances = self.scores * self._signs(self.mask.to(scores.dtype)) - self._signs(self.scores)

    def _signs(self, values: torch.Tensor) -> torch.Tensor:
        """Σ_k sign(s_j - s_k)·values_k for every document j, by running sums along the sorted scores."""
        values = values.masked_fill(~self.mask, 0)
        running = torch.nn.functional.pad(values.gather(1, self.order).cumsum(dim=-1), (1, 0))
        total = values.sum(dim=-1, keepdim=True)
        return running.gather(1, self.below) - (total - running.gather(1, self.up_to))

    def _steps(self, some: slice, here: slice) -> torch.Tensor:
        ranks = torch.arange(here.start + 1, here.stop + 1, device=self.scores.device)
        return (self.counts[some, None] + 1 - 2 * ranks).to(self.scores.dtype)

    def rows(self, some: slice, here: slice) -> torch.Tensor:
        """Rows of some lists; all 0 for ranks that a list does not have."""
        steps = self._steps(some, here)
        logits = (steps[..., None] * self.scores[some, None, :] - self.distances[some, None, :]).div_(
            self.temperature
        )
        rows = logits.masked_fill_(~self.mask[some, None, :], -torch.inf).softmax(dim=-1).nan_to_num_()
        ranks = torch.arange(here.start, here.stop, device=rows.device)
        return rows.mul_((ranks < self.counts[some, None])[..., None])

    def add_slopes(self, slopes: torch.Tensor, some: slice, here: slice, into: Slopes) -> None:
        """Gradients by the logits of rows, as sums from which those by the scores are made."""
        into.by_score[some] += (slopes * self._steps(some, here)[..., None]).sum(dim=1)
        into.by_distance[some] += slopes.sum(dim=1)

    def gradient(self, slopes: Slopes) -> torch.Tensor:
        """Σ_k |s_j - s_k| has the sign of s_j - s_k by s_j, and the other one by s_k."""
        counted = self._signs(self.mask.to(self.scores.dtype))
        through = slopes.by_distance * counted + self._signs(slopes.by_distance)
        return ((slopes.by_score - through) / self.temperature).masked_fill(~self.mask, 0)


class Slopes:
    """Sums over rows of gradients by logits: each times its row's step, and as they are."""

    def __init__(self, like: torch.Tensor) -> None:
        self.by_score = torch.zeros_like(like)
        self.by_distance = torch.zeros_like(like)
