"""Sums of discounted gains by the Triton kernels, where these can: CUDA, scores of 32 bits or fewer, whole grades up to 31."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec

import torch

from idealist.errors import InputError
from idealist.frozen import Frozen
from idealist.measures.discounts import discount_table
from idealist.measures.gains import gain_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain

LEVELS = 32  # grades 0 to 31
DEEPEST = 128  # the first k are taken one after the other
MOST_COLUMNS = 1 << 26  # a column and a grade share 32 bits
LONGEST_ROW = 4096  # what one program ranks
SEGMENT = 8192  # of a longer row
SCORES = (torch.float32, torch.bfloat16, torch.float16)
GRADES = (torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8, torch.float32)


class Launch(Frozen):
    """How a kernel is launched: rows a program, the width of a program, its warps, and whether only every fourth
    document competes at a time."""

    rows: int
    block: int
    warps: int
    fours: bool


def launch_for(columns: int) -> Launch:
    """What was fastest where it was measured (`benchmarks/learn_gpu.py --tune`)."""
    block = max(32, 1 << (columns - 1).bit_length())
    if block <= 256:
        return Launch(rows=max(1, 128 // block), block=block, warps=1, fours=True)
    return Launch(rows=1, block=block, warps=max(1, block // 512), fours=False)


def triton_is_there() -> bool:
    return find_spec("triton") is not None


@lru_cache(maxsize=64)
def _gains(gain: Gain, device: torch.device) -> torch.Tensor | None:
    """The gains of grades 0 to 31; None where the kernels cannot use them."""
    function = gain_function(gain)
    try:
        gains = [float(function(float(grade))) for grade in range(LEVELS)]
    except (KeyError, InputError):
        return None  # a table that lacks some of the grades
    rises = gains[0] == 0 and gains == sorted(gains) and gains[-1] < float("inf")
    return torch.tensor(gains, dtype=torch.float64, device=device) if rises else None


@lru_cache(maxsize=64)
def _discounts(discount: Discount, ranks: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """The discounts of the ranks, and their sums up to every rank from 0."""
    discounts = torch.tensor(discount_table(discount, ranks), dtype=torch.float64)
    prefix = torch.cat([discounts.new_zeros(1), discounts.cumsum(0)])
    return discounts.to(device), prefix.to(device)


def can_fuse(scores: torch.Tensor, grades: torch.Tensor, gain: Gain, k: int | None) -> bool:
    """Whether the kernels take these: what stands in the tensors is not looked at yet."""
    return (
        k is not None
        and min(k, scores.shape[1]) <= DEEPEST
        and scores.dtype in SCORES
        and grades.dtype in GRADES
        and 0 < scores.shape[1] < MOST_COLUMNS
        and scores.shape[0] > 0
        and scores.stride(1) == 1
        and grades.stride(1) == 1
        and isinstance(gain, str)
        and _gains(gain, scores.device) is not None
    )


def fused_gain_sums(
    scores: torch.Tensor,
    grades: torch.Tensor,
    gain: Gain,
    discount: Discount,
    k: int,
    *,
    places: torch.Tensor | None = None,
    lengths: torch.Tensor | None = None,
    launch: Launch | None = None,
) -> tuple[torch.Tensor, torch.Tensor] | None:
    """DCG@k and ideal DCG@k of every row; None where a row holds what the kernels cannot take.

    Equal scores go by column, or by the column's place (int32), the lower first. `lengths` says how many columns of each
    row there are.
    """
    rows, columns = scores.shape
    device = scores.device
    ranks = min(k, columns)
    gains = _gains(gain, device)
    assert gains is not None, "can_fuse was asked"
    tables = (gains, *_discounts(discount, ranks, device))
    flag = torch.zeros(1, dtype=torch.int32, device=device)
    if columns <= LONGEST_ROW or launch is not None:
        sums = _row_sums(scores, grades, tables, ranks, flag, places, lengths, launch=launch)
    else:
        sums = _segmented_sums(scores, grades, tables, ranks, flag, places, lengths)
    return None if int(flag) else sums


def _step(columns: int, *tensors: torch.Tensor) -> int:
    """How many neighbours can always be loaded together."""
    return next(step for step in (4, 2, 1) if not any(n % step for n in (columns, *(t.stride(0) for t in tensors))))


def _row_sums(
    scores: torch.Tensor,
    grades: torch.Tensor,
    tables: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    ranks: int,
    flag: torch.Tensor,
    places: torch.Tensor | None,
    lengths: torch.Tensor | None,
    *,
    ideal: torch.Tensor | None = None,
    launch: Launch | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    from idealist.learn.tensors.triton_kernels import gain_sums

    rows, columns = scores.shape
    launch = launch or launch_for(columns)
    gains, discounts, prefix = tables
    step = _step(columns, scores, grades)
    sums = torch.empty(2, rows, dtype=torch.float32, device=scores.device)
    gain_sums[(-(-rows // launch.rows),)](
        scores,
        grades,
        flag if places is None else places,
        flag if ideal is None else ideal,
        flag if lengths is None else lengths,
        gains,
        discounts,
        prefix,
        sums[0],
        sums[1],
        flag,
        rows,
        columns // step,
        LEVELS,
        scores.stride(0) // step,
        grades.stride(0) // step,
        0 if places is None or places.ndim == 1 else places.stride(0) // step,
        K=ranks,
        ROWS=launch.rows,
        BLOCK=launch.block,
        STEP=step,
        FOURS=launch.fours,
        HAS_PLACES=places is not None,
        HAS_IDEAL=ideal is not None,
        HAS_LENGTHS=lengths is not None,
        num_warps=launch.warps,
    )
    return sums[0], sums[1]


def _segmented_sums(
    scores: torch.Tensor,
    grades: torch.Tensor,
    tables: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    ranks: int,
    flag: torch.Tensor,
    places: torch.Tensor | None,
    lengths: torch.Tensor | None,
    *,
    segment: int = SEGMENT,
    warps: int = 8,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The first of every segment of a row, and the first among these."""
    from idealist.learn.tensors.triton_kernels import segment_tops

    rows, columns = scores.shape
    segments = -(-columns // segment)
    step = _step(columns, scores, grades)
    shape = (rows, segments * ranks)
    top_scores = torch.empty(shape, dtype=torch.float32, device=scores.device)
    top_grades = torch.empty(shape, dtype=torch.int32, device=scores.device)
    top_places = torch.empty(shape, dtype=torch.int32, device=scores.device)
    best_grades = torch.zeros(shape, dtype=torch.int32, device=scores.device)
    segment_tops[(rows * segments,)](
        scores,
        grades,
        flag if places is None else places,
        flag if lengths is None else lengths,
        top_scores,
        top_grades,
        top_places,
        best_grades,
        flag,
        columns // step,
        LEVELS,
        segments,
        scores.stride(0) // step,
        grades.stride(0) // step,
        K=ranks,
        BLOCK=segment,
        STEP=step,
        HAS_PLACES=places is not None,
        HAS_LENGTHS=lengths is not None,
        num_warps=warps,
    )
    if segments * ranks > LONGEST_ROW:
        launch = Launch(rows=1, block=1 << (segments * ranks - 1).bit_length(), warps=16, fours=False)
    else:
        launch = launch_for(segments * ranks)
    return _row_sums(
        top_scores, top_grades, tables, ranks, flag, top_places, None, ideal=best_grades, launch=launch
    )
