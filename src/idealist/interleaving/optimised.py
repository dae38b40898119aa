"""Optimised interleaving: the chances of the allowed lists by a linear program."""

from __future__ import annotations

from idealist.data.values import as_count
from idealist.interleaving.methods import InterleavedList, Interleaving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import ndarray
    from numpy.random import Generator

    from idealist.interleaving.methods import Drawer, Rankings

UNFAIR = 1e3  # how much worse a unit of bias is than one of insensitivity
NEAR = 1e-9


class Optimised(Interleaving, name="optimised"):
    """Optimised: of the lists in which every document is the best one left of some system, each is shown with a
    chance that a linear program finds: at every depth, all systems expect the same credit from users who click
    at random, and lists whose credit is evenly spread over the systems are preferred, as clicks tell most there.

    A click on a document credits each system with 1/rank, where it does not have the document as if it came next
    below its list. Where no chances are free of bias, those with the least are taken, and what is left at a place is
    taken off the credits there. Two systems: Radlinski and
    Craswell, WSDM 2013; more, and the goal: Schuth et al., CIKM 2014. Of more than `most` allowed lists, as many
    are drawn at random, by `seed`.

    >>> drawer = Optimised().prepare({"x": ["a", "b"], "y": ["b", "a"]}, 2)
    >>> from idealist.statistics.randomness import generator
    >>> dict(drawer(generator(0)).credits)  # of b, a
    {'x': (0.5, 1.0), 'y': (1.0, 0.5)}
    """

    about = "a linear program chooses among lists so that random clicks favour nobody; clicks count 1/rank"

    most: int = 1000
    seed: int = 0

    def _checked(self, field: str, value: Any) -> Any:
        return as_count(
            value, "the number of lists" if field == "most" else "seed", 1 if field == "most" else 0
        )

    def prepare(self, rankings: Rankings, k: int) -> Drawer:
        lists, chances, credits = self.program(rankings, k)
        running = chances.cumsum()

        def draw(random: Generator) -> InterleavedList:
            at = min(int((running <= random.random() * running[-1]).sum()), len(lists) - 1)
            documents = lists[at]
            by_system = {
                name: tuple(credits[at, row, : len(documents)].tolist()) for row, name in enumerate(rankings)
            }
            return InterleavedList(documents, by_system, {})

        return draw

    def program(self, rankings: Rankings, k: int) -> tuple[list[tuple[str, ...]], ndarray, ndarray]:
        """The allowed lists, their chances, and the credits of lists × systems × places."""
        import numpy as np

        lists = self._allowed(rankings, k)
        width = max(map(len, lists))
        credits = np.zeros((len(lists), len(rankings), width))
        for column, ranking in enumerate(rankings.values()):
            credit_of = {document: 1 / rank for rank, document in enumerate(ranking, 1)}
            missing = 1 / (len(ranking) + 1)
            for row, documents in enumerate(lists):
                credits[row, column, : len(documents)] = [credit_of.get(d, missing) for d in documents]
        chances = self._chances(credits)
        expected = np.tensordot(chances, credits, axes=1)
        bias = expected - expected.mean(axis=0)
        if np.abs(bias).max() > NEAR:
            credits -= bias
            # Two systems may be credited with a whole click more or less, and no more.
            credits /= max(1.0, float(np.ptp(credits, axis=1).max()))
        return lists, chances, credits

    def _chances(self, credits: ndarray) -> ndarray:
        """The chances of the lists, by their credits."""
        import numpy as np
        from scipy.optimize import linprog

        count, _, width = credits.shape
        spread = credits - credits.mean(axis=1, keepdims=True)
        by_place = spread / np.arange(1, width + 1)  # users click at place i with 1/i
        insensitivity = (by_place.sum(axis=2) ** 2).sum(axis=1)
        if count == 1 or np.abs(spread).max() < NEAR:
            return np.full(count, 1 / count)
        bias = spread.cumsum(axis=2).transpose(1, 2, 0).reshape(-1, count)
        slack = np.eye(len(bias))
        solution = linprog(
            np.concatenate([insensitivity, np.full(2 * len(bias), UNFAIR)]),
            A_eq=np.vstack(
                [
                    np.hstack([bias, slack, -slack]),
                    np.concatenate([np.ones(count), np.zeros(2 * len(bias))])[None],
                ]
            ),
            b_eq=np.append(np.zeros(len(bias)), 1.0),
            method="highs",
        )
        weights = np.maximum(solution.x[:count], 0.0)
        chances: ndarray = weights / weights.sum()
        return chances

    def _allowed(self, rankings: Rankings, k: int) -> list[tuple[str, ...]]:
        """All lists in which each document is the best one left of some system; a random choice of many."""
        from idealist.statistics.randomness import generator

        complete: list[tuple[str, ...]] = []
        open_lists: list[tuple[str, ...]] = [()]
        while open_lists and len(complete) + len(open_lists) <= self.most:
            documents = open_lists.pop()
            following = _best_left(rankings, documents) if len(documents) < k else []
            if following:
                open_lists += [(*documents, document) for document in reversed(following)]
            else:
                complete.append(documents)
        if not open_lists:
            return complete
        random = generator(self.seed)
        drawn: dict[tuple[str, ...], None] = {}
        for _ in range(self.most):
            documents = ()
            while len(documents) < k and (following := _best_left(rankings, documents)):
                documents = (*documents, following[int(random.integers(len(following)))])
            drawn.setdefault(documents)
        return list(drawn)


def _best_left(rankings: Rankings, used: tuple[str, ...]) -> list[str]:
    """The best document of each system that is not in the list yet, each once."""
    best: dict[str, None] = {}
    for ranking in rankings.values():
        document = next((document for document in ranking if document not in used), None)
        if document is not None:
            best.setdefault(document)
    return list(best)
