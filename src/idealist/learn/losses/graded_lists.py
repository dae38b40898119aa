"""Batches of lists as the losses see them: padded, checked, with the gains of a measure and its discounts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isinf

import torch

from idealist.backends.soft.soft_ranks import inside
from idealist.base.values import as_number
from idealist.errors import InputError
from idealist.measures.discounts import discount_table
from idealist.measures.gains import HIGHEST_EXPONENT, gain_function, hint_of_table, number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from idealist.measures.discounts import Discount
    from idealist.measures.families.gain import DCG, NDCG
    from idealist.measures.gains import Gain


INFINITY = float("inf")
HIGHEST_IN_32 = 127  # 2^128 is beyond a float of 32 bits


def gain_tensor(
    gain: Gain,
    grades: torch.Tensor,
    *,
    dtype: torch.dtype,
    keep_negative: bool = False,
    there: torch.Tensor | None = None,
) -> torch.Tensor:
    """The gains of grades; 0 for those below 0 unless they are kept, for nan, which is an unjudged document, and where
    there is none."""
    known = (
        grades.nan_to_num(nan=0.0, posinf=INFINITY, neginf=-INFINITY)
        if grades.is_floating_point()
        else grades
    )
    _refuse_grades(gain, known, dtype, keep_negative=keep_negative)
    if not isinstance(gain, str):
        return _looked_up(gain, grades, dtype, _counted(grades, there, keep_negative=keep_negative))
    counted = known if keep_negative else known.clamp(min=0)
    if gain == "linear":
        gains = counted.to(dtype)
    elif gain == "binary":
        gains = (counted > 0).to(dtype)
    else:  # exp
        gains = torch.exp2(counted.to(dtype)) - 1
    # nan and what is below 0 stand as grade 0, which is worth 0 by every name.
    return gains if there is None else gains.masked_fill(~there, 0)


def _refuse_grades(gain: Gain, grades: torch.Tensor, dtype: torch.dtype, *, keep_negative: bool) -> None:
    """Raises for grades that are infinite, and for those whose gains would be, by their names."""
    if not grades.numel() or (gain != "exp" and not grades.is_floating_point()):
        return
    lowest, highest = map(float, torch.stack(grades.aminmax()).tolist())
    if isinf(lowest) or isinf(highest):
        row, column = grades.isinf().nonzero()[0].tolist()
        raise InputError(
            f"list {row}, place {column}: a grade of {float(grades[row, column])}",
            hint="grades are finite; nan is an unjudged document",
        )
    few_bits = dtype == torch.float32
    # So few bits that the gains of a list must add up in them, too.
    most = HIGHEST_IN_32 - (grades.shape[-1] - 1).bit_length() if few_bits else HIGHEST_EXPONENT
    if gain == "exp" and highest > most:
        raise InputError(
            f"grade {number_text(highest)} is too high for gain=exp"
            + (f" in 32 bits: {grades.shape[-1]:,} times 2^grade" if few_bits else ": 2^grade")
            + " is infinite",
            hint=f"use {'scores of 64 bits, ' * few_bits}gain=linear or a table",
        )
    if gain == "linear":
        refuse_infinite(highest if highest > -lowest or not keep_negative else lowest, dtype)


def refuse_infinite(worth: float, dtype: torch.dtype) -> None:
    """Raises for a gain that the type cannot hold."""
    if abs(worth) > torch.finfo(dtype).max:
        raise InputError(
            f"a gain of {worth:g} is infinite in 32 bits", hint="use scores of 64 bits, or smaller gains"
        )


def _counted(grades: torch.Tensor, there: torch.Tensor | None, *, keep_negative: bool) -> torch.Tensor:
    """Where a grade has a gain."""
    counted = ~grades.isnan() if keep_negative else grades >= 0
    return counted if there is None else counted & there


def _looked_up(gain: Gain, grades: torch.Tensor, dtype: torch.dtype, counted: torch.Tensor) -> torch.Tensor:
    """Gains by a table or a function, which is asked once for each grade that counts."""
    levels, places = grades[counted].unique(return_inverse=True)
    function = gain_function(gain)
    worth = []
    for level in levels.tolist():
        if isinstance(gain, Mapping) and level not in gain:
            raise InputError(
                f"grade {number_text(level)} occurs, which the gain table lacks",
                hint=hint_of_table(gain),
            )
        worth.append(as_number(function(level), f"the gain of grade {number_text(level)}", finite=True))
        refuse_infinite(worth[-1], dtype)
    gains = torch.zeros(grades.shape, dtype=dtype, device=grades.device)
    gains[counted] = torch.tensor(worth, dtype=dtype, device=grades.device)[places]
    return gains


def discount_tensor(
    discount: Discount, ranks: int, *, like: torch.Tensor, k: int | None = None
) -> torch.Tensor:
    """The discounts of ranks 1 to `ranks`, 0 beyond k."""
    counted = ranks if k is None else min(k, ranks)
    table = discount_table(discount, counted) + [0.0] * (ranks - counted)
    return torch.tensor(table, dtype=like.dtype, device=like.device)


def ideal_sums(gains: torch.Tensor, discounts: torch.Tensor) -> torch.Tensor:
    """The discounted gains of each row's ideal list: gains above 0, greatest first."""
    best = gains.clamp(min=0).sort(dim=-1, descending=True).values
    return (best * discounts[: best.shape[-1]]).sum(dim=-1)


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
