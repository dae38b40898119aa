"""What every loss is: a module made from a measure; with the gradient computed beside the value, or with numbers drawn from a seed.

Losses whose gradient is known: it is computed beside the value, a block of pairs at a time, so that no matrix of
all pairs is ever kept for the way back.
"""

from __future__ import annotations

import torch

from idealist.base.values import as_seed, as_within
from idealist.errors import InputError
from idealist.learn.losses.graded_lists import Lists, lists_from
from idealist.measures.families.gain import DCG, NDCG
from idealist.measures.naming import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType
    from typing import Any, ClassVar, Self

    from idealist.measures.measure import Measure


REDUCTIONS = ("mean", "sum", "none")


class Loss(torch.nn.Module):
    """The base of all losses. A subclass has `values`, one number for each list.

    Called as `loss(scores, grades)`, with a matrix of lists × documents and a `mask` that is True where there is a
    document; with one list; or with flat tensors and the `sizes` of the lists. A grade of nan is an unjudged document.

    - `query_weights`, one for each list; `item_weights`, one for each document; `propensities`, the probabilities that
      documents were seen, by which their clicks are divided.
    - `judged`, the grades of all judged documents of each list, padded with nan, where the ideal list has more
      documents than the list: for measures with ideal=judged.

    `reduction="mean"` is Σ w·L / Σ w over the lists that have a document. A list with nothing relevant has loss 0 and
    gradient 0, and counts in the mean, as in `evaluate` under empty=zero; a list without documents does not count.
    Scores of 16 bits are computed with in 32. Gradients are of first order only.
    """

    # Laws that hold of every loss of the class, beside those that hold of every loss (see `idealist.learn.laws`).
    claims: tuple[str, ...] = ()
    # What `values` takes beside the measure, for `repr` and for trainers that keep their settings.
    parameters_of_loss: ClassVar[tuple[str, ...]] = ()
    # Whether documents may have weights and propensities.
    weighs_documents: bool = True
    measure: Measure

    def __init__(self, measure: str | Measure = "nDCG", *, reduction: str = "mean") -> None:
        super().__init__()
        self.measure = self.measure_of(measure)
        if reduction not in REDUCTIONS:
            raise InputError(
                f"there is no reduction {reduction!r}", hint=f"name one of: {', '.join(REDUCTIONS)}"
            )
        self.reduction = reduction

    def measure_of(self, measure: str | Measure) -> Measure:
        """The measure, if the loss can be made from it."""
        return gain_measure(measure, type(self).__name__)

    def gains_by(self) -> DCG | NDCG:
        """The measure whose gains, discounts and ideal list the lists of a batch have."""
        assert isinstance(self.measure, (DCG, NDCG)), "others have another one"
        return self.measure

    def values(self, lists: Lists) -> torch.Tensor:
        """The loss of each list; whatever it is where nothing is relevant, it must be finite."""
        raise NotImplementedError

    def forward(
        self,
        scores: torch.Tensor,
        grades: torch.Tensor,
        *,
        mask: torch.Tensor | None = None,
        sizes: Sequence[int] | torch.Tensor | None = None,
        judged: torch.Tensor | None = None,
        query_weights: torch.Tensor | None = None,
        item_weights: torch.Tensor | None = None,
        propensities: torch.Tensor | None = None,
    ) -> torch.Tensor:
        if not self.weighs_documents and (item_weights is not None or propensities is not None):
            raise InputError(
                f"{type(self).__name__} takes no weights and no propensities of documents",
                hint="weigh lists by query_weights, or documents in a loss of nDCG",
            )
        lists = lists_from(
            scores,
            grades,
            self.gains_by(),
            mask=mask,
            sizes=sizes,
            judged=judged,
            query_weights=query_weights,
            item_weights=item_weights,
            propensities=propensities,
        )
        values = self.reduced(lists)
        return values[0] if self.reduction == "none" and scores.dim() == 1 and sizes is None else values

    def reduced(self, lists: Lists) -> torch.Tensor:
        """The losses of lists put together."""
        if lists.gains.numel():
            # Trainers call losses where products of matrices are taken in 16 bits.
            with torch.autocast(lists.scores.device.type, enabled=False):
                values = self.values(lists)
        else:  # no document anywhere; the scores stay in the graph
            values = lists.scores.sum(dim=-1)
        return self.put_together(values, lists)

    def put_together(self, values: torch.Tensor, lists: Lists) -> torch.Tensor:
        """Losses of lists, 0 where nothing is relevant, weighted and reduced."""
        if lists.gains.numel():
            values = values.masked_fill(~lists.relevant(), 0)
        if lists.query_weights is not None:
            values = values * lists.query_weights
        if self.reduction == "none":
            return values
        if self.reduction == "sum":
            return values.sum()
        if lists.query_weights is None and lists.full:
            return values.sum() / max(len(values), 1)
        counted = lists.mask.any(dim=-1).to(values.dtype)
        weight = (counted if lists.query_weights is None else counted * lists.query_weights).sum()
        return values.sum() / weight.masked_fill(weight <= 0, 1)

    def settings(self) -> dict[str, Any]:
        """What the loss was made with, the measure as text."""
        own = {name: getattr(self, name) for name in self.parameters_of_loss}
        return {"measure": str(self.measure), **own, "reduction": self.reduction}

    def replaced(self, **changes: Any) -> Self:
        """The same loss but for these settings."""
        return type(self)(**{**self.settings(), "measure": self.measure, **changes})

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.settings().items())


