"""Ordinal regression with an output for each level: is the grade at least 1, at least 2, …"""

from __future__ import annotations

import torch
from torch.nn.functional import softplus

from idealist.base.values import as_count
from idealist.errors import InputError
from idealist.learn.losses.base import Loss
from idealist.learn.losses.lists import lists_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


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
