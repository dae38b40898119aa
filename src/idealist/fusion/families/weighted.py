"""Normalised scores, each run with a weight."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.fusion.base import Method
from idealist.fusion.parameters import simplex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.fusion.united import Array, United


class Weighted(Method):
    looks_at = "scores"
    normalisation = "min-max"
    run_weights: tuple[float, ...] | None = None

    def require(self, runs: int) -> None:
        if self.run_weights is None:
            raise InputError(f"{self.name} needs run_weights", hint=f"one for each of the {runs} runs")
        super().require(runs)

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        return {"run_weights": simplex(runs)}


class WeightedSum(Weighted, name="wsum", other_names=("weighted_sum",)):
    """Σ w · s: a linear combination; a run that lacks the document adds nothing.

    Vogt and Cottrell, Fusion via a Linear Combination of Scores, Information Retrieval 1, 1999.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 4}}, {"q": {"a": 2, "c": 4}}], "wsum", normalisation="none", run_weights=(0.75, 0.25))["q"]
    {'a': 3.5, 'c': 1.0}
    """

    def scores(self, united: United) -> Array:
        return united.total(self.w * united.scores)


class WMNZ(Weighted, name="wmnz"):
    """Σ w · Σ s over the runs that have the document: CombMNZ whose count is weighted.

    Wu and Crestani, Data Fusion with Estimated Weights, CIKM 2002.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 4}}, {"q": {"a": 2, "c": 4}}], "wmnz", normalisation="none", run_weights=(0.75, 0.25))["q"]
    {'a': 6.0, 'c': 1.0}
    """

    def scores(self, united: United) -> Array:
        return united.total(self.w) * united.total(united.scores)


class Mixed(Weighted, name="mixed"):
    """√n · Σ w · s: between a weighted sum and a weighted MNZ.

    Wu and Crestani, Data Fusion with Estimated Weights, CIKM 2002.

    >>> from idealist.fusion import fuse
    >>> runs = [{"q": {"a": 4}}] * 4
    >>> fuse(runs, "mixed", normalisation="none", run_weights=(0.25, 0.25, 0.25, 0.25))["q"]
    {'a': 8.0}
    """

    def scores(self, united: United) -> Array:
        import numpy as np

        return np.sqrt(united.count()) * united.total(self.w * united.scores)


class Linear(Method, name="linear", other_names=("interpolation", "linear_interpolation")):
    """α · s₁ + (1 - α) · s₂: two runs interpolated, such as a sparse and a dense one.

    A run that lacks the document adds nothing.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 4}}, {"q": {"a": 2, "c": 4}}], "linear", normalisation="none", alpha=0.75)["q"]
    {'a': 3.5, 'c': 1.0}
    """

    looks_at = "scores"
    normalisation = "min-max"
    alpha: float = 0.5

    def require(self, runs: int) -> None:
        if runs != 2:
            raise InputError(
                f"linear interpolates two runs, not {runs}", hint="wsum takes any number of them"
            )

    def scores(self, united: United) -> Array:
        return united.total((self.alpha, 1 - self.alpha) * united.scores)

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        return {"alpha": [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.0, 1.0]}
