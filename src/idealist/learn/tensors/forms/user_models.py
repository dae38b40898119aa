"""User models on tensors: those in which a person goes on whatever she finds, and expected reciprocal rank."""

from __future__ import annotations

import torch

from idealist.learn.tensors.forms.base import share, tensor_form
from idealist.learn.tensors.forms.gain import gains_of
from idealist.measures.cwl import Fixed
from idealist.measures.families.user_models import ERR, INSQ, NERR, NPV, RBP, SDCG, SET, TBG, UMeasure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.tensors.ranked import RankedLists


@tensor_form(ERR)
def _err(measure: ERR, lists: RankedLists) -> torch.Tensor:
    lists.refuse_grades_above(measure.max_grade)
    return _reciprocal_rank(measure, lists, lists.grades)


@tensor_form(NERR)
def _nerr(measure: NERR, lists: RankedLists) -> torch.Tensor:
    lists.refuse_grades_above(measure.max_grade)
    best = _reciprocal_rank(measure, lists, lists.best_first())
    return share(_reciprocal_rank(measure, lists, lists.grades), best)


def _reciprocal_rank(measure: ERR, lists: RankedLists, grades: torch.Tensor) -> torch.Tensor:
    """Σ_r (1/r)·R_r·Π_{j<r}(1 − R_j) over the first k."""
    shown = grades if measure.k is None else grades[:, : measure.k]
    stops = gains_of(lists, shown, "exp") * 2.0**-measure.max_grade
    looks = torch.nn.functional.pad((1 - stops).cumprod(1), (1, 0), value=1.0)[:, :-1]
    ranks = torch.arange(1, shown.shape[1] + 1, device=shown.device, dtype=shown.dtype)
    return (stops * looks / ranks).sum(1)


@tensor_form(RBP)
def _rbp(measure: RBP, lists: RankedLists) -> torch.Tensor:
    if measure.scale == "judged":
        gains = lists.grades.clamp(min=0).nan_to_num(nan=0.0) * lists.hits(measure.level)
        highest = lists.judged.nan_to_num(nan=0.0).amax(1) if lists.judged.shape[1] else lists.retrieved()
        return _per_document(measure, lists, gains) / highest.clamp(min=1)
    if measure.max_grade is None:
        return _per_document(measure, lists, lists.hits(measure.level))
    lists.refuse_grades_above(measure.max_grade)
    return _per_document(measure, lists, lists.looked_up(lists.grades, measure.worth))


@tensor_form(NPV, TBG, UMeasure, SDCG, INSQ, SET)
def _graded(measure: NPV | TBG | UMeasure | SDCG | INSQ | SET, lists: RankedLists) -> torch.Tensor:
    lists.refuse_grades_above(measure.max_grade)
    gains = lists.looked_up(lists.grades, measure.worth)
    if getattr(measure, "total", False):
        return _in_all(measure, lists, gains)
    return _per_document(measure, lists, gains)


def _in_all(measure: Fixed, lists: RankedLists, gains: torch.Tensor) -> torch.Tensor:
    """The expected gain of all documents a person looks at."""
    depth = lists.ranks if measure.depth is None else min(lists.ranks, measure.depth)
    return (gains * lists.averaged(measure.chances(depth))).sum(1)


def _per_document(measure: Fixed, lists: RankedLists, gains: torch.Tensor) -> torch.Tensor:
    reach = measure.reach()
    total = _in_all(measure, lists, gains)
    return share(total, torch.full_like(total, reach))
