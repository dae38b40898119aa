"""Where documents stand under the scores, for the weights of pairs, so that no order of the input shows."""

from __future__ import annotations

from dataclasses import dataclass

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.losses.lists import Lists


@dataclass(frozen=True)
class Standing:
    """What a document's place is worth, for every document in the order of the input.

    Documents with equal scores stand with the least gain first, the worst order; those that are equal in gain too share
    the mean of their `ranks` and of their `discounts`, and are above the cut-off by the share of their places that are.
    """

    ranks: torch.Tensor
    discounts: torch.Tensor
    above: torch.Tensor


def standing(lists: Lists) -> Standing:
    """The ranks and the cut-off discounts of documents; those of places without a document come last."""
    scores = lists.scores.detach().masked_fill(~lists.mask, -torch.inf)
    gains = lists.gains.masked_fill(~lists.mask, -torch.inf)
    by_gain = gains.argsort(dim=-1, stable=True)
    order = by_gain.gather(1, scores.gather(1, by_gain).argsort(dim=-1, descending=True, stable=True))
    sorted_scores, sorted_gains = scores.gather(1, order), gains.gather(1, order)
    begins = torch.ones_like(order)
    begins[:, 1:] = (
        (sorted_scores[:, 1:] != sorted_scores[:, :-1]) | (sorted_gains[:, 1:] != sorted_gains[:, :-1])
    ).long()
    group = begins.cumsum(dim=-1) - 1
    sizes = torch.zeros_like(scores).scatter_add_(1, group, torch.ones_like(scores))

    def shared(by_place: torch.Tensor) -> torch.Tensor:
        """The mean of each group of equals, for each document where it was given."""
        sums = torch.zeros_like(scores).scatter_add_(1, group, by_place.expand_as(scores))
        means = (sums / sizes).gather(1, group)
        return torch.empty_like(means).scatter_(1, order, means)

    places = torch.arange(1, scores.shape[1] + 1, dtype=scores.dtype, device=scores.device)
    cutoff = lists.measure.k
    counted = torch.ones_like(places) if cutoff is None else (places <= cutoff).to(scores.dtype)
    return Standing(shared(places), shared(lists.discounts()), shared(counted))
