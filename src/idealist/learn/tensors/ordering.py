"""The order of documents by score in the rows of a matrix, equal scores as the conventions say; on a GPU each row sorted once, in registers."""

from __future__ import annotations

import os
from contextlib import nullcontext
from functools import lru_cache
from importlib.util import find_spec

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager


SCORES = (torch.float32, torch.bfloat16, torch.float16)


@lru_cache(maxsize=1)
def triton_is_there() -> bool:
    return find_spec("triton") is not None


def interpreted() -> bool:
    """Whether Triton's kernels run in its interpreter, which takes tensors that are not on a GPU."""
    return os.environ.get("TRITON_INTERPRET") == "1"


def can_launch(scores: torch.Tensor) -> bool:
    """Whether the kernels take scores of this device and type."""
    return (
        (scores.device.type == "cuda" or interpreted())
        and scores.dtype in SCORES
        and len(scores) > 0
        and triton_is_there()
    )


def on_device(device: torch.device) -> AbstractContextManager[object]:
    """Kernels are launched on the device that is current, which need not be that of the tensors."""
    if device.type != "cuda" or device.index == torch.cuda.current_device():
        return nullcontext()
    context: AbstractContextManager[object] = torch.cuda.device(device)
    return context


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


BEHIND = 2**31 - 1  # beyond the bits of every score, as they are sorted: there is no document
SIGN = -(2**31)
KEYS_AT_ONCE = 1 << 16  # what stays in a processor's cache
# From so many columns on, the first few are chosen before they are sorted.
CHOOSE_FROM = 2048
CHOOSE_SHARE = 8


