"""What every loss is: a module made from a measure, that gives each list of a batch a number to be made smaller."""

from __future__ import annotations

import torch

from idealist.base.values import as_within
from idealist.errors import InputError
from idealist.learn.losses.lists import Lists, lists_from
from idealist.measures.families.gain import DCG, NDCG
from idealist.measures.text import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar, Self

    from idealist.measures.base import Measure

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
