"""Discounts of ranks that are no whole numbers."""

from __future__ import annotations

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def discounts_between(discounts: Sequence[float], ranks: torch.Tensor) -> torch.Tensor:
    """The discount of any rank r from 1 up; beyond the last one of the table that goes on.

    1/d is on straight lines over log(1 + r), which is 1/log2(1 + r) itself where the table has that; towards a discount of 0,
    d is.

    >>> discounts_between([1.0, 0.5], torch.tensor([1.0, 2.0, 7.0]))
    tensor([1.0000, 0.5000, 0.5000])
    """
    table = torch.tensor([*(discounts or [0.0])], dtype=ranks.dtype, device=ranks.device)
    last = len(table) - 1
    logarithms = torch.arange(1, last + 3, dtype=ranks.dtype, device=ranks.device).log1p()
    below = (ranks.detach().floor().long() - 1).clamp(0, last)
    above = (below + 1).clamp(max=last)
    passed = (ranks.log1p() - logarithms[below]) / (logarithms[below + 1] - logarithms[below])
    passed = passed.clamp(0, 1)
    before, after = table[below], table[above]
    if bool((table[-1:] > 0).all()):  # they never rise: no other one is 0
        return before * after / (after + passed * (before - after))
    nothing = after == 0
    whole = after.masked_fill(nothing, 1.0)
    return torch.where(nothing, before * (1 - passed), before * whole / (whole + passed * (before - whole)))
