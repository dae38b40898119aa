"""Strata: groups of queries whose shares of the traffic are known (post-stratification).

The mean is Σ share · mean of the stratum: queries have the weights share/n of their stratum. How many queries a stratum has is
no news then, and how far apart its mean is from the others' adds nothing to the error: only the spread within strata does.
Holt and Smith, Journal of the Royal Statistical Society A 142, 1979.
"""

from __future__ import annotations

from idealist.statistics.means import SAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

LEAST = 5  # queries: smaller strata are put together where the spread within them is looked at


def levelled(values: Any, weights: Any, strata: Any) -> NDArray[Any]:
    """The values with strata levelled: each is as far from the mean of all as it was from the mean of its stratum, and
    √(n/(n − 1)) times that, as a mean of a few lies near them (the same for all, √(N/(N − 1)), is taken out: estimates of the
    spread have it already). Numbers of weighted values are effective ones. The values as they are, where
    that makes the spread no smaller.

    >>> import numpy as np
    >>> levelled([0.1, 0.3] * 5 + [0.5, 0.7] * 5, None, ["a"] * 10 + ["b"] * 10)[[0, 1, -2, -1]].round(4)
    array([0.2973, 0.5027, 0.2973, 0.5027])
    >>> levelled([0.1, 0.3] * 5, None, ["a", "a", "b", "b", "b"] * 2)[:3]  # strata say nothing
    array([0.1, 0.3, 0.1])
    """
    import numpy as np

    x = np.asarray(values, dtype=float)
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=float)
    group = _large_enough(strata)
    total = np.bincount(group, w)
    if len(total) < 2 or not (total > 0).all():
        return x
    mean = float((w * x).sum() / w.sum())
    distances = x - (np.bincount(group, w * x) / total)[group]
    size = total**2 / np.bincount(group, w**2)
    whole = float(w.sum() ** 2 / (w**2).sum())
    if not (size > 1).all():
        return x
    distances = distances * np.sqrt(size / (size - 1) * (whole - 1) / whole)[group]
    spread, before = (((w * each) ** 2).sum() for each in (distances, x - mean))
    found: NDArray[Any] = mean + distances if SAME * before < spread < before else x
    return found


def _large_enough(strata: Any) -> NDArray[Any]:
    """The group of each query: its stratum; those with the fewest queries together, until each group has LEAST.

    >>> _large_enough(list("aaaaaabbbbbbccd"))  # c and d have 3 queries, and with b, the next one, 9
    array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """
    import numpy as np

    _, number, counts = np.unique(np.asarray(strata), return_inverse=True, return_counts=True)
    together = 0
    merged: list[int] = []
    for stratum in sorted(range(len(counts)), key=lambda stratum: (counts[stratum], -stratum)):
        if counts[stratum] >= LEAST and (not merged or together >= LEAST):
            break
        merged.append(stratum)
        together += int(counts[stratum])
    if merged:
        number = np.where(np.isin(number, merged), merged[0], number)
    group: NDArray[Any] = np.unique(number, return_inverse=True)[1]
    return group
