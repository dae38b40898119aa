"""The gain family by the fused kernels, where these take a batch."""

from __future__ import annotations

import torch

from idealist.learn.tensors.fused import can_fuse, fused_sums
from idealist.measures.families.gain import CG, DCG, IDCG, NCG, NDCG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.conventions import Conventions
    from idealist.learn.tensors.batches import Batch
    from idealist.measures import Measure


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
