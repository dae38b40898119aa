"""ApproxNDCG: ranks counted with a soft step."""

from __future__ import annotations

import torch

from idealist.learn.losses.base import Loss, positive
from idealist.learn.losses.gradients import (
    blocks,
    known_gradient,
    most_relevant_first,
    triton_pairs,
    wants_gradient,
)
from idealist.learn.losses.smooth_discounts import smooth_discount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


class ApproxNDCG(Loss):
    """Minus nDCG with soft ranks: π̂(i) = 1 + Σ_{j≠i} σ((s_j - s_i)/T), -(1/I) Σ G_i·d(π̂(i)).

    Beyond a cut-off k the discount falls by σ((k + ½ - π̂)/C), where C is `cutoff_temperature`, T if not given. As T goes
    to 0 the loss goes to minus the measure. Quadratic time, a block of rows at a time; only documents with a gain have
    rows. Qin, Liu and Li, Information Retrieval 2010.

    >>> loss = ApproxNDCG("nDCG(gain=exp)", temperature=0.001)
    >>> round(float(loss(torch.tensor([5.0, 4.0, 3.0, 2.0, 1.0]), torch.tensor([5, 1, 3, 2, 4]))), 4)
    -0.9251
    """

    claims = ("shift", "cut-off", "limit")
    parameters_of_loss = ("temperature", "cutoff_temperature")

    def __init__(
        self,
        measure: str | Measure = "nDCG",
        *,
        temperature: float = 0.1,
        cutoff_temperature: float | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(measure, reduction=reduction)
        self.temperature = positive(temperature, "temperature")
        self.cutoff_temperature = (
            None if cutoff_temperature is None else positive(cutoff_temperature, "cutoff_temperature")
        )

    def values(self, lists: Lists) -> torch.Tensor:
        worth = lists.shares(lists.weighted_gains)
        if lists.scores.is_cuda and (kernels := triton_pairs()) is not None:
            values, gradient = self._in_kernels(lists, worth, kernels)
        else:
            values, gradient = self._in_blocks(lists, worth)
        return known_gradient(lists.scores, values, gradient)

    def _in_kernels(
        self, lists: Lists, worth: torch.Tensor, kernels: ModuleType
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        scores = lists.scores.detach()
        ranks = kernels.soft_ranks_in_kernel(scores, lists.mask, self.temperature)
        values, by_rank = self._lost_worth(ranks, worth, lists)
        if not wants_gradient(lists.scores):
            return values, None
        return values, kernels.soft_rank_slopes_in_kernel(scores, lists.mask, by_rank, self.temperature)

    def _in_blocks(self, lists: Lists, worth: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        scores = lists.scores.detach()
        rivals = scores.masked_fill(~lists.mask, -torch.inf)
        order, rows = most_relevant_first(worth)
        order = order[:, :rows]
        own, worth = scores.gather(1, order), worth.gather(1, order)
        values = torch.zeros_like(scores[:, 0])
        gradient = torch.zeros_like(scores) if wants_gradient(lists.scores) else None
        for some, here in blocks(len(own), rows, scores.shape[1], scores.device):
            steps = (rivals[some, None, :] - own[some, here, None]).div_(self.temperature).sigmoid_()
            # A document is its own rival with a step of one half.
            added, by_rank = self._lost_worth(steps.sum(dim=-1) + 0.5, worth[some, here], lists)
            values[some] += added
            if gradient is None:
                continue
            slopes = torch.addcmul(steps, steps, steps, value=-1).mul_(
                (by_rank / self.temperature)[..., None]
            )
            gradient[some] += slopes.sum(dim=1)
            gradient[some] = gradient[some].scatter_add(1, order[some, here], -slopes.sum(dim=2))
        return values, gradient

    def _lost_worth(
        self, ranks: torch.Tensor, worth: torch.Tensor, lists: Lists
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Minus the discounted worth of documents at these ranks, summed over lists, and its slopes by the ranks."""
        softness = self.cutoff_temperature or self.temperature
        discounts, slopes = smooth_discount(lists.measure, ranks, lists.scores.shape[1], softness)
        return -(worth * discounts).sum(dim=-1), -(worth * slopes)
