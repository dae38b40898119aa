"""What grades are worth, as tensors."""

from __future__ import annotations

import torch

from idealist.backends.tensors.numbers import NAN, reaching

HIGHEST_EXPONENT = 1023.0
SMALL_GRADES = 256  # whole grades below this are looked up in a table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from idealist.kernels import Gain


def gains_of(
    gain: Gain, grades: torch.Tensor, levels: Callable[[], list[float]], *, plain: bool = False
) -> torch.Tensor:
    """The gains of grades, which are among the levels, and 0 or more if they are `plain`; what nan is worth means nothing."""
    if gain.kind == "table":
        return _looked_up(grades, levels(), worths(gain, levels()))
    counted = grades if gain.negative_counts or plain else grades.clamp(min=0)
    return counted if gain.kind == "linear" else torch.exp2(counted) - 1


def _looked_up(grades: torch.Tensor, levels: list[float], worth: list[float]) -> torch.Tensor:
    """What each grade is worth, for nan anything."""
    steps = [at for at in range(1, len(levels)) if worth[at] != worth[at - 1]]
    if len(steps) == 1 and worth[0] == 0:
        gains = reaching(grades, levels[steps[0]]).to(grades.dtype)
        return gains if worth[-1] == 1 else gains.mul_(worth[-1])
    if not steps:
        return torch.full_like(grades, worth[0] if worth else 0.0)
    if all(0 <= level < SMALL_GRADES and level == int(level) for level in levels):
        by_grade = [0.0] * (int(levels[-1]) + 1)
        for level, number in zip(levels, worth, strict=True):
            by_grade[int(level)] = number
        places = grades.nan_to_num(nan=0.0).long()
        return grades.new_tensor(by_grade).index_select(0, places.flatten()).view_as(grades)
    places = torch.searchsorted(grades.new_tensor(levels), grades.contiguous())
    return grades.new_tensor(worth)[places.clamp(max=len(levels) - 1)]


def worths(gain: Gain, levels: list[float]) -> list[float]:
    """The gains of levels by a table; nothing below 0 unless that counts."""
    table = dict(gain.table)
    return [table.get(level, NAN) if level >= 0 or gain.negative_counts else 0.0 for level in levels]


def rises(gain: Gain, levels: Callable[[], list[float]]) -> bool:
    """Whether a higher grade is never worth less."""
    if gain.kind != "table":
        return True
    numbers = worths(gain, levels())
    return numbers == sorted(numbers)


def largest(gain: Gain, levels: Callable[[], list[float]], highest_grade: Callable[[], float]) -> float:
    """What no gain's size exceeds, or infinity where that would be hard to say."""
    if gain.kind == "table":
        return max((abs(worth) for worth in worths(gain, levels())), default=0.0)
    if gain.negative_counts:
        return float("inf")
    highest = max(highest_grade(), 0.0)
    return highest if gain.kind == "linear" else 2.0 ** min(highest, HIGHEST_EXPONENT)
