"""PL-Rank: the mean of the measure over lists drawn by a Plackett–Luce model, and its gradient."""

from __future__ import annotations

import torch

from idealist.base.values import as_count
from idealist.learn.losses.base import positive
from idealist.learn.losses.gradients import known_gradient, wants_gradient
from idealist.learn.losses.noise import RandomLoss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


class PLRank(RandomLoss):
    """Minus the mean of the measure over rankings in which the next document is drawn by softmax(s/T) of those left.

    `samples` rankings are drawn for every call, from `seed` or the caller's `generator`. The value is their mean; the
    gradient is the unbiased PL-Rank-2 estimate of the gradient of the true mean:
    Σ_{x>r} d_x·G_x + Σ_{x≤r} π_x(i)·(d_x·G_i - Σ_{z≥x} d_z·G_z), r being i's rank in a ranking, π_x(i) the chance to
    be drawn at rank x. As T goes to 0 the loss goes to minus the measure. Oosterhuis, SIGIR 2021.

    >>> loss = PLRank(temperature=0.001)
    >>> round(float(loss(torch.tensor([3.0, 2.0, 1.0]), torch.tensor([0, 0, 1]))), 4)  # 1/log2(4)
    -0.5
    """

    claims = ("cut-off", "limit")
    parameters_of_loss = ("samples", "temperature", "seed")

    def __init__(
        self,
        measure: str | Measure = "nDCG",
        *,
        samples: int = 16,
        temperature: float = 1.0,
        seed: int = 0,
        generator: torch.Generator | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(measure, seed=seed, generator=generator, reduction=reduction)
        self.samples = as_count(samples, "samples", hint="the paper's choice is 16 or so")
        self.temperature = positive(temperature, "temperature")

    def values(self, lists: Lists) -> torch.Tensor:
        scores = lists.scores.detach() / self.temperature
        worth = lists.shares(lists.weighted_gains)
        logits = scores.masked_fill(~lists.mask, -torch.inf)
        noise = self.uniform(lists, self.samples)
        gumbel = -(-noise.log()).log()
        # lists × samples × documents, each sample a ranking
        order = (logits[..., None] + gumbel).transpose(1, 2).argsort(dim=-1, descending=True, stable=True)
        drawn = logits[:, None, :].expand(order.shape).gather(2, order)
        ranked = worth[:, None, :].expand(order.shape).gather(2, order)
        rewards = ranked * lists.discounts()
        values = -rewards.sum(dim=-1).mean(dim=-1)
        if not wants_gradient(lists.scores):
            return values
        ahead = rewards.flip(-1).cumsum(dim=-1).flip(-1)  # of this rank and those below
        slopes = ahead - rewards + chosen_minus_lost(drawn, ranked, ahead, lists.discounts())
        slopes = torch.zeros_like(slopes).scatter_(2, order, slopes).mean(dim=1)
        gradient = (-slopes / self.temperature).masked_fill(~lists.mask, 0)
        return known_gradient(lists.scores, values, gradient)


def chosen_minus_lost(
    drawn: torch.Tensor, ranked: torch.Tensor, ahead: torch.Tensor, discounts: torch.Tensor
) -> torch.Tensor:
    """Σ_{x≤r} π_x(i)·(d_x·G_i - ahead_x) for the document i at rank r, in logarithms: π_x(i) = e^(s_i - log S_x), S_x
    being the sum over the documents that are left at rank x."""
    left = drawn.flip(-1).logcumsumexp(dim=-1).flip(-1)
    left = left.masked_fill(left.isinf(), torch.inf)  # ranks that nobody is left for: no chance

    def summed(factors: torch.Tensor) -> torch.Tensor:
        return (drawn + (factors.log() - left).logcumsumexp(dim=-1)).exp().nan_to_num(nan=0.0)

    return ranked * summed(discounts.expand_as(left)) - summed(ahead.clamp(min=0))
