"""Items: what is known about documents themselves, such as popularity, vectors and categories."""

from __future__ import annotations

from idealist import kernels
from idealist.data.item_rankings import graded, relevant_items
from idealist.data.needs import ITEMS
from idealist.measures.item_lists import (
    OfItems,
    RelevanceAware,
    as_values,
    category_counts,
    divergences,
    divide,
    entropies,
    in_tail,
    mean_over,
    more_popular,
    refuse_more_than,
    row_sums,
    self_information,
    shares,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy import ndarray

    from idealist.data import Rankings
    from idealist.data.item_rankings import ItemPart
    from idealist.data.items import Items
    from idealist.kernels import Values


class Distances:
    """Distances between items: cosine (1 − the cosine, which is 0 with a vector of nothing but 0) and
    euclidean of their vectors, jaccard (1 − shared / all, 0 between two without any) of their categories."""

    def __init__(self, items: Items, distance: str) -> None:
        self._distance = distance
        if distance == "jaccard":
            self._features = _packed_categories(items)
        elif not items.has_vectors:
            raise items.without_vectors(distance)
        else:
            self._features = _unit(items.vectors()) if distance == "cosine" else items.vectors()

    @property
    def size(self) -> int:
        """How many numbers describe an item."""
        return max(1, int(self._features.shape[1]))

    def pairs(self, part: ItemPart) -> Iterator[tuple[int, ndarray, ndarray]]:
        """For every gap between two ranks: the distances of the documents so far apart, and which there
        are. Column i is for ranks i + 1 and i + 1 + gap."""
        numbers = part.matrix(part.number, 0)
        features = self._features[numbers]
        ranks = numbers.shape[1]
        for gap in range(1, ranks):
            both_ranked = part.counts[:, None] > range(gap, ranks)
            yield gap, self._between(features[:, :-gap], features[:, gap:]), both_ranked

    def _between(self, first: ndarray, second: ndarray) -> ndarray:
        import numpy as np

        if self._distance == "cosine":
            distance: ndarray = np.maximum(1.0 - (first * second).sum(axis=2), 0.0)
        elif self._distance == "euclidean":
            distance = np.sqrt(((first - second) ** 2).sum(axis=2))
        else:
            shared, either = _bits(first & second), _bits(first | second)
            distance = 1.0 - np.where(either > 0, shared / np.maximum(either, 1), 1.0)
        return distance


def _unit(vectors: ndarray) -> ndarray:
    import numpy as np

    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = vectors / np.where(largest > 0, largest, 1.0)
    length = np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    return scaled / np.where(length > 0, length, 1.0)


def _packed_categories(items: Items) -> ndarray:
    """The categories of each item, a bit for each."""
    import numpy as np

    members = items.categories()
    packed = np.zeros((len(items), (len(members.names) + 7) // 8), dtype=np.uint8)
    item = np.repeat(np.arange(len(items)), np.diff(members.begin))
    np.bitwise_or.at(packed, (item, members.codes // 8), np.left_shift(1, members.codes % 8).astype(np.uint8))
    return packed


def _bits(packed: ndarray) -> ndarray:
    import numpy as np

    count = np.array([bin(byte).count("1") for byte in range(256)])
    bits: ndarray = count[packed].sum(axis=2)
    return bits


class Popularity(OfItems, name="Popularity", aliases={"ARP": {}}):
    """Average recommendation popularity: the mean popularity of the first k documents.

    Undefined for an empty list. Yin, Cui, Li, Yao and Chen, VLDB 2012.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "popularity": [8, 2, 6]}
    >>> evaluate({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "ARP@2", items=items).mean("ARP@2")  # (8 + 2)/2
    5.0
    """

    bounds = (0.0, float("inf"))
    better = "neither"
    column_needed = "popularity"

    def values(self, rankings: Rankings) -> Values:
        return mean_over(self.top(rankings), rankings.table(ITEMS).popularity())


class TailShare(OfItems, name="TailShare", aliases={"APLT": {}}):
    """Share of long-tail items: how many of the first k documents are not among the popular ones.

    An item is in the tail when the items more popular than it are at least a share `head` of the table.
    Undefined for an empty list. Abdollahpouri, Burke and Mobasher, FLAIRS 2019 (APLT).

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c", "d", "e"], "popularity": [8, 2, 6, 1, 1]}  # a is the head
    >>> evaluate({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "APLT@2", items=items).mean("APLT@2")
    0.5
    """

    head: float = 0.2
    column_needed = "popularity"

    def values(self, rankings: Rankings) -> Values:
        return mean_over(self.top(rankings), in_tail(rankings, self.head).astype(float))


class Novelty(OfItems, name="Novelty", aliases={"MSI": {}}):
    """Mean self-information in bits of the first k documents: the rarer, the more novel.

    The mean of −log2 p(i), where p(i) = (popularity + smoothing) / Σ (popularity + smoothing) over all items.
    Undefined for an empty list; an item of popularity 0 needs smoothing. Castells, Hurley and Vargas,
    Recommender Systems Handbook, 2015; Zhou and others, PNAS 2010, divide by the number of users instead,
    which shifts all values alike.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "popularity": [8, 2, 6]}
    >>> evaluate({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "MSI@2", items=items).mean("MSI@2")  # (1 + 3)/2
    2.0
    """

    smoothing: float = 0.0
    bounds = (0.0, float("inf"))
    column_needed = "popularity"

    def values(self, rankings: Rankings) -> Values:
        top = self.top(rankings)
        information = self_information(rankings, top, self.smoothing)
        return mean_over(top, information)


class EPC(RelevanceAware, name="EPC"):
    """Expected popularity complement: how unlikely a user knows the relevant documents she sees.

    Σ d(r)·p(rel)·(1 − p(seen)) / Σ d(r) over ranks r = 1..k, where p(seen) = popularity / users, and p(rel) is
    1 for documents of grade `level` or more (relevance=binary), (2^grade − 1)/2^max_grade (graded), or 1
    (none). Undefined for an empty list. Vargas and Castells, RecSys 2011.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "popularity": [8, 2, 6]}
    >>> measure = "EPC(users=10,discount=none)@2"
    >>> evaluate({"q": {"b": 1}}, {"q": {"a": 2.0, "b": 1.0}}, measure, items=items).mean(measure)  # (1 - 0.2)/2
    0.4
    """

    users: float | None = None
    column_needed = "popularity"

    def values(self, rankings: Rankings) -> Values:
        popularity = rankings.table(ITEMS).popularity()
        users = float(popularity.max()) if self.users is None else self.users
        refuse_more_than(users, rankings)
        return self.expected(rankings, self.top(rankings), 1.0 - popularity / (users or 1.0))


class EFD(RelevanceAware, name="EFD"):
    """Expected free discovery: the self-information in bits of the relevant documents a user sees.

    Σ d(r)·p(rel)·(−log2 p(i)) / Σ d(r) over ranks r = 1..k, with p(rel) as in EPC and p(i) as in Novelty.
    Undefined for an empty list; an item of popularity 0 needs smoothing. Vargas and Castells, RecSys 2011.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "popularity": [8, 2, 6]}
    >>> measure = "EFD(discount=none)@2"
    >>> evaluate({"q": {"b": 1}}, {"q": {"a": 2.0, "b": 1.0}}, measure, items=items).mean(measure)  # 3/2
    1.5
    """

    smoothing: float = 0.0
    bounds = (0.0, float("inf"))
    column_needed = "popularity"

    def values(self, rankings: Rankings) -> Values:
        top = self.top(rankings)
        return self.expected(rankings, top, self_information(rankings, top, self.smoothing))


class Serendipity(OfItems, name="Serendipity"):
    """Share of the first k documents that are relevant and not what everybody gets.

    Expected are the k most popular items: those with fewer than k items more popular than they are. The value
    is how many of the first k documents are of grade `level` or more and not expected, by how many there are.
    Undefined for an empty list. Ge, Delgado-Battenfeld and Jannach, RecSys 2010, with popularity as the
    primitive recommender.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "popularity": [8, 2, 6]}  # a and c are expected
    >>> judged, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    >>> evaluate(judged, run, "Serendipity@2", items=items).mean("Serendipity@2")
    0.5
    """

    level: float = 1.0
    column_needed = "popularity"

    def values(self, rankings: Rankings) -> Values:
        top = self.top(rankings)
        unexpected = more_popular(rankings.table(ITEMS).popularity()) >= self.k
        relevant = kernels.grades(graded(rankings, self.k)) >= self.level
        surprises = relevant * top.places.looked_up(unexpected.astype(float).tolist())
        return surprises.sum() / top.counts


class ILD(OfItems, name="ILD"):
    """Intra-list distance: the mean distance between two of the first k documents.

    The distance is cosine (1 − cosine of the vectors), euclidean, or jaccard of the categories. Undefined for
    fewer than two documents. Takes time quadratic in k. Smyth and McClave, ICCBR 2001; Ziegler and others,
    WWW 2005.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "vector": [[1, 0], [0, 2], [3, 0]]}
    >>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> round(evaluate({"q": {"a": 1}}, run, "ILD@3", items=items).mean("ILD@3"), 4)  # (1 + 0 + 1)/3
    0.6667
    """

    distance: str = "cosine"
    bounds = (0.0, float("inf"))

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        distances = Distances(rankings.table(ITEMS), self.distance)
        values = []
        for part in self.top(rankings).lists.parts(0, distances.size + self.k):
            total = np.zeros(part.queries)
            for _, between, both_ranked in distances.pairs(part):
                total += row_sums(np.where(both_ranked, between, 0.0))
            values.append(divide(total, part.counts * (part.counts - 1) / 2))
        return as_values(values)


class EILD(RelevanceAware, name="EILD"):
    """Expected intra-list distance: the mean distance between relevant documents a user sees, by rank.

    Σ_r d(r)·p(rel_r)·D_r / Σ d(r) over ranks r = 1..k, where D_r is the mean distance to the other documents
    s, weighted by d(max(1, s − r))·p(rel_s), and 0 if no weight is above 0; p(rel) as in EPC, distances as in
    ILD, which it is with relevance=none and discount=none. Undefined for fewer than two documents. Takes time
    quadratic in k. Vargas and Castells, RecSys 2011.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "vector": [[1, 0], [0, 2], [3, 0]]}
    >>> judged, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> measure = "EILD(discount=none)@3"  # a and b are 1 apart
    >>> round(evaluate(judged, run, measure, items=items).mean(measure), 4)  # (1 + 1 + 0)/3
    0.6667
    """

    distance: str = "cosine"
    bounds = (0.0, float("inf"))

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        distances = Distances(rankings.table(ITEMS), self.distance)
        top = self.top(rankings)
        discounts = np.array(self.discounts(top))
        relevance = np.asarray(self.likely(rankings))
        values = []
        for part in top.lists.parts(0, distances.size + self.k):
            likely = part.matrix(relevance[part.slice], 0.0)
            distance_sums, weight = np.zeros(likely.shape), np.zeros(likely.shape)
            for gap, between, both_ranked in distances.pairs(part):
                upper, lower = likely[:, :-gap] * both_ranked, likely[:, gap:] * both_ranked
                weight[:, :-gap] += discounts[gap - 1] * lower
                distance_sums[:, :-gap] += discounts[gap - 1] * lower * between
                weight[:, gap:] += discounts[0] * upper
                distance_sums[:, gap:] += discounts[0] * upper * between
            by_rank = part.matrix(discounts[part.rank - 1], 0.0)
            worth = by_rank * likely * divide(distance_sums, weight, otherwise=0.0)
            values.append(np.where(part.counts > 1, divide(row_sums(worth), row_sums(by_rank)), np.nan))
        return as_values(values)


class CategoryCoverage(OfItems, name="CategoryCoverage"):
    """Share of all categories that the first k documents show.

    0 for an empty list. Vargas, Baltrunas, Karatzoglou and Castells, RecSys 2014 (coverage of genres).

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "category": ["war|drama", "war", "comedy"]}
    >>> run, measure = {"q": {"a": 2.0, "b": 1.0}}, "CategoryCoverage@2"
    >>> round(evaluate({"q": {"a": 1}}, run, measure, items=items).mean(measure), 4)  # 2 of 3
    0.6667
    """

    column_needed = "category"

    def values(self, rankings: Rankings) -> Values:
        counts_by_part = category_counts(rankings, self.top(rankings).lists)
        return as_values([(counts > 0).sum(axis=1) / max(counts.shape[1], 1) for counts in counts_by_part])


class CategoryEntropy(OfItems, name="CategoryEntropy"):
    """Shannon entropy in bits of the categories in the first k documents.

    −Σ p(c)·log2 p(c), where p(c) is the share of category c; a document of several categories counts for each
    in part. Undefined when no document has a category. Shannon, 1948; for lists of recommendations, Castells,
    Hurley and Vargas, Recommender Systems Handbook, 2015.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "category": ["war|drama", "war|drama", "comedy"]}
    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> measure = "CategoryEntropy@2"
    >>> evaluate({"q": {"a": 1}}, run, measure, items=items).mean(measure)  # half war, half drama
    1.0
    """

    bounds = (0.0, float("inf"))
    column_needed = "category"

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        values = []
        for counts in category_counts(rankings, self.top(rankings).lists):
            total = row_sums(counts)
            values.append(np.where(total > 0, entropies(shares(counts)), np.nan))
        return as_values(values)


class Calibration(OfItems, name="Calibration"):
    """How far the categories of the first k documents are from those of the relevant ones; 0 is best.

    The Kullback-Leibler divergence Σ p(c)·ln(p(c) / q̃(c)) of p, the shares of categories among all relevant
    documents of the query, from q̃ = (1 − mix)·q + mix·p, where q are the shares in the list. Undefined when
    no document of the list, or no relevant one, has a category. Steck, RecSys 2018.

    >>> from idealist import evaluate
    >>> items = {"item": ["a", "b", "c"], "category": ["war", "war", "comedy"]}
    >>> judged, run = {"q": {"a": 1, "c": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    >>> measure = "Calibration(mix=0.5)@2"  # p is 1/2, 1/2; q̃ is 3/4, 1/4
    >>> round(evaluate(judged, run, measure, items=items).mean(measure), 4)  # ln(2/3)/2 + ln(2)/2
    0.1438
    """

    level: float = 1.0
    mix: float = 0.01
    bounds = (0.0, float("inf"))
    better = "lower"
    column_needed = "category"

    def values(self, rankings: Rankings) -> Values:
        import numpy as np

        history = relevant_items(rankings, self.level)
        members = rankings.table(ITEMS).categories()
        values, first_query = [], 0
        for part in self.top(rankings).lists.parts(3 * len(members.names)):
            listed = part.sums(members, np.ones(len(part.number)))
            liked = history.part(first_query, first_query + part.queries)
            liked_counts = liked.sums(members, np.ones(len(liked.number)))
            p, q = shares(liked_counts), shares(listed)
            divergence = divergences(p, (1.0 - self.mix) * q + self.mix * p)
            defined = (row_sums(liked_counts) > 0) & (row_sums(listed) > 0)
            values.append(np.where(defined, divergence, np.nan))
            first_query += part.queries
        return as_values(values)
