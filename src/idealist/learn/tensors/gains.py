"""What grades are worth and how much ranks count, as tensors; the ideal list's discounted gains."""

from __future__ import annotations

from collections.abc import Mapping
from math import isinf

import torch

from idealist.base.values import as_number
from idealist.errors import InputError
from idealist.measures.discounts import discount_table
from idealist.measures.gains import HIGHEST_EXPONENT, gain_function, hint_of_table, number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.measures.discounts import Discount
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
