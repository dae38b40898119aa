"""Cross entropies with the softmax of the scores: the plain one, ListNet, XE-NDCG."""

from __future__ import annotations

import torch

from idealist.learn.losses.base import Loss
from idealist.learn.losses.noise import RandomLoss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


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
