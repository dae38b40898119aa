"""A measure's form on tensors: a function of the measure and of ranked lists; and the arithmetic that forms share."""

from __future__ import annotations

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from idealist.learn.tensors.batches import Batch
    from idealist.learn.tensors.ranked import RankedLists
    from idealist.measures import Measure

    Form = Callable[[Any, RankedLists], torch.Tensor]
    F = TypeVar("F", bound=Form)
    G = TypeVar("G", bound=Callable[[Any, Batch], int])

FORMS: dict[type[Measure], Form] = {}


def tensor_form(*classes: type[Measure]) -> Callable[[F], F]:
    """Enters a function as the form of these measures. It gives one value a query, nan where a measure is undefined."""

    def enter(form: F) -> F:
        FORMS.update(dict.fromkeys(classes, form))
        return form

    return enter


DEEPEST: dict[type[Measure], Callable[[Any, Batch], int]] = {}


def deepest(*classes: type[Measure]) -> Callable[[G], G]:
    """Enters a function that says how far lists have to be ranked for a measure that has no cut-off of its own, of a
    batch whose grades are whole numbers of documents that are all judged."""

    def enter(function: G) -> G:
        DEEPEST.update(dict.fromkeys(classes, function))
        return function

    return enter


def quotient(part: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
    """A quotient; what is divided by 0 is undefined."""
    return torch.where(whole == 0, float("nan"), part / whole)


def share(part: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
    """A part of a whole: sums of the same numbers in another order must not pass 1 for that."""
    ratio = quotient(part, whole)
    rounding = 1e-9 if ratio.dtype == torch.float64 else 1e-5
    return torch.where((ratio > 1) & (ratio < 1 + rounding), 1.0, ratio)


def where_positive(values: torch.Tensor, condition: torch.Tensor) -> torch.Tensor:
    return torch.where(condition > 0, values, float("nan"))
