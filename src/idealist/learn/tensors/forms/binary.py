"""The binary family on tensors."""

from __future__ import annotations

from math import ceil, isfinite

import torch

from idealist.data.numbers import ANY_GRADE
from idealist.learn.tensors.forms.base import deepest, quotient, share, tensor_form, where_positive
from idealist.learn.tensors.ranked import count_of
from idealist.measures.families.binary import AP, RR, F, Hits, Judged, P, R, Rprec, Success, Unjudged
from idealist.measures.families.means import GMAP
from idealist.measures.families.recall_levels import RelP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.tensors.batches import Batch
    from idealist.learn.tensors.ranked import RankedLists


def hits_of(lists: RankedLists, level: float, cut: torch.Tensor | int | None) -> torch.Tensor:
    """How many documents of at least this grade are among the first `cut`, which queries may have of their own."""
    if isinstance(cut, int) and lists.groups is None:
        return count_of(lists.reaching(lists.grades[:, :cut], level)).to(lists.dtype)
    if lists.groups is None:
        reaching = lists.reaching(lists.grades, level)
        if isinstance(cut, torch.Tensor):
            reaching &= lists.by_rank() <= cut[:, None]
        return count_of(reaching).to(lists.dtype)
    return (lists.hits(level) * lists.within(cut)).sum(1)


@tensor_form(P)
def _p(measure: P, lists: RankedLists) -> torch.Tensor:
    hits = hits_of(lists, measure.level, measure.k)
    if measure.k is not None:
        return hits / measure.k
    return quotient(hits, lists.retrieved()).nan_to_num(nan=0.0)


@tensor_form(R)
def _r(measure: R, lists: RankedLists) -> torch.Tensor:
    return quotient(hits_of(lists, measure.level, measure.k), lists.relevant(measure.level))


@tensor_form(F)
def _f(measure: F, lists: RankedLists) -> torch.Tensor:
    weight = measure.beta * measure.beta
    relevant = lists.relevant(measure.level)
    whole = relevant * weight + (lists.retrieved() if measure.k is None else float(measure.k))
    hits = hits_of(lists, measure.level, measure.k)
    return where_positive(quotient(hits * (1 + weight), whole), relevant)


@tensor_form(AP, GMAP)
def _ap(measure: AP, lists: RankedLists) -> torch.Tensor:
    relevant = lists.relevant(measure.level)
    precisions = _precision_sum(lists, measure.level, measure.k)
    if measure.divisor == "found":
        hits = hits_of(lists, measure.level, measure.k)
        return where_positive(quotient(precisions, hits).nan_to_num(nan=0.0), relevant)
    if measure.divisor == "reachable" and measure.k is not None:
        relevant = relevant.clamp(max=measure.k)
    return share(precisions, relevant)


def _precision_sum(lists: RankedLists, level: float, k: int | None) -> torch.Tensor:
    """Σ P@r over relevant documents at ranks r = 1..k."""
    hits, ranks = lists.hits(level), lists.by_rank()
    if lists.groups is None:
        cut = lists.ranks if k is None else min(k, lists.ranks)
        hits, ranks = hits[:, :cut], ranks[:cut]
        return hits.cumsum(1).div_(ranks).mul_(hits).sum(1)
    # A relevant document of a tied group has, on average, its share of the group's others before it.
    before, size = lists.groups.before.to(lists.dtype), lists.groups.size.to(lists.dtype)
    relevant = lists.in_group(hits)
    hits_before = torch.nn.functional.pad(hits.cumsum(1), (1, 0)).gather(1, lists.groups.before)
    others = torch.where(size > 1, (relevant - 1) / (size - 1).clamp(min=1), 0.0)
    precision = (hits_before + 1 + (ranks - 1 - before) * others) / ranks
    counted = 1.0 if k is None else (ranks <= k).to(lists.dtype)
    return (relevant / size * precision * counted).sum(1)


@tensor_form(RR)
def _rr(measure: RR, lists: RankedLists) -> torch.Tensor:
    reached = _at_first_hit(lists, measure.level, measure.k, reciprocal=True)
    return where_positive(reached, lists.relevant(measure.level))


