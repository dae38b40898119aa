"""Probabilistic interleaving: every list is possible, the likelier the better systems rank it."""

from __future__ import annotations

from idealist.data.values import as_count, as_within
from idealist.interleaving.methods import InterleavedList, Interleaving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.random import Generator

    from idealist.interleaving.methods import Drawer, Rankings


class Probabilistic(Interleaving, name="probabilistic"):
    """Probabilistic: for each place a system is drawn, which draws among its documents that are left, in proportion
    to 1/rank^exponent. A click is shared out by how probable it is that each system put the document there: the
    expectation over all assignments, which is exact, as places are drawn by themselves. A system that has no document
    left is given what the others are given on average, so that random clicks do not favour the longer list.

    Two systems: Hofmann, Whiteson and de Rijke, CIKM 2011; more: Schuth et al., SIGIR 2015. `depth` documents of
    each system may be drawn.

    >>> from idealist.statistics.randomness import generator
    >>> drawn = Probabilistic().prepare({"x": ["a", "b"], "y": ["a", "b"]}, 2)(generator(0))
    >>> dict(drawn.credits)  # alike: every click is shared
    {'x': (0.5, 0.5), 'y': (0.5, 0.5)}
    """

    about = "systems draw documents by 1/rank^3; clicks are shared by who probably drew the document"

    exponent: float = 3.0
    depth: int = 100

    def _checked(self, field: str, value: Any) -> Any:
        return as_count(value, "depth") if field == "depth" else as_within(value, "the exponent", 0)

    def prepare(self, rankings: Rankings, k: int) -> Drawer:
        import numpy as np

        pool: dict[str, int] = {}
        for ranking in rankings.values():
            for document in ranking[: self.depth]:
                pool.setdefault(document, len(pool))
        documents = list(pool)
        weights = np.zeros((len(rankings), len(pool)))
        for row, ranking in enumerate(rankings.values()):
            for rank, document in enumerate(ranking[: self.depth], 1):
                weights[row, pool[document]] = rank**-self.exponent
        names = list(rankings)

        def draw(random: Generator) -> InterleavedList:
            left = weights.copy()
            chosen: list[int] = []
            shares: list[Any] = []
            for _ in range(min(k, len(documents))):
                totals = left.sum(axis=1)
                able = np.nonzero(totals > 0)[0]
                system = able[int(random.integers(len(able)))]
                # By the sum of what is left: differences of running sums would lose the small weights.
                running = left[system].cumsum()
                at = int(np.searchsorted(running, random.random() * running[-1], side="right"))
                at = min(at, int(np.nonzero(left[system])[0][-1]))
                chances = np.divide(left[:, at], totals, out=np.zeros(len(names)), where=totals > 0)
                chances[totals <= 0] = chances[able].mean()
                shares.append(chances / chances.sum())
                chosen.append(at)
                left[:, at] = 0
            credits = {name: tuple(float(share[row]) for share in shares) for row, name in enumerate(names)}
            return InterleavedList(tuple(documents[at] for at in chosen), credits, {})

        return draw
