"""A metric with the face of TorchMetrics' own, for where that is not installed."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self


class PlainMetric(ABC):
    """States that are sums: they start at their defaults, and add up over batches and processes."""

    def __init__(self) -> None:
        self._defaults: dict[str, torch.Tensor] = {}

    def add_state(self, name: str, default: torch.Tensor, dist_reduce_fx: str) -> None:
        """A state by name. All are sums, which is what TorchMetrics is told in so many words."""
        assert dist_reduce_fx == "sum", "other states are not kept here"
        self._defaults[name] = default
        setattr(self, name, default.clone())

    @abstractmethod
    def update(self, *args: Any, **kwargs: Any) -> None:
        """Takes in a batch."""

    @abstractmethod
    def compute(self) -> torch.Tensor:
        """The value of all batches of all processes."""

    def reset(self) -> None:
        for name, default in self._defaults.items():
            setattr(self, name, default.clone().to(getattr(self, name).device))

    def to(self, device: torch.device | str) -> Self:
        for name in self._defaults:
            setattr(self, name, getattr(self, name).to(device))
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        """Takes in a batch, and gives its value alone."""
        before = {name: getattr(self, name) for name in self._defaults}
        self.reset()
        self.update(*args, **kwargs)
        value = self.compute()
        for name, state in before.items():
            setattr(self, name, state + getattr(self, name))
        return value

    def synchronised(self, name: str) -> torch.Tensor:
        """A state added up over all processes, whose own are left as they are."""
        state: torch.Tensor = getattr(self, name).clone()
        distributed = torch.distributed
        if distributed.is_available() and distributed.is_initialized():
            distributed.all_reduce(state)
        return state
