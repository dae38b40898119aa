"""A loss under trial: called, differentiated, and its answers compared."""

from __future__ import annotations

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

CLOSE = 1e-6


class Answer:
    """The value of a loss, the sum over lists where it gives one for each, and its gradient by the scores."""

    def __init__(self, value: float, gradient: torch.Tensor) -> None:
        self.value = value
        self.gradient = gradient

    @property
    def finite(self) -> bool:
        return abs(self.value) < float("inf") and bool(self.gradient.isfinite().all())

    def __str__(self) -> str:
        gradient = ", ".join(f"{slope:.4g}" for slope in self.gradient.flatten().tolist())
        return f"value {self.value:.6g}, gradient ({gradient})"


class Trial:
    """A loss that is called as loss(scores, grades, mask=mask), with float64 scores."""

    def __init__(self, loss: Callable[..., Any]) -> None:
        self.loss = loss

    def __call__(
        self,
        scores: Sequence[Sequence[float]] | torch.Tensor,
        grades: Sequence[Sequence[float]] | torch.Tensor,
        mask: Sequence[Sequence[bool]] | torch.Tensor | None = None,
    ) -> Answer:
        reset = getattr(self.loss, "reset", None)
        if callable(reset):  # the same draws every time
            reset()
        given = torch.as_tensor(scores, dtype=torch.float64).clone().requires_grad_()
        target = torch.as_tensor(grades, dtype=torch.float64)
        there = torch.ones_like(target, dtype=torch.bool) if mask is None else torch.as_tensor(mask)
        value = self.loss(given, target, mask=there).sum()
        if value.requires_grad:
            (gradient,) = torch.autograd.grad(value, given, allow_unused=True)
        else:
            gradient = None
        return Answer(float(value.detach()), torch.zeros_like(given) if gradient is None else gradient)


def close(first: float, second: float) -> bool:
    return abs(first - second) <= CLOSE * max(1.0, abs(first), abs(second))


def all_close(first: torch.Tensor, second: torch.Tensor) -> bool:
    largest = max(1.0, float(first.abs().max()), float(second.abs().max())) if first.numel() else 1.0
    return bool(((first - second).abs() <= CLOSE * largest).all())


def difference(before: Answer, after: Answer) -> str:
    """In words, what changed; nothing if nothing did."""
    if not close(before.value, after.value):
        return f"the value changes from {before.value:.6g} to {after.value:.6g}"
    if not all_close(before.gradient, after.gradient):
        worst = int((before.gradient - after.gradient).abs().flatten().argmax())
        was, becomes = before.gradient.flatten()[worst], after.gradient.flatten()[worst]
        return f"a document's gradient changes from {float(was):.6g} to {float(becomes):.6g}"
    return ""
