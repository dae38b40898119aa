"""Ordinal regression: is the grade at least 1, at least 2, …; from one score, or with an output for each level."""

from __future__ import annotations

import torch
from torch.nn.functional import softplus

from idealist.base.values import as_count
from idealist.errors import InputError
from idealist.learn.losses.graded_lists import lists_from
from idealist.learn.losses.loss import Loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from idealist.learn.losses.graded_lists import Lists
    from idealist.measures.measure import Measure


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


class OrdinalOutputs(Loss):
    """The mean over documents of Σ_l cross entropy of [y ≥ l] with σ(o_l), for models that give each document as many
    numbers o as there are levels.

    Called as `loss(outputs, grades)`, with outputs of lists × documents × levels and what other losses take beside them;
    `expected_grades(outputs)`, Σ_l σ(o_l), is what documents are ranked by. `Ordinal` is the same of one score a document,
    whose thresholds learn. Linear time. Niu, Zhou, Wang, Gao and Hua, CVPR 2016; for rankings Pobrotyn and others, 2020.

    >>> loss = OrdinalOutputs(levels=2)
    >>> outputs = torch.zeros(2, 2)  # two documents of one list, two outputs each
    >>> round(float(loss(outputs, torch.tensor([2, 0]))), 4), loss.expected_grades(outputs).tolist()  # 2·log 2
    (1.3863, [1.0, 1.0])
    """

    parameters_of_loss = ("levels",)

    def __init__(self, measure: str | Measure = "nDCG", *, levels: int = 4, reduction: str = "mean") -> None:
        super().__init__(measure, reduction=reduction)
        self.levels = as_count(levels, "levels", hint="the highest grade of the scale")

    @staticmethod
    def expected_grades(outputs: torch.Tensor) -> torch.Tensor:
        """What documents are ranked by: the sum of the chances of all levels."""
        return outputs.sigmoid().sum(dim=-1)

    def forward(self, scores: torch.Tensor, grades: torch.Tensor, **given: Any) -> torch.Tensor:
        if scores.dim() != grades.dim() + 1 or scores.shape[-1] != self.levels:
            raise InputError(
                f"outputs have shape {tuple(scores.shape)}, grades {tuple(grades.shape)}",
                hint=f"lists × documents × {self.levels} outputs; Ordinal takes one score a document",
            )
        per_level = [
            lists_from(scores[..., level], grades, self.gains_by(), **given) for level in range(self.levels)
        ]
        highest = float(per_level[0].grades.nan_to_num(nan=0.0).max()) if grades.numel() else 0.0
        if highest > self.levels:
            raise InputError(
                f"grade {highest:g} occurs, but the loss has {self.levels} levels",
                hint="levels=… is the highest grade",
            )
        totals = [self._of_level(lists, level + 1) for level, lists in enumerate(per_level)]
        lists = per_level[0]
        values = self.put_together(torch.stack(totals).sum(dim=0), lists)
        return (
            values[0] if self.reduction == "none" and grades.dim() == 1 and "sizes" not in given else values
        )

    @staticmethod
    def _of_level(lists: Lists, level: int) -> torch.Tensor:
        """The mean over documents of the cross entropy of one level."""
        reached = (lists.grades.nan_to_num(nan=0.0) >= level).to(lists.scores.dtype)
        if lists.propensities is not None:
            reached = reached / lists.propensities
        terms = reached * softplus(-lists.scores) + (1 - reached) * softplus(lists.scores)
        weights = lists.there if lists.item_weights is None else lists.item_weights
        return (terms * weights).sum(dim=-1) / lists.counts.clamp(min=1)
