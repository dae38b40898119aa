"""Soft ranks: how far each document of a list stands before each other, with the cut-offs and discounts of such ranks."""

from __future__ import annotations

from functools import cached_property

import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType
    from typing import Any


SHORTEST = 3.0  # the width of a cut-off, in temperatures, where the list is hardly longer


def inside(
    ranks: torch.Tensor,
    limit: torch.Tensor | float,
    sizes: torch.Tensor,
    temperature: float | None,
    usual: float,
) -> torch.Tensor:
    """How far each rank r is above a limit such as k + ½: 1/(1 + (r/limit)^(1/W)), a step of the width W in the logarithm of
    the rank; 1 if the list is no longer.

    W is the cut-off's `temperature`. Where none is given it is the `usual` one times the greater of 3 and 2·ln(n/limit), for a
    list of n documents: the factor of its last document is then e^(-1/2T) at the least, so that none is out of sight,
    however long the list, and the step is sharp where the temperature is low.

    >>> ranks = torch.tensor([[1.0, 2.0, 1000.0]])
    >>> inside(ranks, 1.5, torch.tensor([1000]), None, 0.1)
    tensor([[0.5773, 0.4449, 0.0067]])
    """
    numbers = torch.as_tensor(limit, dtype=ranks.dtype, device=ranks.device)
    longest = sizes[:, None]
    limits = numbers.clamp(min=0.5)
    width = temperature or usual * (2 * (longest / limits).log()).clamp(min=SHORTEST)
    factors = ((limits.log() - ranks.log()) / width).sigmoid()
    # No rank is above the limit, or all are, whatever the width.
    return factors.masked_fill(numbers < 1, 0.0).masked_fill(numbers > longest, 1.0)


def discounts_between(discounts: Sequence[float], ranks: torch.Tensor) -> torch.Tensor:
    """The discount of any rank r from 1 up; beyond the last one of the table that goes on.

    1/d is on straight lines over log(1 + r), which is 1/log2(1 + r) itself where the table has that; towards a discount of 0,
    d is.

    >>> discounts_between([1.0, 0.5], torch.tensor([1.0, 2.0, 7.0]))
    tensor([1.0000, 0.5000, 0.5000])
    """
    table = torch.tensor([*(discounts or [0.0])], dtype=ranks.dtype, device=ranks.device)
    last = len(table) - 1
    logarithms = torch.arange(1, last + 3, dtype=ranks.dtype, device=ranks.device).log1p()
    below = (ranks.detach().floor().long() - 1).clamp(0, last)
    above = (below + 1).clamp(max=last)
    passed = (ranks.log1p() - logarithms[below]) / (logarithms[below + 1] - logarithms[below])
    passed = passed.clamp(0, 1)
    before, after = table[below], table[above]
    if bool((table[-1:] > 0).all()):  # they never rise: no other one is 0
        return before * after / (after + passed * (before - after))
    nothing = after == 0
    whole = after.masked_fill(nothing, 1.0)
    return torch.where(nothing, before * (1 - passed), before * whole / (whole + passed * (before - whole)))


# Pairs at a time: on a CPU they stay in the cache; on a GPU they must be worth the launch of a kernel.
AT_ONCE = {"cpu": 1 << 17, "cuda": 1 << 24}
USUAL = 1 << 20
KEPT = 1 << 17  # steps that are kept for the way back; of more they are computed again


def soft_ranks(
    scores: torch.Tensor, mask: torch.Tensor, temperature: float, rows: torch.Tensor | None = None
) -> torch.Tensor:
    """1 + Σ_{j≠i} σ((s_j - s_i)/T), in 64 bits, for every document i, or for those whose places are in the rows.

    >>> scores = torch.tensor([[2.0, 1.0, 1.0]])
    >>> soft_ranks(scores, torch.ones(1, 3, dtype=torch.bool), 0.01)
    tensor([[1.0000, 2.5000, 2.5000]], dtype=torch.float64)
    """
    ranks: torch.Tensor = _SoftRanks.apply(scores, mask, temperature, rows)
    return ranks


class _SoftRanks(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        scores: torch.Tensor,
        mask: torch.Tensor,
        temperature: float,
        rows: torch.Tensor | None,
    ) -> torch.Tensor:
        ctx.temperature, ctx.rows, ctx.mask, ctx.steps = temperature, rows, mask, None
        ctx.save_for_backward(scores)
        if (kernels := _kernels(scores)) is not None:
            ranks = kernels.soft_ranks_in_kernel(scores, mask, temperature).double()
            return ranks if rows is None else ranks.gather(1, rows)
        rivals = scores.masked_fill(~mask, -torch.inf)
        own = scores if rows is None else scores.gather(1, rows)
        sums = torch.empty_like(own)
        if own.shape[1] * scores.numel() <= KEPT:
            ctx.steps = scores.new_empty(*own.shape, scores.shape[1])
        for some, here in _parts(own, scores.shape[1]):
            steps = _steps(rivals[some, None, :], own[some, here, None], temperature)
            sums[some, here] = steps.sum(-1)
            if ctx.steps is not None:
                ctx.steps[some, here] = steps
        return sums.double() + 0.5  # a document is its own rival with a step of one half

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, outer: torch.Tensor) -> tuple[torch.Tensor, None, None, None]:
        (scores,) = ctx.saved_tensors
        rows, temperature = ctx.rows, ctx.temperature
        by_rank = outer.to(scores.dtype)
        if (kernels := _kernels(scores)) is not None:
            spread = by_rank if rows is None else torch.zeros_like(scores).scatter_add(1, rows, by_rank)
            return (
                kernels.soft_rank_slopes_in_kernel(scores, ctx.mask, spread, temperature),
                None,
                None,
                None,
            )
        by_rank = by_rank / temperature
        rivals = scores.masked_fill(~ctx.mask, -torch.inf)
        own = scores if rows is None else scores.gather(1, rows)
        gradient, of_own = torch.zeros_like(scores), torch.zeros_like(own)
        for some, here in _parts(own, scores.shape[1]):
            steps = (
                _steps(rivals[some, None, :], own[some, here, None], temperature)
                if ctx.steps is None
                else ctx.steps[some, here]
            )
            slopes = torch.addcmul(steps, steps, steps, value=-1).mul_(by_rank[some, here, None])
            gradient[some] += slopes.sum(1)
            of_own[some, here] -= slopes.sum(2)
        gradient = gradient + of_own if rows is None else gradient.scatter_add(1, rows, of_own)
        return gradient, None, None, None


def _steps(rivals: torch.Tensor, own: torch.Tensor, temperature: float) -> torch.Tensor:
    return (rivals - own).div_(temperature).sigmoid_()


def _parts(own: torch.Tensor, columns: int) -> Iterator[tuple[slice, slice]]:
    """Some documents of some lists, together with all of their lists few enough."""
    size = AT_ONCE.get(own.device.type, USUAL)
    lists, documents = own.shape
    at_once = max(1, min(lists, size // max(columns, 1)))
    rows = max(1, size // max(columns * at_once, 1))
    for first in range(0, lists, at_once):
        for row in range(0, documents, rows):
            yield slice(first, min(first + at_once, lists)), slice(row, min(row + rows, documents))


def _kernels(scores: torch.Tensor) -> ModuleType | None:
    """The kernels that write no pair to memory: on a GPU, where Triton is there."""
    if not scores.is_cuda:
        return None
    try:
        from idealist.backends.soft import triton_ranks
    except ImportError:
        return None
    return triton_ranks


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
