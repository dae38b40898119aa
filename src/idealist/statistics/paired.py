"""The differences of two systems, query by query."""

from __future__ import annotations

from functools import cached_property

from idealist.base.frozen import Frozen
from idealist.base.values import as_finite
from idealist.errors import InputError
from idealist.statistics.means import SAME, estimate_mean, weighted_mean
from idealist.statistics.strata import levelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from idealist.statistics.means import Estimate


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