@tensor_form(Success)
def _success(measure: Success, lists: RankedLists) -> torch.Tensor:
    if lists.groups is None:
        reached = lists.reaching(lists.grades[:, : measure.k], measure.level).any(1).to(lists.dtype)
    else:
        reached = _at_first_hit(lists, measure.level, measure.k, reciprocal=False)
    return where_positive(reached, lists.relevant(measure.level))


def _at_first_hit(lists: RankedLists, level: float, k: int | None, *, reciprocal: bool) -> torch.Tensor:
    """1, or 1/rank, at the first relevant document, 0 if none is among the first k; over tied documents the mean."""
    hits = lists.reaching(
        lists.grades if k is None or lists.groups is not None else lists.grades[:, :k], level
    )
    if not hits.shape[1]:
        return lists.grades.new_zeros(len(hits))
    any_hit, place = hits.max(1)  # the first of equal ones
    worth = 1 / lists.by_rank() if reciprocal else lists.grades.new_ones(lists.ranks)
    if k is not None:
        worth = worth * (lists.by_rank() <= k)
    value = worth[place] * any_hit
    if lists.groups is None:
        return value
    group = place[:, None]
    size = lists.groups.size.gather(1, group).squeeze(1)
    tied = (any_hit & (size > 1)).nonzero().flatten()
    if len(tied):
        relevant = lists.in_group(hits.to(lists.dtype)).gather(1, group).squeeze(1)
        before = lists.groups.before.gather(1, group).squeeze(1)
        chances = _chances_of_first(size[tied], relevant[tied])
        ranks = before[tied][:, None] + torch.arange(chances.shape[1], device=chances.device)
        value[tied] = (chances * worth[ranks.clamp(max=lists.ranks - 1)]).sum(1)
    return value


def _chances_of_first(size: torch.Tensor, relevant: torch.Tensor) -> torch.Tensor:
    """The chance that the first relevant one of tied documents stands at place i of them, in any order."""
    count, hits = size[:, None].to(relevant.dtype), relevant[:, None]
    place = torch.arange(int(size.max()), device=size.device)
    # None of those before is relevant, drawn one after the other.
    left = (count - place).clamp(min=1)
    none = (count - hits - place).clamp(min=0) / left
    before = torch.nn.functional.pad(none.cumprod(1)[:, :-1], (1, 0), value=1.0)
    return before * (hits / left).clamp(max=1.0) * (place < count)


@deepest(Rprec)
def _most_relevant(measure: Rprec, batch: Batch) -> int:
    """No list is looked at beyond its number of relevant documents."""
    if not isfinite(measure.level) or not len(batch.grades):
        return int(batch.grades.shape[1])
    return int(batch.reaching(ceil(measure.level)).max())


@tensor_form(Rprec)
def _rprec(measure: Rprec, lists: RankedLists) -> torch.Tensor:
    relevant = lists.relevant(measure.level)
    return quotient(hits_of(lists, measure.level, relevant), relevant)


@tensor_form(RelP)
def _relp(measure: RelP, lists: RankedLists) -> torch.Tensor:
    relevant = lists.relevant(measure.level)
    shown = lists.retrieved() if measure.k is None else lists.grades.new_tensor(float(measure.k))
    ratio = quotient(hits_of(lists, measure.level, measure.k), torch.minimum(relevant, shown))
    return where_positive(ratio.nan_to_num(nan=0.0), relevant)


@tensor_form(Hits)
def _hits(measure: Hits, lists: RankedLists) -> torch.Tensor:
    return hits_of(lists, measure.level, measure.k)


@tensor_form(Judged)
def _judged(measure: Judged, lists: RankedLists) -> torch.Tensor:
    return quotient(hits_of(lists, ANY_GRADE, measure.k), lists.retrieved(measure.k)).nan_to_num(nan=0.0)


@tensor_form(Unjudged)
def _unjudged(measure: Unjudged, lists: RankedLists) -> torch.Tensor:
    shown = lists.retrieved(measure.k)
    unjudged = shown - hits_of(lists, 0.0, measure.k)
    if measure.k is None:
        return quotient(unjudged, shown).nan_to_num(nan=0.0)
    return unjudged / measure.k
