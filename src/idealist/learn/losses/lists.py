"""Batches of lists as the losses see them: padded, checked, with the gains of a measure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import torch

from idealist.backends.soft.cutoffs import inside
from idealist.errors import InputError
from idealist.learn.tensors.gains import discount_tensor, gain_tensor, ideal_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.measures.discounts import Discount
    from idealist.measures.families.gain import DCG, NDCG


@dataclass(frozen=True)
class Lists:
    """A batch of lists, one a row.

    Where there is no document, scores, gains and item weights are 0 and propensities are 1. Of `item_weights`,
    `propensities` and `query_weights` there is none where none were given. `full` says that no place is without a document.
    """

    scores: torch.Tensor
    mask: torch.Tensor
    grades: torch.Tensor
    gains: torch.Tensor
    measure: DCG | NDCG
    full: bool = False
    item_weights: torch.Tensor | None = None
    propensities: torch.Tensor | None = None
    query_weights: torch.Tensor | None = None
    judged: torch.Tensor | None = None  # gains of all judged documents
    shown_at: torch.Tensor | None = None  # where documents were shown, from 0
    judged_grades: torch.Tensor | None = None  # of all judged documents, nan where there is none

    @cached_property
    def there(self) -> torch.Tensor:
        """The mask as numbers."""
        return self.mask.to(self.scores.dtype)

    @cached_property
    def counts(self) -> torch.Tensor:
        """How many documents each list has."""
        return self.mask.sum(dim=-1)

    @cached_property
    def factors(self) -> torch.Tensor:
        """The weights of documents over their propensities, 0 where there is none."""
        weights = self.there if self.item_weights is None else self.item_weights
        return weights if self.propensities is None else weights / self.propensities

    @cached_property
    def weighted_gains(self) -> torch.Tensor:
        if self.item_weights is None and self.propensities is None:
            return self.gains
        return self.gains * self.factors

    def discounts(self) -> torch.Tensor:
        """The measure's discounts of ranks 1 to n, 0 beyond its cut-off. Not to be written to."""
        return self._discounts(self.gains.shape[-1])

    def _discounts(self, ranks: int) -> torch.Tensor:
        discount, k, like = self.measure.discount, self.measure.k, self.scores
        if isinstance(discount, (str, tuple)):
            return _known_discounts(discount, ranks, k, like.dtype, like.device)
        return discount_tensor(discount, ranks, like=like, k=k)

    def soft_discounts(self, temperature: float) -> torch.Tensor:
        """The discounts of ranks 1 to n of every list. Beyond a cut-off k that of rank k goes on, and all are multiplied by
        how far they are above the cut-off at a tenth of the temperature."""
        ranks, k = int(self.gains.shape[-1]), self.measure.k
        if k is None or k >= ranks:
            return self.discounts().expand(len(self.gains), ranks)
        first = self._discounts(k)
        table = torch.cat([first, first[-1:].expand(ranks - k)])
        places = torch.arange(1, ranks + 1, dtype=table.dtype, device=table.device)
        return table * inside(places[None], k + 0.5, self.counts, None, temperature / 10)

    def shares(self, gains: torch.Tensor) -> torch.Tensor:
        """Gains divided by `ideals`."""
        return gains / self.ideals(gains)[:, None]

    def ideals(self, gains: torch.Tensor) -> torch.Tensor:
        """What the lists' sums of these discounted gains are divided by: the ideal list's sum, where it is above 0, for
        nDCG; 1 for DCG."""
        if not hasattr(self.measure, "ideal"):
            return torch.ones(len(gains), dtype=gains.dtype, device=gains.device)
        if self.judged is not None and self.measure.ideal == "judged":
            gains = self.judged
        sums = ideal_sums(gains, self._discounts(gains.shape[-1]))
        return sums.masked_fill(sums <= 0, 1)

    def relevant(self) -> torch.Tensor:
        """Which lists have a document with a gain above 0."""
        return self.gains.amax(dim=-1) > 0


