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


class FusedValues:
    """Values of a measure, nan where it is undefined, and which queries are empty or missing."""

    __slots__ = ("_best", "_sizes", "values")

    def __init__(self, values: torch.Tensor, best: torch.Tensor, sizes: torch.Tensor | None) -> None:
        self.values = values
        self._best = best
        self._sizes = sizes

    def empty(self) -> torch.Tensor:
        return self._best == 0  # a grade above 0 has a gain above 0

    def missing(self) -> torch.Tensor:
        return torch.zeros_like(self._best, dtype=torch.bool) if self._sizes is None else self._sizes == 0


def fused_values(measure: Measure, batch: Batch, conventions: Conventions) -> FusedValues | None:
    """None where the kernels cannot take the measure or the batch, or where something is wrong in it."""
    if not isinstance(measure, (CG, DCG, IDCG, NCG, NDCG)) or not can_fuse(batch, conventions):
        return None
    discount = "none" if isinstance(measure, (CG, NCG)) else measure.discount
    sums = fused_sums(batch, conventions, measure.gain, discount, measure.k)
    if sums is None:
        return None
    if isinstance(measure, (NCG, NDCG)):
        # All documents are retrieved, so that every ideal is that of the judged ones.
        values = sums.share
    else:
        values = sums.best if isinstance(measure, IDCG) else sums.found
    return None if int(sums.flag) else FusedValues(values, sums.best, batch.sizes)
