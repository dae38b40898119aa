"""Unbiased LambdaRank: clicks as grades, the bias of positions learned beside the model."""

from __future__ import annotations

from dataclasses import replace

import torch

from idealist.base.values import as_count, as_within
from idealist.errors import InputError
from idealist.learn.losses.lists import lists_from
from idealist.learn.losses.pair_weights import swap_weights
from idealist.learn.losses.pairs import pair_sums
from idealist.learn.losses.pairwise import PairwiseLoss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


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
