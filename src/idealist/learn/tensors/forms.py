"""Which measures have a form on tensors, and what it is: a function of the measure and of ranked lists."""

from __future__ import annotations

from importlib import import_module

import torch

from idealist.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from idealist.learn.tensors.ranked import RankedLists
    from idealist.measures import Measure

    Form = Callable[[Any, RankedLists], torch.Tensor]
    F = TypeVar("F", bound=Form)

# The modules of forms, in the order of the families of measures.
FAMILIES = ("gain_forms", "binary_forms", "count_forms", "pair_forms", "user_model_forms")
_FORMS: dict[type[Measure], Form] = {}


def tensor_form(*classes: type[Measure]) -> Callable[[F], F]:
    """Enters a function as the form of these measures. It gives one value a query, nan where a measure is undefined."""

    def enter(form: F) -> F:
        _FORMS.update(dict.fromkeys(classes, form))
        return form

    return enter


def forms() -> dict[type[Measure], Form]:
    """The forms of all measures that have one."""
    for family in FAMILIES:
        import_module(f"idealist.learn.tensors.{family}")
    return _FORMS


def form_of(measure: Measure) -> Form:
    known = forms()
    # A subclass may be another measure altogether.
    if type(measure) not in known:
        names = ", ".join(cls.name for cls in known)
        raise InputError(f"{measure} has no form on tensors", hint=f"these have one: {names}")
    return known[type(measure)]


def measured(measure: Measure, lists: RankedLists) -> torch.Tensor:
    """The values of a measure, nan where it is undefined; an error where it is not for these lists."""
    form = form_of(measure)
    if lists.groups is not None and not measure.averages_ties:
        _refuse_ties(measure, lists)
    try:
        values = form(measure, lists)
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


def quotient(part: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
    """A quotient; what is divided by 0 is undefined."""
    return torch.where(whole == 0, float("nan"), part / whole)


def share(part: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
    """A part of a whole: sums of the same numbers in another order must not pass 1 for that."""
    found = quotient(part, whole)
    rounding = 1e-9 if found.dtype == torch.float64 else 1e-5
    return torch.where((found > 1) & (found < 1 + rounding), 1.0, found)


def where_positive(values: torch.Tensor, condition: torch.Tensor) -> torch.Tensor:
    return torch.where(condition > 0, values, float("nan"))
