"""ListMLE: the likelihood of the order that the grades ask for."""

from __future__ import annotations

import torch

from idealist.learn.losses.base import Loss
from idealist.learn.losses.gradients import known_gradient, wants_gradient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


class ListMLE(Loss):
    """Minus the logarithm of the chance that a Plackett–Luce model draws the documents by falling gain.

    Σ_i c_i·(log Σ_{j: G_j ≤ G_i} e^{s_j} - s_i). Documents of one gain have no order among them: each is held against its
    equals and those below (Breslow's form of ties), so that no order of the input shows. c is 1 for places up to the
    cut-off and 0 beyond; with `position_aware=True` it is the measure's discount of the place. Documents of one gain
    share the mean of their places. Xia and others, ICML 2008; by position Lan and others, UAI 2014.

    >>> round(float(ListMLE()(torch.tensor([0.0, 0.0]), torch.tensor([1, 0]))), 4)  # log 2, then log 1
    0.6931
    """

    claims = ("shift", "cut-off")
    parameters_of_loss = ("position_aware",)

    def __init__(
        self, measure: str | Measure = "nDCG", *, position_aware: bool = False, reduction: str = "mean"
    ) -> None:
        super().__init__(measure, reduction=reduction)
        self.position_aware = position_aware

    def values(self, lists: Lists) -> torch.Tensor:
        gains, order = lists.gains.masked_fill(~lists.mask, -torch.inf).sort(
            dim=-1, descending=True, stable=True
        )
        mask = lists.mask.gather(1, order)
        scores = lists.scores.detach().gather(1, order).masked_fill(~mask, -torch.inf)
        group, last = _groups(gains)
        counted = lists.discounts() if self.position_aware else (lists.discounts() > 0).to(scores.dtype)
        weights = _group_means(counted.expand_as(scores), group) * lists.factors.gather(1, order)
        weights = weights.masked_fill(~mask, 0)
        # From the last place up: everything from here on down, at the first place of each gain.
        rest = scores.flip(-1).logcumsumexp(dim=-1).flip(-1).gather(1, last)
        terms = torch.where(mask, rest - scores, torch.zeros_like(scores))
        values = (weights * terms.nan_to_num(posinf=0.0, neginf=0.0)).sum(dim=-1)
        if not wants_gradient(lists.scores):
            return values
        # s_j is in the sum of every document with its gain or a higher one: Σ c_i·e^{s_j - rest_i}.
        running = (weights.log() - rest.masked_fill(~mask, torch.inf)).logcumsumexp(dim=-1)
        ends = (mask.shape[1] - 1) - _groups(gains.flip(-1))[1].flip(-1)
        shares = (scores + running.gather(1, ends)).exp().nan_to_num(nan=0.0)
        slopes = (shares - weights).masked_fill(~mask, 0)
        gradient = torch.zeros_like(slopes).scatter_(1, order, slopes)
        return known_gradient(lists.scores, values, gradient)


def _groups(sorted_gains: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The number of each place's group of equals, and the first place of that group."""
    begins = torch.zeros_like(sorted_gains, dtype=torch.long)
    begins[:, 1:] = (sorted_gains[:, 1:] != sorted_gains[:, :-1]).long()
    places = torch.arange(sorted_gains.shape[1], device=sorted_gains.device).expand_as(begins)
    return begins.cumsum(dim=-1), (places * begins).cummax(dim=-1).values


def _group_means(values: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
    sums = torch.zeros_like(values).scatter_add_(1, group, values.contiguous())
    sizes = torch.zeros_like(values).scatter_add_(1, group, torch.ones_like(values))
    return (sums / sizes.clamp(min=1)).gather(1, group)
