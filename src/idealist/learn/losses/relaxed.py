"""PiRank: the first rows of a relaxed sort."""

from __future__ import annotations

import torch

from idealist.data.values import as_count
from idealist.learn.losses.base import Loss, positive
from idealist.learn.losses.gradients import blocks, known_gradient, wants_gradient
from idealist.learn.losses.merged_sort import merged_gains
from idealist.learn.losses.neural_sort import RelaxedSort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


class PiRank(Loss):
    """Minus the measure over a relaxed sort: -(1/I) Σ_r d(r) Σ_j P̂_rj·G_j, P̂ by NeuralSort at temperature T.

    As T goes to 0 the loss goes to minus the measure. Time goes by ranks up to the cut-off × documents, quadratic without
    one; a block of ranks at a time. With `branching`, the list is sorted as the paper does: parts of it, so many merged at
    a time, of each the first k ranks; documents of one part compete with those of others through what stands at their
    ranks. Swezey, Grover, Charron and Ermon, NeurIPS 2021.

    >>> loss = PiRank("nDCG@1")
    >>> round(float(loss(torch.tensor([1.0, 0.0]), torch.tensor([0, 1]))), 4)  # logits 0 and -1: e^-1/(1 + e^-1)
    -0.2689
    """

    claims = ("shift", "cut-off", "limit")
    parameters_of_loss = ("temperature", "branching")

    def __init__(
        self,
        measure: str | Measure = "nDCG",
        *,
        temperature: float = 1.0,
        branching: int | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(measure, reduction=reduction)
        self.temperature = positive(temperature, "temperature")
        self.branching = (
            None
            if branching is None
            else as_count(branching, "branching", 2, hint="how many parts are merged at a time")
        )

    def values(self, lists: Lists) -> torch.Tensor:
        if self.branching is not None:
            return self._merged(lists, self.branching)
        worth = lists.shares(lists.weighted_gains)
        discounts = lists.discounts()
        relaxed = RelaxedSort(lists, self.temperature)
        values = torch.zeros_like(worth[:, 0])
        with_gradient = wants_gradient(lists.scores)
        for some, here in blocks(len(worth), lists.depth, worth.shape[1], worth.device):
            shares = relaxed.rows(some, here)
            weights = -discounts[here] * relaxed.filled[some, here]
            if with_gradient:
                held = relaxed.add_weighted_rows(shares, weights, worth, some, here)
            else:
                held = torch.bmm(shares, worth[some, :, None])[..., 0]
            values[some] += (held * weights).sum(dim=-1)
        return known_gradient(lists.scores, values, relaxed.gradient() if with_gradient else None)

    def _merged(self, lists: Lists, branching: int) -> torch.Tensor:
        gains, rows = lists.weighted_gains, lists.depth
        held = merged_gains(lists, gains, temperature=self.temperature, branching=branching, rows=rows)
        values = -(held * lists.discounts()[:rows]).sum(dim=-1) / lists.ideals(gains)
        return values + 0 * lists.scores.sum(dim=-1)  # one document is sorted without its score
