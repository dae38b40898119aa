"""Losses of pairs: RankNet, LambdaRank and the LambdaLoss framework."""

from __future__ import annotations

from math import log

import torch

from idealist.errors import InputError
from idealist.learn.losses.base import Loss, positive
from idealist.learn.losses.pair_weights import distance_weights, first_weights, plain_weights, swap_weights
from idealist.learn.losses.pairs import pair_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure

KINDS = ("loss1", "loss2", "loss2++")


class PairwiseLoss(Loss):
    """What losses of pairs have in common: σ, the steepness of their logistic curve.

    The better document of a pair is the one with the higher gain. A pair counts as much as its better document's weight
    over its propensity.
    """

    claims: tuple[str, ...] = ("shift", "cut-off")
    parameters_of_loss: ClassVar[tuple[str, ...]] = ("sigma",)

    def __init__(
        self, measure: str | Measure = "nDCG", *, sigma: float = 1.0, reduction: str = "mean"
    ) -> None:
        super().__init__(measure, reduction=reduction)
        self.sigma = positive(sigma, "sigma")


class RankNet(PairwiseLoss):
    """The mean of log(1 + e^(-σ(s_i - s_j))) over pairs with G_i > G_j.

    Of the measure only the gain counts, as it says which document is the better one. Quadratic time, linear memory.
    Burges and others, ICML 2005.

    >>> round(float(RankNet()(torch.tensor([0.0, 0.0]), torch.tensor([1, 0]))), 4)  # log 2
    0.6931
    """

    claims = ("shift",)

    def values(self, lists: Lists) -> torch.Tensor:
        pairs = pair_counts(lists)
        return pair_sums(lists, plain_weights(lists), self.sigma).values / pairs.clamp(min=1)


class LambdaRank(PairwiseLoss):
    """Σ |ΔnDCG_ij|·log(1 + e^(-σ(s_i - s_j))) over pairs with G_i > G_j.

    ΔnDCG_ij = (G_i - G_j)·(d_i - d_j)/I is what the measure changes by when the two change places; with a cut-off, d is 0
    beyond it. Its gradient is the lambda gradient of Burges, Ragno and Le, NIPS 2006. Quadratic time, linear memory.

    >>> round(float(LambdaRank()(torch.tensor([0.0, 1.0]), torch.tensor([1, 0]))), 4)  # (1 - 1/log2(3))·log(1 + e)
    0.4847
    """

    def values(self, lists: Lists) -> torch.Tensor:
        return pair_sums(lists, swap_weights(lists), self.sigma).values


class LambdaLoss(PairwiseLoss):
    """Bounds of the cost of nDCG: Σ w_ij·log2(1 + e^(-σ(s_i - s_j))), kind "loss1", "loss2" or "loss2++".

    - loss1: w = G_i·d(r_i), for all pairs
    - loss2: w = (G_i - G_j)·δ, δ = d(|r_i - r_j|) - d(|r_i - r_j| + 1), for pairs with G_i > G_j
    - loss2++: w = (G_i - G_j)·(|d(r_i) - d(r_j)| + μ·δ)

    With a cut-off k, in loss2 pairs that cross it have δ/(1 - d(max(r_i, r_j))) in the place of δ, and those wholly below
    it none; in loss1 a document below k has 1/k in the place of d. Quadratic time, linear memory. Wang and others, CIKM
    2018; with cut-offs Jagerman and others, SIGIR 2022.

    >>> loss = LambdaLoss(kind="loss2")
    >>> round(float(loss(torch.tensor([0.0, 0.0]), torch.tensor([1, 0]))), 4)  # (1 - 1/log2(3))·log2(2)
    0.3691
    """

    parameters_of_loss = ("kind", "mu", "sigma")

    def __init__(
        self,
        measure: str | Measure = "nDCG",
        *,
        kind: str = "loss2++",
        mu: float = 10.0,
        sigma: float = 1.0,
        reduction: str = "mean",
    ) -> None:
        super().__init__(measure, sigma=sigma, reduction=reduction)
        if kind not in KINDS:
            raise InputError(
                f"there is no LambdaLoss of kind {kind!r}", hint=f"name one of: {', '.join(KINDS)}"
            )
        self.kind = kind
        self.mu = positive(mu, "mu")

    def values(self, lists: Lists) -> torch.Tensor:
        if self.kind == "loss1":
            weights = first_weights(lists)
        elif self.kind == "loss2":
            weights = distance_weights(lists, swaps=False, mu=1.0)
        else:
            weights = distance_weights(lists, swaps=True, mu=self.mu)
        return pair_sums(lists, weights, self.sigma).values / log(2)


def pair_counts(lists: Lists) -> torch.Tensor:
    """How many pairs of documents with different gains each list has: all pairs less those within a gain."""
    gains = lists.gains.masked_fill(~lists.mask, torch.inf).sort(dim=-1).values
    first = torch.searchsorted(gains, gains, right=False)
    below = first.masked_fill(gains.isinf(), 0)  # documents with a smaller gain stand before the first equal
    return below.sum(dim=-1).to(lists.scores.dtype)
