"""Sums of discounted gains by the Triton kernels, where these can: CUDA, scores of 32 bits or fewer, whole grades up to 31."""

from __future__ import annotations

from functools import lru_cache

import torch

from idealist.base.frozen import Frozen
from idealist.learn.tensors.ordering import can_launch, on_device, tie_places
from idealist.measures.discounts import discount_table
from idealist.measures.families.gain import CG, DCG, IDCG, NCG, NDCG
from idealist.measures.gains import gain_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.conventions import Conventions
    from idealist.learn.tensors.tensor_batches import Batch
    from idealist.measures import Measure
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain


LEVELS = 32  # grades 0 to 31
DEEPEST = 128  # the first k are taken one after the other
MOST_COLUMNS = 1 << 26  # a column and a grade share 32 bits
LONGEST_ROW = 4096  # what one program ranks
SEGMENTS = (1024, 2048, 4096, 8192, 16384, 32768)  # of a longer row
MOST_CANDIDATES = 16384  # of all segments, among which one program finds the first
GRADES = (torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8, torch.float32)


class Launch(Frozen):
    """How a kernel is launched: rows a program, the width of a program, its warps, and whether only every fourth
    document competes at a time."""

    rows: int
    block: int
    warps: int
    fours: bool


@lru_cache(maxsize=64)
def launch_for(columns: int) -> Launch:
    """What was fastest where it was measured (`benchmarks/learn_gpu.py --tune`)."""
    block = max(32, 1 << (columns - 1).bit_length())
    return Launch(rows=max(1, 512 // block), block=block, warps=max(1, block // 1024), fours=True)


@lru_cache(maxsize=64)
def gain_tables(gain: str, discount: str, ranks: int, device: torch.device) -> torch.Tensor:
    """The gains of grades 0 to 31; the discounts of the ranks; and the sums of these up to every rank from 0. One behind
    the other, since every argument of a kernel takes time."""
    function = gain_function(gain)
    gains = [float(function(float(grade))) for grade in range(LEVELS)]
    discounts = torch.tensor(discount_table(discount, ranks), dtype=torch.float64)
    tables = torch.cat([discounts.new_tensor(gains), discounts, discounts.new_zeros(1), discounts.cumsum(0)])
    return tables.to(device, torch.float32)


def can_fuse(batch: Batch, conventions: Conventions) -> bool:
    """Whether the kernels take a batch. What stands in its tensors is not looked at yet."""
    scores, grades = batch.scores, batch.grades
    return (
        can_launch(scores)
        and grades.dtype in GRADES
        and 0 < scores.shape[1] < MOST_COLUMNS
        and len(scores) > 0
        and scores.stride(1) == grades.stride(1) == 1
        and (batch.there is None or batch.sizes is not None)
        and conventions.ties in ("input-order", "id-ascending", "id-descending")
        and conventions.negative != "keep"
        and "error" not in (conventions.missing, conventions.empty)
        and (
            conventions.unjudged != "removed"
            or not (grades.is_floating_point() or conventions.negative == "unjudged")
        )
    )


def fused_sums(
    batch: Batch,
    conventions: Conventions,
    gain: Gain,
    discount: Discount,
    k: int | None,
    *,
    undefined: float,
) -> torch.Tensor | None:
    """DCG, ideal DCG and nDCG of every row of a batch that `can_fuse` takes; `undefined` where the last is not defined.
    None where the kernels cannot have such gains or so many ranks, or where a row holds what they cannot take."""
    scores = batch.scores
    ranks = scores.shape[1] if k is None else min(k, scores.shape[1])
    if ranks > DEEPEST or not isinstance(gain, str) or not isinstance(discount, str):
        return None
    if scores.shape[1] > LONGEST_ROW and _segment(scores.shape[1], ranks) is None:
        return None
    places = tie_places(conventions.ties, scores.shape[1], scores.device)
    flag = _flag(scores.device)
    with on_device(scores.device):
        sums = gain_sums(
            scores,
            batch.grades,
            gain,
            discount,
            ranks,
            flag,
            places=places,
            lengths=batch.sizes,
            undefined=undefined,
        )
        if scores.device.type == "cuda":
            torch.cuda.current_stream().synchronize()
    if not int(flag):
        return sums
    _FLAGS.pop(scores.device, None)
    return None


# A number for each device that its kernels raise; one that was raised is not used again. If streams share one, a batch of
# the one may be measured without the kernels because of what the other found, with the same values.
_FLAGS: dict[torch.device, torch.Tensor] = {}


def _flag(device: torch.device) -> torch.Tensor:
    """In memory of the host that kernels can write to: it need not be copied to be looked at."""
    if device not in _FLAGS:
        _FLAGS[device] = torch.zeros(1, dtype=torch.int32, pin_memory=device.type == "cuda")
    return _FLAGS[device]


def gain_sums(
    scores: torch.Tensor,
    grades: torch.Tensor,
    gain: str,
    discount: str,
    ranks: int,
    flag: torch.Tensor,
    *,
    places: torch.Tensor | None = None,
    lengths: torch.Tensor | None = None,
    undefined: float = float("nan"),
    launch: Launch | None = None,
) -> torch.Tensor:
    """The sums over the first `ranks` of every row. Equal scores go by column, or by the column's place (int32), the lower
    first. `lengths` says how many columns of each row there are. `flag` is raised where the sums are not right."""
    tables = gain_tables(gain, discount, ranks, scores.device)
    if scores.shape[1] <= LONGEST_ROW or launch is not None:
        return _row_sums(
            scores, grades, tables, ranks, flag, places, lengths, undefined=undefined, launch=launch
        )
    return _segmented_sums(scores, grades, tables, ranks, flag, places, lengths, undefined=undefined)


def _segment(columns: int, ranks: int) -> int | None:
    """The least length of segments whose first few one program can rank; None if they are too many."""
    return next((length for length in SEGMENTS if -(-columns // length) * ranks <= MOST_CANDIDATES), None)


def _step(columns: int, *tensors: torch.Tensor) -> int:
    """How many neighbours can always be loaded together."""
    return next(
        step for step in (4, 2, 1) if not any(n % step for n in (columns, *(t.stride(0) for t in tensors)))
    )


def _row_sums(
    scores: torch.Tensor,
    grades: torch.Tensor,
    tables: torch.Tensor,
    ranks: int,
    flag: torch.Tensor,
    places: torch.Tensor | None,
    lengths: torch.Tensor | None,
    *,
    undefined: float,
    ideal: torch.Tensor | None = None,
    launch: Launch | None = None,
) -> torch.Tensor:
    from idealist.learn.tensors.triton_kernels import row_gain_sums

    rows, columns = scores.shape
    launch = launch or launch_for(columns)
    step = _step(columns, scores, grades)
    sums = torch.empty(3, rows, dtype=torch.float32, device=scores.device)
    row_gain_sums[(-(-rows // launch.rows),)](
        scores,
        grades,
        places,
        ideal,
        lengths,
        tables,
        sums,
        flag,
        undefined,
        rows,
        columns // step,
        scores.stride(0) // step,
        grades.stride(0) // step,
        0 if places is None or places.ndim == 1 else places.stride(0) // step,
        K=ranks,
        ROWS=launch.rows,
        BLOCK=launch.block,
        STEP=step,
        FOURS=launch.fours,
        num_warps=launch.warps,
    )
    return sums


def _segmented_sums(
    scores: torch.Tensor,
    grades: torch.Tensor,
    tables: torch.Tensor,
    ranks: int,
    flag: torch.Tensor,
    places: torch.Tensor | None,
    lengths: torch.Tensor | None,
    *,
    undefined: float = float("nan"),
    segment: int | None = None,
    warps: int | None = None,
) -> torch.Tensor:
    """The first of every segment of a row, and the first among these."""
    from idealist.learn.tensors.triton_kernels import segment_tops

    rows, columns = scores.shape
    segment = segment or _segment(columns, ranks)
    assert segment is not None, "asked before"
    segments = -(-columns // segment)
    step = _step(columns, scores, grades)
    shape = (rows, segments * ranks)
    top_scores = torch.empty(shape, dtype=torch.float32, device=scores.device)
    top_grades = torch.empty(shape, dtype=torch.int32, device=scores.device)
    top_places = torch.empty(shape, dtype=torch.int32, device=scores.device)
    best_grades = torch.empty(shape, dtype=torch.int32, device=scores.device)
    segment_tops[(rows * segments,)](
        scores,
        grades,
        places,
        lengths,
        top_scores,
        top_grades,
        top_places,
        best_grades,
        flag,
        columns // step,
        segments,
        scores.stride(0) // step,
        grades.stride(0) // step,
        K=ranks,
        BLOCK=segment,
        STEP=step,
        num_warps=warps or segment // 1024,
    )
    return _row_sums(
        top_scores, top_grades, tables, ranks, flag, top_places, None, undefined=undefined, ideal=best_grades
    )


def fused_values(measure: Measure, batch: Batch, conventions: Conventions) -> torch.Tensor | None:
    """The values of a batch under the conventions; None where the kernels cannot take the measure or the batch, or where
    something is wrong in it."""
    # A subclass may be another measure altogether.
    if type(measure) not in (CG, DCG, IDCG, NCG, NDCG) or not can_fuse(batch, conventions):
        return None
    assert isinstance(measure, (CG, DCG, IDCG, NCG, NDCG)), "one of these"
    discount = "none" if isinstance(measure, (CG, NCG)) else measure.discount
    undefined = {"zero": 0.0, "one": 1.0, "skip": float("nan")}[conventions.empty]
    sums = fused_sums(batch, conventions, measure.gain, discount, measure.k, undefined=undefined)
    if sums is None:
        return None
    if isinstance(measure, (NCG, NDCG)):
        values = sums[2]  # all documents are retrieved, so that every ideal is that of the judged ones
    else:
        values = sums[1] if isinstance(measure, IDCG) else sums[0]
        if conventions.empty == "skip":
            values = values.masked_fill(sums[1] == 0, undefined)  # a grade above 0 has a gain above 0
    if conventions.missing == "skip" and batch.sizes is not None:
        values = values.masked_fill(batch.sizes == 0, float("nan"))
    return values
