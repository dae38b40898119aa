"""What the measures of subtopics are made of: one ranking per query and subtopic, folded into queries, and the best list that a greedy choice finds."""

from __future__ import annotations

from itertools import islice
from math import fsum

from idealist import kernels
from idealist.base.values import ABOVE_ZERO
from idealist.data import Judgments
from idealist.data.grouped import bytewise, group_rankings
from idealist.kernels import Values
from idealist.measures.discounts import NAMES, discount_table
from idealist.measures.gains import gain_function, native_gain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idealist.data import Rankings
    from idealist.measures.gains import Gain
    from idealist.measures.measure import Measure


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


def subtopic_weights(rankings: Rankings, level: float) -> Values:
    """The weight of every subtopic, 0 where no document's grade reaches the level."""
    views = group_rankings(rankings)
    return views.weights * (kernels.relevant(views.native, level) > 0)


def total_weights(rankings: Rankings, level: float, subtopics: str = "relevant") -> Values:
    """What the subtopics of each query weigh together: those for which something is relevant, or all of them. Not
    positive when nothing is relevant for any."""
    views = group_rankings(rankings)
    relevant = subtopic_weights(rankings, level).sums_of(views.counts)
    if subtopics == "relevant":
        return relevant
    return views.weights.sums_of(views.counts) * (relevant > 0)


def subtopic_counts(rankings: Rankings, level: float, subtopics: str = "relevant") -> Values:
    """How many subtopics of each query count."""
    views = group_rankings(rankings)
    weights = subtopic_weights(rankings, level) if subtopics == "relevant" else views.weights
    return (weights > 0).sums_of(views.counts)


def covered_counts(rankings: Rankings, level: float, k: int | None) -> Values:
    """How many of them the first k documents cover."""
    views = group_rankings(rankings)
    covered = kernels.any_hit(views.native, level, k, rankings.threads)
    return (covered * (subtopic_weights(rankings, level) > 0)).sums_of(views.counts)


def intent_aware(rankings: Rankings, measure: Measure) -> Values:
    """Σ_i P(i|q)·M_i over the subtopics for which something is relevant and M is defined."""
    views = group_rankings(rankings)
    each = measure.values(rankings.replaced(views.native))
    defined = (each * 0.0 + 1.0).filled(0.0)
    weights = subtopic_weights(rankings, _level(measure)) * defined
    return (each.filled(0.0) * weights).sums_of(views.counts) / weights.sums_of(views.counts)


def _level(measure: Measure) -> float:
    """From which grade a document is relevant to a measure, or to the one it is made of."""
    level = getattr(measure, "level", None)
    inner = getattr(measure, "of", None)
    if level is None and inner is not None:
        return _level(inner)
    return ABOVE_ZERO if level is None else float(level)


def novelty_sum(rankings: Rankings, level: float, alpha: float, discount: str, k: int | None) -> Values:
    """Σ_r d(r)·Σ_i w_i·(1 − α)^(documents above r that cover i), over the subtopics i that the document at
    rank r covers; w are the weights as they were given."""
    views = group_rankings(rankings)
    longest = views.native.longest()
    last_rank = longest if k is None else min(k, longest)
    discounts = [0.0, *discount_table(discount, last_rank), *[0.0] * (longest - last_rank)]
    covers = kernels.grades(views.native) >= level
    novelty = (1.0 - alpha) ** covers.before()
    each = (covers * novelty * kernels.ranks(views.native).looked_up(discounts)).sum()
    return (each * views.weights).sums_of(views.counts)


def share_of_greedy(rankings: Rankings, level: float, alpha: float, discount: str, k: int | None) -> Values:
    """The sum as a share of the greedy ideal list's."""
    novelty = novelty_sum(rankings, level, alpha, discount, k)
    return novelty.share_of(rankings.view(GreedyIdeals, level, alpha).discounted(discount, k))


def share_of_bound(
    rankings: Rankings, level: float, alpha: float, discount: str, k: int, subtopics: str
) -> Values:
    """The sum as a share of that of a list whose every document covers every subtopic."""
    novelty = novelty_sum(rankings, level, alpha, discount, k)
    return novelty.share_of(total_weights(rankings, level, subtopics) * _bound(alpha, discount, k))


def _bound(alpha: float, discount: str, k: int) -> float:
    """Σ_r d(r)·(1 − α)^(r−1) over ranks r = 1..k."""
    bound, left = 0.0, 1.0
    for rank in range(1, k + 1):
        term = left * NAMES[discount][0](rank)
        if bound + term == bound:
            break  # terms only become smaller
        bound += term
        left *= 1.0 - alpha
    return bound


def by_global_gain(rankings: Rankings, gain: Gain) -> Rankings:
    """The rankings with Σ_i w_i·g_i, over the subtopics a document is judged for, in the place of its grade."""
    views = group_rankings(rankings)
    native_gain(gain, rankings.replaced(views.native))  # makes sure that every grade has one
    gain_of, keeps = gain_function(gain), rankings.conventions.negative == "keep"
    weights = list(views.weights)
    worth: dict[str, dict[str, float]] = {}
    for query, documents in zip(rankings.queries, views.documents, strict=True):
        worth[query] = document_worth = {}
        for document, memberships in documents.items():
            total = 0.0
            for group, grade in memberships:
                if grade >= 0 or keeps:
                    total += weights[group] * gain_of(grade)
            document_worth[document] = total
    return rankings.replaced(rankings.matched(Judgments(worth)))
