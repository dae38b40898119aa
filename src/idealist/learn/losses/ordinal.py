"""Ordinal regression: is the grade at least 1, at least 2, …"""

from __future__ import annotations

import torch
from torch.nn.functional import softplus

from idealist.base.values import as_count
from idealist.errors import InputError
from idealist.learn.losses.base import Loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


class Ordinal(Loss):
    """The mean over documents of Σ_l cross entropy of [y ≥ l] with σ(s - θ_l), l = 1 … levels.

    The thresholds θ are parameters that learn with the model, rising from level to level; `thresholds` are where they
    start. Of the measure nothing counts but which lists have something relevant. With propensities a click counts
    1/p for, and 1 - 1/p against, so that the mean over what was seen is the loss of the relevance. Pointwise: linear
    time, and a shift of the scores changes it. Rennie and Srebro, IJCAI workshop 2005; by propensities Saito and others,
    WSDM 2020.

    >>> loss = Ordinal(levels=1)
    >>> round(float(loss(torch.tensor([0.0, 0.0]), torch.tensor([1, 0])).detach()), 4)  # log 2 for both
    0.6931
    """

    parameters_of_loss = ("levels", "thresholds")

    def __init__(
        self,
        measure: str | Measure = "nDCG",
        *,
        levels: int = 4,
        thresholds: Sequence[float] | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(measure, reduction=reduction)
        self.levels = as_count(levels, "levels", hint="the highest grade of the scale")
        self.thresholds = (
            tuple(float(level) for level in range(self.levels)) if thresholds is None else tuple(thresholds)
        )
        rising = all(low < high for low, high in zip(self.thresholds, self.thresholds[1:], strict=False))
        if len(self.thresholds) != self.levels or not rising:
            raise InputError(
                f"thresholds {self.thresholds} for {self.levels} levels", hint="one for each level, rising"
            )
        gaps = torch.tensor(self.thresholds).diff()
        self.first = torch.nn.Parameter(torch.tensor(self.thresholds[0]))
        # Gaps are above 0 as softplus of what is learned.
        self.gaps = torch.nn.Parameter(gaps + torch.log(-torch.expm1(-gaps)))

    def values(self, lists: Lists) -> torch.Tensor:
        highest = float(lists.grades.nan_to_num(nan=0.0).max())
        if highest > self.levels:
            raise InputError(
                f"grade {highest:g} occurs, but the loss has {self.levels} levels",
                hint="levels=… is the highest grade",
            )
        steps = softplus(self.gaps).cumsum(dim=0)
        thresholds = torch.cat([self.first[None], self.first + steps]).to(lists.scores)
        logits = lists.scores[..., None] - thresholds
        grades = lists.grades.nan_to_num(nan=0.0)[..., None]
        levels = torch.arange(1, self.levels + 1, device=logits.device)
        reached = (grades >= levels).to(logits.dtype)
        if lists.propensities is not None:
            reached = reached / lists.propensities[..., None]
        # -log σ(x) is softplus(-x), -log(1 - σ(x)) is softplus(x).
        terms = reached * softplus(-logits) + (1 - reached) * softplus(logits)
        weights = lists.there if lists.item_weights is None else lists.item_weights
        return (terms.sum(dim=-1) * weights).sum(dim=-1) / lists.counts.clamp(min=1)
