"""Sums over pairs of documents: Σ w_ij·log(1 + e^(-σ(s_i - s_j))), value and gradient, a block of rows at a time."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn.functional import softplus

from idealist.learn.losses.gradients import (
    blocks,
    known_gradient,
    most_relevant_first,
    triton_pairs,
    wants_gradient,
)
from idealist.learn.losses.pair_weights import FIRST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists
    from idealist.learn.losses.pair_weights import PairWeights


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
