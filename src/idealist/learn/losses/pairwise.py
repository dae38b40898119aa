"""Losses of pairs: RankNet, LambdaRank, the LambdaLoss framework, and Unbiased LambdaRank for clicks, from sums over pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

import torch
from torch.nn.functional import softplus

from idealist.base.values import as_count, as_within
from idealist.errors import InputError
from idealist.learn.losses.graded_lists import lists_from
from idealist.learn.losses.loss import (
    Loss,
    blocks,
    known_gradient,
    most_relevant_first,
    positive,
    triton_pairs,
    wants_gradient,
)
from idealist.learn.losses.pair_weights import (
    FIRST,
    distance_weights,
    first_weights,
    plain_weights,
    swap_weights,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from idealist.learn.losses.graded_lists import Lists
    from idealist.learn.losses.pair_weights import PairWeights
    from idealist.measures.measure import Measure


@dataclass(frozen=True)
class PairSums:
    """The sums of lists; of each document in the better part, and in the worse part, of its pairs."""

    values: torch.Tensor
    as_better: torch.Tensor
    as_worse: torch.Tensor


def pair_sums(lists: Lists, weights: PairWeights, sigma: float) -> PairSums:
    """The logistic losses of pairs, weighed. Time is quadratic in the length of the lists, memory is not."""
    if lists.scores.is_cuda and (kernels := triton_pairs()) is not None:
        as_better, as_worse, gradient = kernels.pair_sums_in_kernel(lists, weights, sigma)
    else:
        as_better, as_worse, gradient = _in_blocks(lists, weights, sigma)
    values = as_better.sum(dim=-1)
    return PairSums(
        known_gradient(lists.scores, values, gradient if wants_gradient(lists.scores) else None),
        as_better,
        as_worse,
    )


def _in_blocks(
    lists: Lists, weights: PairWeights, sigma: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    scores = lists.scores.detach()
    # Whatever is no document has the least gain, and pairs with it no weight.
    least = weights.gains.masked_fill(~lists.mask, torch.inf).amin(dim=-1, keepdim=True)
    order, rows = most_relevant_first(
        weights.gains.masked_fill(~lists.mask, -torch.inf), 0.0 if weights.kind == FIRST else least
    )
    order = order[:, :rows]
    own = scores.gather(1, order)
    as_better, as_worse, gradient = (torch.zeros_like(scores) for _ in range(3))
    with_gradient = wants_gradient(lists.scores)
    for some, here in blocks(len(own), rows, scores.shape[1], scores.device):
        pair_weights = weights.block(order, some, here)
        behind = (scores[some, None, :] - own[some, here, None]).mul_(sigma)
        losses = softplus(behind).mul_(pair_weights)
        as_better[some] = as_better[some].scatter_add(1, order[some, here], losses.sum(dim=2))
        as_worse[some] += losses.sum(dim=1)
        if with_gradient:
            slopes = behind.sigmoid_().mul_(pair_weights).mul_(sigma)
            gradient[some] += slopes.sum(dim=1)
            gradient[some] = gradient[some].scatter_add(1, order[some, here], -slopes.sum(dim=2))
    return as_better, as_worse, gradient


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


class UnbiasedLambdaRank(PairwiseLoss):
    """LambdaRank of clicks, each pair divided by how likely positions are to show it: L_ij/(t⁺_p(i)·t⁻_p(j)).

    `loss(scores, clicks, shown_at=…)`, where shown_at is the position, from 1, at which a document was shown. t⁺ and t⁻, 1 at
    position 1, are the biases of positions to be clicked and not to be; they start at 1. `update()`, called after an
    epoch, sets them from the pairs seen since the last time: t⁺_p = (Σ L_ij/t⁻ over clicked documents at p / the same at
    1)^(1/(norm + 1)), and t⁻ likewise. They are buffers, and so part of `state_dict`. Positions beyond `positions` share
    the last one. Where the propensities are known, LambdaRank takes them. Hu, Wang, Peng and Li, WWW 2019.

    >>> loss = UnbiasedLambdaRank(positions=2)
    >>> clicks, shown_at = torch.tensor([1, 0]), torch.tensor([2, 1])
    >>> value = loss(torch.tensor([0.0, 1.0]), clicks, shown_at=shown_at)  # as LambdaRank at first
    >>> round(float(value), 4)
    0.4847
    """

    parameters_of_loss = ("positions", "norm", "sigma")

    def __init__(
        self,
        measure: str | Measure = "nDCG",
        *,
        positions: int = 10,
        norm: float = 0.0,
        sigma: float = 1.0,
        reduction: str = "mean",
    ) -> None:
        super().__init__(measure, sigma=sigma, reduction=reduction)
        self.positions = as_count(positions, "positions", hint="how long the lists shown were")
        self.norm = as_within(norm, "norm", 0, hint="the exponent is 1/(norm + 1)")
        for name in ("clicked", "unclicked"):
            self.register_buffer(f"{name}_bias", torch.ones(self.positions, dtype=torch.float64))
            self.register_buffer(f"{name}_sums", torch.zeros(self.positions, dtype=torch.float64))

    def forward(  # type: ignore[override]
        self,
        scores: torch.Tensor,
        clicks: torch.Tensor,
        *,
        shown_at: torch.Tensor | None = None,
        mask: torch.Tensor | None = None,
        sizes: Sequence[int] | torch.Tensor | None = None,
        query_weights: torch.Tensor | None = None,
        item_weights: torch.Tensor | None = None,
    ) -> torch.Tensor:
        lists = lists_from(
            scores,
            clicks,
            self.gains_by(),
            mask=mask,
            sizes=sizes,
            query_weights=query_weights,
            item_weights=item_weights,
        )
        positions = self._positions(lists, shown_at, scores, flat=sizes is not None)
        return self.reduced(replace(lists, shown_at=positions))

    def _positions(
        self, lists: Lists, shown_at: torch.Tensor | None, scores: torch.Tensor, *, flat: bool
    ) -> torch.Tensor:
        """Where documents were shown, from 0; in the order of the input if nothing was said."""
        if shown_at is None:
            inside = lists.mask.cumsum(dim=-1) - 1
        else:
            if shown_at.shape != scores.shape:
                raise InputError(
                    f"shown_at has shape {tuple(shown_at.shape)}, the scores {tuple(scores.shape)}",
                    hint="the position, from 1, at which each document was shown",
                )
            inside = torch.zeros(lists.mask.shape, dtype=torch.long, device=scores.device)
            # Of flat lists there are as many as places with a document; of one list or a matrix, of all places.
            places = shown_at.long() if flat else shown_at.long().reshape(lists.mask.shape)[lists.mask]
            inside[lists.mask] = places
            inside = inside - 1
        if bool((inside[lists.mask] < 0).any()):
            raise InputError("a document was shown at a position below 1", hint="positions count from 1")
        return inside.clamp(0, self.positions - 1)

    def values(self, lists: Lists) -> torch.Tensor:
        places = lists.shown_at
        clicked = self.clicked_bias.to(lists.scores)[places]
        unclicked = self.unclicked_bias.to(lists.scores)[places]
        weights = swap_weights(lists, better=1 / clicked, worse=1 / unclicked)
        sums = pair_sums(lists, weights, self.sigma)
        # L_ij/t⁻ over the pairs of a clicked document is what it sums to here, times its own t⁺.
        self._gather(self.clicked_sums, sums.as_better * clicked, lists)
        self._gather(self.unclicked_sums, sums.as_worse * unclicked, lists)
        return sums.values

    def _gather(self, into: torch.Tensor, sums: torch.Tensor, lists: Lists) -> None:
        if self.training and lists.shown_at is not None:
            weighted = (
                sums.detach() if lists.query_weights is None else sums.detach() * lists.query_weights[:, None]
            )
            weighted = weighted[lists.mask].double()
            into.index_add_(0, lists.shown_at[lists.mask], weighted)

    def update(self) -> None:
        """Sets the biases from the pairs since the last update; a position without pairs keeps its own."""
        for name in ("clicked", "unclicked"):
            bias, sums = getattr(self, f"{name}_bias"), getattr(self, f"{name}_sums")
            if sums[0] > 0:
                estimate = (sums / sums[0]) ** (1 / (self.norm + 1))
                bias.copy_(torch.where(sums > 0, estimate, bias))
            sums.zero_()
