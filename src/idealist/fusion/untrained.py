"""Methods that learn nothing: sums over ranks, sums and extremes of normalised scores, runs as voters, weights."""

from __future__ import annotations

from idealist.errors import InputError
from idealist.fusion.methods import Method, simplex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from idealist.fusion.united import Array, United


class ByRank(Method):
    looks_at = "ranks"


class RRF(ByRank, name="rrf"):
    """Σ w / (k + rank): reciprocal rank fusion, with w = 1 unless weights are given.

    Cormack, Clarke and Büttcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
    Methods, SIGIR 2009.

    >>> from idealist.fusion import fuse
    >>> fused = fuse([{"q": {"a": 3, "b": 1}}, {"q": {"b": 2, "c": 1}}], "rrf", k=60)
    >>> fused["q"] == {"b": 1 / 62 + 1 / 61, "a": 1 / 61, "c": 1 / 62}
    True
    """

    k: float = 60.0
    run_weights: tuple[float, ...] | None = None

    def scores(self, united: United) -> Array:
        return united.total(self.w / (self.k + united.ranks))

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        return {"k": [60.0, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 70.0, 80.0, 90.0, 100.0]}


class ISR(ByRank, name="isr"):
    """n · Σ 1 / rank², with n runs that have the document: inverse square rank.

    Mourão, Martins and Magalhães, Multimodal medical information retrieval with unsupervised rank fusion,
    Computerized Medical Imaging and Graphics 39, 2015.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 3, "b": 1}}, {"q": {"b": 2, "c": 1}}], "isr")["q"]
    {'b': 2.5, 'a': 1.0, 'c': 0.25}
    """

    def scores(self, united: United) -> Array:
        return united.count() * _inverse_squares(united)


class LogISR(ByRank, name="log_isr"):
    """log(n) · Σ 1 / rank²: inverse square rank with less weight on n.

    What only one run has, has 0, wherever it stands; LogNISR orders that too.

    Mourão, Martins and Magalhães, 2015.

    >>> from idealist.fusion import fuse
    >>> fused = fuse([{"q": {"a": 3, "b": 1}}, {"q": {"b": 2, "c": 1}}], "log_isr")["q"]
    >>> {document: round(score, 4) for document, score in fused.items()}  # log(2) · (1/4 + 1)
    {'b': 0.8664, 'c': 0.0, 'a': 0.0}
    """

    def scores(self, united: United) -> Array:
        import numpy as np

        return np.log(united.count()) * _inverse_squares(united)


class LogNISR(ByRank, name="logn_isr"):
    """log(n + σ) · Σ 1 / rank²: log_isr that also orders what only one run has.

    Mourão, Martins and Magalhães, 2015.

    >>> from idealist.fusion import fuse
    >>> fused = fuse([{"q": {"a": 3, "b": 1}}, {"q": {"b": 2, "c": 1}}], "logn_isr", sigma=1)["q"]
    >>> {document: round(score, 4) for document, score in fused.items()}  # log(3) · 5/4, log(2), log(2) / 4
    {'b': 1.3733, 'a': 0.6931, 'c': 0.1733}
    """

    sigma: float = 0.01

    def scores(self, united: United) -> Array:
        import numpy as np

        return np.log(united.count() + self.sigma) * _inverse_squares(united)

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        return {"sigma": [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]}


class RBC(ByRank, name="rbc"):
    """Σ (1 - p) · p^(rank - 1): rank-biased centroid, by a reader who goes on with p.

    Bailey, Moffat, Scholer and Thomas, Retrieval Consistency in the Presence of Query Variations, SIGIR 2017.

    >>> from idealist.fusion import fuse
    >>> fuse([{"q": {"a": 3, "b": 1}}, {"q": {"b": 2, "c": 1}}], "rbc", p=0.5)["q"]
    {'b': 0.75, 'a': 0.5, 'c': 0.25}
    """

    p: float = 0.9

    def scores(self, united: United) -> Array:
        import numpy as np

        return united.total((1 - self.p) * self.p ** (united.ranks.astype(np.float64) - 1))

    @classmethod
    def grid(cls, runs: int) -> Mapping[str, Sequence[Any]]:
        return {"p": [0.9, 0.5, 0.6, 0.7, 0.8, 0.95, 0.98, 0.99]}


def _inverse_squares(united: United) -> Array:
    import numpy as np

    return united.total(1 / united.ranks.astype(np.float64) ** 2)


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