@lru_cache(maxsize=64)
def _known_discounts(
    discount: Discount, ranks: int, k: int | None, dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    """Kept, as making a tensor of thousands of numbers takes longer than most of a loss."""
    with torch.inference_mode(False):  # it outlives the mode of whoever asked first
        return discount_tensor(discount, ranks, like=torch.empty(0, dtype=dtype, device=device), k=k)


def lists_from(
    scores: torch.Tensor,
    grades: torch.Tensor,
    measure: DCG | NDCG,
    *,
    mask: torch.Tensor | None = None,
    sizes: Sequence[int] | torch.Tensor | None = None,
    judged: torch.Tensor | None = None,
    query_weights: torch.Tensor | None = None,
    item_weights: torch.Tensor | None = None,
    propensities: torch.Tensor | None = None,
) -> Lists:
    """The batch that a caller gave: a matrix with a mask, one list, or lists end to end with their sizes."""
    for name, values in (("scores", scores), ("grades", grades)):
        if not isinstance(values, torch.Tensor):
            raise InputError(
                f"the {name} of a loss are a tensor, not {type(values).__name__}",
                hint="torch.as_tensor makes one",
            )
    if scores.shape != grades.shape:
        raise InputError(
            f"scores have shape {tuple(scores.shape)} and grades {tuple(grades.shape)}",
            hint="the model gives one output a document: squeeze it, scores.squeeze(-1)"
            if scores.shape == (*grades.shape, 1)
            else "give every score a grade; nan is an unjudged document",
        )
    full = mask is None and sizes is None
    if sizes is not None:
        if mask is not None:
            raise InputError("sizes and a mask were given", hint="sizes say already which places are padding")
        mask = mask_of_sizes(sizes, scores)
    elif mask is None:
        mask = torch.ones_like(grades, dtype=torch.bool)
    elif mask.shape != scores.shape or mask.dtype != torch.bool:
        raise InputError(
            f"the mask is {mask.dtype} of shape {tuple(mask.shape)}, the scores have shape {tuple(scores.shape)}",
            hint="a boolean tensor of the same shape, True where there is a document",
        )
    if sizes is None and scores.dim() not in (1, 2):
        raise InputError(
            f"scores have {scores.dim()} dimensions",
            hint="lists × documents, or one list, or flat with sizes",
        )

    def padded(values: torch.Tensor, name: str) -> torch.Tensor:
        """Values of documents as a matrix, 0 where there is none."""
        if values.shape != grades.shape:
            raise InputError(
                f"{name} have shape {tuple(values.shape)}, the scores {tuple(scores.shape)}",
                hint=f"give every document one of the {name}",
            )
        if sizes is not None:
            matrix = torch.zeros(mask.shape, dtype=values.dtype, device=values.device)
            return matrix.masked_scatter(mask, values)
        values = values if values.dim() == 2 else values[None]
        return values if full else values.masked_fill(~places, 0)

    places = mask if mask.dim() == 2 else mask[None]
    dtype = scores.dtype if scores.dtype in (torch.float32, torch.float64) else torch.float32
    score_matrix = padded(scores, "scores").to(dtype).contiguous()
    grade_matrix = padded(grades, "grades").contiguous()
    if item_weights is not None:
        item_weights = _checked(padded(item_weights, "item_weights"), places, "weight").to(dtype)
    if propensities is not None:
        propensities = padded(propensities, "propensities").to(dtype).masked_fill(~places, 1)
        _checked(propensities, places, "propensity", share=True)
    if query_weights is not None:
        if query_weights.shape != (len(places),):
            raise InputError(
                f"{tuple(query_weights.shape)} query weights for {len(places)} lists",
                hint="one for each list",
            )
        every = torch.ones_like(query_weights, dtype=torch.bool)
        query_weights = _checked(query_weights[:, None], every[:, None], "query weight")[:, 0].to(dtype)
    _refuse_scores(score_matrix.detach())
    gains = gain_tensor(measure.gain, grade_matrix, dtype=dtype, there=None if full else places)
    return Lists(
        score_matrix,
        places,
        grade_matrix,
        gains,
        measure,
        full,
        item_weights,
        propensities,
        query_weights,
        None if judged is None else _judged_gains(judged, measure, len(places), dtype),
        judged_grades=None if judged is None else judged if judged.dim() == 2 else judged[None],
    )


def mask_of_sizes(sizes: Sequence[int] | torch.Tensor, flat: torch.Tensor) -> torch.Tensor:
    """Where the documents of lists of these sizes stand in a matrix, row by row.

    >>> mask_of_sizes([2, 0, 1], torch.zeros(3)).tolist()
    [[True, True], [False, False], [True, False]]
    """
    counts = torch.as_tensor(sizes, device=flat.device)
    if flat.dim() != 1 or counts.dim() != 1 or counts.is_floating_point() or bool((counts < 0).any()):
        raise InputError(
            f"sizes {tuple(counts.shape)} for scores of shape {tuple(flat.shape)}",
            hint="with sizes, scores are flat, and sizes are whole numbers: the documents of each list in turn",
        )
    if int(counts.sum()) != len(flat):
        raise InputError(
            f"the sizes add up to {int(counts.sum())}, but there are {len(flat)} scores",
            hint="sizes are the numbers of documents of each list in turn",
        )
    longest = int(counts.max()) if len(counts) else 0
    return torch.arange(longest, device=flat.device) < counts[:, None]


def _judged_gains(judged: torch.Tensor, measure: DCG | NDCG, lists: int, dtype: torch.dtype) -> torch.Tensor:
    matrix = judged if judged.dim() == 2 else judged[None]
    if matrix.dim() != 2 or len(matrix) != lists:
        raise InputError(
            f"judged grades have shape {tuple(judged.shape)} for {lists} lists",
            hint="a row for each list, with nan after its last grade",
        )
    return gain_tensor(measure.gain, matrix, dtype=dtype)


def _checked(values: torch.Tensor, places: torch.Tensor, name: str, *, share: bool = False) -> torch.Tensor:
    """Weights, which are finite and 0 or more, or shares, which are above 0 and at most 1."""
    good = (values > 0) & (values <= 1) if share else values.isfinite() & (values >= 0)
    bad = ~good & places
    if bool(bad.any()):
        row, column = bad.nonzero()[0].tolist()
        raise InputError(
            f"list {row}, place {column}: a {name} of {float(values[row, column]):g}",
            hint="propensities are above 0 and at most 1" if share else "weights are finite, and 0 or more",
        )
    return values


def _refuse_scores(scores: torch.Tensor) -> None:
    # Whatever is not finite makes a nan of its product with 0: one number to wait for, where all is well.
    if not bool((scores * 0).sum().isnan()):
        return
    row = int((~scores.isfinite().all(dim=-1)).nonzero()[0])
    column = int((~scores[row].isfinite()).nonzero()[0])
    raise InputError(
        f"list {row} has a score that is {float(scores[row, column]):g}, at place {column}",
        hint="scores must be finite: lower the learning rate, or look for nan in the features",
    )
