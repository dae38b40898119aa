"""Discounts of ranks that are no whole numbers, and cut-offs that gradients can cross."""

from __future__ import annotations

from math import log

import torch

from idealist.measures.discounts import discount_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.measures.families.gain import DCG, NDCG


def smooth_discount(
    measure: DCG | NDCG, ranks: torch.Tensor, longest: int, cutoff_temperature: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The discount of any rank from 1 up, equal to the measure's at whole ranks up to its cut-off k, and its slope.

    The logarithm of the log2 discount is taken where it is; other discounts are straight lines between whole ranks.
    A cut-off is a factor σ((k + ½ - r)/T), so that a document below k still feels what it would gain above.
    """
    discounts, slopes = _between_ranks(measure, ranks, longest)
    if measure.k is None:
        return discounts, slopes
    inside = torch.sigmoid((measure.k + 0.5 - ranks) / cutoff_temperature)
    falls = inside * (1 - inside) / cutoff_temperature
    return discounts * inside, slopes * inside - discounts * falls


def _between_ranks(
    measure: DCG | NDCG, ranks: torch.Tensor, longest: int
) -> tuple[torch.Tensor, torch.Tensor]:
    if measure.discount == "log2":
        logarithms = torch.log1p(ranks)
        discounts = log(2) / logarithms
        return discounts, -discounts / (logarithms * (1 + ranks))
    # Beyond the last rank that is known the last discount goes on.
    known = longest if measure.k is None else min(longest, measure.k)
    table = discount_table(measure.discount, known)
    values = torch.tensor([*table, table[-1], table[-1]], dtype=ranks.dtype, device=ranks.device)
    below = (ranks.floor().long() - 1).clamp(0, known)
    slopes = values[below + 1] - values[below]
    return values[below] + slopes * (ranks - (below + 1)), slopes
