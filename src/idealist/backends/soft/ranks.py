"""Soft ranks of documents, value and gradient: sums over pairs, of which some are there at a time."""

from __future__ import annotations

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

# Pairs at a time: on a CPU they stay in the cache; on a GPU they must be worth the launch of a kernel.
AT_ONCE = {"cpu": 1 << 17, "cuda": 1 << 24}
USUAL = 1 << 20
KEPT = 1 << 17  # steps that are kept for the way back; of more they are computed again


def soft_ranks(
    scores: torch.Tensor, mask: torch.Tensor, temperature: float, rows: torch.Tensor | None = None
) -> torch.Tensor:
    """1 + Σ_{j≠i} σ((s_j - s_i)/T), in 64 bits, for every document i, or for those whose places are in the rows.

    >>> scores = torch.tensor([[2.0, 1.0, 1.0]])
    >>> soft_ranks(scores, torch.ones(1, 3, dtype=torch.bool), 0.01)
    tensor([[1.0000, 2.5000, 2.5000]], dtype=torch.float64)
    """
    ranks: torch.Tensor = _SoftRanks.apply(scores, mask, temperature, rows)
    return ranks


class _SoftRanks(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        scores: torch.Tensor,
        mask: torch.Tensor,
        temperature: float,
        rows: torch.Tensor | None,
    ) -> torch.Tensor:
        ctx.temperature, ctx.rows, ctx.mask, ctx.steps = temperature, rows, mask, None
        ctx.save_for_backward(scores)
        if (kernels := _kernels(scores)) is not None:
            ranks = kernels.soft_ranks_in_kernel(scores, mask, temperature).double()
            return ranks if rows is None else ranks.gather(1, rows)
        rivals = scores.masked_fill(~mask, -torch.inf)
        own = scores if rows is None else scores.gather(1, rows)
        sums = torch.empty_like(own)
        if own.shape[1] * scores.numel() <= KEPT:
            ctx.steps = scores.new_empty(*own.shape, scores.shape[1])
        for some, here in _parts(own, scores.shape[1]):
            steps = _steps(rivals[some, None, :], own[some, here, None], temperature)
            sums[some, here] = steps.sum(-1)
            if ctx.steps is not None:
                ctx.steps[some, here] = steps
        return sums.double() + 0.5  # a document is its own rival with a step of one half

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, outer: torch.Tensor) -> tuple[torch.Tensor, None, None, None]:
        (scores,) = ctx.saved_tensors
        rows, temperature = ctx.rows, ctx.temperature
        by_rank = outer.to(scores.dtype)
        if (kernels := _kernels(scores)) is not None:
            spread = by_rank if rows is None else torch.zeros_like(scores).scatter_add(1, rows, by_rank)
            return (
                kernels.soft_rank_slopes_in_kernel(scores, ctx.mask, spread, temperature),
                None,
                None,
                None,
            )
        by_rank = by_rank / temperature
        rivals = scores.masked_fill(~ctx.mask, -torch.inf)
        own = scores if rows is None else scores.gather(1, rows)
        gradient, of_own = torch.zeros_like(scores), torch.zeros_like(own)
        for some, here in _parts(own, scores.shape[1]):
            steps = (
                _steps(rivals[some, None, :], own[some, here, None], temperature)
                if ctx.steps is None
                else ctx.steps[some, here]
            )
            slopes = torch.addcmul(steps, steps, steps, value=-1).mul_(by_rank[some, here, None])
            gradient[some] += slopes.sum(1)
            of_own[some, here] -= slopes.sum(2)
        gradient = gradient + of_own if rows is None else gradient.scatter_add(1, rows, of_own)
        return gradient, None, None, None


def _steps(rivals: torch.Tensor, own: torch.Tensor, temperature: float) -> torch.Tensor:
    return (rivals - own).div_(temperature).sigmoid_()


def _parts(own: torch.Tensor, columns: int) -> Iterator[tuple[slice, slice]]:
    """Some documents of some lists, together with all of their lists few enough."""
    size = AT_ONCE.get(own.device.type, USUAL)
    lists, documents = own.shape
    at_once = max(1, min(lists, size // max(columns, 1)))
    rows = max(1, size // max(columns * at_once, 1))
    for first in range(0, lists, at_once):
        for row in range(0, documents, rows):
            yield slice(first, min(first + at_once, lists)), slice(row, min(row + rows, documents))


def _kernels(scores: torch.Tensor) -> ModuleType | None:
    """The kernels that write no pair to memory: on a GPU, where Triton is there."""
    if not scores.is_cuda:
        return None
    try:
        from idealist.backends.soft import triton_ranks
    except ImportError:
        return None
    return triton_ranks
