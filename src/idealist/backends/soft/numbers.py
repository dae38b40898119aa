"""Arithmetic that gradients pass through. A number moves if PyTorch follows it back to the scores."""

from __future__ import annotations

import torch

from idealist.backends.tensors.numbers import NAN, Numbers
from idealist.errors import IdealistError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self


class NoSoftForm(IdealistError):
    """An operation that gradients cannot pass through, in words."""


def moves(numbers: Any) -> bool:
    """Whether numbers depend on the scores."""
    return isinstance(numbers, torch.Tensor) and numbers.requires_grad


def refuse_if(moving: bool, words: str) -> None:
    if moving:
        raise NoSoftForm(words)


def quotient(part: torch.Tensor | float, whole: torch.Tensor | float) -> torch.Tensor:
    """A quotient, undefined and without a gradient where it is by 0.

    >>> numbers = torch.tensor([1.0, 1.0], requires_grad=True)
    >>> quotient(numbers, torch.tensor([2.0, 0.0])).nansum().backward()
    >>> numbers.grad
    tensor([0.5000, 0.0000])
    """
    divisor = whole if isinstance(whole, torch.Tensor) else torch.as_tensor(part).new_tensor(whole)
    nothing = divisor == 0
    return (part / divisor.masked_fill(nothing, 1.0)).masked_fill(nothing, NAN)


def where_positive(numbers: torch.Tensor, condition: torch.Tensor | float) -> torch.Tensor:
    """Numbers where a condition is above 0; elsewhere nan, without a gradient."""
    if not isinstance(condition, torch.Tensor):
        return numbers if condition > 0 else torch.full_like(numbers, NAN)
    refuse_if(moves(condition), "whether a number that moves with the scores is above 0")
    return numbers.masked_fill(~(condition > 0), NAN)


class SoftNumbers(Numbers):
    """What places and values have in common."""

    __slots__ = ()

    def _compared(self, operation: Callable[[Any, Any], torch.Tensor], other: Any) -> Self:
        operand = self._operand(other)
        refuse_if(
            moves(self._numbers) or moves(operand),
            "a comparison of numbers that move with the scores, other than a rank with a cut-off",
        )
        return self._combined(lambda a, b: operation(a, b).double(), other)

    def __ge__(self, other: Any) -> Self:
        return self._compared(torch.ge, other)

    def __truediv__(self, other: Any) -> Self:
        return self._combined(quotient, other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._combined(lambda a, b: quotient(b, a), other)

    def where_positive(self, condition: Any) -> Self:
        return self._named(where_positive, condition)
