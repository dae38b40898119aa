"""Losses whose gradient is known: it is computed beside the value, a block of pairs at a time, so that no matrix of
all pairs is ever kept for the way back."""

from __future__ import annotations

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

# Numbers in a block: on a CPU it stays in the cache; on a GPU it must be worth the launch of a kernel.
BLOCK = {"cpu": 1 << 17, "cuda": 1 << 24}
USUAL_BLOCK = 1 << 20


class _KnownGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, values: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(gradient)
        return values.clone()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, outer: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return outer[:, None] * gradient, None, None


def known_gradient(scores: torch.Tensor, values: torch.Tensor, gradient: torch.Tensor | None) -> torch.Tensor:
    """The values of lists, which have this gradient by the scores of the lists."""
    if gradient is None:
        return values
    result: torch.Tensor = _KnownGradient.apply(scores, values, gradient)
    return result


def wants_gradient(scores: torch.Tensor) -> bool:
    return bool(torch.is_grad_enabled() and scores.requires_grad)


def block_size(device: torch.device) -> int:
    return BLOCK.get(device.type, USUAL_BLOCK)


def blocks(lists: int, rows: int, columns: int, device: torch.device) -> Iterator[tuple[slice, slice]]:
    """Parts of lists × rows × columns that are small enough: some rows of some lists, all columns."""
    size = block_size(device)
    lists_at_once = max(1, min(lists, size // max(columns, 1)))
    rows_at_once = max(1, size // max(columns * lists_at_once, 1))
    for first_list in range(0, lists, lists_at_once):
        for first_row in range(0, rows, rows_at_once):
            yield (
                slice(first_list, min(first_list + lists_at_once, lists)),
                slice(first_row, min(first_row + rows_at_once, rows)),
            )


def most_relevant_first(gains: torch.Tensor, least: torch.Tensor | float = 0.0) -> tuple[torch.Tensor, int]:
    """The order of documents by falling gain, and how many of a list at most are above `least`: only those are the
    better one of a pair."""
    order = gains.argsort(dim=-1, descending=True, stable=True)
    rows = int((gains > least).sum(dim=-1).max()) if gains.numel() else 0
    return order, rows


def triton_pairs() -> ModuleType | None:
    """The kernels that sum over pairs on a GPU without writing any pair to memory, where Triton is there."""
    try:
        from idealist.learn.losses import triton_pairs
    except ImportError:
        return None
    return triton_pairs