def text_order(columns: int, *, descending: bool) -> list[int]:
    """The numbers of columns in the order of their texts.

    >>> text_order(12, descending=False)
    [0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    return sorted(range(columns), key=str, reverse=descending)


@lru_cache(maxsize=8)
def tie_order(ties: str, columns: int, device: torch.device) -> torch.Tensor | None:
    """The columns as equal scores are to be ordered; None for that of the columns themselves."""
    if ties not in ("id-descending", "id-ascending") or (ties == "id-ascending" and columns <= 10):
        return None
    return torch.tensor(
        text_order(columns, descending=ties == "id-descending"), dtype=torch.int64, device=device
    )


@lru_cache(maxsize=8)
def tie_places(ties: str, columns: int, device: torch.device) -> torch.Tensor | None:
    """The place of each column in `tie_order`, of 32 bits; None where it is the column."""
    order = tie_order(ties, columns, device)
    return None if order is None else order.argsort().to(torch.int32)


def by_grade(grades: torch.Tensor, *, best_first: bool) -> torch.Tensor:
    """Columns in the order of their grades, an unjudged document between grade 0 and the negative ones."""
    below_zero = torch.nextafter(grades.new_zeros(()), grades.new_full((), -1.0))
    moved = grades.where(~grades.isnan(), below_zero)
    return _stable(moved, descending=best_first)


def ordered(
    scores: torch.Tensor, there: torch.Tensor | None, order: torch.Tensor | None, depth: int | None
) -> torch.Tensor:
    """The columns of every row's first `depth` documents, best first; what is not `there` stands at the end.

    `order` says how equal scores stand: columns, for all rows alike or row by row; None for the lowest column first.
    """
    columns = scores.shape[1]
    if depth is not None and columns >= CHOOSE_FROM and depth * CHOOSE_SHARE <= columns:
        return _chosen(scores, there, order, depth)
    if can_sort(scores):
        first = columns if depth is None else min(depth, columns)
        if order is None or order.ndim == 1:
            return row_order(scores, there, order, first)
        arranged, known = _arranged(scores, there, order)
        return order.gather(1, row_order(arranged, known, None, first))
    arranged, known = _arranged(scores, there, order)
    if scores.dtype == torch.float32 and scores.device.type == "cpu":
        places = _by_keys(arranged, known, columns if depth is None else min(depth, columns))
    else:
        if known is not None:
            arranged = arranged.masked_fill(~known, float("-inf"))
        places = _stable(arranged, descending=True)
    return _in_columns(places, order)


def _arranged(
    scores: torch.Tensor, there: torch.Tensor | None, order: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor | None]:
    if order is None:
        return scores, there
    if order.ndim == 1:
        return scores[:, order], None if there is None else there[:, order]
    return scores.gather(1, order), None if there is None else there.gather(1, order)


def _in_columns(chosen: torch.Tensor, order: torch.Tensor | None) -> torch.Tensor:
    """Places in an order as the columns that stand there."""
    if order is None:
        return chosen
    return order[chosen] if order.ndim == 1 else order.gather(1, chosen)


def _stable(numbers: torch.Tensor, *, descending: bool) -> torch.Tensor:
    return numbers.sort(dim=1, descending=descending, stable=True).indices


def _by_keys(scores: torch.Tensor, there: torch.Tensor | None, depth: int) -> torch.Tensor:
    """The first places of rows in a processor's memory, by one number of 64 bits a document: the score's bits, so that the
    highest score is the lowest number, and the column. NumPy sorts such numbers in vector registers, which takes a
    tenth of the time of PyTorch's stable sort."""
    import numpy as np

    rows, columns = scores.shape
    places = torch.empty(rows, depth, dtype=torch.int64)
    step = max(1, KEYS_AT_ONCE // max(1, columns))
    keys = np.empty((min(step, rows), columns), np.int64)
    numbers = np.empty(keys.shape, np.float32)
    column = np.arange(columns)
    for first in range(0, rows, step):
        part = scores[first : first + step].numpy()
        bits = np.add(part, 0.0, out=numbers[: len(part)]).view(np.int32)  # -0.0 is 0.0
        # The bits of a float from 0 up rise with it and are turned round; those of a negative one fall as it rises.
        if bits.min(initial=0) < 0:
            bits ^= ~(bits >> 31) | np.int32(SIGN)
        else:
            np.invert(bits, out=bits)
        if there is not None:
            bits[~there[first : first + step].numpy()] = BEHIND
        here = keys[: len(part)]
        np.left_shift(bits, 32, out=here, dtype=np.int64)
        here |= column
        here.sort(axis=1)
        np.bitwise_and(here[:, :depth], 0xFFFFFFFF, out=places[first : first + step].numpy())
    return places


def _chosen(
    scores: torch.Tensor, there: torch.Tensor | None, order: torch.Tensor | None, depth: int
) -> torch.Tensor:
    """The first few of many, without sorting the rest."""
    arranged, known = _arranged(scores, there, order)
    if known is not None:
        arranged = arranged.masked_fill(~known, float("-inf"))
    return _in_columns(first_places(arranged, depth), order)


def first_places(scores: torch.Tensor, k: int) -> torch.Tensor:
    """The columns of the k greatest numbers of each row, the greatest first; of equal ones the lowest column."""
    k = min(k, scores.shape[1])
    if k == 0:
        return torch.empty(len(scores), 0, dtype=torch.int64, device=scores.device)
    values, columns = scores.topk(k, dim=1, sorted=False)
    lowest = values.amin(1, keepdim=True)
    # topk takes any of the documents that share the lowest score it takes.
    crowded = ((scores >= lowest).sum(1) > k).nonzero().flatten()
    for rows in crowded.split(max(1, (1 << 26) // scores.shape[1])):
        columns[rows] = _lowest_columns(scores[rows], lowest[rows], k)
    columns = columns.sort(dim=1).values
    return columns.gather(1, _stable(scores.gather(1, columns), descending=True))


def _lowest_columns(scores: torch.Tensor, lowest: torch.Tensor, k: int) -> torch.Tensor:
    """The columns above the lowest score, and as many that have it as there is room for."""
    above, level = scores > lowest, scores == lowest
    room = k - above.sum(1, keepdim=True)
    taken = above | (level & (level.cumsum(1) <= room))
    return taken.nonzero()[:, 1].view(len(scores), k)
