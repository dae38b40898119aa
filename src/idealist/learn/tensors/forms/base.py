"""A measure's form on tensors: a function of the measure and of ranked lists; and the arithmetic that forms share."""

from __future__ import annotations

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from idealist.learn.tensors.ranked import RankedLists
    from idealist.measures import Measure

    Form = Callable[[Any, RankedLists], torch.Tensor]
    F = TypeVar("F", bound=Form)

FORMS: dict[type[Measure], Form] = {}


def tensor_form(*classes: type[Measure]) -> Callable[[F], F]:
    """Enters a function as the form of these measures. It gives one value a query, nan where a measure is undefined."""

    def enter(form: F) -> F:
        FORMS.update(dict.fromkeys(classes, form))
        return form

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
