"""The list that serves subtopics best, as far as a greedy choice finds it: the best list of all is NP-hard."""

from __future__ import annotations

from itertools import islice
from math import fsum

from idealist.data.grouped import bytewise, group_rankings
from idealist.kernels import Values
from idealist.measures.discounts import discount_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idealist.data import Rankings


class GreedyIdeals:
    """The greedy ideal list of every query: at each rank the document that adds most, the greater id where
    several do, as ndeval chooses.

    Documents that cover the same subtopics are alike but for their ids, so that a rank costs as much as
    there are sets of subtopics, at most one per relevant document. Lists are made as far as they are asked
    for, and kept.
    """

    def __init__(self, rankings: Rankings, level: float, alpha: float) -> None:
        views = group_rankings(rankings)
        weights = list(views.weights)
        self._steps: list[Iterator[float]] = []
        self._gains: list[list[float]] = [[] for _ in views.documents]
        for documents in views.documents:
            ids_by_cover: dict[tuple[int, ...], list[bytes]] = {}
            for document, memberships in documents.items():
                covered = tuple(group for group, grade in memberships if grade >= level)
                ids_by_cover.setdefault(covered, []).append(bytewise(document))
            worth = {group: weights[group] for covered in ids_by_cover for group in covered}
            self._steps.append(_greedy(ids_by_cover, worth, 1.0 - alpha))

    def discounted(self, discount: str, k: int | None) -> Values:
        """Σ of what the first k documents add, each discounted by its rank."""
        lists = [self._first(query, k) for query in range(len(self._steps))]
        discounts = discount_table(discount, max(map(len, lists), default=0))
        return Values([_dot(gains, discounts) for gains in lists])

    def _first(self, query: int, k: int | None) -> list[float]:
        """What the first k documents of a query's list add, up to the last that adds something."""
        gains = self._gains[query]
        gains += islice(self._steps[query], None if k is None else max(k - len(gains), 0))
        return gains[:k]


def _greedy(
    ids_by_cover: dict[tuple[int, ...], list[bytes]], worth: dict[int, float], discount: float
) -> Iterator[float]:
    """What each document of the list adds, while one adds something."""
    for ids in ids_by_cover.values():
        ids.sort()
    # The sums are exact to the last bit, so that ties do not depend on the order of the subtopics.
    gains = {covered: fsum(worth[group] for group in covered) for covered in ids_by_cover}
    while gains:
        best = max(gains, key=lambda covered: (gains[covered], ids_by_cover[covered][-1]))
        if gains[best] == 0:
            return
        yield gains[best]
        ids_by_cover[best].pop()
        for group in best:
            worth[group] *= discount
        gains = {
            covered: fsum(worth[group] for group in covered) for covered in gains if ids_by_cover[covered]
        }


def _dot(gains: Sequence[float], discounts: Sequence[float]) -> float:
    total = 0.0
    for gain, discount in zip(gains, discounts, strict=False):
        total += gain * discount
    return total
