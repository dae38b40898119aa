"""The differences of two systems, query by query, and strata: groups of queries whose shares of the traffic are known.

Strata: groups of queries whose shares of the traffic are known (post-stratification).

The mean is Σ share · mean of the stratum: queries have the weights share/n of their stratum. How many queries a stratum has is
no news then, and how far apart its mean is from the others' adds nothing to the error: only the spread within strata does.
Holt and Smith, Journal of the Royal Statistical Society A 142, 1979.
"""

from __future__ import annotations

from functools import cached_property

from idealist.base.frozen import Frozen
from idealist.base.values import as_finite
from idealist.errors import InputError
from idealist.statistics.mean_estimates import SAME, estimate_mean, weighted_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.statistics.mean_estimates import Estimate


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


class Sample:
    """The sample that a test takes: differences, one per query, and the weights of the queries where they have any; with
    strata whose shares the weights are, the stratum of every query."""

    def __init__(
        self, differences: Any, weights: Sequence[float] | None = None, strata: Sequence[str] | None = None
    ) -> None:
        import numpy as np

        try:
            self.changes: NDArray[Any] = np.asarray(differences, dtype=float)
        except (TypeError, ValueError):
            self.changes = np.array([as_finite(difference, "a difference") for difference in differences])
        if self.changes.ndim != 1 or not np.isfinite(self.changes).all():
            raise InputError(
                "differences must be finite numbers, one per query", hint="such as [0.1, -0.02, 0.0]"
            )
        if weights is not None and len(weights) != len(self.changes):
            raise InputError(
                f"there are {len(self.changes)} differences, but {len(weights)} weights",
                hint="give one weight per difference",
            )
        self.weights = weights
        self.strata = strata

    def __len__(self) -> int:
        return len(self.changes)

    @cached_property
    def levelled(self) -> NDArray[Any]:
        """The differences with strata levelled, so that only the spread within them counts; as they are without strata."""
        return self.changes if self.strata is None else levelled(self.changes, self.weights, self.strata)

    @cached_property
    def estimate(self) -> Estimate | None:
        """The mean difference and its standard error, by the spread within strata; None where there are too few."""
        estimate = estimate_mean(self.levelled, self.weights)
        if estimate is not None and abs(estimate.mean) <= SAME * weighted_mean(
            abs(self.changes), self.weights
        ):
            return estimate.replace(mean=0.0)  # gains and losses cancel; what is left is rounding
        return estimate

    @property
    def mean(self) -> float:
        """The mean difference."""
        estimate = self.estimate
        return weighted_mean(self.changes, self.weights) if estimate is None else estimate.mean


class Paired(Frozen):
    """The values of two systems for the same queries, and the weights of these where they have any; with strata whose shares
    the weights are, the stratum of every query, and the weights that queries have without shares."""

    queries: tuple[str, ...]
    baseline_values: tuple[float, ...]
    values: tuple[float, ...]
    weights: tuple[float, ...] | None = None
    strata: tuple[str, ...] | None = None
    own_weights: tuple[float, ...] | None = None

    @cached_property
    def differences(self) -> list[float]:
        """By how much the system's value passes the baseline's; 0 where they are the same but for rounding."""
        return list(self.changes.tolist())

    @property
    def changes(self) -> NDArray[Any]:
        """The differences as an array."""
        return self.sample.changes

    @cached_property
    def sample(self) -> Sample:
        """The differences as tests take them."""
        import numpy as np

        before, after = np.array(self.baseline_values, dtype=float), np.array(self.values, dtype=float)
        differences: NDArray[Any] = after - before
        differences[np.abs(differences) <= SAME * np.maximum(np.abs(before), np.abs(after))] = 0.0
        return Sample(differences, self.weights, self.strata)

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        return f"<Paired: {len(self):,} queries>"
