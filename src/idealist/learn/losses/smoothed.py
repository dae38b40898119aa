"""SmoothDCG: a rank holds documents in proportion to how near their scores are to its own."""

from __future__ import annotations

import torch

from idealist.learn.losses.base import Loss, positive
from idealist.learn.losses.gradients import blocks, known_gradient, wants_gradient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


class SmoothDCG(Loss):
    """Minus the measure with soft places: h_rj = softmax_j(-(s_j - t_r)²/T), -(1/I) Σ_r d(r) Σ_j h_rj·G_j.

    t_r is the r-th highest score. As T goes to 0 the loss goes to minus the measure. Time goes by ranks up to the cut-off
    × documents, quadratic without one; a block of ranks at a time. Chapelle and Wu, Information Retrieval 2010.

    >>> loss = SmoothDCG("nDCG@1")
    >>> round(float(loss(torch.tensor([1.0, 0.0]), torch.tensor([0, 1]))), 4)  # e^-1/(1 + e^-1)
    -0.2689
    """

    claims = ("shift", "cut-off", "limit")
    parameters_of_loss = ("temperature",)

    def __init__(
        self, measure: str | Measure = "nDCG", *, temperature: float = 1.0, reduction: str = "mean"
    ) -> None:
        super().__init__(measure, reduction=reduction)
        self.temperature = positive(temperature, "temperature")

    def values(self, lists: Lists) -> torch.Tensor:
        scores = lists.scores.detach()
        worth = lists.shares(lists.weighted_gains)
        sorted_scores, order = scores.masked_fill(~lists.mask, -torch.inf).sort(
            dim=-1, descending=True, stable=True
        )
        filled = torch.arange(scores.shape[1], device=scores.device) < lists.counts[:, None]
        places = sorted_scores.where(filled, torch.zeros_like(scores))
        discounts = lists.discounts() * filled
        values = torch.zeros_like(scores[:, 0])
        gradient = torch.zeros_like(scores) if wants_gradient(lists.scores) else None
        by_place = torch.zeros_like(scores)
        for some, here in blocks(len(scores), lists.depth, scores.shape[1], scores.device):
            apart = scores[some, None, :] - places[some, here, None]
            logits = (apart * apart).div_(-self.temperature)
            shares = logits.masked_fill_(~lists.mask[some, None, :], -torch.inf).softmax(dim=-1).nan_to_num_()
            held = (shares * worth[some, None, :]).sum(dim=-1)
            values[some] -= (held * discounts[some, here]).sum(dim=-1)
            if gradient is None:
                continue
            # By the logits: -d·h·(G - Σ h·G); a logit falls by 2·apart/T when the score or, the other way, the place moves.
            slopes = (worth[some, None, :] - held[..., None]).mul_(shares).mul_(discounts[some, here, None])
            slopes.mul_(apart).mul_(2 / self.temperature)
            gradient[some] += slopes.sum(dim=1)
            by_place[some, here] -= slopes.sum(dim=2)
        if gradient is not None:
            gradient.scatter_add_(1, order, _spread_over_ties(by_place, sorted_scores))
        return known_gradient(lists.scores, values, gradient)


def _spread_over_ties(by_place: torch.Tensor, sorted_scores: torch.Tensor) -> torch.Tensor:
    """What belongs to places of one score, in equal parts: which document stands where is nobody's choice."""
    begins = torch.zeros_like(by_place, dtype=torch.long)
    begins[:, 1:] = (sorted_scores[:, 1:] != sorted_scores[:, :-1]).long()
    group = begins.cumsum(dim=-1)
    sums = torch.zeros_like(by_place).scatter_add_(1, group, by_place)
    sizes = torch.zeros_like(by_place).scatter_add_(1, group, torch.ones_like(by_place))
    return sums.gather(1, group) / sizes.gather(1, group)
