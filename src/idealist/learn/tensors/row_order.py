"""The order of rows that lie on a GPU, each sorted once in registers, where a row fits there."""

from __future__ import annotations

import torch

from idealist.learn.tensors.launching import can_launch, on_device

LONGEST_ROW = 1024  # what one warp sorts in its registers; PyTorch is faster at longer ones
DOCUMENTS = 256  # that one warp sorts at a time, of several rows


def can_sort(scores: torch.Tensor) -> bool:
    """Whether the kernel takes these scores."""
    return 0 < scores.shape[1] <= LONGEST_ROW and can_launch(scores)


def row_order(
    scores: torch.Tensor, there: torch.Tensor | None, order: torch.Tensor | None, depth: int
) -> torch.Tensor:
    """The columns of every row's first `depth` documents, best first; what is not `there` stands at the end. Equal scores go by
    column, or as the columns stand in `order`."""
    from idealist.learn.tensors import triton_kernels

    rows, columns = scores.shape
    scores = scores if scores.stride(1) == 1 else scores.contiguous()
    known = None if there is None else there.contiguous()
    places = None if order is None else order.argsort().to(torch.int32)
    out = torch.empty(rows, depth, dtype=torch.int64, device=scores.device)
    block = max(16, 1 << (columns - 1).bit_length())
    at_once = max(1, DOCUMENTS // block)
    with on_device(scores.device):
        triton_kernels.row_order[(-(-rows // at_once),)](
            scores,
            known,
            places,
            order,
            out,
            rows,
            columns,
            depth,
            scores.stride(0),
            columns,
            ROWS=at_once,
            BLOCK=block,
            num_warps=1,
        )
    return out
