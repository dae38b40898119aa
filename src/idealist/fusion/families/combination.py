"""Sums, means and extremes of normalised scores. Fox and Shaw, Combination of Multiple Searches, TREC-2, 1993."""

from __future__ import annotations

from idealist.fusion.base import Method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.fusion.united import Array, United


class Combination(Method):
    looks_at = "scores"
    normalisation = "min-max"


class CombSUM(Combination, name="combsum", other_names=("sum",)):
    """Σ s: the sum of the scores; a run that lacks the document adds nothing.

    Fox and Shaw, TREC-2, 1993.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 3, "b": 1}}, {"q": {"a": 2, "c": 4}}], "combsum", normalisation="none")["q"]
    {'a': 5.0, 'c': 4.0, 'b': 1.0}
    """

    def scores(self, united: United) -> Array:
        return united.total(united.scores)


class CombMNZ(Combination, name="combmnz", other_names=("mnz",)):
    """n · Σ s: the sum of the scores times the number of runs that have the document.

    Fox and Shaw, TREC-2, 1993.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 3, "b": 1}}, {"q": {"a": 2, "c": 4}}], "combmnz", normalisation="none")["q"]
    {'a': 10.0, 'c': 4.0, 'b': 1.0}
    """

    def scores(self, united: United) -> Array:
        return united.total(united.scores) * united.count()


class CombGMNZ(Combination, name="combgmnz", other_names=("gmnz",)):
    """n^γ · Σ s: CombSUM at γ = 0, CombMNZ at γ = 1.

    Lee, Analyses of Multiple Evidence Combination, SIGIR 1997.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 3}}, {"q": {"a": 2, "c": 4}}], "combgmnz", normalisation="none", gamma=2)["q"]
    {'a': 20.0, 'c': 4.0}
    """

    gamma: float = 1.0

    def scores(self, united: United) -> Array:
        return united.total(united.scores) * united.count() ** self.gamma

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        return {"gamma": [1.0, 0.0, 0.25, 0.5, 0.75, 1.5, 2.0]}


class CombANZ(Combination, name="combanz", other_names=("anz",)):
    """Σ s / n: the mean score over the runs that have the document.

    Fox and Shaw, TREC-2, 1993.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 3, "b": 1}}, {"q": {"a": 2, "c": 4}}], "combanz", normalisation="none")["q"]
    {'c': 4.0, 'a': 2.5, 'b': 1.0}
    """

    def scores(self, united: United) -> Array:
        return united.total(united.scores) / united.count()


class CombMAX(Combination, name="combmax", other_names=("max",)):
    """The highest score that any run gives the document.

    Fox and Shaw, TREC-2, 1993.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 3, "b": 1}}, {"q": {"a": 2, "c": 4}}], "combmax", normalisation="none")["q"]
    {'c': 4.0, 'a': 3.0, 'b': 1.0}
    """

    def scores(self, united: United) -> Array:
        import numpy as np

        highest: Array = np.fmax.reduce(united.scores, axis=1)
        return highest


class CombMIN(Combination, name="combmin", other_names=("min",)):
    """The lowest score among the runs that have the document.

    Fox and Shaw, TREC-2, 1993.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 3, "b": 1}}, {"q": {"a": 2, "c": 4}}], "combmin", normalisation="none")["q"]
    {'c': 4.0, 'a': 2.0, 'b': 1.0}
    """

    def scores(self, united: United) -> Array:
        import numpy as np

        lowest: Array = np.fmin.reduce(united.scores, axis=1)
        return lowest


class CombMED(Combination, name="combmed", other_names=("med",)):
    """The median score among the runs that have the document; of two, their mean.

    Fox and Shaw, TREC-2, 1993.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 3}}, {"q": {"a": 2}}, {"q": {"a": 9}}], "combmed", normalisation="none")["q"]
    {'a': 3.0}
    """

    def scores(self, united: United) -> Array:
        import numpy as np

        ordered = np.sort(united.scores, axis=1)  # nan last
        count = united.count().astype(np.int64)
        rows = np.arange(len(ordered))
        low, high = ordered[rows, (count - 1) // 2], ordered[rows, count // 2]
        return low / 2 + high / 2
