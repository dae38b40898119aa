"""PiRank: the rows of a relaxed sort."""

from __future__ import annotations

import torch

from idealist.learn.losses.base import Loss, positive
from idealist.learn.losses.gradients import blocks, known_gradient, wants_gradient
from idealist.learn.losses.neural_sort import RelaxedSort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


class PiRank(Loss):
    """Minus the measure over a relaxed sort: -(1/I) Σ_r d(r) Σ_j P̂_rj·G_j, P̂ by NeuralSort at temperature T.

    A cut-off is as wide as that of `Soft` at T/10: the paper's, which takes the first k rows alone, leaves documents further
    down without a gradient. As T goes to 0 the loss goes to minus the measure. Quadratic time, a block of ranks at a time.
    Swezey, Grover, Charron and Ermon, NeurIPS 2021.

    >>> loss = PiRank()
    >>> round(float(loss(torch.tensor([1.0, 0.0]), torch.tensor([1, 0]))), 4)  # σ(1) at rank 1, σ(-1) at rank 2
    -0.9007
    """

    claims = ("shift", "cut-off", "limit")
    parameters_of_loss = ("temperature",)

    def __init__(
        self, measure: str | Measure = "nDCG", *, temperature: float = 1.0, reduction: str = "mean"
    ) -> None:
        super().__init__(measure, reduction=reduction)
        self.temperature = positive(temperature, "temperature")

    def values(self, lists: Lists) -> torch.Tensor:
        worth = lists.shares(lists.weighted_gains)
        discounts = lists.soft_discounts(self.temperature)
        relaxed = RelaxedSort(lists, self.temperature)
        values = torch.zeros_like(worth[:, 0])
        with_gradient = wants_gradient(lists.scores)
        for some, here in blocks(len(worth), worth.shape[1], worth.shape[1], worth.device):
            shares = relaxed.rows(some, here)
            weights = -discounts[some, here] * relaxed.filled[some, here]
            if with_gradient:
                held = relaxed.add_weighted_rows(shares, weights, worth, some, here)
            else:
                held = torch.bmm(shares, worth[some, :, None])[..., 0]
            values[some] += (held * weights).sum(dim=-1)
        return known_gradient(lists.scores, values, relaxed.gradient() if with_gradient else None)
