"""Losses of whole lists: cross entropies with the softmax of the scores (ListNet, XE-NDCG), ListMLE, and PL-Rank."""

from __future__ import annotations

import torch

from idealist.base.values import as_count
from idealist.learn.losses.loss import Loss, RandomLoss, known_gradient, positive, wants_gradient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.graded_lists import Lists
    from idealist.measures.measure import Measure


def log_shares(lists: Lists) -> torch.Tensor:
    """The logarithms of the scores' softmax; 0 where there is no document."""
    low = torch.finfo(lists.scores.dtype).min
    return lists.scores.masked_fill(~lists.mask, low).log_softmax(dim=-1).masked_fill(~lists.mask, 0)


class SoftmaxCrossEntropy(Loss):
    """-Σ G_i·log softmax(s)_i.

    Of the measure only the gain counts. With clicks as grades and propensities it is the inverse-propensity form,
    -Σ (c_i/p_i)·log softmax(s)_i, whose mean over what was seen is the loss of the relevant documents. Bruch, Wang,
    Bendersky and Najork, ICTIR 2019.

    >>> round(float(SoftmaxCrossEntropy()(torch.tensor([0.0, 0.0]), torch.tensor([1, 0]))), 4)  # log 2
    0.6931
    """

    claims = ("shift",)

    def values(self, lists: Lists) -> torch.Tensor:
        return -(lists.weighted_gains * log_shares(lists)).sum(dim=-1)


class ListNet(Loss):
    """The cross entropy of softmax(G) with softmax(s): -Σ softmax(G)_i·log softmax(s)_i.

    The top-one form. Of the measure only the gain counts; with gain=linear it is the grade, as published. Weights over
    propensities multiply the documents' terms. Cao, Qin, Liu, Tsai and Li, ICML 2007.

    >>> loss = ListNet()
    >>> round(float(loss(torch.tensor([1.0, 0.0]), torch.tensor([1, 0]))), 4)  # the entropy of e/(1 + e)
    0.5822
    """

    claims = ("shift",)

    def values(self, lists: Lists) -> torch.Tensor:
        low = torch.finfo(lists.gains.dtype).min
        target = lists.gains.masked_fill(~lists.mask, low).softmax(dim=-1)
        return -(target * lists.factors * log_shares(lists)).sum(dim=-1)


class XENDCG(RandomLoss):
    """-Σ φ_i·log softmax(s)_i, φ_i in proportion to G_i + 1 - γ_i, γ_i uniform between 0 and 1.

    With gain=exp that is 2^y - γ, as published: a bound of the logarithm of mean nDCG. γ is drawn for every call, from
    `seed` or the caller's `generator`; with `sample=False` it is ½. Of the measure only the gain counts. Bruch, WWW 2021.

    >>> loss = XENDCG(sample=False)
    >>> round(float(loss(torch.tensor([0.0, 0.0]), torch.tensor([1, 0]))), 4)  # log 2, whatever φ is
    0.6931
    """

    claims = ("shift",)
    parameters_of_loss = ("sample", "seed")

    def __init__(
        self,
        measure: str | Measure = "nDCG(gain=exp)",
        *,
        sample: bool = True,
        seed: int = 0,
        generator: torch.Generator | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(measure, seed=seed, generator=generator, reduction=reduction)
        self.sample = self.random = sample

    def values(self, lists: Lists) -> torch.Tensor:
        gammas = self.uniform(lists, 1)[..., 0] if self.sample else torch.full_like(lists.gains, 0.5)
        masses = (lists.gains + 1 - gammas).masked_fill(~lists.mask, 0)
        totals = masses.sum(dim=-1, keepdim=True)
        target = masses / totals.where(totals > 0, torch.ones_like(totals))
        return -(target * lists.factors * log_shares(lists)).sum(dim=-1)


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
