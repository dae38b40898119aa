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
) -> torch.Tensor:
    """The discount of any rank from 1 up, equal to the measure's at whole ranks up to its cut-off k.

    The logarithm of the log2 discount is taken where it is; other discounts are straight lines between whole ranks.
    A cut-off is a factor σ((k + ½ - r)/T), so that a document below k still feels what it would gain above.
    """
    smooth = _between_ranks(measure, ranks, longest)
    if measure.k is None:
        return smooth
    return smooth * torch.sigmoid((measure.k + 0.5 - ranks) / cutoff_temperature)


def _between_ranks(measure: DCG | NDCG, ranks: torch.Tensor, longest: int) -> torch.Tensor:
    if measure.discount == "log2":
        return log(2) / torch.log1p(ranks)
    # One rank more than needed, so that a line ends there; beyond the cut-off the last discount goes on.
    known = longest if measure.k is None else min(longest, measure.k)
    table = discount_table(measure.discount, known)
    values = torch.tensor([*table, table[-1]], dtype=ranks.dtype, device=ranks.device)
    below = (ranks.detach().floor().long() - 1).clamp(0, known - 1)
    above = (below + 1).clamp(max=known)
    share = (ranks - (below + 1)).clamp(0, 1)
    return values[below] * (1 - share) + values[above] * share
