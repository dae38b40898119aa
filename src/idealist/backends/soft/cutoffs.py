"""Cut-offs that gradients can cross, from any rank."""

from __future__ import annotations

import torch

SHORTEST = 3.0  # the width of a cut-off, in temperatures, where the list is hardly longer


def inside(
    ranks: torch.Tensor,
    limit: torch.Tensor | float,
    sizes: torch.Tensor,
    temperature: float | None,
    usual: float,
) -> torch.Tensor:
    """How far each rank r is above a limit such as k + ½: 1/(1 + (r/limit)^(1/W)), a step of the width W in the logarithm of
    the rank; 1 if the list is no longer.

    W is the cut-off's `temperature`. Where none is given it is the `usual` one times the greater of 3 and 2·ln(n/limit), for a
    list of n documents: the factor of its last document is then e^(-1/2T) at the least, so that none is out of sight,
    however long the list, and the step is sharp where the temperature is low.

    >>> ranks = torch.tensor([[1.0, 2.0, 1000.0]])
    >>> inside(ranks, 1.5, torch.tensor([1000]), None, 0.1)
    tensor([[0.5773, 0.4449, 0.0067]])
    """
    numbers = torch.as_tensor(limit, dtype=ranks.dtype, device=ranks.device)
    longest = sizes[:, None]
    limits = numbers.clamp(min=0.5)
    width = temperature or usual * (2 * (longest / limits).log()).clamp(min=SHORTEST)
    factors = ((limits.log() - ranks.log()) / width).sigmoid()
    # No rank is above the limit, or all are, whatever the width.
    return factors.masked_fill(numbers < 1, 0.0).masked_fill(numbers > longest, 1.0)
