"""The form of a measure, asked for the values of ranked lists."""

from __future__ import annotations

import torch

from idealist.errors import InputError
from idealist.learn.tensors.forms import binary, counts, gain, pairs, user_models
from idealist.learn.tensors.forms.base import FORMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.learn.tensors.forms.base import Form
    from idealist.learn.tensors.ranked import RankedLists
    from idealist.measures import Measure

# Each enters its forms when it is imported.
FAMILIES = (gain, binary, counts, pairs, user_models)


def form_of(measure: Measure) -> Form:
    # A subclass may be another measure altogether.
    if type(measure) not in FORMS:
        names = ", ".join(cls.name for cls in FORMS)
        raise InputError(f"{measure} has no form on tensors", hint=f"these have one: {names}")
    return FORMS[type(measure)]


def measured(measure: Measure, lists: RankedLists) -> torch.Tensor:
    """The values of a measure, nan where it is undefined; an error where it is not for these lists."""
    form = form_of(measure)
    if lists.groups is not None and not measure.averages_ties:
        _refuse_ties(measure, lists)
    try:
        values = form(measure, lists).to(lists.value_dtype)
    except InputError as error:
        if str(measure) in error.message:
            raise
        raise InputError(f"{measure}: {error.message}", hint=error.hint) from None
    infinite = values.isinf()
    if bool(infinite.any()):
        raise InputError(
            f"{measure} is infinite for query {lists.query(int(infinite.nonzero()[0]))}",
            hint="use smaller grades, a gain that grows less, or scores of 64 bits, in which values then are",
        )
    return values


def _refuse_ties(measure: Measure, lists: RankedLists) -> None:
    """A measure without a closed form for averaged ties can be of lists whose judged documents are not tied."""
    assert lists.groups is not None, "asked for tied lists only"
    tied = ((lists.groups.size > 1) & ~lists.grades.isnan()).any(1)
    if bool(tied.any()):
        raise InputError(
            f"{measure} has no closed form for averaged ties, and query {lists.query(int(tied.nonzero()[0]))} has some",
            hint="choose another rule for ties, such as ties=id-descending",
        )
