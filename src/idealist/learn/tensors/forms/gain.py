"""The gain family on tensors."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from idealist.errors import InputError
from idealist.learn.tensors.forms.base import share, tensor_form, where_positive
from idealist.learn.tensors.gains import gain_tensor, refuse_infinite
from idealist.learn.tensors.ranked import first_row
from idealist.measures.discounts import discount_table
from idealist.measures.families.gain import CG, DCG, IDCG, NCG, NDCG
from idealist.measures.gains import (
    NAMES,
    gain_function,
    hint_of_table,
    number_text,
    refuse_bounds_of_falling_gains,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.tensors.ranked import RankedLists
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain


def gains_of(lists: RankedLists, grades: torch.Tensor, gain: Gain) -> torch.Tensor:
    """What grades are worth; 0 where there is none."""
    if gain == "linear" and lists.plain:
        return grades
    if gain in NAMES:
        return gain_tensor(gain, grades, dtype=lists.dtype, keep_negative=lists.keeps_negative)
    function = gain_function(gain)
    return lists.looked_up(
        grades, lambda grade: 0.0 if grade < 0 and not lists.keeps_negative else float(function(grade))
    )


def refuse_gain(lists: RankedLists, gain: Gain) -> None:
    """Raises for grades that a table lacks, and for gains that the rule for ties cannot take."""
    if gain in NAMES:
        return
    levels = lists.judged[~lists.judged.isnan()].unique().tolist()
    counted = [grade for grade in levels if grade >= 0 or lists.keeps_negative]
    if isinstance(gain, Mapping) and (absent := [grade for grade in counted if grade not in gain]):
        row = first_row(lists.judged == absent[0])
        assert row is not None, "the grade occurs"
        raise InputError(
            f"query {lists.query(row)} has grade {number_text(absent[0])}, which the gain table lacks",
            hint=hint_of_table(gain),
        )
    function = gain_function(gain)
    table = [(grade, float(function(grade))) for grade in counted]
    for _, worth in table:
        refuse_infinite(worth, lists.dtype)
    refuse_bounds_of_falling_gains(table, lists.conventions.ties)


def _discounts(lists: RankedLists, discount: Discount, k: int | None) -> list[float]:
    """The discounts of the ranks up to k that a list has: a table may end there."""
    ranks = max(lists.ranks, lists.judged.shape[1]) if isinstance(discount, str) else lists.longest()
    return discount_table(discount, ranks if k is None else min(k, ranks))


def found_sums(lists: RankedLists, gain: Gain, discount: Discount, k: int | None) -> torch.Tensor:
    """Σ gain · discount over the first k."""
    refuse_gain(lists, gain)
    weights = lists.averaged(_discounts(lists, discount, k))
    # Without ties, ranks beyond k add nothing.
    ranks = lists.ranks if k is None or lists.groups is not None else min(k, lists.ranks)
    return (gains_of(lists, lists.grades[:, :ranks], gain) * weights[..., :ranks]).sum(1)


def best_sums(lists: RankedLists, gain: Gain, discount: Discount, k: int | None, ideal: str) -> torch.Tensor:
    """The same sum over the ideal list."""
    refuse_gain(lists, gain)
    if ideal == "retrieved":
        gains = gains_of(lists, lists.grades, gain).sort(dim=1, descending=True).values
    elif gain in NAMES:  # these rise with the grade
        gains = gains_of(lists, lists.best_first(k), gain)
    else:
        gains = gains_of(lists, lists.judged, gain).sort(dim=1, descending=True).values
    discounts = torch.tensor(_discounts(lists, discount, k), dtype=lists.dtype, device=gains.device)
    ranks = min(len(discounts), gains.shape[1])
    return (gains[:, :ranks].clamp(min=0) * discounts[:ranks]).sum(1)


def share_of_ideal(
    lists: RankedLists, gain: Gain, discount: Discount, k: int | None, ideal: str
) -> torch.Tensor:
    ratio = share(found_sums(lists, gain, discount, k), best_sums(lists, gain, discount, k, ideal))
    if ideal == "judged":
        return ratio
    # Nothing retrieved has a gain: a bad run, not an empty query, if something judged has one.
    return where_positive(ratio.nan_to_num(nan=0.0), best_sums(lists, gain, discount, k, "judged"))


@tensor_form(CG)
def _cg(measure: CG, lists: RankedLists) -> torch.Tensor:
    return found_sums(lists, measure.gain, "none", measure.k)


@tensor_form(DCG)
def _dcg(measure: DCG, lists: RankedLists) -> torch.Tensor:
    return found_sums(lists, measure.gain, measure.discount, measure.k)


@tensor_form(IDCG)
def _idcg(measure: IDCG, lists: RankedLists) -> torch.Tensor:
    return best_sums(lists, measure.gain, measure.discount, measure.k, measure.ideal)


@tensor_form(NDCG)
def _ndcg(measure: NDCG, lists: RankedLists) -> torch.Tensor:
    return share_of_ideal(lists, measure.gain, measure.discount, measure.k, measure.ideal)


@tensor_form(NCG)
def _ncg(measure: NCG, lists: RankedLists) -> torch.Tensor:
    return share_of_ideal(lists, measure.gain, "none", measure.k, measure.ideal)
