"""Sums of weights that fall with the rank."""

from __future__ import annotations

from idealist.fusion.base import Method

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
