"""What grades are worth and how much ranks count, as tensors; the ideal list's discounted gains."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from idealist.errors import InputError
from idealist.measures.discounts import discount_table
from idealist.measures.gains import HIGHEST_EXPONENT, gain_function, number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from idealist.measures.discounts import Discount
    from idealist.measures.gains import Gain


def gain_tensor(
    gain: Gain, grades: torch.Tensor, *, dtype: torch.dtype, keep_negative: bool = False
) -> torch.Tensor:
    """The gains of grades; 0 for those below 0 unless they are kept, and for nan, which is an unjudged document."""
    known = grades.nan_to_num(nan=0.0) if grades.is_floating_point() else grades
    counted = known if keep_negative else known.clamp(min=0)
    if gain == "linear":
        gains = counted.to(dtype)
    elif gain == "binary":
        gains = (counted > 0).to(dtype)
    elif gain == "exp":
        if counted.numel() and counted.max() > HIGHEST_EXPONENT:
            raise InputError(
                f"grade {number_text(float(counted.max()))} is too high for gain=exp: 2^grade is infinite",
                hint="use gain=linear or a table",
            )
        gains = torch.exp2(counted.to(dtype)) - 1
    else:
        gains = _looked_up(gain, counted, dtype)
    judged = ~grades.isnan() if grades.is_floating_point() else None
    if judged is not None:
        gains = gains.where(judged, torch.zeros((), dtype=dtype, device=gains.device))
    return (
        gains if keep_negative else gains.where(known >= 0, torch.zeros((), dtype=dtype, device=gains.device))
    )


def _looked_up(gain: Gain, grades: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Gains by a table or a function, which is asked once for each grade there is."""
    levels, places = grades.unique(return_inverse=True)
    function = gain_function(gain)
    worth = []
    for level in levels.tolist():
        if isinstance(gain, Mapping) and level not in gain:
            raise InputError(
                f"grade {number_text(level)} occurs, which the gain table lacks",
                hint=f"add it: the table has {', '.join(map(number_text, gain))}",
            )
        worth.append(float(function(level)))
    return torch.tensor(worth, dtype=dtype, device=grades.device)[places]


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
