"""Triton kernels for soft ranks: each program has some documents of one list, and walks over all of its others.

No pair is written to memory, and no two programs write to the same place, so that the same call gives the same numbers.
"""

# Constants of a kernel are written in capitals, as Triton does.
# ruff: noqa: N803
from __future__ import annotations

import torch
import triton
import triton.language as tl

OWN, OTHERS = 16, 128  # documents of a program, and how many others it looks at together


@triton.jit
def _rank_kernel(  # type: ignore[no-untyped-def]
    scores, rivals, ranks, length, OWN: tl.constexpr, OTHERS: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64) * length
    own = tl.program_id(1) * OWN + tl.arange(0, OWN)
    here = own < length
    s = tl.load(scores + row + own, mask=here, other=0.0)[:, None]
    steps = tl.zeros((OWN, OTHERS), s.dtype)
    for start in range(0, length, OTHERS):
        other = start + tl.arange(0, OTHERS)
        s2 = tl.load(rivals + row + other, mask=other < length, other=float("-inf"))[None, :]
        ahead = s2 - s
        small = tl.exp(-tl.abs(ahead))
        steps += tl.where(ahead >= 0, 1.0, small) / (1.0 + small)
    tl.store(ranks + row + own, tl.sum(steps, 1) + 0.5, mask=here)


@triton.jit
def _rank_slopes_kernel(  # type: ignore[no-untyped-def]
    rivals, by_rank, gradient, length, OWN: tl.constexpr, OTHERS: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64) * length
    own = tl.program_id(1) * OWN + tl.arange(0, OWN)
    here = own < length
    s = tl.load(rivals + row + own, mask=here, other=0.0)[:, None]
    c = tl.load(by_rank + row + own, mask=here, other=0.0)[:, None]
    slopes = tl.zeros((OWN, OTHERS), s.dtype)
    for start in range(0, length, OTHERS):
        other = start + tl.arange(0, OTHERS)
        s2 = tl.load(rivals + row + other, mask=other < length, other=float("-inf"))[None, :]
        c2 = tl.load(by_rank + row + other, mask=other < length, other=0.0)[None, :]
        small = tl.exp(-tl.abs(s2 - s))
        slopes += (c2 - c) * small / ((1.0 + small) * (1.0 + small))
    slope = tl.sum(slopes, 1)
    # Between two places without a document the difference of scores is nan.
    slope = tl.where(tl.load(rivals + row + own, mask=here, other=0.0) == float("-inf"), 0.0, slope)
    tl.store(gradient + row + own, slope, mask=here)


def soft_ranks_in_kernel(scores: torch.Tensor, mask: torch.Tensor, temperature: float) -> torch.Tensor:
    """1 + Σ_{j≠i} σ((s_j - s_i)/T) for every document."""
    scores = (scores / temperature).contiguous()
    ranks = torch.empty_like(scores)
    count, length = scores.shape
    grid = (count, triton.cdiv(length, OWN))
    rivals = scores.masked_fill(~mask, -torch.inf)
    _rank_kernel[grid](scores, rivals, ranks, length, OWN=OWN, OTHERS=OTHERS)
    return ranks


def soft_rank_slopes_in_kernel(
    scores: torch.Tensor, mask: torch.Tensor, by_rank: torch.Tensor, temperature: float
) -> torch.Tensor:
    """Gradients by soft ranks brought back to the scores."""
    rivals = (scores / temperature).masked_fill(~mask, -torch.inf).contiguous()
    gradient = torch.empty_like(rivals)
    count, length = rivals.shape
    grid = (count, triton.cdiv(length, OWN))
    _rank_slopes_kernel[grid](rivals, by_rank.contiguous(), gradient, length, OWN=OWN, OTHERS=OTHERS)
    return gradient.div_(temperature)