def gain_measure(measure: str | Measure, loss: str) -> DCG | NDCG:
    """A measure that losses are made from."""
    parsed = parse(measure)
    if not isinstance(parsed, (DCG, NDCG)):
        raise InputError(
            f"{loss} cannot be made from {parsed}",
            hint="nDCG or DCG, with any gain, discount and cut-off: nDCG(gain=exp)@10, DCG(discount=none)@5",
        )
    return parsed


def positive(value: float, name: str) -> float:
    """A parameter such as a temperature."""
    return as_within(value, name, 0, ends="(]", hint=f"for example {name}=1.0")


# Numbers in a block: on a CPU it stays in the cache; on a GPU it must be worth the launch of a kernel.
BLOCK = {"cpu": 1 << 17, "cuda": 1 << 24}
USUAL_BLOCK = 1 << 20


class _KnownGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, values: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(gradient)
        return values.clone()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, outer: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return outer[:, None] * gradient, None, None


def known_gradient(scores: torch.Tensor, values: torch.Tensor, gradient: torch.Tensor | None) -> torch.Tensor:
    """The values of lists, which have this gradient by the scores of the lists."""
    if gradient is None:
        return values
    result: torch.Tensor = _KnownGradient.apply(scores, values, gradient)
    return result


def wants_gradient(scores: torch.Tensor) -> bool:
    return bool(torch.is_grad_enabled() and scores.requires_grad)


def block_size(device: torch.device) -> int:
    return BLOCK.get(device.type, USUAL_BLOCK)


def blocks(lists: int, rows: int, columns: int, device: torch.device) -> Iterator[tuple[slice, slice]]:
    """Parts of lists × rows × columns that are small enough: some rows of some lists, all columns."""
    size = block_size(device)
    lists_at_once = max(1, min(lists, size // max(columns, 1)))
    rows_at_once = max(1, size // max(columns * lists_at_once, 1))
    for first_list in range(0, lists, lists_at_once):
        for first_row in range(0, rows, rows_at_once):
            yield (
                slice(first_list, min(first_list + lists_at_once, lists)),
                slice(first_row, min(first_row + rows_at_once, rows)),
            )


def most_relevant_first(gains: torch.Tensor, least: torch.Tensor | float = 0.0) -> tuple[torch.Tensor, int]:
    """The order of documents by falling gain, and how many of a list at most are above `least`: only those are the
    better one of a pair."""
    order = gains.argsort(dim=-1, descending=True, stable=True)
    rows = int((gains > least).sum(dim=-1).max()) if gains.numel() else 0
    return order, rows


def triton_pairs() -> ModuleType | None:
    """The kernels that sum over pairs on a GPU without writing any pair to memory, where Triton is there."""
    try:
        from idealist.learn.losses import triton_pairs
    except ImportError:
        return None
    return triton_pairs


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
