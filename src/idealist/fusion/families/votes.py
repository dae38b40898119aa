"""Runs as voters that rank candidates."""

from __future__ import annotations

from idealist.fusion.base import Method
from idealist.fusion.parameters import simplex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.fusion.united import Array, United


class Election(Method):
    looks_at = "ranks"
    run_weights: tuple[float, ...] | None = None

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        return {"run_weights": simplex(runs)}


class Borda(Election, name="borda", other_names=("bordafuse", "w_bordafuse")):
    """Σ w · points: the first of c documents has c points, the next c - 1, and so on.

    c counts the documents of all runs together; those that a run of n lacks share what is left, (c - n + 1) / 2
    each. Weights are 1 unless given.

    Aslam and Montague, Models for Metasearch, SIGIR 2001.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 3, "b": 1}}, {"q": {"b": 2, "c": 1}}], "borda")["q"]
    {'b': 5.0, 'a': 4.0, 'c': 3.0}
    """

    def scores(self, united: United) -> Array:
        import numpy as np

        from idealist.fusion.united import added

        candidates = united.spread(np.repeat(united.sizes[:, None], united.runs, axis=1)).astype(np.float64)
        retrieved = united.spread(united.retrieved.astype(np.float64))
        listed = candidates - united.ranks + 1
        unlisted = np.where(retrieved > 0, (candidates - retrieved + 1) / 2, 0.0)
        return added(self.w * np.where(united.has, listed, unlisted))


class Condorcet(Election, name="condorcet", other_names=("w_condorcet",)):
    """Sorted by majority: a document goes before those that more runs rank lower than higher.

    Runs vote with their weights, 1 unless given. A run ranks what it has above what it lacks, and is silent about
    two that it lacks. The score is the number of documents that do not stand before it. Votes that are even, as they often are between
    two runs, keep the order of Borda's points, then that of the ids, descending; where majorities go round in a
    circle, each document still has a majority over the next, or an even vote.

    Montague and Aslam, Condorcet Fusion for Improved Retrieval, CIKM 2002.

    >>> from idealist.fusion import fuse
    >>> one, two, three = {"a": 3, "b": 2, "c": 1}, {"b": 3, "a": 2, "c": 1}, {"a": 3, "c": 2, "b": 1}
    >>> fuse([{"q": one}, {"q": two}, {"q": three}], "condorcet")["q"]
    {'a': 3.0, 'b': 2.0, 'c': 1.0}
    """

    def scores(self, united: United) -> Array:
        return united.majority(self.run_weights or (1.0,) * united.runs)
