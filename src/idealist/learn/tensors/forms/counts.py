"""Counts on tensors."""

from __future__ import annotations

import torch

from idealist.learn.tensors.forms.base import tensor_form
from idealist.learn.tensors.forms.binary import hits_of
from idealist.measures.families.counts import NumNonrelJudgedRet, NumQ, NumRel, NumRelRet, NumRet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.tensors.ranked import RankedLists


@tensor_form(NumQ)
def _queries(measure: NumQ, lists: RankedLists) -> torch.Tensor:
    return lists.grades.new_ones(len(lists.grades))


@tensor_form(NumRet)
def _retrieved(measure: NumRet, lists: RankedLists) -> torch.Tensor:
    return lists.retrieved()


@tensor_form(NumRel)
def _relevant(measure: NumRel, lists: RankedLists) -> torch.Tensor:
    return lists.relevant(measure.level)


@tensor_form(NumRelRet)
def _relevant_retrieved(measure: NumRelRet, lists: RankedLists) -> torch.Tensor:
    return hits_of(lists, measure.level, None)


@tensor_form(NumNonrelJudgedRet)
def _not_relevant_retrieved(measure: NumNonrelJudgedRet, lists: RankedLists) -> torch.Tensor:
    return hits_of(lists, min(0.0, measure.level), None) - hits_of(lists, measure.level, None)
