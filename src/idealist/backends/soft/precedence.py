"""How far each document of a list stands before each other, and the soft ranks that follow."""

from __future__ import annotations

from functools import cached_property

import torch

from idealist.backends.soft.cutoffs import inside
from idealist.backends.soft.ranks import soft_ranks


class Precedence:
    """`ahead[q, i, j]` = σ((s_j - s_i)/T) is how far document j is before document i of list q, 0 for itself and for places
    without a document. A soft rank is one more than their sum. Qin, Liu and Li, Information Retrieval 2010.

    With `rows`, places of documents, these are the i, in this order; the j are always all.
    """

    def __init__(
        self,
        scores: torch.Tensor,
        mask: torch.Tensor,
        temperature: float,
        cutoff_temperature: float | None,
        rows: torch.Tensor | None = None,
    ) -> None:
        self.scores = scores
        self.mask = mask
        self.temperature = temperature
        self.cutoff_temperature = cutoff_temperature
        self.rows = rows

    def of(self, which: torch.Tensor) -> Precedence:
        """The same for the documents that are marked; a list with fewer of them than another has others behind."""
        counts = which.sum(1)
        most = int(counts.max()) if len(counts) else 0
        if most == which.shape[1]:
            return self
        rows = which.to(torch.int8).argsort(dim=1, descending=True, stable=True)[:, :most]
        return Precedence(self.scores, self.mask, self.temperature, self.cutoff_temperature, rows)

    @property
    def whole(self) -> bool:
        """Whether all pairs of documents were asked for."""
        return "ahead" in self.__dict__

    def own(self, numbers: torch.Tensor) -> torch.Tensor:
        """Of numbers of all documents, those of the rows."""
        return numbers if self.rows is None else numbers.gather(1, self.rows)

    @cached_property
    def ahead(self) -> torch.Tensor:
        scores = self.scores.double()
        own, others = self.own(scores), torch.arange(scores.shape[1], device=scores.device)
        places = others if self.rows is None else self.rows
        itself = places[..., None] == others
        apart = scores[:, None, :] - own[:, :, None]
        return (apart / self.temperature).sigmoid().masked_fill(itself | ~self.mask[:, None, :], 0.0)

    @cached_property
    def ranks(self) -> torch.Tensor:
        if self.whole:
            return 1 + self.ahead.sum(2)
        return soft_ranks(self.scores, self.mask, self.temperature, self.rows)

    def within(self, limit: torch.Tensor | float) -> torch.Tensor:
        """How far each rank is above a limit, such as k + ½; 1 if the list is no longer."""
        sizes = self.mask.sum(1)
        return inside(self.ranks, limit, sizes, self.cutoff_temperature, self.temperature)

    def sum_before(self, numbers: torch.Tensor) -> torch.Tensor:
        return torch.bmm(self.ahead, numbers[:, :, None]).squeeze(2)

    def sum_of_less(self, keys: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """The sum of numbers of the documents before, whose keys are smaller."""
        less = keys[:, None, :] < keys[:, :, None]
        return torch.bmm(self.ahead * less, numbers[:, :, None]).squeeze(2)

    def product_before(self, factors: torch.Tensor) -> torch.Tensor:
        """The product of the factors of the documents before: one that is before by the share a counts 1 - a + a·x, the mean
        product where each is before with that chance."""
        return (1 - self.ahead * (1 - factors[:, None, :])).prod(2)
