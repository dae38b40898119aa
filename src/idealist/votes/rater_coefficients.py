"""Coefficients of agreement, from tables of counts; every function takes a table, or a stack of them.

Coincidences hold, for every two categories, how often two raters of one item gave them; confusions how often
the first of two raters gave the one and the second the other.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def raw_agreement(confusions: Any) -> Any:
    """The share of items on which two raters agree.

    >>> float(raw_agreement([[3, 1], [0, 4]]))
    0.875
    """
    import numpy as np

    table = np.asarray(confusions, dtype=float)
    return _divided(np.trace(table, axis1=-2, axis2=-1), table.sum(axis=(-2, -1)))


def cohen_kappa(confusions: Any) -> Any:
    """Agreement of two raters beyond what their own habits would give: (p − e)/(1 − e), e = Σ p₁·p₂ over
    categories. Undefined when both always say the same one thing. Cohen, 1960.

    >>> round(float(cohen_kappa([[20, 5], [10, 15]])), 4)  # p = 0.7, e = 0.5
    0.4
    """
    import numpy as np

    table = np.asarray(confusions, dtype=float)
    total = table.sum(axis=(-2, -1))
    chance = _divided((table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1), total * total)
    return _beyond(raw_agreement(table), chance)


def krippendorff_alpha(coincidences: Any, *, ordinal: bool = False) -> Any:
    """1 − observed/expected disagreement, for any number of raters and gaps. Ordinal: categories are in order,
    and two differ by the square of how many votes lie between them. Undefined when only one category was
    ever used. Krippendorff, Content Analysis, 2004.

    >>> round(float(krippendorff_alpha([[2, 1], [1, 4]])), 4)  # 1 − (2/8) / (2·3·5/(8·7))
    0.5333
    """
    import numpy as np

    table = np.asarray(coincidences, dtype=float)
    votes = table.sum(axis=-1)
    total = votes.sum(axis=-1)
    if ordinal:
        until = np.cumsum(votes, axis=-1) - votes / 2  # the middle of every category
        distance = (until[..., :, None] - until[..., None, :]) ** 2
    else:
        distance = 1.0 - np.eye(votes.shape[-1])
    observed = (table * distance).sum(axis=(-2, -1))
    expected = (votes[..., :, None] * votes[..., None, :] * distance).sum(axis=(-2, -1))
    return 1 - _divided(observed * (total - 1), expected)


def gwet_ac1(raw: Any, shares: Any) -> Any:
    """(p − e)/(1 − e) with e = Σ π(1 − π)/(categories − 1): chance agreement is small when one category is
    frequent, so that many "same" do not drown it. Gwet, 2008.

    >>> round(float(gwet_ac1(0.8, [0.7, 0.2, 0.1])), 4)  # e = (0.21 + 0.16 + 0.09)/2 = 0.23
    0.7403
    """
    import numpy as np

    pi = np.asarray(shares, dtype=float)
    return _beyond(raw, (pi * (1 - pi)).sum(axis=-1) / (pi.shape[-1] - 1))


def fleiss_kappa(raw: Any, shares: Any) -> Any:
    """(p − e)/(1 − e) with e = Σ π²: all raters share one habit. Fleiss, 1971.

    >>> round(float(fleiss_kappa(0.8, [0.7, 0.2, 0.1])), 4)  # e = 0.54
    0.5652
    """
    import numpy as np

    return _beyond(raw, (np.asarray(shares, dtype=float) ** 2).sum(axis=-1))


def _beyond(raw: Any, chance: Any) -> Any:
    import numpy as np

    beyond_chance = 1 - np.asarray(chance)
    return _divided(np.asarray(raw) - chance, np.where(beyond_chance < 1e-12, 0.0, beyond_chance))


def _divided(above: Any, below: Any) -> Any:
    """nan where nothing is divided by nothing."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below == 0, np.nan, np.asarray(above) / np.asarray(below))
