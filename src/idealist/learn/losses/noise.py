"""Losses that draw numbers: from a seed or a generator, the same on every device."""

from __future__ import annotations

import torch

from idealist.base.values import as_seed
from idealist.learn.losses.base import Loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from idealist.learn.losses.lists import Lists
    from idealist.measures.base import Measure


class RandomLoss(Loss):
    """A loss with a generator of its own, on the CPU, so that a GPU gives the same numbers.

    Every call goes on where the last one ended. The generator's state is part of `state_dict`, so that training which goes
    on from a checkpoint draws what it would have drawn.
    """

    random = True

    def __init__(
        self,
        measure: str | Measure = "nDCG",
        *,
        seed: int = 0,
        generator: torch.Generator | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(measure, reduction=reduction)
        self.seed = as_seed(seed)
        self.generator = torch.Generator().manual_seed(self.seed) if generator is None else generator

    def reset(self) -> None:
        """Back to the seed."""
        self.generator.manual_seed(self.seed)

    def uniform(self, lists: Lists, draws: int) -> torch.Tensor:
        """Numbers of (0, 1), `draws` for each document in turn, so that padding takes none; ½ where there is none."""
        device = self.generator.device
        documents = int(lists.counts.sum())
        drawn = torch.rand(documents, draws, generator=self.generator, dtype=torch.float64, device=device)
        drawn = drawn.clamp(min=2.0**-60).to(lists.scores.device, lists.scores.dtype)
        # In 32 bits a number may have become 1, whose double logarithm is infinite.
        drawn = drawn.clamp(max=1 - torch.finfo(drawn.dtype).eps)
        numbers = torch.full((*lists.mask.shape, draws), 0.5, dtype=drawn.dtype, device=drawn.device)
        numbers[lists.mask] = drawn
        return numbers

    def get_extra_state(self) -> dict[str, Any]:
        return {"generator": self.generator.get_state()}

    def set_extra_state(self, state: dict[str, Any]) -> None:
        self.generator.set_state(state["generator"].cpu())
