"""Measures of pairs of documents on tensors, in time linear in the documents."""

from __future__ import annotations

import torch

from idealist.data.numbers import ANY_GRADE
from idealist.learn.tensors.forms.base import quotient, tensor_form
from idealist.measures.families.means import GMBpref
from idealist.measures.families.pairs import AUC, Accuracy, Bpref, RankingLoss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.tensors.ranked import RankedLists


@tensor_form(Bpref, GMBpref)
def _bpref(measure: Bpref, lists: RankedLists) -> torch.Tensor:
    lowest = min(0.0, measure.level)
    hits, relevant = lists.hits(measure.level), lists.relevant(measure.level)
    others = lists.hits(lowest) - hits
    most = torch.minimum(lists.relevant(lowest) - relevant, relevant)[:, None]
    above = torch.minimum(others.cumsum(1) - others, relevant[:, None])
    share = quotient(above, most).nan_to_num(nan=0.0)
    return quotient((hits * (1 - share)).sum(1), relevant)


@tensor_form(Accuracy)
def _accuracy(measure: Accuracy, lists: RankedLists) -> torch.Tensor:
    hit = lists.hits(measure.level) * lists.within(measure.k)
    hits = hit.sum(1)
    others = lists.retrieved(measure.k) - hits
    out_of_order = (hit * (lists.by_rank() - hit.cumsum(1))).sum(1)
    return 1 - quotient(out_of_order, hits * others)


def _auc(lists: RankedLists, level: float) -> torch.Tensor:
    good = lists.hits(level)
    bad = lists.hits(ANY_GRADE) - good
    relevant = lists.relevant(level)
    others = lists.relevant(ANY_GRADE) - relevant
    good_found, bad_found = good.sum(1), bad.sum(1)
    in_order = (bad * _above(lists, good)).sum(1)
    out_of_order = (good * _above(lists, bad)).sum(1)
    concordant = (good_found * bad_found + in_order - out_of_order) / 2
    # A relevant document that was not retrieved is at best level with one that was not either.
    half_missed = (good_found + relevant) / 2 * (others - bad_found)
    return quotient(concordant + half_missed, relevant * others)


def _above(lists: RankedLists, numbers: torch.Tensor) -> torch.Tensor:
    """The sum of numbers above every rank, those of tied documents left out."""
    sums = torch.nn.functional.pad(numbers.cumsum(1), (1, 0))
    return sums[:, :-1] if lists.groups is None else sums.gather(1, lists.groups.before)


@tensor_form(AUC)
def _auc_form(measure: AUC, lists: RankedLists) -> torch.Tensor:
    return _auc(lists, measure.level)


@tensor_form(RankingLoss)
def _ranking_loss(measure: RankingLoss, lists: RankedLists) -> torch.Tensor:
    return 1 - _auc(lists, measure.level)
