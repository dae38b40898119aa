"""Corrections for many tests at once: p-values adjusted for the whole family."""

from __future__ import annotations

from idealist.base.values import as_choice, as_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted so that, at level α, the chance of even one false alarm in the family is at most α.

    The smallest of m is multiplied by m, the next by m − 1, and so on; none is smaller than one before it.
    Holm, Scandinavian Journal of Statistics 1979.

    >>> holm([0.01, 0.03, 0.02])  # 3 · 0.01, 2 · 0.02, and 1 · 0.03 raised to that
    [0.03, 0.04, 0.04]
    """
    checked = _checked(p_values)
    adjusted = [0.0] * len(checked)
    least = 0.0
    for rank, position in enumerate(sorted(range(len(checked)), key=checked.__getitem__)):
        least = max(least, min(1.0, (len(checked) - rank) * checked[position]))
        adjusted[position] = least
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted so that, at level α, at most a share α of the significant results is expected to be false: for
    exploration. Benjamini and Hochberg, Journal of the Royal Statistical Society B 1995.

    >>> benjamini_hochberg([0.01, 0.04, 0.02])  # 3/1 · 0.01, 3/2 · 0.02, 3/3 · 0.04
    [0.03, 0.04, 0.03]
    """
    checked = _checked(p_values)
    adjusted = [0.0] * len(checked)
    least = 1.0
    order = sorted(range(len(checked)), key=checked.__getitem__)
    for rank, position in reversed(list(enumerate(order, 1))):
        least = min(least, checked[position] * (len(checked) / rank))
        adjusted[position] = least
    return adjusted


def _checked(p_values: Sequence[float]) -> list[float]:
    return [as_within(p, "a p-value", 0, 1) for p in p_values]


CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg}


def adjust(p_values: Sequence[float], correction: str = "holm") -> list[float]:
    """The p-values of a family, adjusted by the correction of that name: holm or bh.

    >>> adjust([0.01, 0.04, 0.02], "bh")
    [0.03, 0.04, 0.03]
    """
    return CORRECTIONS[as_choice(correction, "the correction", CORRECTIONS)](p_values)
