"""How much a pair of documents counts, by where the two stand: one weighting for each pairwise loss."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import torch

from idealist.measures.discounts import discount_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from idealist.learn.losses.graded_lists import Lists
    from idealist.measures.discounts import Discount


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


PLAIN, SWAP, FIRST, DISTANCE = "plain", "swap", "first", "distance"


@dataclass(frozen=True)
class PairWeights:
    """What the weight of a pair (i, j) is made of; i is the better document, but under `first` any.

    - plain: 1
    - swap: (G_i - G_j)·|d_i - d_j|, what nDCG changes by when the two change places
    - first: G_i·d_i, for every other document j
    - distance: (G_i - G_j)·(|d_i - d_j| + μ·δ(|r_i - r_j|)·b(max(r_i, r_j))·a), without |d_i - d_j| unless `swaps`; a is
      how far the higher of the two stands above the cut-off

    `better` and `worse` are factors of the documents in either part; `gains` are shares of the ideal list's sum.
    """

    kind: str
    gains: torch.Tensor
    better: torch.Tensor
    worse: torch.Tensor
    ranks: torch.Tensor
    discounts: torch.Tensor
    deltas: torch.Tensor | None = None  # δ by distance, from 0
    beyond: torch.Tensor | None = None  # b, for the rank that each document has, and a; only with a cut-off
    above: torch.Tensor | None = None
    swaps: bool = False
    mu: float = 0.0

    def block(self, order: torch.Tensor, some: slice, here: slice) -> torch.Tensor:
        """The weights of pairs of some documents, found by `order`, with all of their lists."""
        rows = order[some, here]

        def of_rows(values: torch.Tensor) -> torch.Tensor:
            return values[some].gather(1, rows)[..., None]

        if self.kind == FIRST:
            own = of_rows(self.gains) * of_rows(self.better) * of_rows(self.discounts)
            return (own * self.worse[some, None, :]).scatter_(2, rows[..., None], 0.0)
        more = of_rows(self.gains) - self.gains[some, None, :]
        if self.kind == PLAIN:
            weights = (more > 0).to(more.dtype)
        else:
            weights = more.clamp_(min=0).mul_(self._changes(of_rows, some))
        return weights.mul_(of_rows(self.better)).mul_(self.worse[some, None, :])

    def _changes(self, of_rows: Callable[[torch.Tensor], torch.Tensor], some: slice) -> torch.Tensor:
        """What the places of pairs make of the differences of their gains."""
        swaps = (of_rows(self.discounts) - self.discounts[some, None, :]).abs_()
        if self.kind == SWAP or self.deltas is None:
            return swaps
        own, other = of_rows(self.ranks), self.ranks[some, None, :]
        apart = (own - other).abs_().add_(0.5).long()  # the nearest whole distance
        changes = self.deltas[apart].mul_(self.mu)
        if self.beyond is not None and self.above is not None:
            changes.mul_(torch.where(own > other, of_rows(self.beyond), self.beyond[some, None, :]))
            changes.mul_(torch.maximum(of_rows(self.above), self.above[some, None, :]))
        return changes.add_(swaps) if self.swaps else changes


def plain_weights(lists: Lists) -> PairWeights:
    gains = lists.gains
    return PairWeights(PLAIN, gains, lists.factors, lists.there, gains, gains)


def swap_weights(
    lists: Lists, better: torch.Tensor | None = None, worse: torch.Tensor | None = None
) -> PairWeights:
    """`better` and `worse` are further factors of the documents in either part of their pairs."""
    stands = standing(lists)
    gains = lists.shares(lists.gains)
    as_better = lists.factors if better is None else lists.factors * better
    as_worse = lists.there if worse is None else lists.there * worse
    return PairWeights(SWAP, gains, as_better, as_worse, stands.ranks, stands.discounts)


def first_weights(lists: Lists) -> PairWeights:
    """Beyond a cut-off k a gain is lost whole, and k documents or more stand above: 1/k for each."""
    stands = standing(lists)
    better, worse = lists.factors, lists.there
    gains = lists.shares(lists.gains)
    discounts = stands.discounts
    if (k := lists.measure.k) is not None:
        discounts = discounts.where(stands.ranks <= k, torch.full_like(discounts, 1 / k))
    return PairWeights(FIRST, gains, better, worse, stands.ranks, discounts)


def distance_weights(lists: Lists, swaps: bool, mu: float) -> PairWeights:
    stands = standing(lists)
    better, worse = lists.factors, lists.there
    gains = lists.shares(lists.gains)
    longest, k = gains.shape[1], lists.measure.k
    table, deltas = _tables(lists.measure.discount, k, longest + 1, gains.dtype, gains.device)
    beyond = None
    if k is not None:
        # 1 up to k, and where the rank counts in full, as rank 2 does under discount=letor.
        lost_share = 1 - table[(stands.ranks.round().long() - 1).clamp(0, longest)]
        beyond = torch.where(
            (stands.ranks > k) & (lost_share > 0),
            1 / lost_share.clamp(min=1e-12),
            torch.ones_like(lost_share),
        )
    return PairWeights(
        DISTANCE,
        gains,
        better,
        worse,
        stands.ranks,
        stands.discounts,
        deltas,
        beyond,
        None if k is None else stands.above,
        swaps,
        mu,
    )


def _tables(
    discount: Discount, k: int | None, ranks: int, dtype: torch.dtype, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Discounts by rank as if there were no cut-off, and what they fall by from a distance to the next, 0 at distance 0."""
    make = _known_tables if isinstance(discount, (str, tuple)) else _known_tables.__wrapped__
    return make(discount, k, ranks, dtype, device)


@lru_cache(maxsize=64)
def _known_tables(
    discount: Discount, k: int | None, ranks: int, dtype: torch.dtype, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    if isinstance(discount, tuple) and len(discount) < ranks:  # it goes on with its last number
        known = discount_table(discount, len(discount) if k is None else min(k, len(discount)))
        table = [*known, *[known[-1]] * (ranks - len(known))]
    else:
        table = discount_table(discount, ranks)
    # In 64 bits: far apart, discounts differ in digits that 32 do not have.
    falls = [0.0, *(above - below for above, below in pairwise(table))]
    with torch.inference_mode(False):  # they outlive the mode of whoever asked first
        return (
            torch.tensor(table, dtype=dtype, device=device),
            torch.tensor(falls, dtype=dtype, device=device),
        )
